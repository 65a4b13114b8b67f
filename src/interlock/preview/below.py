"""The project as it was when the command ran on it: what is where, and whether anything has changed since.

One line for each name: type and mode, which file it is, its size and times. The change time cannot be set by a program,
so a file that was written and put back shows. Links are never followed, and other file systems are not entered.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping

from ..limits import MAX_PREVIEW_BELOW
from ..model.errors import InputError

__all__ = ["Mark", "mark_of", "marks_below", "names_that_changed"]

Mark = tuple[int, int, int, int, int]  # mode, inode, size, modified, changed


def mark_of(state: os.stat_result) -> Mark:
    size = 0 if stat.S_ISDIR(state.st_mode) else state.st_size
    return (state.st_mode, state.st_ino, size, state.st_mtime_ns, state.st_ctime_ns)


def marks_below(root: str) -> dict[str, Mark]:
    """Everything below the project's folder by its path there, and the folder itself under the empty name."""
    try:
        top = os.stat(root, follow_symlinks=False)
        found = {"": mark_of(top)}
        for path, state in _walked(root, "", top.st_dev):
            found[path] = mark_of(state)
            if len(found) > MAX_PREVIEW_BELOW:
                raise InputError(f"the project has more than {MAX_PREVIEW_BELOW:,} files; preview in a smaller folder")
    except FileNotFoundError as error:
        raise InputError(f"the project changed while it was looked at: {error.filename} is gone; try again") from None
    except (RecursionError, OSError) as error:
        raise InputError(f"the project cannot be looked through: {type(error).__name__} in {root}") from None
    return found


def _walked(folder: str, path: str, device: int) -> Iterator[tuple[str, os.stat_result]]:
    try:
        inner = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except PermissionError:  # the command cannot look into it either
        return
    for entry in inner:
        state = entry.stat(follow_symlinks=False)
        whole = f"{path}/{entry.name}" if path else entry.name
        if state.st_dev != device:
            raise InputError(f"another file system is mounted at `{whole}`, and a preview cannot look through it")
        yield whole, state
        if stat.S_ISDIR(state.st_mode):
            yield from _walked(entry.path, whole, device)


def names_that_changed(before: Mapping[str, Mark], now: Mapping[str, Mark]) -> list[str]:
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
