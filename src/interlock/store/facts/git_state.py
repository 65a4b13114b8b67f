"""Answers what the reading asks about a repository, from its files: see `reading/reach/git_facts.py` for the questions.

Every answer is the careful one: a repository of another format, a file too large to compare, more commits than the
limit, a name that means two things are all `unknown`, and whoever asked goes on as if git were not there.
"""

from __future__ import annotations

import os
import re

from ...limits import MAX_GIT_COMPARED_BYTES, MAX_GIT_COMPARED_FILES, MAX_GIT_FILES, MAX_GIT_WALK
from ...model.errors import StoreError
from ...model.more_wants import (
    BranchCommit,
    LostFromHead,
    PlainTags,
    RewrittenCommits,
    SameAsCommit,
    SameAsHead,
    SameTask,
    TextAt,
    UncommittedWork,
)
from ...reading.reach.git_facts import CHANGED, CLEAN, LARGE, LOCAL, SHARED, UNKNOWN
from ...value import TYPE_CHECKING
from ..home.files import read_file
from .git_index import count_in, tracked_files
from .git_objects import repository_of
from .git_refs import refs_of
from .git_trees import blob_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...model.more_wants import Git
    from .git_objects import Repository

__all__ = ["QUESTIONS", "answer_of"]

_PLAIN = ("100644", "100755")
_LINK, _MODULE, _FOLDER = "120000", "160000", "40000"
_TIP, _BASE, _REMOTE = 1, 2, 4  # from where a commit was reached


def answer_of(want: Git, home: str, wrote: Callable[[str], bool] | None = None) -> str:
    place, *more = want.as_dict().values()
    try:
        if type(want) is SameAsCommit and wrote is not None and wrote(place):
            return CHANGED
        if type(want) is SameTask:
            more.append(wrote)
        return QUESTIONS[type(want)](place, home, *more)
    except (StoreError, OSError, ValueError, IndexError):
        return UNKNOWN


def _opened(folder: str) -> Repository:
    repository = repository_of(folder)
    if repository is None:
        raise StoreError("there is no repository")
    return repository


def _only(repository: Repository, name: str) -> str:
    """The one commit that a name means."""
    found = repository.resolve(name)
    if len(found) != 1:
        raise StoreError(f"`{name}` is no commit, or more than one")
    return found[0]


# --- commits on a remote ---------------------------------------------------------------------------------------------


def _rewritten(folder: str, home: str, base: str, tip: str) -> str:
    repository = _opened(folder)
    refs = refs_of(folder, home)
    at = _only(repository, tip)
    bases = [] if base == "--root" else repository.dated(at)[0]
    if base not in ("", "--root"):
        name = _upstream(dict(refs.settings), refs.head) if base == "@{upstream}" else base
        bases = [_only(repository, name)]
    remotes = {oid for name, oid in refs.refs.items() if name.startswith("refs/remotes/") and len(oid) == 40}
    return SHARED if _walk(repository, at, bases, remotes) else LOCAL


def _upstream(settings: dict[str, str], head: str) -> str:
    branch = head.removeprefix("refs/heads/")
    remote, goal = settings.get(f"branch {branch}.remote", ""), settings.get(f"branch {branch}.merge", "")
    if not remote or not goal:
        raise StoreError("the branch has no upstream")
    name = goal.removeprefix("refs/heads/")
    return goal if remote == "." else f"refs/remotes/{remote}/{name}"


def _walk(repository: Repository, tip: str, bases: list[str], remotes: set[str]) -> bool:
    """Whether a commit that the tip has and the bases have not is reached from a remote branch too.

    Newest first, as git walks: once all that is left is older than every such commit, no more can be found.
    """
    from heapq import heappop, heappush

    shallow = os.path.exists(repository.common + "/shallow")
    reached: dict[str, int] = {}
    queue: list[tuple[int, str]] = []
    dates: dict[str, int] = {}
    waiting: set[str] = set()  # commits of the tip alone that are in the queue
    oldest = [0]

    def reach(name: str, flags: int, *, start: bool) -> None:
        known = reached.get(name, 0)
        if known | flags == known:
            return
        reached[name] = known | flags
        if name not in dates:
            try:
                dates[name] = repository.dated(name)[1]
            except StoreError:
                if start or not shallow:
                    raise
                return  # the history was cut off here
        if _is_own(known | flags):
            oldest[0] = min(oldest[0] or dates[name], dates[name])
            waiting.add(name)
        else:
            waiting.discard(name)
        heappush(queue, (-dates[name], name))

    reach(tip, _TIP, start=True)
    for flag, names in ((_BASE, bases), (_REMOTE, sorted(remotes))):
        for name in names:
            reach(name, flag, start=flag == _REMOTE)
    for _ in range(MAX_GIT_WALK):
        if not queue or (not waiting and -queue[0][0] < oldest[0]):
            break
        name = heappop(queue)[1]
        waiting.discard(name)
        for parent in repository.dated(name)[0]:
            reach(parent, reached[name], start=False)
    else:
        raise StoreError("too many commits")
    return any(flags & _REMOTE and _is_own(flags) for flags in reached.values())


def _is_own(flags: int) -> bool:
    """Reached from the tip, and not from what stays as it is."""
    return flags & (_TIP | _BASE) == _TIP


def _branch(folder: str, home: str, name: str) -> str:
    oid = _opened(folder).ref(f"refs/heads/{name}") if name and ".." not in name else ""
    return oid or UNKNOWN


_PLAIN_TAG = re.compile(r"refs/tags/[A-Za-z0-9][A-Za-z0-9._+-]*")


def _tags(folder: str, home: str) -> str:
    tags = [name for name in refs_of(folder, home).refs if name.startswith("refs/tags/")]
    return CLEAN if all(map(_PLAIN_TAG.fullmatch, tags)) else CHANGED


# --- work that is not committed --------------------------------------------------------------------------------------


def _file(path: str, home: str, commit: str = "HEAD") -> str:
    """Whether the file is, byte for byte, what the commit has at its path."""
    repository = _opened(path.rpartition("/")[0] or "/")
    entry = _Committed(repository, commit).entry(_below(repository, path))
    if entry is None or entry[0] not in _PLAIN:
        return UNKNOWN  # git does not have it
    return CLEAN if _Compared().same(path, entry) else CHANGED


def _task(
    folder: str,
    home: str,
    commit: str,
    names: tuple[str, ...],
    root: str,
    wrote: Callable[[str], bool] | None = None,
) -> str:
    """CHANGED where one of the files was made, changed or taken away, by whomever."""
    repository = _opened(folder)
    committed, compared, found = _Committed(repository, commit), _Compared(), UNKNOWN
    while True:
        for path in [f"{folder}/{name}" for name in names]:
            entry = committed.entry(_below(repository, path))
            if not os.path.lexists(path):
                if entry is not None:
                    return CHANGED
                continue
            if entry is None or entry[0] not in _PLAIN or not compared.same(path, entry):
                return CHANGED
            if wrote is not None and wrote(path):
                return CHANGED
            found = CLEAN
        if folder == root or "/" not in folder[1:]:
            return found
        folder = folder.rpartition("/")[0]


def _text_at(path: str, home: str, commit: str) -> str:
    repository = _opened(path.rpartition("/")[0] or "/")
    entry = _Committed(repository, commit).entry(_below(repository, path))
    found = repository.read(entry[1]) if entry is not None and entry[0] in _PLAIN else None
    return found[1].decode() if found is not None and found[0] == "blob" else UNKNOWN


def _lost(path: str, home: str, name: str) -> str:
    """`name`: where the path is a folder, the file in it that is meant; empty: the folder itself."""
    if name and os.path.isdir(path):
        path = f"{path.rstrip('/')}/{name}"
    if not os.path.lexists(path) or os.path.islink(path):
        return CLEAN
    if os.path.isdir(path):
        return CHANGED
    if not os.path.isfile(path):
        return UNKNOWN
    try:
        return CLEAN if _file(path, home) == CLEAN else CHANGED
    except StoreError:
        return CHANGED


def _work(folder: str, home: str, how: str, revision: str, paths: tuple[str, ...]) -> str:
    """`how`: `index` if files are put back as the index has them, `head` if the index is put back as well."""
    repository = _opened(folder)
    top = repository.top.rstrip("/")
    meant = [path for path in paths if path != top]
    if not meant and count_in(repository.gitdir + "/index") > MAX_GIT_FILES:
        return LARGE
    committed, compared = _Committed(repository), _Compared()
    tracked = set()
    for name, entry in tracked_files(repository.gitdir + "/index", whole=True):
        path = f"{top}/{name}"
        tracked.add(path)
        if entry[0] == _MODULE or (meant and not any(path == one or path.startswith(one + "/") for one in meant)):
            continue
        if how == "head" and committed.entry(name) != entry:
            return CHANGED  # staged, and in no commit
        if os.path.lexists(path) and not compared.same(path, entry):
            return CHANGED
    if how == "head" and revision not in ("", "HEAD"):
        tree = repository.commit(_only(repository, revision))
        if tree is None:
            return UNKNOWN
        if any(_in_the_way(path, tracked) for path in _new_in(repository, committed.tree, tree[0], top)):
            return CHANGED
    return CLEAN


def _in_the_way(path: str, tracked: set[str]) -> bool:
    return path not in tracked and os.path.lexists(path)


def _new_in(repository: Repository, old: str, new: str, top: str) -> list[str]:
    """Files that one tree has and the other has not."""
    found = []
    pending = [(top, old, new)]
    while pending:
        folder, before, after = pending.pop()
        if before == after:
            continue
        was = repository.tree(before)
        for name, entry in repository.tree(after).items():
            path, other = f"{folder}/{name}", was.get(name)
            if entry[0] == _FOLDER:
                pending.append((path, other[1] if other is not None and other[0] == _FOLDER else "", entry[1]))
            elif other is None or other[0] == _FOLDER:
                found.append(path)
    return found


def _below(repository: Repository, path: str) -> str:
    top = repository.top.rstrip("/") + "/"
    if not path.startswith(top) or path.startswith(top + ".git/"):
        raise StoreError("the file is not in the work tree")
    return path[len(top) :]


class _Committed:
    """The files of one commit: HEAD, if none is named."""

    __slots__ = ("_folders", "repository", "tree")

    def __init__(self, repository: Repository, commit: str = "HEAD") -> None:
        known = repository.commit(_only(repository, commit))
        if known is None:
            raise StoreError("the commit cannot be read")
        self.repository, self.tree = repository, known[0]
        self._folders: dict[str, dict[str, tuple[str, str]]] = {}

    def entry(self, name: str) -> tuple[str, str] | None:
        folder, _, last = name.rpartition("/")
        return self._folder(folder).get(last)

    def _folder(self, name: str) -> dict[str, tuple[str, str]]:
        if name not in self._folders:
            above = self.entry(name) if name else (_FOLDER, self.tree)
            is_folder = above is not None and above[0] == _FOLDER
            self._folders[name] = self.repository.tree(above[1]) if above is not None and is_folder else {}
        return self._folders[name]


class _Compared:
    """Compares files by their content, up to a limit in all."""

    __slots__ = ("bytes", "files")

    def __init__(self) -> None:
        self.bytes = self.files = 0

    def same(self, path: str, entry: tuple[str, str]) -> bool:
        """Raises where it cannot be told."""
        mode, name = entry
        info = os.lstat(path)
        self.files += 1
        self.bytes += info.st_size
        if self.files > MAX_GIT_COMPARED_FILES or self.bytes > MAX_GIT_COMPARED_BYTES:
            raise StoreError("too much to compare")
        if mode == _LINK:
            return os.path.islink(path) and blob_name(os.readlink(path).encode("utf-8", "surrogateescape")) == name
        if os.path.islink(path):
            return False
        raw = read_file(path, limit=MAX_GIT_COMPARED_BYTES)
        return raw is not None and name in (blob_name(raw), blob_name(raw.replace(b"\r\n", b"\n")))


QUESTIONS: dict[type[Git], Callable[..., str]] = {
    BranchCommit: _branch,
    LostFromHead: _lost,
    PlainTags: _tags,
    RewrittenCommits: _rewritten,
    SameAsCommit: _file,
    SameAsHead: _file,
    SameTask: _task,
    TextAt: _text_at,
    UncommittedWork: _work,
}
