"""What a process that stays has made of small files, kept until one of them is touched.

A policy, a posture and contracts are wanted for every call, and nearly never change. `of` makes a thing once, taking
down all that was asked of the disk on the way; the next time the same is asked again, and where every answer is the
same, what was made is given back. Nothing is kept for a time: a file that was changed counts for the very next call.

A file is known by its attributes. The clock of a file system has steps, so a file that was touched a moment ago could
be changed once more without showing it: what was made of such a file is not kept before it has come to rest. A plain
hook decides one call and loads none of this.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from ... import PACKAGE
from ...model.errors import StoreError
from ...value import TYPE_CHECKING
from ..home.files import read_file

if TYPE_CHECKING:
    from ..home.files import Disk

__all__ = ["AtOnce", "Remembered"]

_Made = TypeVar("_Made")

_MOST = 512  # things that are kept: a few for each project and tool, or an attacker's many
_REST = 3_000_000_000  # nanoseconds: the coarsest clock of a file system has steps of two seconds

# What comes with this very version, like the code that this process has loaded: another one is for the next process.
_OURS = PACKAGE + "/"

# A question to the disk, and its answer.
_Asked = tuple[Callable[[str], object], str, object]


class Remembered:
    """For any number of threads: what two of them make at once is the same, and one of it is kept."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[list[_Asked], Any]] = {}

    def at_once(self) -> AtOnce:
        return AtOnce(self)

    def of(self, key: Hashable, make: Callable[[Disk], _Made]) -> _Made:
        """What `make` makes of the disk that it is given. It must ask nothing else of the world."""
        kept = self._kept.get(key)
        if kept is not None:
            for ask, path, answer in kept[0]:
                if ask(path) != answer:
                    break
            else:
                found: _Made = kept[1]
                return found
        disk = _Noting()
        made = make(disk)
        if disk.rests:
            if len(self._kept) >= _MOST:
                self._kept.clear()
            self._kept[key] = disk.asked, made
        else:
            self._kept.pop(key, None)
        return made


class AtOnce:
    """For calls that came before any of them is looked at: what was asked of the disk for one holds for all of them.
    Made anew each time, by one thread.
    """

    def __init__(self, remembered: Remembered) -> None:
        self._remembered = remembered
        self._found: dict[Hashable, Any] = {}

    def of(self, key: Hashable, make: Callable[[Disk], _Made]) -> _Made:
        try:
            found: _Made = self._found[key]
        except KeyError:
            found = self._found[key] = self._remembered.of(key, make)
        return found


class _Noting:
    """The disk as it is, and what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[_Asked] = []
        self.rests = True  # every answer will be another once the file is

    def read(self, path: str, *, limit: int) -> bytes | None:
        if path.startswith(_OURS):
            return read_file(path, limit=limit)
        before = _attributes(path)
        try:
            raw = read_file(path, limit=limit)
        except StoreError:
            self.rests = False
            raise
        # INVARIANT: the bytes belong to the attributes. Whoever writes in between changes those.
        self.rests = self.rests and _is_at_rest(before) and _attributes(path) == before
        self.asked.append((_attributes, path, before))
        return raw

    def real(self, path: str) -> str:
        found = os.path.realpath(path)
        self.asked.append((os.path.realpath, path, found))
        return found

    def is_folder(self, path: str) -> bool:
        found = os.path.isdir(path)
        self.asked.append((os.path.isdir, path, found))
        return found


def _attributes(path: str) -> tuple[int, ...] | str | None:
    """What is different once a file was written, replaced, moved or made readable; None where there is none."""
    try:
        at = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        return str(error)
    return at.st_mtime_ns, at.st_ctime_ns, at.st_size, at.st_ino, at.st_dev, at.st_mode


def _is_at_rest(attributes: tuple[int, ...] | str | None) -> bool:
    if attributes is None:
        return True
    if type(attributes) is not tuple:
        return False
    now = time.time_ns()
    return max(attributes[0], attributes[1]) + _REST < now
