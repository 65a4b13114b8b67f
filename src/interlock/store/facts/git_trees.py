"""What git would change in the work tree when it is told to bring it to a commit.

Two trees are compared, and only folders that differ are looked into; of those, only such as may hold a file that
somebody obeys. A file that is on the disk just as the commit has it does not change, whatever was committed before; nor
does a settings file of which only parts differ that run nothing (essence.py).
"""

from __future__ import annotations

import os

from ...approve.glob import matches
from ...limits import MAX_PLACED, MAX_PLACED_BYTES
from ...model.errors import StoreError
from ...model.essence import essence_of, is_settings
from ...reading.lands.placing import bases_of, may_tell, tells
from ...reading.places.paths import holds
from ...value import TYPE_CHECKING
from ..home.files import read_file
from .git_index import names_below, tracked_files
from .git_objects import repository_of
from .members import FILE, LINK, Member

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...model.facts import Facts
    from ...reading.lands.placing import Placement
    from .git_objects import Repository

    Entry = tuple[str, str] | None  # mode and object
    Change = tuple[str, Entry]  # path in the work tree, and what is to be there

__all__ = ["blob_name", "changes", "files_of"]

_FOLDER, _LINK, _MODULE = "40000", "120000", "160000"
_FILES = ("100644", "100755")


def changes(placement: Placement, facts: Facts) -> Iterator[tuple[str, str]]:
    """Each path that tells and would change, with the role of its action."""
    repository = repository_of(placement.source, placement.given("gitdir"))
    if repository is None:
        return
    below = placement.source.removeprefix(repository.top.rstrip("/")).strip("/")
    if placement.given("gitdir") or placement.given("how") in ("all", "diff"):
        repository.top = placement.into
    work = _Work(repository, facts, bases_of(facts, placement.every("base")), placement.every("only"))
    planned = work.planned(placement.given("how"), placement.given("rev"), below, placement.given("from"))
    for path, entry in planned:
        if not work.is_meant(path):
            continue
        if entry is None:
            if os.path.lexists(path) and not _counts_the_same(path, None, repository):
                yield "delete", path
        elif not _is_there(path, entry, repository) and not _counts_the_same(path, entry, repository):
            yield "write", path


def files_of(placement: Placement) -> Iterator[Member]:
    """All files of the commit, as they lie below the folder that it is brought to."""
    repository = repository_of(placement.source, placement.given("gitdir"))
    if repository is None or not placement.given("rev"):
        return
    only = placement.every("only")
    for name in repository.resolve(placement.given("rev")):
        known = repository.commit(name)
        pending = [] if known is None else [("", known[0])]
        while pending:
            below, tree = pending.pop()
            for entry, (mode, blob) in repository.tree(tree).items():
                path = below + entry
                if mode == _FOLDER:
                    pending.append((path + "/", blob))
                elif mode != _MODULE and _is_among(f"{placement.into.rstrip('/')}/{path}", only):
                    raw = (repository.read(blob) or ("", b""))[1] if mode == _LINK else b""
                    yield Member(
                        path, LINK if mode == _LINK else FILE, raw.decode("utf-8", "replace"), _reader(repository, blob)
                    )


def _is_among(path: str, only: tuple[str, ...]) -> bool:
    return not only or any(path == name or path.startswith(name.rstrip("/") + "/") for name in only)


def _reader(repository: Repository, blob: str) -> Callable[[], bytes | None]:
    def read() -> bytes | None:
        found = repository.read(blob)
        return None if found is None else found[1]

    return read


class _Work:
    """A work tree, and the folders in it that tell."""

    __slots__ = ("bases", "facts", "only", "repository")

    def __init__(self, repository: Repository, facts: Facts, bases: tuple[str, ...], only: tuple[str, ...]) -> None:
        self.repository, self.facts, self.bases = repository, facts, bases
        self.only = tuple([(name, name.rstrip("/") + "/") for name in only])

    def is_meant(self, path: str) -> bool:
        return not self.only or any(path == name or path.startswith(below) for name, below in self.only)

    def planned(self, how: str, revision: str, below: str, other: str = "") -> Iterator[Change]:
        """What is to be there afterwards, by what git was told.

        switch  from HEAD to the commit        force   the same, and tracked files are put back
        overlay the same, and nothing is taken away
        index   tracked files are put back     pick    what the commit changed
        revert  and the other way around       stash   the same of a stash, with files that were not tracked
        empty   from HEAD to nothing           untracked  files that git does not track are taken away
        ignored the same, with those that it is told to ignore
        diff    what changes from another commit to this one
        all     what the commit has `below` the folder, wherever it is put
        """
        repository = self.repository
        if how in ("untracked", "ignored"):
            yield from self._untracked(ignored=how == "ignored")
            return
        if how == "index":
            yield from self._tracked(None)
            return
        heads = repository.resolve("HEAD")
        head = repository.commit(heads[0]) if heads else None
        now = head[0] if head is not None else ""
        if how == "empty":
            yield from self._between(now, "")
            return
        for name in repository.resolve(revision):
            known = repository.commit(name)
            if known is None:
                continue
            tree, parents = known
            if how == "diff":
                others = [repository.commit(one) for one in repository.resolve(other)] or [None]
                for one in others:
                    yield from self._between("" if one is None else one[0], tree)
                continue
            if how == "all":
                entry = self._in_tree(tree, below) if below else (_FOLDER, tree)
                yield from self._between("", _folder(entry))
                continue
            if how in ("switch", "force", "overlay"):
                found = [*self._between(now, tree), *(self._tracked(tree) if how != "switch" else ())]
                yield from [(path, entry) for path, entry in found if entry is not None or how != "overlay"]
                continue
            before = repository.commit(parents[0]) if parents else None
            old = before[0] if before is not None else ""
            yield from self._between(tree, old) if how == "revert" else self._between(old, tree)
            if how == "stash" and len(parents) > 2:
                beside = repository.commit(parents[2])
                yield from self._between("", beside[0] if beside is not None else "")

    def _between(self, old: str, new: str) -> Iterator[Change]:
        pending = [(self.repository.top, old, new)]
        while pending:
            folder, before, after = pending.pop()
            if before == after:
                continue
            one, two = self.repository.tree(before), self.repository.tree(after)
            for name in dict.fromkeys((*one, *two)):
                was, then = one.get(name), two.get(name)
                if was == then:
                    continue
                path = f"{folder.rstrip('/')}/{name}"
                if any(side is not None and side[0] == _FOLDER for side in (was, then)):
                    if may_tell(path, self.bases, self.facts):
                        pending.append((path, _folder(was), _folder(then)))
                yield from self._told(path, then if then is None or then[0] != _FOLDER else None, was, then)

    def _told(self, path: str, entry: Entry, was: Entry, then: Entry) -> Iterator[Change]:
        if then is not None and then[0] in (_FOLDER, _MODULE):
            return
        if then is None and was is not None and was[0] in (_FOLDER, _MODULE):
            return
        link = any(side is not None and side[0] == _LINK for side in (was, then))
        if tells(path, self.facts, self.bases, link=link):
            yield path, entry

    def _tracked(self, tree: str | None) -> Iterator[Change]:
        """Files that git tracks and somebody obeys, as the tree has them, or (None) as the index has them."""
        top = self.repository.top.rstrip("/")

        def may_hold(folder: bytes) -> bool:
            return may_tell(f"{top}/{folder.decode('utf-8', 'replace')}".rstrip("/") or "/", self.bases, self.facts)

        for name, entry in names_below(self.repository.gitdir + "/index", may_hold):
            path = f"{top}/{name}"
            if not self.is_meant(path):
                continue
            if not tells(path, self.facts, self.bases, link=entry[0] == _LINK):
                continue
            yield path, entry if tree is None else self._in_tree(tree, name)

    def _untracked(self, *, ignored: bool) -> Iterator[Change]:
        """Files that are there, that somebody obeys, and that git does not track."""
        top = self.repository.top
        tracked = {name for name, _ in tracked_files(self.repository.gitdir + "/index")}
        rules = [] if ignored else list(_rules(self.repository, self.facts.home))
        pending = [base for base in self.bases if holds(top, base)]
        left = MAX_PLACED
        while pending and left > 0:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    left -= 1
                    name = entry.path[len(top.rstrip("/")) + 1 :]
                    if entry.is_dir(follow_symlinks=False):
                        hidden = any(part[:1] == "." for part in name.split("/"))
                        if hidden and entry.name != ".git" and may_tell(entry.path, self.bases, self.facts):
                            pending.append(entry.path)
                    elif name not in tracked and tells(entry.path, self.facts, self.bases, link=entry.is_symlink()):
                        if not any(_is_ignored(name, rule) for rule in rules):
                            yield entry.path, None

    def _in_tree(self, tree: str, name: str) -> Entry:
        *folders, last = name.split("/")
        for folder in folders:
            found = self.repository.tree(tree).get(folder)
            if found is None or found[0] != _FOLDER:
                return None
            tree = found[1]
        return self.repository.tree(tree).get(last)


def _rules(repository: Repository, home: str) -> Iterator[str]:
    """Lines of the usual files that say what git ignores."""
    for path in (
        f"{repository.top}/.gitignore",
        f"{repository.common}/info/exclude",
        f"{home}/.config/git/ignore",
        f"{home}/.gitignore",
        f"{home}/.gitignore_global",
    ):
        try:
            raw = read_file(path, limit=MAX_PLACED_BYTES) or b""
        except StoreError:
            continue
        for line in raw.decode("utf-8", "replace").split("\n"):
            if line.strip() and line[:1] not in "#!":
                yield line.strip().removeprefix("**/").rstrip("/*").lstrip("/")


def _is_ignored(name: str, rule: str) -> bool:
    """Whether a plain rule names the file, or a folder above it; one that is harder to tell ignores it as well."""
    return not rule or f"/{rule}/" in f"/{name}/" or any(matches(rule, part) for part in (name, *name.split("/")))


def _folder(entry: Entry) -> str:
    return entry[1] if entry is not None and entry[0] == _FOLDER else ""


def _is_there(path: str, entry: tuple[str, str], repository: Repository) -> bool:
    """True if the file on the disk is what the commit has, but for the ends of its lines."""
    mode, name = entry
    try:
        if mode == _LINK:
            return blob_name(os.readlink(path).encode("utf-8", "surrogateescape")) == name
        if os.path.islink(path):
            return False
        raw = read_file(path, limit=MAX_PLACED_BYTES)
    except (OSError, StoreError):
        return False
    return raw is not None and name in (blob_name(raw), blob_name(raw.replace(b"\r\n", b"\n")))


def _counts_the_same(path: str, entry: Entry, repository: Repository) -> bool:
    """True if what counts in a settings file is the same on the disk and in the commit: permissions, a model."""
    if not is_settings(path) or os.path.islink(path) or (entry is not None and entry[0] not in _FILES):
        return False
    try:
        old = read_file(path, limit=MAX_PLACED_BYTES) or b""
    except (OSError, StoreError):
        return False
    held = ("blob", b"") if entry is None else repository.read(entry[1])
    if held is None or held[0] != "blob" or len(held[1]) > MAX_PLACED_BYTES:
        return False
    return (essence_of(path, old) if old else b"") == (essence_of(path, held[1]) if held[1] else b"")


def blob_name(raw: bytes) -> str:
    """The name of the object that holds these bytes."""
    try:
        from _sha1 import sha1  # type: ignore[import-not-found]  # `hashlib` costs more than all that is done here
    except ImportError:
        from hashlib import sha1

    return str(sha1(b"blob %d\0%b" % (len(raw), raw), usedforsecurity=False).hexdigest())
