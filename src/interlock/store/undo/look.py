"""Sees what lies at a path of a project, without following a link, and refuses what could not be put back.

Every folder is entered through the one above it (`openat`, `O_NOFOLLOW`), from the project's own: nothing that is
swapped for a link meanwhile leads out of it. What is refused: fifos, sockets and devices, files of other users or with
attributes beyond their permissions, other file systems, repositories inside the project, secrets, what an agent obeys.
"""

from __future__ import annotations

import os
import stat

from ...limits import MAX_UNDO_FILES
from ...value import TYPE_CHECKING
from .held import ABSENT, FILE, FOLDER, LINK, NotHeldError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Seen", "Tree", "check_attributes", "is_below", "open_folder", "open_root", "permissions"]

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PLAIN_ATTRIBUTES = frozenset(("security.selinux",))
_MODE = 0o7777


def is_below(path: str) -> bool:
    """Whether it is a plain path from the project's root."""
    return all(part not in ("", ".", "..") for part in path.split("/"))


class Seen:
    """One thing on the disk: where it is, and the `stat` by which it is known again."""

    __slots__ = ("info", "kind", "path")

    def __init__(self, path: str, kind: str, info: os.stat_result | None) -> None:
        self.path, self.kind, self.info = path, kind, info

    def is_same(self, info: os.stat_result) -> bool:
        mine = self.info
        return mine is not None and (mine.st_ino, mine.st_mtime_ns, mine.st_ctime_ns, mine.st_size, mine.st_mode) == (
            info.st_ino,
            info.st_mtime_ns,
            info.st_ctime_ns,
            info.st_size,
            info.st_mode,
        )


def open_root(root: str) -> int:
    try:
        return os.open(root, _FOLDER_FLAGS)
    except OSError as error:
        raise NotHeldError(f"the project's folder cannot be opened: {error.strerror}") from None


def open_folder(root: int, path: str) -> int:
    """The folder at a path below the root, links refused at every step. OSError where there is none."""
    at = os.dup(root)
    try:
        if path and not is_below(path):
            raise NotHeldError(f"`{path}` is no path below the project")
        for part in path.split("/") if path else ():
            below = os.open(part, _FOLDER_FLAGS, dir_fd=at)
            os.close(at)
            at = below
        return at
    except BaseException:
        os.close(at)
        raise


class Tree:
    """Looks at paths below one project. `refuses` says of a path why it must not be held; empty: it may.

    Folders stay open while their entries are read; `folders` gives the open one of a path back to who copies.
    """

    def __init__(self, root: str, refuses: Callable[[str], str]) -> None:
        self.root, self.refuses = root, refuses
        self.fd = open_root(root)
        self.count = 0
        info = os.fstat(self.fd)
        self.device, self.user = info.st_dev, os.geteuid()
        self._open: dict[str, int] = {"": self.fd}

    def close(self) -> None:
        for fd in self._open.values():
            os.close(fd)
        self._open = {}

    def folder(self, path: str) -> int:
        """The open folder at the path. A few stay open, so that a tree is not walked from the top for each file."""
        fd = self._open.get(path)
        if fd is not None:
            return fd
        above, _, name = path.rpartition("/")
        near = self._open.get(above)
        fd = open_folder(self.fd, path) if near is None else os.open(name, _FOLDER_FLAGS, dir_fd=near)
        if len(self._open) > 64:
            for other in list(self._open)[1:33]:
                os.close(self._open.pop(other))
        self._open[path] = fd
        return fd

    def seen(self, path: str, *, whole: bool = True, linked: bool = False) -> Iterator[Seen]:
        """What lies at the path and below it, folders before what is in them. `absent` where nothing does. `linked`:
        it is a linked work tree, or the `.git` of one, which is a file.
        """
        above, _, name = path.rpartition("/")
        inside = above if linked else path
        if not is_below(path) or path == ".git" or ".git" in inside.split("/"):
            raise NotHeldError("the project's own folder and `.git` are not held")
        try:
            parent = self.folder(above)
            info = os.stat(name, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:  # not where a link or a file stands in the way: what lies behind it is not known
            yield Seen(path, ABSENT, None)
            return
        except OSError as error:
            raise NotHeldError(f"`{path}` cannot be read: {error.strerror}") from None
        if whole:
            yield from self._below(path, info, linked)
        else:
            yield Seen(path, self._kind(path, info), info)

    def _below(self, path: str, info: os.stat_result, linked: bool) -> Iterator[Seen]:
        pending = [(path, info)]
        top = path if linked else None
        pointer = f"{path}/.git" if linked else None
        while pending:
            path, info = pending.pop()
            self.count += 1
            if self.count > MAX_UNDO_FILES:
                raise NotHeldError(f"there are more than {MAX_UNDO_FILES} files")
            # INVARIANT: who says `linked` has seen that this `.git` leads to the project's own repository.
            kind = self._kind(path, info, judged=path != pointer)
            yield Seen(path, kind, info)
            if kind != FOLDER:
                continue
            try:
                fd = self.folder(path)
                if os.fstat(fd).st_ino != info.st_ino:
                    raise NotHeldError(f"`{path}` changed while it was looked at")
                names = sorted(os.listdir(fd), reverse=True)
                if ".git" in names and (path != top or not self._is_pointer(fd)):
                    raise NotHeldError(f"`{path}` is a repository of its own")
                if self.count + len(pending) + len(names) > MAX_UNDO_FILES:
                    raise NotHeldError(f"there are more than {MAX_UNDO_FILES} files")
                for name in names:
                    below = os.stat(name, dir_fd=fd, follow_symlinks=False)
                    pending.append((f"{path}/{name}", below))
            except OSError as error:
                raise NotHeldError(f"`{path}` cannot be read: {error.strerror}") from None

    def _is_pointer(self, folder: int) -> bool:
        return stat.S_ISREG(os.stat(".git", dir_fd=folder, follow_symlinks=False).st_mode)

    def _kind(self, path: str, info: os.stat_result, *, judged: bool = True) -> str:
        why = self.refuses(path) if judged else ""
        if why:
            raise NotHeldError(why)
        if info.st_dev != self.device:
            raise NotHeldError(f"`{path}` is on another file system")
        if info.st_uid != self.user:
            raise NotHeldError(f"`{path}` belongs to another user")
        mode = info.st_mode
        if stat.S_ISREG(mode):
            return FILE
        if stat.S_ISDIR(mode):
            return FOLDER
        if stat.S_ISLNK(mode):
            return LINK
        raise NotHeldError(f"`{path}` is not a file, a folder or a link")


def check_attributes(fd: int, path: str) -> None:
    """Access lists, capabilities and the like would not come back."""
    listing = getattr(os, "listxattr", None)
    if listing is None:
        return
    try:
        found = listing(fd)
    except OSError:  # a file system without any
        return
    if found and not _PLAIN_ATTRIBUTES.issuperset(found):
        raise NotHeldError(f"`{path}` has attributes that cannot be put back")


def permissions(info: os.stat_result) -> int:
    return info.st_mode & _MODE
