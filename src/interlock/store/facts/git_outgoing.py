"""What a push would carry besides plain work: a secret, or a change to a file that builds, hosts or tools obey.

Read from git's objects, never by running git. Every commit that the remote does not have counts, also where a later
one takes it back. What the same call commits before it pushes is looked for in the work tree. Whatever does not fit
the limits, or cannot be read, is said to be unknown: then nobody may take it for plain.
"""

from __future__ import annotations

import os

from ...approve.glob import OPEN
from ...bytes.redact import redact, secrets_in
from ...limits import (
    MAX_GIT_COMPARED_FILES,
    MAX_GIT_WALK,
    MAX_OUTGOING_BYTES,
    MAX_OUTGOING_COMMITS,
    MAX_OUTGOING_FILES,
)
from ...model.errors import StoreError
from ...reading.places.places import obeyed_by
from ...value import TYPE_CHECKING
from ..home.files import read_file
from .git_index import rows_in
from .git_objects import repository_of
from .git_trees import blob_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ...model.facts import Facts
    from .git_objects import Repository

__all__ = ["carried"]

_TIP, _THERE = 1, 2  # from where a commit is reached: what is pushed, what the remote has
_FOLDER, _LINK, _MODULE = "40000", "120000", "160000"
_TOLD = 3  # of each kind
_OBEYED = ("asked", "denied")


def carried(folder: str, tips: Collection[str], there: Collection[str], made: str, facts: Facts) -> tuple[str, ...]:
    """`made`: what the call itself commits before: `tracked` files, `all` files, or nothing; `unknown`."""
    try:
        repository = repository_of(folder)
        if repository is None or not all(tips) or made == "unknown":
            why = "what the same call commits is not known" if made == "unknown" else "its commits are not known"
            return (f"{OPEN} {why}",)
        load = _Load(repository, facts)
        for tree, parents in _outgoing(repository, tips, there):
            load.compare(tree, parents, "")
        if made:
            load.work(made)
        return load.told()
    except StoreError as error:
        return (f"{OPEN} {redact(str(error))}",)
    except (OSError, ValueError, IndexError):
        return (f"{OPEN} its commits cannot be read",)


def _outgoing(repository: Repository, tips: Collection[str], there: Collection[str]) -> list[tuple[str, list[str]]]:
    """The tree of each commit that the remote does not have, and those of its parents. Newest first, as git walks."""
    from heapq import heappop, heappush

    shallow = os.path.exists(repository.common + "/shallow")
    reached: dict[str, int] = {}
    parents: dict[str, list[str]] = {}
    queue: list[tuple[int, str]] = []
    waiting: set[str] = set()  # commits in the queue that the remote is not known to have

    def reach(name: str, flags: int) -> None:
        known = reached.get(name, 0)
        if known | flags == known:
            return
        if name not in parents:
            try:
                above, date = repository.dated(name)
            except StoreError:
                if shallow or flags == _THERE:
                    return  # the history was cut off here, or what the remote has was never fetched
                raise
            parents[name] = above
            dates[name] = date
        reached[name] = known | flags
        (waiting.add if reached[name] == _TIP else waiting.discard)(name)
        heappush(queue, (-dates[name], name))

    dates: dict[str, int] = {}
    for name in tips:
        reach(_commit(repository, name), _TIP)
    for name in there:
        reach(name, _THERE)
    for _ in range(MAX_GIT_WALK):
        if not waiting:
            break
        name = heappop(queue)[1]
        waiting.discard(name)
        for parent in parents[name]:
            reach(parent, reached[name])
    else:
        raise StoreError("the commits that it sends are too many to look through")
    own = [name for name, flags in reached.items() if flags == _TIP]
    if len(own) > MAX_OUTGOING_COMMITS:
        raise StoreError("the commits that it sends are too many to look through")
    return [(_tree(repository, name), [_tree(repository, p) for p in parents[name] if p in parents]) for name in own]


def _commit(repository: Repository, name: str) -> str:
    """A tag leads to what it tags."""
    for _ in range(5):
        found = repository.read(name)
        if found is None or found[0] != "tag":
            break
        name = found[1].partition(b"\n")[0].decode("ascii", "replace").partition(" ")[2]
    return name


def _tree(repository: Repository, name: str) -> str:
    known = repository.commit(name)
    if known is None:
        raise StoreError(f"`{name}` is no commit that can be read")
    return known[0]


class _Load:
    """What was found so far, within the limits."""

    __slots__ = ("bytes", "facts", "files", "obeyed", "repository", "secrets", "seen")

    def __init__(self, repository: Repository, facts: Facts) -> None:
        self.repository, self.facts = repository, facts
        self.obeyed: dict[str, None] = {}
        self.secrets: dict[str, None] = {}
        self.seen: set[tuple[str, str]] = set()
        self.bytes = self.files = 0

    def told(self) -> tuple[str, ...]:
        """In words that end a sentence: `it carries …`."""
        found = [*_some(list(self.secrets), "a secret in {}"), *_some(list(self.obeyed), "a change to {}")]
        return tuple([redact(text) for text in found])

    def compare(self, tree: str, before: list[str], folder: str) -> None:
        """What a commit has otherwise than each of its parents."""
        if tree in before:
            return
        entries, others = self.repository.tree(tree), [self.repository.tree(one) for one in before]
        for name, entry in entries.items():
            were = [other[name] for other in others if name in other]
            if entry in were:
                continue
            path = f"{folder}{name}"
            if entry[0] == _FOLDER:
                self.compare(entry[1], [was[1] for was in were if was[0] == _FOLDER], path + "/")
            else:
                self.changed(path)
                self.held(path, entry, [was[1] for was in were if was[0] not in (_FOLDER, _MODULE)])
        for name in set.intersection(*map(set, others)) - entries.keys() if others else ():
            entry = others[0][name]
            if entry[0] == _FOLDER:
                for one in self._below(entry[1], f"{folder}{name}/"):
                    self.changed(one)
            else:
                self.changed(f"{folder}{name}")

    def _below(self, tree: str, folder: str) -> Iterator[str]:
        for name, entry in self.repository.tree(tree).items():
            if entry[0] == _FOLDER:
                yield from self._below(entry[1], f"{folder}{name}/")
            else:
                yield f"{folder}{name}"

    def changed(self, path: str) -> None:
        self.files += 1
        if self.files > MAX_OUTGOING_FILES:
            raise StoreError("the files that it changes are too many to look through")
        found = obeyed_by(f"{self.repository.top.rstrip('/')}/{path}", self.facts)
        if found is not None and found[1] in _OBEYED:
            self.obeyed[path] = None

    def held(self, path: str, entry: tuple[str, str], before: list[str]) -> None:
        if entry[0] == _MODULE or (path, entry[1]) in self.seen:
            return
        self.seen.add((path, entry[1]))
        self.text(path, self._blob(entry[1]), before)

    def text(self, path: str, raw: bytes, before: list[str]) -> None:
        """A secret that the file did not hold before."""
        self.bytes += len(raw)
        if self.bytes > MAX_OUTGOING_BYTES:
            raise StoreError("what it sends is too much to look through")
        text = raw.decode("utf-8", "replace")
        found = [text[start:end] for start, end, _ in secrets_in(text, named=True)]
        if found:
            known = [self._blob(name).decode("utf-8", "replace") for name in before]
            if not all(any(secret in old for old in known) for secret in found):
                self.secrets[path] = None

    def _blob(self, name: str) -> bytes:
        found = self.repository.read(name)
        if found is None or found[0] != "blob":
            raise StoreError("a file that it sends is too large, or cannot be read")
        return found[1]

    # --- what the call commits itself --------------------------------------------------------------------------------

    def work(self, made: str) -> None:
        """Files of the work tree that are not as HEAD has them; with `all`, those that git does not track as well."""
        top, committed = self.repository.top.rstrip("/"), self._committed()
        index = self.repository.gitdir + "/index"
        raw = read_file(index, limit=MAX_OUTGOING_BYTES * 8) or b""
        at = os.stat(index).st_mtime_ns if raw else 0
        tracked: dict[str, str] = {}
        for row, head, _ in rows_in(raw, whole=True) if raw else ():
            name = os.fsdecode(row)
            tracked[name] = head[40:60].hex()
            before = [committed[name]] if name in committed else []
            if tracked[name] not in before:  # staged
                self.changed(name)
                self.held(name, (f"{int.from_bytes(head[24:28], 'big'):o}", tracked[name]), before)
            self._on_disk(f"{top}/{name}", name, head, at, before)
        for name in committed.keys() - tracked.keys():
            self.changed(name)
        if made == "all":
            for name in self._untracked(top, tracked):
                self.changed(name)
                self.text(name, _raw(f"{top}/{name}"), [])

    def _committed(self) -> Mapping[str, str]:
        names = self.repository.resolve("HEAD")
        if len(names) != 1:
            return {}  # the first commit
        found: dict[str, str] = {}
        pending = [(_tree(self.repository, names[0]), "")]
        while pending:
            tree, folder = pending.pop()
            for name, (mode, blob) in self.repository.tree(tree).items():
                if mode == _FOLDER:
                    pending.append((blob, f"{folder}{name}/"))
                else:
                    found[folder + name] = blob
        return found

    def _on_disk(self, path: str, name: str, head: bytes, at: int, before: list[str]) -> None:
        """The file, unless it is as the index has it: by its times and size, as git itself goes by them."""
        try:
            info = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            self.changed(name)
            return
        times = (*divmod(info.st_ctime_ns, 10**9), *divmod(info.st_mtime_ns, 10**9))
        kept = [int.from_bytes(head[start : start + 4], "big") for start in (0, 4, 8, 12, 36)]
        if kept == [one & 0xFFFFFFFF for one in (*times, info.st_size)] and info.st_mtime_ns < at:
            return
        if os.path.isdir(path) and not os.path.islink(path):
            return  # a module
        raw = _raw(path)
        if blob_name(raw) not in (head[40:60].hex(), *before):
            self.changed(name)
            self.text(name, raw, [*before, head[40:60].hex()])

    def _untracked(self, top: str, tracked: Collection[str]) -> Iterator[str]:
        from ..undo.ignored import is_surely_ignored

        ignored = is_surely_ignored(self.repository, self.facts.home)
        pending, left = [""], MAX_GIT_COMPARED_FILES
        while pending:
            folder = pending.pop()
            with os.scandir(f"{top}/{folder}") as entries:
                for entry in entries:
                    left -= 1
                    if left < 0:
                        raise StoreError("the files that it would commit are too many to look through")
                    name = folder + entry.name
                    if name == ".git" or name in tracked or ignored(name):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(name + "/")
                    elif entry.is_symlink() or entry.is_file():
                        yield name


def _raw(path: str) -> bytes:
    if os.path.islink(path):
        return os.fsencode(os.readlink(path))
    return read_file(path, limit=MAX_OUTGOING_BYTES) or b""


def _some(paths: list[str], text: str) -> list[str]:
    more = [f"{len(paths) - _TOLD} more"] if len(paths) > _TOLD else []
    return [text.format(one) for one in (*[f"`{path}`" for path in sorted(paths)[:_TOLD]], *more)]
