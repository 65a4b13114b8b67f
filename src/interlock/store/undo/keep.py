"""Writes a checkpoint: everything that lies at the given paths, into one file, durably, or nothing at all.

The file is written beside its place, reaches the disk, and is renamed; its folder reaches the disk last. A file that
changes while it is copied is refused, and so is anything that changed between the first look and the end.
INVARIANT: whoever gets a checkpoint's name back can have all of it after a crash of the machine.
"""

from __future__ import annotations

import hashlib
import os

from ...limits import MAX_UNDO_BYTES
from ...model.errors import StoreError
from ...value import TYPE_CHECKING, Value
from ..facts.contents import begins_with_key
from .held import ABSENT, FILE, FOLDER, Checkpoint, Node, NotHeldError, manifest_of
from .look import Tree, check_attributes, permissions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .held import GitHeld
    from .look import Seen
    from .shelf import Shelf

__all__ = ["MAGIC", "Keeping", "Wanted", "keep"]

MAGIC = b"interlock checkpoint 1\n"
_LARGE = 1 << 20  # from here on a file is copied by the system, which may share its blocks
_BLOCK = 4096
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Wanted(Value):
    """A path below the project that a call would touch, and what it leaves there: see `Node.after`. `whole`: with all
    that is below it. `linked`: it is a linked work tree, so that the `.git` in it is a file like any other.
    """

    path: str
    after: str = ""
    whole: bool = True
    linked: bool = False


class Keeping:
    """A checkpoint that is being written."""

    def __init__(self, fd: int, tree: Tree) -> None:
        self.fd, self.tree, self.hash = fd, tree, hashlib.sha256
        self.at = 0
        self.bytes = 0
        self.nodes: list[Node] = []
        self._pieces: list[bytes] = []
        self._waiting = 0
        self._linked: dict[tuple[int, int], tuple[str, int]] = {}
        self._seen: list[Seen] = []
        self.put(MAGIC)

    def put(self, raw: bytes) -> int:
        """Where the bytes will be."""
        at = self.at
        self._pieces.append(raw)
        self._waiting += len(raw)
        self.at += len(raw)
        if self._waiting > _LARGE:
            self.flush()
        return at

    def flush(self) -> None:
        view = memoryview(b"".join(self._pieces))
        while view:
            view = view[os.write(self.fd, view) :]
        self._pieces, self._waiting = [], 0

    def count(self, size: int) -> None:
        self.bytes += size
        if self.bytes > MAX_UNDO_BYTES:
            raise NotHeldError(f"it is more than {MAX_UNDO_BYTES >> 20} MB")

    def hold(self, wanted: Wanted) -> None:
        for seen in self.tree.seen(wanted.path, whole=wanted.whole, linked=wanted.linked):
            if wanted.after != "above":  # what else comes into such a folder meanwhile is nobody's concern
                self._seen.append(seen)
            self.nodes.append(self._node(seen, wanted.after))

    def _node(self, seen: Seen, after: str) -> Node:
        info = seen.info
        if info is None:
            return Node(path=seen.path, kind=ABSENT, after=after)
        above, _, name = seen.path.rpartition("/")
        if seen.kind == FILE:
            return self._file(seen, info, after)
        link = ""
        if seen.kind != FOLDER:
            try:
                link = os.readlink(name, dir_fd=self.tree.folder(above))
            except OSError as error:
                raise NotHeldError(f"`{seen.path}` cannot be read: {error.strerror}") from None
        elif getattr(os, "listxattr", None) is not None:
            check_attributes(self.tree.folder(seen.path), seen.path)
        return Node.in_order(
            seen.path, seen.kind, permissions(info), info.st_mtime_ns, info.st_gid, 0, "", 0, None, link, after
        )

    def _file(self, seen: Seen, info: os.stat_result, after: str) -> Node:
        path = seen.path
        link = ""
        if info.st_nlink > 1:
            key = (info.st_dev, info.st_ino)
            first, names = self._linked.get(key, (path, 0))
            self._linked[key] = (first, names + 1)
            if first != path:
                link = first
        size = info.st_size
        if link:
            leader = next(node for node in self.nodes if node.path == link)
            sha256, at, extents = leader.sha256, leader.at, leader.extents
        else:
            above, _, name = path.rpartition("/")
            try:
                fd = os.open(name, _READ, dir_fd=self.tree.folder(above))
            except OSError as error:
                raise NotHeldError(f"`{path}` cannot be read: {error.strerror}") from None
            try:
                if not seen.is_same(os.fstat(fd)):
                    raise NotHeldError(f"`{path}` changed while it was copied")
                check_attributes(fd, path)
                sha256, at, extents = self._content(fd, path, info)
                if not seen.is_same(os.fstat(fd)):
                    raise NotHeldError(f"`{path}` changed while it was copied")
            except OSError as error:
                raise StoreError(f"`{path}` could not be kept: {error.strerror}") from None
            finally:
                os.close(fd)
        mode = permissions(info)
        return Node.in_order(path, FILE, mode, info.st_mtime_ns, info.st_gid, size, sha256, at, extents, link, after)

    def _content(self, fd: int, path: str, info: os.stat_result) -> tuple[str, int, tuple[tuple[int, int], ...] | None]:
        size = info.st_size
        if size < _LARGE:
            self.count(size)
            raw = os.read(fd, size + 1)
            if len(raw) != size:
                raise NotHeldError(f"`{path}` changed while it was copied")
            if begins_with_key(raw[:1024]):
                raise NotHeldError(f"`{path}` holds a private key")
            return self.hash(raw).hexdigest(), self.put(raw), None
        extents = _extents(fd, size) if info.st_blocks * 512 < size else ((0, size),)
        self.count(sum([length for _, length in extents]))
        if begins_with_key(os.pread(fd, 1024, 0)):
            raise NotHeldError(f"`{path}` holds a private key")
        self.put(b"\0" * (-self.at % _BLOCK))  # file systems share whole blocks
        self.flush()
        at, digest = self.at, self.hash()
        for start, length in extents:
            _copy(fd, self.fd, start, length)
            self.at += length
            for offset in range(start, start + length, _LARGE):
                piece = os.pread(fd, min(_LARGE, start + length - offset), offset)
                digest.update(piece)
        return digest.hexdigest(), at, None if extents == ((0, size),) else extents

    def check_links(self) -> None:
        """A file with a name elsewhere would come back as two."""
        for seen in self._seen:
            info = seen.info
            if seen.kind == FILE and info is not None and info.st_nlink > 1:
                if self._linked[(info.st_dev, info.st_ino)][1] != info.st_nlink:
                    raise NotHeldError(f"`{seen.path}` has another name elsewhere")

    def check_unchanged(self) -> None:
        for seen in self._seen:
            above, _, name = seen.path.rpartition("/")
            try:
                info = os.stat(name, dir_fd=self.tree.folder(above), follow_symlinks=False)
            except FileNotFoundError:
                if seen.kind == ABSENT:
                    continue
                raise NotHeldError(f"`{seen.path}` changed while it was copied") from None
            except OSError as error:
                raise NotHeldError(f"`{seen.path}` cannot be read: {error.strerror}") from None
            if not seen.is_same(info):
                raise NotHeldError(f"`{seen.path}` changed while it was copied")


def _extents(fd: int, size: int) -> tuple[tuple[int, int], ...]:
    """Where a file with holes has data."""
    found, at = [], 0
    while at < size:
        try:
            start = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:  # no data behind this place
            break
        end = os.lseek(fd, start, os.SEEK_HOLE)
        found.append((start, end - start))
        if len(found) > 10_000:
            raise NotHeldError("a file has too many holes")
        at = end
    return tuple(found)


def _copy(source: int, goal: int, start: int, length: int) -> None:
    """Appends a part of a file. Blocks are shared where the file system can."""
    done = 0
    copying = getattr(os, "copy_file_range", None)
    while copying is not None and done < length:
        try:
            count = copying(source, goal, length - done, offset_src=start + done)
        except OSError as error:
            import errno

            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG):
                raise
            break
        if count == 0:
            break
        done += count
    while done < length:
        piece = os.pread(source, min(_LARGE, length - done), start + done)
        if not piece:
            raise NotHeldError("a file changed while it was copied")
        view = memoryview(piece)
        while view:
            view = view[os.write(goal, view) :]
        done += len(piece)


def keep(
    shelf: Shelf,
    root: str,
    wanted: Sequence[Wanted],
    *,
    session: str,
    call: str,
    refuses: Callable[[str], str],
    git: Callable[[Keeping], tuple[GitHeld, ...]] | None = None,
    undoes: str = "",
    person: bool = False,
) -> Checkpoint:
    """The checkpoint, durable. NotHeldError or StoreError where it is not to be had: nothing is left behind then.

    `git` holds what a repository says beside its work tree; `person`: the quota of a session does not bind.
    """
    roots = _apart(wanted)
    try:
        return _kept(shelf, root, roots, session, call, refuses, git, undoes, person)
    except OSError as error:
        raise StoreError(f"the checkpoint could not be made: {error.strerror}") from None


def _kept(
    shelf: Shelf,
    root: str,
    roots: list[Wanted],
    session: str,
    call: str,
    refuses: Callable[[str], str],
    git: Callable[[Keeping], tuple[GitHeld, ...]] | None,
    undoes: str,
    person: bool,
) -> Checkpoint:
    with shelf.writing(session, person=person) as (fd, beside, room):
        tree = Tree(root, refuses)
        try:
            keeping = Keeping(fd, tree)
            for one in _with_above(roots):
                keeping.hold(one)
            held = () if git is None else git(keeping)
            keeping.check_links()
            keeping.check_unchanged()
        finally:
            tree.close()
        made = Checkpoint(
            id="",
            root=root,
            session=session,
            call=call,
            roots=tuple([one.path for one in roots]),
            nodes=tuple(keeping.nodes),
            git=held,
            undoes=undoes,
        )
        manifest = manifest_of(made)
        name = keeping.hash(manifest).digest()
        keeping.put(manifest)
        keeping.put(len(manifest).to_bytes(8, "big") + name)
        if keeping.at > room:
            raise NotHeldError("the budget for checkpoints is used up")
        keeping.flush()
        shelf.place(fd, beside, session, name.hex())
    return made.replace(id=name.hex())


def _with_above(roots: Sequence[Wanted]) -> list[Wanted]:
    """The paths with the folders above them: they may go too, and their times change."""
    known = {one.path for one in roots}
    above: set[str] = set()
    for one in roots:
        parts = one.path.split("/")
        above.update(["/".join(parts[:at]) for at in range(1, len(parts))])
    more = [Wanted(path=path, after="above", whole=False) for path in above - known]
    return sorted([*roots, *more], key=lambda one: one.path)


def _apart(wanted: Sequence[Wanted]) -> list[Wanted]:
    """Each path once, and none that lies below another."""
    found: dict[str, Wanted] = {}
    for one in sorted(wanted, key=lambda one: one.path):
        known = found.get(one.path)
        if known is not None:
            after = {known.after, one.after} - {""}
            left = after.pop() if len(after) == 1 else ""
            found[one.path] = Wanted(
                path=one.path, after=left, whole=known.whole or one.whole, linked=known.linked and one.linked
            )
            continue
        parts = one.path.split("/")
        if any(found["/".join(parts[:at])].whole for at in range(1, len(parts)) if "/".join(parts[:at]) in found):
            continue
        found[one.path] = one
    return list(found.values())
