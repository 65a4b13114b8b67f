"""Reads what a folder of plug-ins holds, within bounds: names, small JSON files, and a digest of everything in a tree.

Links are followed, as the client does. Whatever cannot be read is told apart from what is not there: a file that
nobody can look into may hold anything.
"""

from __future__ import annotations

import json
import os
from errno import ELOOP, ENAMETOOLONG

from ...bytes.canon import sha256
from ...limits import MAX_MOD_BYTES, MAX_MOD_FILE_BYTES, MAX_MOD_FILES, MAX_MOD_FOLDERS, MAX_MODS_BYTES
from ...model.errors import StoreError
from ...value import TYPE_CHECKING
from .files import read_file

if TYPE_CHECKING:
    from typing import Any

__all__ = ["Files", "mark_of", "stamp_of"]

_REGULAR, _FOLDER, _KIND = 0o100000, 0o040000, 0o170000
_DEEPEST = 12
_NOT_THERE = (ELOOP, ENAMETOOLONG)


class Files:
    """One look at the disk. `cut`: there was more than the bounds let it look at."""

    def __init__(self) -> None:
        self.left = MAX_MOD_FOLDERS
        self.bytes = MAX_MODS_BYTES
        self.cut = False
        self._objects: dict[str, dict[str, Any] | None] = {}

    def below(self, folder: str) -> list[str]:
        """The folders in a folder, links to folders too; those that begin with a dot as well."""
        try:
            names = sorted(os.listdir(folder))
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return []
        except OSError as error:
            self.cut = self.cut or error.errno not in _NOT_THERE
            return []
        found = []
        for name in names:
            if self.left <= 0:
                self.cut = True
                break
            self.left -= 1
            if os.path.isdir(f"{folder}/{name}"):
                found.append(f"{folder}/{name}")
        return found

    def object_in(self, path: str) -> dict[str, Any] | None:
        """The JSON object in a file; empty where there is no file, None where it cannot be read as one."""
        if path not in self._objects:
            self._objects[path] = self._read(path)
        return self._objects[path]

    def _read(self, path: str) -> dict[str, Any] | None:
        try:
            raw = read_file(path, limit=MAX_MOD_FILE_BYTES)
        except StoreError:
            return None
        if raw is None:
            return {}
        try:
            # As a JavaScript client takes it: broken characters are replaced, and of two keys the last counts.
            found = json.loads(raw.decode("utf-8", "replace").removeprefix("\ufeff"))
            return _whole(found) if isinstance(found, dict) else None
        except (ValueError, RecursionError):
            return None

    def tree(self, root: str) -> str:
        """A digest of every file below a folder: of its content, and of what is beyond the bounds its attributes."""
        # INVARIANT: what a digest covers hangs on the tree alone, as long as there is room for all of them.
        room = min(MAX_MOD_BYTES, self.bytes)
        tree = _Tree(root, room=room)
        digest = tree.digest()
        self.bytes -= room - tree.bytes
        return digest


def stamp_of(root: str) -> str:
    """The same as long as no file below the folder was touched. Nothing is read."""
    return _Tree(root, reads=False).digest()


class _Tree:
    def __init__(self, root: str, *, reads: bool = True, room: int = 0) -> None:
        self.root = root
        self.reads = reads
        self.files = MAX_MOD_FILES
        self.bytes = room
        self.sum = sha256(b"")
        self.above: list[str] = []

    def digest(self) -> str:
        self._take(self.root, "")
        return f"sha256:{self.sum.hexdigest()}"

    def _take(self, path: str, name: str) -> None:
        self.files -= 1
        if self.files < 0:
            self._add(name, "cut", b"")
            return
        try:
            at = os.stat(path)
        except (OSError, ValueError) as error:
            self._add(name, type(error).__name__, b"")
            return
        kind = at.st_mode & _KIND
        if kind == _FOLDER:
            self._folder(path, name)
        elif self.reads and kind == _REGULAR and at.st_size <= min(self.bytes, MAX_MOD_FILE_BYTES):
            self.bytes -= at.st_size
            try:
                self._add(name, "file", read_file(path, limit=MAX_MOD_FILE_BYTES) or b"")
            except StoreError:
                self._add(name, "unread", mark_of(path).encode())
        else:
            self._add(name, "attributes", mark_of(path).encode())

    def _folder(self, path: str, name: str) -> None:
        real = os.path.realpath(path)
        if real in self.above or len(self.above) >= _DEEPEST:
            self._add(name, "deep", real.encode("utf-8", "surrogateescape"))
            return
        try:
            entries = sorted(os.listdir(path))
        except OSError:
            self._add(name, "unread", mark_of(path).encode())
            return
        self.above.append(real)
        for entry in entries:
            if self.files < 0:
                break
            self._take(f"{path}/{entry}", f"{name}/{entry}")
        self.above.pop()

    def _add(self, name: str, kind: str, content: bytes) -> None:
        # Lengths first, so that no content can pass for the next file's name.
        head = f"{len(name)} {name} {kind} {len(content)} ".encode("utf-8", "surrogateescape")
        self.sum.update(head)
        self.sum.update(content)


def _whole(value: Any) -> Any:
    """With half characters replaced, as a JavaScript client does when it looks for a file of such a name."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return {_whole(key): _whole(item) for key, item in value.items()} if isinstance(value, dict) else value


def mark_of(path: str) -> str:
    """Changes when the file does; the same text for every file that is not there."""
    try:
        at = os.stat(path)
    except (OSError, ValueError):
        return "-"
    return f"{at.st_mtime_ns} {at.st_ctime_ns} {at.st_size} {at.st_ino} {at.st_mode}"
