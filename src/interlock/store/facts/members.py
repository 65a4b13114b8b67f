"""One file of an archive, a commit or a folder, as whoever lists it finds it."""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[[], bytes | None]

__all__ = ["FILE", "HARD", "LINK", "OTHER", "Member"]

FILE, LINK, HARD, OTHER = "file", "link", "hard", "other"  # other: folders, devices


class Member:
    """One file that would be placed: its name, what it is, where it leads if it is a link, and what is in it.

    `path` is where it lies on the disk, if it does. A member of kind `made` is of unknown contents; `unlisted` stands
    for all members of a source that cannot be listed.
    """

    __slots__ = ("kind", "name", "path", "read", "target")

    def __init__(self, name: str, kind: str = FILE, target: str = "", read: Read | None = None, path: str = "") -> None:
        self.name = name
        self.kind = kind
        self.target = target
        self.read = read
        self.path = path

    def called(self, name: str) -> Member:
        return Member(name, self.kind, self.target, self.read, self.path)
