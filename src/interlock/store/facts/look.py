"""A glance at the watched files: one text that stays the same while none of them was touched.

Every event takes one, so it only asks for the attributes of files (time of change, size, number) and reads none. What
changed, and how, is found out in `store/facts/watch.py`, which is loaded when two glances differ.

The number of files is bounded. Named files come first, then folders, strictest level first, and what is denied has a
budget of its own: no folder of hooks that are only asked about can crowd out one that is denied. `cut` names the
folders of which something was left out.
"""

from __future__ import annotations

import os

from ...bytes.canon import sha256
from ...limits import MAX_MOD_FOLDERS, MAX_WATCHED_DENIED, MAX_WATCHED_FILES
from ...reading.places.watched import DENIED, LEVELS, watched
from ...value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Glance", "glance"]

_FOLDER, _REGULAR, _KIND = 0o040000, 0o100000, 0o170000
_DEEPEST = 4
_OF_PLUG_IN = (".claude-plugin/plugin.json", "hooks", "hooks/hooks.json")


class Glance(Value):
    """
    stamp  stands for the attributes of all files together
    files  every file that is there, with its level
    cut    watched folders with more files than are compared
    """

    stamp: str
    files: tuple[tuple[str, str], ...]
    cut: tuple[str, ...] = ()


class _Looking:
    """What has been seen so far, and how many files of the level at hand may still be."""

    __slots__ = ("cut", "files", "left", "marks")

    def __init__(self) -> None:
        self.files: list[tuple[str, str]] = []
        self.marks: list[str] = []
        self.cut: dict[str, None] = {}
        self.left = 0


def glance(root: str, home: str, moved: Mapping[str, str]) -> Glance:
    seen = _Looking()
    folders: list[tuple[str, str]] = []
    for base, firsts in watched(root, home, moved):
        for first, places in firsts:
            try:
                os.lstat(f"{base}/{first}")
            except (OSError, ValueError):
                continue
            for path, folder, level in places:
                if folder:
                    folders.append((f"{base}/{path}", level))
                else:
                    seen.left = 1  # INVARIANT: a named file is never left out; the table bounds how many there are
                    _take(f"{base}/{path}", level, "", seen, 0)
    budget = {DENIED: MAX_WATCHED_DENIED}
    for level in LEVELS:  # strictest first
        seen.left = budget.get(level, max(0, MAX_WATCHED_FILES - len(seen.files)))
        for path, of in folders:
            if of == level:
                _take(path, level, path, seen, 0)
    for own in (f"{home}/.claude", *[folder for folder, place in moved.items() if place == ".claude"]):
        _plug_ins(f"{own}/skills", seen)
    if root != home:
        _plug_ins(f"{root}/.claude/skills", seen)
    stamp = sha256("\n".join(seen.marks).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return Glance(stamp=stamp, files=tuple(seen.files), cut=tuple(seen.cut))


def _plug_ins(folder: str, seen: _Looking) -> None:
    """Skills that are plug-ins too: what they carry is found out where one is new (follow/inside.py)."""
    try:
        names = sorted(os.listdir(folder))[:MAX_MOD_FOLDERS]
    except (OSError, ValueError):
        return
    for name in names:
        for file in _OF_PLUG_IN:
            try:
                at = os.stat(f"{folder}/{name}/{file}")
            except (OSError, ValueError):
                break
            seen.marks.append(f"{folder}/{name}/{file}\0{at.st_mtime_ns} {at.st_ctime_ns} {at.st_size} {at.st_ino}")


def _take(path: str, level: str, top: str, seen: _Looking, depth: int) -> None:
    """A file, or all files of a folder; `top` is the watched folder, empty for a file that is named itself."""
    try:
        at = os.stat(path)
    except (OSError, ValueError):
        return
    kind = at.st_mode & _KIND
    if kind == _FOLDER and top:
        if depth > _DEEPEST or seen.left <= 0:
            seen.cut[top] = None
            return
        seen.left -= depth > 0  # folders cost a look too, so that empty ones cannot keep an event busy
        try:
            names = sorted(os.listdir(path))
        except OSError:
            return
        for name in names:
            if seen.left <= 0:
                seen.cut[top] = None
                return
            if not name.endswith(".sample"):  # git leaves its examples beside its hooks
                _take(f"{path}/{name}", level, top, seen, depth + 1)
    elif kind == _REGULAR:
        if seen.left <= 0:
            seen.cut[top] = None
            return
        seen.left -= 1
        seen.files.append((path, level))
        seen.marks.append(f"{path}\0{at.st_mtime_ns} {at.st_ctime_ns} {at.st_size} {at.st_ino} {at.st_mode}")
