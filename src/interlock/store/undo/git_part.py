"""What one command of git would lose, while it is gathered, and the objects that only it would keep."""

from __future__ import annotations

import os

from ...limits import MAX_GIT_WALK, MAX_UNDO_OBJECTS
from ...model.errors import StoreError
from ...value import TYPE_CHECKING
from ..facts.git_refs import refs_of
from ..home.files import read_file
from .git_index import MODULE, flat, tree_of
from .held import FILE, GitHeld, Node, NotHeldError
from .keep import Wanted

if TYPE_CHECKING:
    from ..facts.git_objects import Repository
    from .git_index import Entry
    from .keep import Keeping

__all__ = ["SMALL", "Part", "committed", "with_what_is_in_the_way"]

SMALL = 4 * 1024 * 1024
_FOLDER = "40000"


class Part:
    """What one command of git would lose.

    wanted  files of the work tree
    refs    names and what they hold; `after` is what they hold then
    files   files below the git folder that are held whole, and how each is left
    lost    commits and tags that may be reached from nowhere then; `blobs` that only the index holds
    """

    def __init__(self, repository: Repository, home: str) -> None:
        self.repository, self.home = repository, home
        self.wanted: list[Wanted] = []
        self.refs: dict[str, str] = {}
        self.after: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.sections: list[str] = []
        self.lost: list[str] = []
        self.blobs: list[str] = []

    def hold(self, keeping: Keeping) -> GitHeld:
        gitdir = self.repository.gitdir
        files = []
        for name, after in self.files.items():
            raw = read_file(f"{gitdir}/{name}", limit=SMALL * 8)
            if raw is None:
                continue
            keeping.count(len(raw))
            mode = os.stat(f"{gitdir}/{name}").st_mode & 0o777
            files.append(
                Node(
                    path=name,
                    kind=FILE,
                    mode=mode,
                    size=len(raw),
                    sha256=keeping.hash(raw).hexdigest(),
                    at=keeping.put(raw),
                    after=after,
                )
            )
        objects = []
        for name in dict.fromkeys([*self.blobs, *self._unreachable()]):
            found = self.repository.read(name)
            if found is None:
                raise NotHeldError(f"the object {name} cannot be read")
            keeping.count(len(found[1]))
            objects.append((name, keeping.put(found[1]), len(found[1]), found[0]))
        return GitHeld(
            top="",
            refs=tuple(self.refs.items()),
            after=tuple(self.after.items()),
            files=tuple(files),
            objects=tuple(objects),
            sections=tuple(self.sections),
        )

    # --- objects -----------------------------------------------------------------------------------------------------

    def _unreachable(self) -> list[str]:
        """Objects of the lost commits that no other name leads to."""
        if not self.lost:
            return []
        repository = self.repository
        refs = refs_of(repository.top, self.home).refs
        kept = [oid for name, oid in refs.items() if name not in self.refs and len(oid) == 40]
        head = repository.ref("HEAD")
        reached = self.commits([*kept, *([head] if head else [])], set())
        found: dict[str, None] = {}
        for name in self.commits(self.lost, reached, found):
            known = repository.commit(name)
            if known is None:
                raise NotHeldError(f"the commit {name} cannot be read")
            found[name] = None
            tree, parents = known
            before = repository.commit(parents[0]) if parents else None
            if parents and before is None:
                raise NotHeldError(f"the commit {parents[0]} cannot be read")
            self._trees("" if before is None else before[0], tree, found)
        return list(found)

    def commits(self, tips: list[str], without: set[str], tags: dict[str, None] | None = None) -> set[str]:
        found: set[str] = set()
        pending = list(tips)
        while pending:
            name = pending.pop()
            if name in found or name in without:
                continue
            read = self.repository.read(name)
            if read is None:
                raise NotHeldError(f"the object {name} cannot be read")
            if read[0] == "tag":
                if tags is not None:
                    tags[name] = None
                goal = read[1].split(b"\n", 1)[0].partition(b" ")[2].decode("ascii", "replace")
                pending.append(goal)
                continue
            if read[0] != "commit":
                continue
            found.add(name)
            if len(found) > MAX_GIT_WALK:
                raise NotHeldError("there are too many commits")
            pending += self.repository.dated(name)[0]
        return found

    def _trees(self, old: str, new: str, found: dict[str, None]) -> None:
        pending = [(old, new)]
        while pending:
            before, after = pending.pop()
            if before == after:
                continue
            found[after] = None
            was = self.repository.tree(before)
            for part, entry in self.repository.tree(after).items():
                other = was.get(part)
                if entry == other or entry[0] == MODULE:
                    continue
                if entry[0] == _FOLDER:
                    pending.append((other[1] if other is not None and other[0] == _FOLDER else "", entry[1]))
                else:
                    found[entry[1]] = None
                if len(found) > MAX_UNDO_OBJECTS:
                    raise NotHeldError("there are too many objects")


def with_what_is_in_the_way(top: str, name: str, after: str) -> list[Wanted]:
    """The file, or what lies where one of its folders has to be."""
    parts = name.split("/")
    for at in range(1, len(parts)):
        above = "/".join(parts[:at])
        path = f"{top}/{above}"
        if os.path.islink(path) or (os.path.lexists(path) and not os.path.isdir(path)):
            return [Wanted(path=above)]
    return [Wanted(path=name, after=after)]


def committed(repository: Repository) -> dict[str, Entry]:
    try:
        return flat(repository, tree_of(repository, "HEAD")[1])
    except NotHeldError:
        raise
    except StoreError:  # nothing was committed yet
        return {}
