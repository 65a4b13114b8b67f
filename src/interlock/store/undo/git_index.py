"""The index of a repository with what git remembers of each file's `stat`, and trees laid out flat.

Names are kept byte for byte. What cannot be read whole (a split or sparse index, a merge in progress) is refused.
"""

from __future__ import annotations

import hashlib
import os

from ...limits import MAX_GIT_INDEX_BYTES
from ...model.errors import StoreError
from ...value import TYPE_CHECKING
from ..facts.git_index import rows_in
from ..home.files import read_file
from .held import NotHeldError

if TYPE_CHECKING:
    from ..facts.git_objects import Repository

    Entry = tuple[str, str]  # mode and object

__all__ = ["MODULE", "Indexed", "differing", "entries_in", "entries_of", "flat", "is_clean", "listing", "tree_of"]

MODULE = "160000"
_FOLDER = "40000"


class Indexed:
    """One file of the index."""

    __slots__ = ("entry", "ino", "mtime", "size")

    def __init__(self, entry: Entry, mtime: int, ino: int, size: int) -> None:
        self.entry, self.mtime, self.ino, self.size = entry, mtime, ino, size


def entries_of(path: str) -> dict[str, Indexed]:
    """Path from the work tree -> what the index says. NotHeldError where that is not the whole truth."""
    raw = read_file(path, limit=MAX_GIT_INDEX_BYTES)
    return {} if raw is None else entries_in(raw)


def entries_in(raw: bytes) -> dict[str, Indexed]:
    """The same of the bytes of an index."""
    found: dict[str, Indexed] = {}
    try:
        for name, head, more in rows_in(raw, whole=True):
            if more & 0x4000:  # skip-worktree: what is on the disk does not count
                raise NotHeldError("parts of the work tree are left out of it")
            if head[60] & 0x30:
                raise NotHeldError("a merge is in progress")
            seconds, nanos = int.from_bytes(head[8:12], "big"), int.from_bytes(head[12:16], "big")
            found[os.fsdecode(name)] = Indexed(
                (f"{int.from_bytes(head[24:28], 'big'):o}", head[40:60].hex()),
                seconds * 1_000_000_000 + nanos,
                int.from_bytes(head[20:24], "big"),
                int.from_bytes(head[36:40], "big"),
            )
    except NotHeldError:
        raise
    except (StoreError, ValueError, IndexError):
        raise NotHeldError("the index cannot be read") from None
    return found


def is_clean(path: str, indexed: Indexed, written: int) -> bool:
    """Whether the file is, by its `stat`, what the index has. One as young as the index may have changed after it."""
    try:
        info = os.lstat(path)
    except OSError:
        return False
    return (
        info.st_mtime_ns == indexed.mtime
        and info.st_size & 0xFFFFFFFF == indexed.size
        and info.st_ino & 0xFFFFFFFF == indexed.ino
        and info.st_mtime_ns < written
        and bool(info.st_mode & 0o100) == (indexed.entry[0] == "100755")
    )


def flat(repository: Repository, tree: str) -> dict[str, Entry]:
    """Every file of a tree. StoreError where it is too large."""
    found: dict[str, Entry] = {}
    pending = [("", tree)]
    while pending:
        below, name = pending.pop()
        for part, (mode, blob) in repository.tree(name).items():
            if "\ufffd" in part:  # a name that was not read byte for byte
                raise NotHeldError("a file's name is no text")
            if mode == _FOLDER:
                pending.append((f"{below}{part}/", blob))
            else:
                found[below + part] = (mode, blob)
    return found


def differing(repository: Repository, old: str, new: str) -> list[str]:
    """Files that two trees do not have in common. NotHeldError where one of them is a repository of its own."""
    found: list[str] = []
    pending = [("", old, new)]
    while pending:
        below, before, after = pending.pop()
        if before == after:
            continue
        one, two = repository.tree(before), repository.tree(after)
        for part in dict.fromkeys((*one, *two)):
            sides = one.get(part), two.get(part)
            if sides[0] == sides[1]:
                continue
            if "\ufffd" in part or any(side is not None and side[0] == MODULE for side in sides):
                raise NotHeldError("a file's name is no text, or it is a repository of its own")
            folders = [side[1] if side is not None and side[0] == _FOLDER else "" for side in sides]
            if any(folders):
                pending.append((f"{below}{part}/", folders[0], folders[1]))
            if any(side is not None and side[0] != _FOLDER for side in sides):
                found.append(below + part)
    return found


def listing(entries: dict[str, Entry]) -> str:
    """A digest of what an index holds, whatever it says of `stat`."""
    digest = hashlib.sha256()
    for name, (mode, blob) in sorted(entries.items()):
        digest.update(f"{mode} {blob} ".encode() + os.fsencode(name) + b"\0")
    return digest.hexdigest()


def tree_of(repository: Repository, revision: str) -> tuple[str, str]:
    """The commit that a revision means, and its tree."""
    commits = repository.resolve(revision)
    known = repository.commit(commits[0]) if len(commits) == 1 else None
    if known is None:
        raise StoreError(f"`{revision}` is no commit, or more than one")
    return commits[0], known[0]
