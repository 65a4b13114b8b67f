"""What of a watched file counts when it is compared: each kind of file has parts that change every day."""

from __future__ import annotations

from ..hosts import HOSTS, part_of
from ..reading.places.places import stand_in
from ..reading.places.watched import essential_lines
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..store.facts.watch import Describe
    from ..store.home.folders import Folders

__all__ = ["describing"]

_OF_GIT = ("/.git/config", "/.git/config.worktree")


def describing(folders: Folders) -> Describe:
    """Tells of a file the part that counts, and our hooks in it: event -> digest of the entry."""

    def describe(path: str, raw: bytes) -> tuple[bytes, Mapping[str, str]]:
        if path.endswith(_OF_GIT):
            return essential_lines(raw.decode("utf-8", "replace")).encode(), {}
        known = stand_in(path, folders.moved, folders.home) or path
        for host in HOSTS:
            settings = part_of(host, "settings")
            found: tuple[bytes, Mapping[str, str]] | None = settings and settings.describe(known, raw)
            if found is not None:
                return found
        return raw, {}

    return describe
