"""Puts back what a repository said: objects first, which only adds; then index, logs and names, each in one step.

Git's own locks are taken, so that no git command is at work meanwhile. Every folder is entered without following a
link. Where a step fails, those before it are taken back.
"""

from __future__ import annotations

import hashlib
import os
import zlib

from ...model.errors import StoreError
from ...value import TYPE_CHECKING
from ..facts.git_objects import repository_of
from ..home.files import Descriptor, read_file
from .git_commits import IN_PROGRESS
from .git_index import differing, entries_in, entries_of, flat, listing, tree_of
from .held import ABSENT, COMMITTED, FILE, REWRITTEN, GitHeld, Node, NotHeldError
from .look import is_below, open_folder, open_root

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..facts.git_objects import Repository
    from .held import Checkpoint
    from .keep import Keeping
    from .shelf import Opened

__all__ = ["git_moved", "git_now", "put_git_back"]

_LIMIT = 64 * 1024 * 1024
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def _repository(checkpoint: Checkpoint) -> Repository:
    found = repository_of(checkpoint.root)
    if found is None or found.gitdir != f"{checkpoint.root}/.git" or os.path.islink(found.gitdir):
        raise StoreError("the repository of the project is gone")
    return found


def _ref(repository: Repository, name: str) -> str:
    if name == "HEAD":
        return (read_file(repository.gitdir + "/HEAD", limit=_LIMIT) or b"").decode("utf-8", "replace").strip()
    return repository.ref(name)


def git_moved(opened: Opened) -> list[str]:
    """What has changed in the repository since the call, as a person is told; empty: nothing that would be lost."""
    found = []
    for held in opened.checkpoint.git:
        repository = _repository(opened.checkpoint)
        after = dict(held.after)
        for name, before in held.refs:
            now = _ref(repository, name)
            if now == before or now == after.get(name, before):
                continue
            if after.get(name) != REWRITTEN or not _is_one_step(repository, name, before, now):
                found.append(f"`{name}` is somewhere else now")
        if REWRITTEN in after.values():
            found += _not_foreseen(opened, repository, dict(held.refs))
        for node in held.files:
            if not _is_known(repository, node):
                what = "the index" if node.path == "index" else f"`{node.path}`"
                found.append(f"{what} has changed since")
    return found


def _is_one_step(repository: Repository, name: str, before: str, now: str) -> bool:
    """Whether the last that happened to the name is what the call did to it."""
    log = (read_file(f"{repository.gitdir}/logs/{name}", limit=_LIMIT) or b"").decode("utf-8", "replace").rstrip("\n")
    return log.rpartition("\n")[2].startswith(f"{before} {now} ")


def _not_foreseen(opened: Opened, repository: Repository, refs: dict[str, str]) -> list[str]:
    """Files that commits made anew have changed beyond what was held: git may find another name for one by itself."""
    if any(os.path.lexists(f"{repository.gitdir}/{name}") for name in IN_PROGRESS):
        raise StoreError("a rebase is in progress: finish it, or take it back with `git rebase --abort`")
    if not opened.checkpoint.nodes:  # the work tree was left alone
        return []
    head = refs["HEAD"]
    before = refs[head[5:].strip()] if head.startswith("ref: ") else head
    known = {node.path for node in opened.checkpoint.nodes}
    changed = differing(repository, tree_of(repository, before)[1], tree_of(repository, "HEAD")[1])
    return [f"`{name}` was changed, and is not held" for name in changed if name not in known][:10]


def _is_known(repository: Repository, node: Node) -> bool:
    path = f"{repository.gitdir}/{node.path}"
    raw = read_file(path, limit=_LIMIT)
    how, _, what = node.after.partition(":")
    if raw is None:
        return True
    digest = hashlib.sha256(raw).hexdigest()
    if digest == node.sha256 or (how == "sha256" and digest == what):
        return True
    if how == COMMITTED:
        try:
            staged = {name: indexed.entry for name, indexed in entries_of(path).items()}
            return listing(staged) == listing(flat(repository, tree_of(repository, "HEAD")[1]))
        except StoreError:
            return False
    if how == "entries":
        try:
            now = listing({name: indexed.entry for name, indexed in entries_of(path).items()})
        except NotHeldError:
            return False
        return now in what.split(" ")
    if how == "stashes":
        return [line[41:81] for line in raw.decode("utf-8", "surrogateescape").splitlines()] == what.split(" ")
    return False


def git_now(opened: Opened, keeping: Keeping) -> tuple[GitHeld, ...]:
    """The same names and files as they are now, so that putting back can be taken back."""
    found = []
    for held in opened.checkpoint.git:
        repository = _repository(opened.checkpoint)
        files = []
        for node in held.files:
            raw = read_file(f"{repository.gitdir}/{node.path}", limit=_LIMIT)
            if raw is None:
                files.append(Node(path=node.path, kind=ABSENT, after=_once_put_back(opened, node)))
                continue
            keeping.count(len(raw))
            sha256 = keeping.hash(raw).hexdigest()
            then = _once_put_back(opened, node)
            files.append(node.replace(size=len(raw), sha256=sha256, at=keeping.put(raw), after=then, kind=FILE))
        found.append(
            GitHeld(
                top=held.top,
                refs=tuple([(name, _ref(repository, name)) for name, _ in held.refs]),
                after=held.refs,
                files=tuple(files),
            )
        )
    return tuple(found)


def _once_put_back(opened: Opened, node: Node) -> str:
    """How the file is left by putting it back: see `Node.after`."""
    if node.kind == ABSENT:
        return "absent"
    if node.path.rpartition("/")[2] != "index":
        return f"sha256:{node.sha256}"
    held = entries_in(b"".join(opened.pieces(node.at, node.size)))  # git writes it anew whenever it looks at the files
    return "entries:" + listing({name: indexed.entry for name, indexed in held.items()})


def put_git_back(opened: Opened) -> None:
    root = open_root(opened.checkpoint.root)
    backs: list[Callable[[], None]] = []
    try:
        for held in opened.checkpoint.git:
            repository = _repository(opened.checkpoint)
            for name, at, length, kind in held.objects:
                if repository.read(name) is None:
                    _object(root, name, kind, b"".join(opened.pieces(at, length)))
            for node in held.files:
                if node.kind == ABSENT:
                    _take(root, node.path, backs)
                    continue
                raw = b"".join(opened.pieces(node.at, node.size))
                _put(root, node.path, raw, node.mode, backs)
            for name, text in held.refs:
                if _ref(repository, name) == text:
                    continue
                if text:
                    _put(root, name, text.encode() + b"\n", 0o644, backs)
                else:
                    _take(root, name, backs)
                    if _ref(_repository(opened.checkpoint), name):
                        raise StoreError(f"`{name}` cannot be removed: it is packed; use `git update-ref -d {name}`")
            if held.sections:
                _settings(root, held.sections, backs)
    except BaseException as error:
        for back in reversed(backs):
            back()
        if isinstance(error, OSError):
            raise StoreError(f"nothing was restored: {error.strerror}") from None
        raise
    finally:
        os.close(root)


def _folder(root: int, path: str) -> int:
    """The folder below the git folder, made where it is missing."""
    if path and not is_below(path):
        raise StoreError(f"`{path}` is no path below the repository")
    at = open_folder(root, ".git")
    for part in path.split("/") if path else ():
        try:
            os.mkdir(part, 0o755, dir_fd=at)
        except FileExistsError:
            pass
        try:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at


def _write(folder: int, name: str, raw: bytes, mode: int) -> None:
    """In one step, under git's own lock."""
    lock = f"{name}.lock"
    fd = os.open(lock, _MAKE, 0o600, dir_fd=folder)
    try:
        try:
            view = memoryview(raw)
            while view:
                view = view[os.write(fd, view) :]
            os.fchmod(fd, mode)
            os.fsync(fd)
        finally:
            os.close(fd)
        os.rename(lock, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        try:
            os.unlink(lock, dir_fd=folder)
        except OSError:
            pass
        raise


def _read(folder: int, name: str) -> tuple[bytes, int] | None:
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return None
    try:
        info = os.fstat(fd)
        return os.read(fd, info.st_size + 1), info.st_mode & 0o777
    finally:
        os.close(fd)


def _put(root: int, path: str, raw: bytes, mode: int, backs: list[Callable[[], None]]) -> None:
    above, _, name = path.rpartition("/")
    with Descriptor(_folder(root, above)) as folder:
        before = _read(folder, name)
        _write(folder, name, raw, mode)

    def back() -> None:
        with Descriptor(_folder(root, above)) as folder:
            if before is None:
                os.unlink(name, dir_fd=folder)
            else:
                _write(folder, name, *before)

    backs.append(back)


def _take(root: int, path: str, backs: list[Callable[[], None]]) -> None:
    above, _, name = path.rpartition("/")
    with Descriptor(_folder(root, above)) as folder:
        before = _read(folder, name)
        if before is None:
            return
        os.unlink(name, dir_fd=folder)

    def back() -> None:
        with Descriptor(_folder(root, above)) as folder:
            _write(folder, name, *before)

    backs.append(back)


def _object(root: int, name: str, kind: str, raw: bytes) -> None:
    """Git names an object by its content, so it cannot be a wrong one."""
    whole = f"{kind} {len(raw)}\0".encode() + raw
    if hashlib.sha1(whole, usedforsecurity=False).hexdigest() != name:
        raise StoreError(f"the checkpoint's object {name} is damaged")
    with Descriptor(_folder(root, f"objects/{name[:2]}")) as folder:
        _write(folder, name[2:], zlib.compress(whole), 0o444)


def _settings(root: int, sections: tuple[str, ...], backs: list[Callable[[], None]]) -> None:
    with Descriptor(_folder(root, "")) as folder:
        found = _read(folder, "config")
    raw, mode = found or (b"", 0o644)
    known = {line.strip() for line in raw.decode("utf-8", "surrogateescape").splitlines()}
    missing = [text for text in sections if text.splitlines()[0].strip() not in known]
    if missing:
        more = "".join([text if text.endswith("\n") else text + "\n" for text in missing])
        end = b"" if not raw or raw.endswith(b"\n") else b"\n"
        _put(root, "config", raw + end + more.encode("utf-8", "surrogateescape"), mode, backs)
