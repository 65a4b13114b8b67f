"""What is told at a session's start of switches that keep hosts from asking Interlock.

A file of a repository can switch the hooks of a host off, those of the person too, and then no hook of that host is
there to say so. The hook of another host is: a person often has several. Only hosts count whose settings, below the
person's home, name Interlock.
"""

from __future__ import annotations

from ..hosts import HOSTS, host_named, part_of
from ..limits import MAX_WATCHED_BYTES
from ..model.errors import InterlockError
from ..store.home.files import read_file
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..store.home.folders import Folders

__all__ = ["told_of_switches"]

_MOST = 4  # for each host


def told_of_switches(folders: Folders, root: str, own: str = "") -> tuple[str, ...]:
    """For each host that is guarded on this machine, why it would not be in this project.

    `own`: the host whose hook asks. It was called, so it is not switched off. Code that runs beside it is told.
    """
    told = []
    for host in HOSTS:
        settings = part_of(host, "settings")
        if settings is None or not host_named(host).TRAITS.proven:
            continue
        files = {path: _text(path) for path in settings.settings_files(root, folders.home, folders.moved)}
        if not _is_guarded(settings, files, root):
            continue
        title = host_named(host).TRAITS.title
        found = [] if host == own else [f"{why}: {title} does not ask Interlock here" for why in _of(settings, files)]
        beside = getattr(settings, "beside", None)
        found += beside(files) if beside is not None else []
        told += found[:_MOST]
    return tuple(dict.fromkeys(told))


def _of(settings: Any, files: Mapping[str, bytes | None]) -> list[str]:
    found: list[str] = settings.unhooks(files, {})
    return found


def _is_guarded(settings: Any, files: Mapping[str, bytes | None], root: str) -> bool:
    """Whether a file of the person's names us. A project's own entry is no reason to look after the host."""
    for path, raw in files.items():
        if raw is None or path.startswith(f"{root}/"):
            continue
        described = settings.describe(path, raw)
        if described is not None and described[1]:
            return True
    return False


def _text(path: str) -> bytes | None:
    try:
        return read_file(path, limit=MAX_WATCHED_BYTES)
    except InterlockError:
        return b"?"  # there, and not to be read: no settings, which is what is said of it
