"""A glance at the watched files: one text that stays the same while none of them was touched.

Every event takes one, so it only asks for the attributes of files (time of change, size, number) and reads none. What
changed, and how, is found out in `store/watch.py`, which is loaded when two glances differ.
"""

from __future__ import annotations

import os

from ..limits import MAX_WATCHED_FILES
from ..reading.watched import watched
from ..record.canon import sha256
from ..value import Value

__all__ = ["Glance", "glance"]

_FOLDER, _REGULAR, _KIND = 0o040000, 0o100000, 0o170000
_DEEPEST = 4


class Glance(Value):
    """
    stamp  stands for the attributes of all files together
    files  every file that is there, with its level
    """

    stamp: str
    files: tuple[tuple[str, str], ...]


def glance(root: str, home: str) -> Glance:
    found: list[tuple[str, str]] = []
    marks: list[str] = []
    folders: list[tuple[str, str]] = []
    for base, firsts in watched(root, home):
        for first, places in firsts:
            try:
                os.lstat(f"{base}/{first}")
            except (OSError, ValueError):
                continue
            for path, folder, level in places:
                if folder:
                    folders.append((f"{base}/{path}", level))
                else:
                    _take(f"{base}/{path}", level, folder, found, marks, 0)
    for path, level in folders:  # last: one that is full of files must not leave a named file out
        _take(path, level, True, found, marks, 0)
    return Glance(stamp=sha256("\n".join(marks).encode("utf-8", "surrogatepass")).hexdigest()[:32], files=tuple(found))


def _take(path: str, level: str, folder: bool, found: list[tuple[str, str]], marks: list[str], depth: int) -> None:
    try:
        at = os.stat(path)
    except (OSError, ValueError):
        return
    kind = at.st_mode & _KIND
    if kind == _FOLDER and folder and depth <= _DEEPEST and len(found) < MAX_WATCHED_FILES:
        try:
            names = sorted(os.listdir(path))
        except OSError:
            return
        for name in names[:MAX_WATCHED_FILES]:
            if not name.endswith(".sample"):  # git leaves its examples beside its hooks
                _take(f"{path}/{name}", level, folder, found, marks, depth + 1)
    elif kind == _REGULAR and len(found) < MAX_WATCHED_FILES:
        found.append((path, level))
        marks.append(f"{path}\0{at.st_mtime_ns} {at.st_ctime_ns} {at.st_size} {at.st_ino} {at.st_mode}")
