"""A linked work tree that is removed: its folder, and what git keeps of it in the repository.

Only one that lies inside the project, whose two pointers lead to each other. Its `.git` is a small file that names the
record in `.git/worktrees`; both come back as they were. Commits that only its HEAD leads to, and what is staged in it,
are held as objects.
"""

from __future__ import annotations

import os

from ...value import TYPE_CHECKING
from ..facts.git_objects import Repository
from ..home.files import read_file
from .git_index import MODULE, entries_of, flat, tree_of
from .git_part import SMALL
from .held import NotHeldError
from .keep import Wanted

if TYPE_CHECKING:
    from .git_part import Part

__all__ = ["unlinked"]

_MOST_FILES = 1000


def unlinked(part: Part, _how: str, _revision: str, paths: list[str]) -> None:
    repository = part.repository
    tree = paths[0]
    below = tree.removeprefix(repository.top + "/")
    if below == tree or ".git" in below.split("/"):
        raise NotHeldError("the work tree lies outside the project")
    record = _text(f"{tree}/.git").removeprefix("gitdir: ")
    name = record.removeprefix(f"{repository.gitdir}/worktrees/")
    if name == record or "/" in name or name in ("", ".", "..") or _text(f"{record}/gitdir") != f"{tree}/.git":
        raise NotHeldError(f"`{below}` is no work tree of this repository")
    for path in _files(record):
        part.files[f"worktrees/{name}/{path}"] = "absent"
    linked = Repository(record, tree)
    known = entries_of(f"{record}/index")
    head = linked.ref("HEAD")
    has = flat(linked, tree_of(linked, head)[1]) if head else {}
    part.blobs = [one.entry[1] for path, one in known.items() if one.entry != has.get(path) and one.entry[0] != MODULE]
    if head and not _text(f"{record}/HEAD").startswith("ref: "):
        part.lost.append(head)
    part.wanted.append(Wanted(path=below, after="absent", linked=True))


def _text(path: str) -> str:
    if os.path.islink(path):
        return ""
    return (read_file(path, limit=SMALL) or b"").decode("utf-8", "surrogateescape").strip()


def _files(record: str) -> list[str]:
    found = []
    for folder, folders, names in os.walk(record):
        if any(os.path.islink(f"{folder}/{name}") for name in (*folders, *names)):
            raise NotHeldError("git's record of the work tree has links in it")
        found += [f"{folder}/{name}"[len(record) + 1 :] for name in names]
        if len(found) > _MOST_FILES:
            raise NotHeldError("git's record of the work tree is too large")
    if "locked" in found:
        raise NotHeldError("the work tree is locked")
    return sorted(found)
