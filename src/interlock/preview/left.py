"""What the command left in its view: the upper layer, brought out as a list of entries and the bytes of its files.

Runs inside, after the last process of the command has ended, so nothing changes while it is read. No link is followed.
A file's bytes go into the stage under a number; the list says everything else. What overlayfs itself writes there (a
whiteout for what is gone, `user.overlay.opaque` for a folder that hides what lies below) becomes a word of ours; the
command cannot write either of them, because it only ever sees the merged view.
"""

from __future__ import annotations

import hashlib
import os
import stat
from typing import Any

__all__ = ["TooMuchError", "entries_of", "names_in"]

_OURS = "user.overlay."
_PIECE = 1 << 20
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


class TooMuchError(Exception):
    """More was left than may be taken out."""


class _Budget:
    def __init__(self, bytes: int, files: int) -> None:
        self.bytes, self.files, self.next = bytes, files, 0

    def take(self, size: int) -> None:
        self.files -= 1
        self.bytes -= size
        if self.files < 0 or self.bytes < 0:
            raise TooMuchError("the command left more files or bytes than a preview may hold")


def entries_of(upper: int, stage: int, *, bytes: int, files: int) -> list[dict[str, Any]]:
    """All entries below the descriptor `upper`, parents first. `stage` is the folder that gets the files' bytes."""
    found: list[dict[str, Any]] = []
    budget = _Budget(bytes, files)
    _folder(upper, "", stage, budget, found)
    return found


def _folder(at: int, path: str, stage: int, budget: _Budget, found: list[dict[str, Any]]) -> None:
    for name in sorted(os.listdir(at), key=os.fsencode):
        state = os.stat(name, dir_fd=at, follow_symlinks=False)
        whole = f"{path}/{name}" if path else name
        budget.take(state.st_size if stat.S_ISREG(state.st_mode) else 0)
        entry: dict[str, Any] = {"path": whole, "mode": stat.S_IMODE(state.st_mode)}
        found.append(entry)
        if stat.S_ISDIR(state.st_mode):
            inner = os.open(name, _OPEN | os.O_DIRECTORY, dir_fd=at)
            try:
                marks = _attributes(inner)
                entry |= {"kind": "folder", "hides": marks.pop(_OURS + "opaque", b"") == b"y"}
                entry |= _told(marks)
                _folder(inner, whole, stage, budget, found)
            finally:
                os.close(inner)
        elif stat.S_ISREG(state.st_mode):
            entry |= _file(at, name, state, stage, budget)
        elif stat.S_ISLNK(state.st_mode):
            entry |= {"kind": "link", "target": os.readlink(name, dir_fd=at)}
        elif stat.S_ISCHR(state.st_mode) and state.st_rdev == 0:
            entry |= {"kind": "gone"}
        else:
            entry |= {"kind": "special"}


def _file(at: int, name: str, state: os.stat_result, stage: int, budget: _Budget) -> dict[str, Any]:
    budget.next += 1
    number = str(budget.next)
    source = os.open(name, _OPEN | os.O_NONBLOCK, dir_fd=at)
    target = os.open(number, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=stage)
    digest = hashlib.sha256()
    try:
        while piece := os.read(source, _PIECE):
            digest.update(piece)
            rest = memoryview(piece)
            while rest:
                rest = rest[os.write(target, rest) :]
        marks = _attributes(source)
    finally:
        os.close(source)
        os.close(target)
    told = {"kind": "file", "size": state.st_size, "digest": digest.hexdigest(), "bytes": number}
    told |= {"time": state.st_mtime_ns, **_told(marks)}
    if state.st_nlink > 1:
        told["same"] = state.st_ino
    return told


def _attributes(descriptor: int) -> dict[str, bytes]:
    try:
        return {name: os.getxattr(descriptor, name) for name in os.listxattr(descriptor) if name.startswith("user.")}
    except OSError:
        return {}


def _told(marks: dict[str, bytes]) -> dict[str, Any]:
    """The attributes of the command's own."""
    own = {name: value.hex() for name, value in marks.items() if not name.startswith(_OURS)}
    return {"attributes": own} if own else {}


def names_in(folder: str, most: int, apart: tuple[str, ...] = ()) -> list[str]:
    """Files below a folder of the view; a few, for a person. What is shown of the machine there is left out."""
    found: list[str] = []
    for above, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if os.path.join(above, name) not in apart]
        for name in files:
            if len(found) >= most:
                return found
            found.append(os.path.join(above, name))
    return found
