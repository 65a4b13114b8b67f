"""Puts a checkpoint back: all of what was chosen, or nothing.

First everything that takes room is made in a folder of its own inside the project; then it is moved into place by
renames, each of which is taken back where a later one fails. What was in the way is moved aside, not removed, until the
end. Every step goes through open folders and follows no link. A process that is killed in between leaves its folder;
`interlock undo` finishes what it began, since putting back the same checkpoint twice is putting it back once. For the
same reason nothing is forced to the disk here: the checkpoint is there, and stays.
"""

from __future__ import annotations

import hashlib
import os
import stat

from ...model.errors import StoreError
from ...value import TYPE_CHECKING, Value
from ..facts.git_objects import repository_of
from ..facts.git_trees import blob_name
from ..home.files import Descriptor
from .git_index import entries_of, flat, is_clean, tree_of
from .held import ABSENT, COMMITTED, FILE, FOLDER, LINK, NotHeldError
from .look import is_below, open_folder, open_root

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .held import Node
    from .shelf import Opened

__all__ = ["BESIDE", "CHANGE", "MOVED", "NEW", "SAME", "Step", "restore", "steps_of"]

SAME, NEW, CHANGE, MOVED = "same", "new", "change", "moved"
BESIDE = ".restored"
_STAGING = ".interlock-undo-"
_KIND = {stat.S_IFREG: FILE, stat.S_IFDIR: FOLDER, stat.S_IFLNK: LINK}
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Step(Value):
    """What putting one node back means now.

    how  same: it is there as it was; new: nothing is there; change: what is there is what the call left;
         moved: it is something else, so somebody has been there since
    """

    node: Node
    how: str
    text: str = ""


def steps_of(opened: Opened) -> list[Step]:
    for node in opened.checkpoint.nodes:
        if not is_below(node.path):
            raise StoreError(f"checkpoint `{opened.checkpoint.id}` names a path outside the project")
    with Descriptor(open_root(opened.checkpoint.root)) as root:
        nodes = _as_committed(opened)
        left = _left_by_git(opened, nodes)
        return [_step(root, node, left) for node in nodes]


def _stat(root: int, path: str) -> os.stat_result | None:
    above, _, name = path.rpartition("/")
    try:
        folder = open_folder(root, above)
    except FileNotFoundError:
        return None
    except OSError:  # a link, where a folder was
        raise NotHeldError(f"`{above}` is not the folder that it was") from None
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    finally:
        os.close(folder)


def _as_committed(opened: Opened) -> Sequence[Node]:
    """The nodes, with what the call has committed in place of `committed`."""
    nodes = opened.checkpoint.nodes
    if all(node.after != COMMITTED for node in nodes):
        return nodes

    repository = repository_of(opened.checkpoint.root)
    try:
        now = {} if repository is None else flat(repository, tree_of(repository, "HEAD")[1])
    except StoreError:
        return nodes
    return [
        node.replace(after=f"git:{now[node.path][1]}" if node.path in now else "absent")
        if node.after == COMMITTED
        else node
        for node in nodes
    ]


def _left_by_git(opened: Opened, nodes: Sequence[Node]) -> frozenset[str]:
    """Paths that are as git has put them there, by its index: a filter may have made something else of the blob."""
    git = {node.path: node.after[4:] for node in nodes if node.after.startswith("git:")}
    index = opened.checkpoint.root + "/.git/index"
    if not git:
        return frozenset()
    try:
        known, written = entries_of(index), os.stat(index).st_mtime_ns + 1
    except (StoreError, OSError):
        return frozenset()
    found = [
        path
        for path, blob in git.items()
        if path in known
        and known[path].entry[1] == blob
        and is_clean(f"{opened.checkpoint.root}/{path}", known[path], written)
    ]
    return frozenset(found)


def _step(root: int, node: Node, left: frozenset[str]) -> Step:
    try:
        info = _stat(root, node.path)
    except NotHeldError as error:
        return Step(node=node, how=MOVED, text=str(error))
    if info is None:
        return Step(node=node, how=SAME if node.kind == ABSENT else NEW)
    if node.kind == ABSENT:
        above = node.after == "above" and stat.S_ISDIR(info.st_mode)  # it goes if nothing else came into it
        expected = above or node.path in left or _is_as_left(root, node, info)
        return Step(node=node, how=CHANGE if expected else MOVED, text="" if expected else "it was not there before")
    kind = _KIND.get(stat.S_IFMT(info.st_mode), "")
    if kind != node.kind:
        return Step(node=node, how=MOVED, text=f"a {kind or 'special file'} is there now")
    if node.after == "above":
        return Step(node=node, how=SAME)
    if kind == FOLDER:
        same = info.st_mode & 0o7777 == node.mode and info.st_gid == node.gid and info.st_mtime_ns == node.mtime
        return Step(node=node, how=SAME if same else CHANGE)
    if _is_as_before(root, node, info):
        same = info.st_mode & 0o7777 == node.mode and info.st_mtime_ns == node.mtime and info.st_gid == node.gid
        return Step(node=node, how=SAME if same or kind == LINK else CHANGE)
    if node.path in left or _is_as_left(root, node, info):
        return Step(node=node, how=CHANGE)
    return Step(node=node, how=MOVED, text="it has changed since")


def _is_as_left(root: int, node: Node, info: os.stat_result) -> bool:
    """Whether what is there is what the call was to leave there."""
    how, _, what = node.after.partition(":")
    kind = _KIND.get(stat.S_IFMT(info.st_mode), "")
    if how == "folder":
        return kind == FOLDER
    if how == "git":
        return _is_blob(root, node, info)
    if how == "link" and kind == LINK:
        return _is_as_before(root, node.replace(kind=LINK, link=what), info)
    if how == "sha256" and kind == FILE:
        return _is_as_before(root, node.replace(kind=FILE, sha256=what, size=info.st_size, link="", extents=None), info)
    return False


def _is_as_before(root: int, node: Node, info: os.stat_result) -> bool:
    above, _, name = node.path.rpartition("/")
    folder = open_folder(root, above)
    try:
        if node.kind == LINK:
            return os.readlink(name, dir_fd=folder) == node.link
        if info.st_size != node.size:
            return False
        fd = os.open(name, _READ, dir_fd=folder)
    except OSError:
        return False
    finally:
        os.close(folder)
    try:
        return _digest(fd, node) == node.sha256
    finally:
        os.close(fd)


def _digest(fd: int, node: Node) -> str:
    digest = hashlib.sha256()
    for start, length in node.extents if node.extents is not None else ((0, node.size),):
        for offset in range(start, start + length, 1 << 20):
            digest.update(os.pread(fd, min(1 << 20, start + length - offset), offset))
    return digest.hexdigest()


def _is_blob(root: int, node: Node, info: os.stat_result) -> bool:
    """Whether git has put there what it was told to."""
    if info.st_size > 32 * 1024 * 1024:
        return False
    above, _, name = node.path.rpartition("/")
    folder = open_folder(root, above)
    try:
        if stat.S_ISLNK(info.st_mode):
            raw = os.fsencode(os.readlink(name, dir_fd=folder))
        elif stat.S_ISREG(info.st_mode):
            with Descriptor(os.open(name, _READ, dir_fd=folder)) as fd:
                raw = os.pread(fd, info.st_size + 1, 0)
        else:
            return False
    except OSError:
        return False
    finally:
        os.close(folder)
    return node.after[4:] in (blob_name(raw), blob_name(raw.replace(b"\r\n", b"\n")))


class _Restoring:
    """What was done so far, so that it can be taken back."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.root = open_root(opened.checkpoint.root)
        self.staging_name = _STAGING + opened.checkpoint.id[:16]
        self.backs: list[Callable[[], None]] = []
        self.same_file: dict[str, str] = {}  # the first name of a file -> one of its names that is there
        self.count = 0
        try:
            try:
                os.mkdir(self.staging_name, 0o700, dir_fd=self.root)
            except FileExistsError:  # of one that was killed: what it made is made again
                self._empty()
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            self.staging = os.open(self.staging_name, flags, dir_fd=self.root)
        except OSError as error:
            os.close(self.root)
            raise StoreError(f"nothing was restored: {error.strerror}") from None

    def _empty(self) -> None:
        import shutil

        shutil.rmtree(self.staging_name, dir_fd=self.root)
        os.mkdir(self.staging_name, 0o700, dir_fd=self.root)

    def end(self) -> None:
        import shutil

        try:
            shutil.rmtree(self.staging_name, dir_fd=self.root, ignore_errors=True)
        finally:
            os.close(self.staging)
            os.close(self.root)

    def stage(self, node: Node, staged: dict[str, str]) -> str:
        """The node's content under a name in the folder of its own."""
        name = f"n{len(staged)}"
        if node.kind == LINK:
            os.symlink(node.link, name, dir_fd=self.staging)
            os.utime(name, ns=(node.mtime, node.mtime), dir_fd=self.staging, follow_symlinks=False)
            return name
        first = node.link or node.path
        same = self.same_file.get(first, "")
        if same in staged:
            os.link(staged[same], name, src_dir_fd=self.staging, dst_dir_fd=self.staging)
            return name
        if same:  # another name of it is there as it was
            above, _, last = same.rpartition("/")
            with Descriptor(open_folder(self.root, above)) as folder:
                os.link(last, name, src_dir_fd=folder, dst_dir_fd=self.staging, follow_symlinks=False)
            return name
        self.same_file[first] = node.path
        with Descriptor(os.open(name, _MAKE, 0o600, dir_fd=self.staging)) as fd:
            self._fill(fd, node)
            if os.fstat(fd).st_gid != node.gid:
                os.fchown(fd, -1, node.gid)
            os.fchmod(fd, node.mode)
            os.utime(fd, ns=(node.mtime, node.mtime))
        return name

    def _fill(self, fd: int, node: Node) -> None:
        digest, at = hashlib.sha256(), node.at
        for start, length in node.extents if node.extents is not None else ((0, node.size),):
            os.lseek(fd, start, os.SEEK_SET)
            for piece in self.opened.pieces(at, length):
                digest.update(piece)
                view = memoryview(piece)
                while view:
                    view = view[os.write(fd, view) :]
            at += length
        if digest.hexdigest() != node.sha256:
            raise StoreError(f"checkpoint `{self.opened.checkpoint.id}` is damaged")
        os.ftruncate(fd, node.size)

    def aside(self, path: str) -> None:
        """Moves what is at the path into the folder of its own."""
        above, _, name = path.rpartition("/")
        folder = open_folder(self.root, above)
        kept = f"o{self.count}"
        self.count += 1
        try:
            os.rename(name, kept, src_dir_fd=folder, dst_dir_fd=self.staging)
        finally:
            os.close(folder)

        def back() -> None:
            with Descriptor(open_folder(self.root, above)) as folder:
                os.rename(kept, name, src_dir_fd=self.staging, dst_dir_fd=folder)

        self.backs.append(back)

    def folder(self, path: str, mode: int) -> None:
        above, _, name = path.rpartition("/")
        with Descriptor(open_folder(self.root, above)) as parent:
            os.mkdir(name, mode | 0o700, dir_fd=parent)

        def back() -> None:
            with Descriptor(open_folder(self.root, above)) as parent:
                os.rmdir(name, dir_fd=parent)

        self.backs.append(back)

    def is_empty(self, path: str) -> bool:
        with Descriptor(open_folder(self.root, path)) as fd:
            return not os.listdir(fd)

    def take_folder(self, path: str, info: os.stat_result) -> None:
        above, _, name = path.rpartition("/")
        with Descriptor(open_folder(self.root, above)) as parent:
            os.rmdir(name, dir_fd=parent)
        self.backs.append(lambda: self.folder(path, info.st_mode & 0o7777))

    def place(self, staged: str, path: str) -> None:
        above, _, name = path.rpartition("/")
        with Descriptor(open_folder(self.root, above)) as folder:
            # A link is made where nothing is: `rename` would replace what came there meanwhile.
            os.link(staged, name, src_dir_fd=self.staging, dst_dir_fd=folder, follow_symlinks=False)

        def back() -> None:
            with Descriptor(open_folder(self.root, above)) as folder:
                os.unlink(name, dir_fd=folder)

        self.backs.append(back)

    def finish_folders(self, nodes: Sequence[Node], made: set[str]) -> None:
        for node in sorted(nodes, key=lambda node: node.path.count("/"), reverse=True):
            with Descriptor(open_folder(self.root, node.path)) as fd:
                if node.after != "above" or node.path in made:
                    if os.fstat(fd).st_gid != node.gid:
                        os.fchown(fd, -1, node.gid)
                    os.fchmod(fd, node.mode)
                os.utime(fd, ns=(node.mtime, node.mtime))


def restore(
    opened: Opened, steps: Sequence[Step], choices: dict[str, str], last: Callable[[], None] | None = None
) -> list[str]:
    """Puts it back. `choices`: of the paths that moved on, what is done: skip, beside or force. The paths written.

    `last` comes when all is in place and can still be taken back: it raises, and nothing is restored.
    """
    for step in steps:
        if step.how == MOVED and step.node.path not in choices:
            raise StoreError(f"`{step.node.path}` has changed since; choose to skip it, restore beside it, or force it")
    work = _Restoring(opened)
    written: list[str] = []
    try:
        staged: dict[str, str] = {}
        for step in steps:
            if step.how == SAME and step.node.kind == FILE:
                work.same_file[step.node.link or step.node.path] = step.node.path
        todo = [(step, _goal(step, choices)) for step in steps if step.how != SAME]
        todo = [(step, goal) for step, goal in todo if goal]
        for step, _goal_path in todo:
            if step.node.kind in (FILE, LINK):
                staged[step.node.path] = work.stage(step.node, staged)
        folders = []
        for step, goal in todo:
            node = step.node
            there = _stat(work.root, goal)
            if node.kind == FOLDER:
                if there is None:
                    work.folder(goal, node.mode)
                elif not stat.S_ISDIR(there.st_mode):
                    work.aside(goal)
                    work.folder(goal, node.mode)
                if goal == node.path:
                    folders.append(node)
            elif node.kind != ABSENT:
                if there is not None:
                    work.aside(goal)
                work.place(staged[node.path], goal)
            written.append(goal)
        gone = {goal: step.node.after for step, goal in todo if step.node.kind == ABSENT}
        for goal in sorted(gone, reverse=True):
            there = _stat(work.root, goal)
            if there is not None and stat.S_ISDIR(there.st_mode) and work.is_empty(goal):
                work.take_folder(goal, there)
            elif there is not None and gone[goal] != "above":
                work.aside(goal)
        work.finish_folders(folders + _above(steps, todo), {node.path for node in folders})
        if last is not None:
            last()
    except BaseException as error:
        for back in reversed(work.backs):
            back()
        work.end()
        if isinstance(error, OSError):
            raise StoreError(f"nothing was restored: {error.strerror}") from None
        raise
    work.end()
    return written


def _goal(step: Step, choices: dict[str, str]) -> str:
    """Where the node is put; empty: nowhere."""
    if step.how != MOVED:
        return step.node.path
    choice = choices[step.node.path]
    if choice == "force":
        return step.node.path
    if choice == "beside" and step.node.kind in (FILE, LINK):
        return step.node.path + BESIDE
    return ""


def _above(steps: Sequence[Step], todo: Sequence[tuple[Step, str]]) -> list[Node]:
    """Folders that were as before until something was put back into them."""
    done = {step.node.path for step, _ in todo}
    touched = {goal.rpartition("/")[0] for _, goal in todo}
    return [
        step.node
        for step in steps
        if step.node.kind == FOLDER and step.node.path in touched and step.node.path not in done
    ]
