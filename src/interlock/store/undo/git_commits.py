"""Commits that are made anew, by `git commit --amend` and `git rebase`: names, the index, and files that may change.

What they will be is not known before, so the checkpoint says `rewritten` of names and `committed` of files: when it is
put back, a name's log has to tell of one step from what it was, and a file has to be as the commit there has it. The
old commits themselves are kept by git's log.
"""

from __future__ import annotations

import os

from ...limits import MAX_UNDO_FILES
from ...value import TYPE_CHECKING
from ..facts.git_refs import refs_of
from ..facts.git_trees import blob_name
from ..home.files import read_file
from .git_index import MODULE, differing, entries_of, flat, is_clean, listing, tree_of
from .git_part import SMALL, committed, with_what_is_in_the_way
from .held import COMMITTED, REWRITTEN, NotHeldError

if TYPE_CHECKING:
    from .git_index import Indexed
    from .git_part import Part

__all__ = ["IN_PROGRESS", "amended", "rebased"]

IN_PROGRESS = ("rebase-merge", "rebase-apply")
_MOST_COMMITS = 1000


def amended(part: Part, _how: str, _revision: str, _paths: list[str]) -> None:
    repository = part.repository
    head = committed(repository)
    now = {name: indexed.entry for name, indexed in entries_of(repository.gitdir + "/index").items()}
    part.blobs = [entry[1] for name, entry in now.items() if entry != head.get(name) and entry[0] != MODULE]
    part.files["index"] = COMMITTED
    _heads(part)


def rebased(part: Part, _how: str, revision: str, onto: list[str]) -> None:
    repository = part.repository
    top, gitdir = repository.top, repository.gitdir
    if any(os.path.lexists(f"{gitdir}/{name}") for name in IN_PROGRESS):
        raise NotHeldError("a rebase is in progress")
    since, _ = tree_of(repository, revision)
    tip, tree = tree_of(repository, "HEAD")
    _, goal = tree_of(repository, onto[0]) if onto else (since, tree_of(repository, revision)[1])
    known, written = entries_of(gitdir + "/index"), os.stat(gitdir + "/index").st_mtime_ns
    if listing({name: indexed.entry for name, indexed in known.items()}) != listing(flat(repository, tree)):
        raise NotHeldError("something is staged")
    for name, indexed in known.items():
        if indexed.entry[0] == MODULE or not _is_as_indexed(f"{top}/{name}", indexed, written):
            raise NotHeldError(f"`{name}` was changed and not committed, or is a repository of its own")
    remade = part.commits([tip], part.commits([since], set()))
    if len(remade) > _MOST_COMMITS:
        raise NotHeldError("there are too many commits")
    paths = set(differing(repository, tree, goal))
    for commit in remade:
        found = repository.commit(commit)
        before = repository.commit(found[1][0]) if found is not None and found[1] else None
        paths.update(differing(repository, before[0] if before is not None else "", found[0] if found else ""))
    if len(paths) > MAX_UNDO_FILES:
        raise NotHeldError("there are too many files")
    for name in sorted(paths):
        part.wanted += with_what_is_in_the_way(top, name, COMMITTED)
    part.files["index"] = COMMITTED
    branch = _heads(part)
    if not branch:
        raise NotHeldError("HEAD is on no branch")
    for name, oid in refs_of(top, part.home).refs.items():  # `--update-refs`, or a setting, takes them along
        if name.startswith("refs/heads/") and name != branch and oid in remade:
            part.refs[name], part.after[name] = oid, REWRITTEN


def _is_as_indexed(path: str, indexed: Indexed, written: int) -> bool:
    if is_clean(path, indexed, written):
        return True
    mode, name = indexed.entry
    if os.path.islink(path):
        return mode == "120000" and blob_name(os.fsencode(os.readlink(path))) == name
    raw = read_file(path, limit=SMALL)
    return raw is not None and blob_name(raw) == name and bool(os.stat(path).st_mode & 0o100) == (mode == "100755")


def _heads(part: Part) -> str:
    """HEAD stays on its branch, which moves; where it is on none, it moves itself. The branch."""
    repository = part.repository
    text = (read_file(repository.gitdir + "/HEAD", limit=SMALL) or b"").decode("utf-8", "replace").strip()
    branch = text[5:].strip() if text.startswith("ref: ") else ""
    for name in ("HEAD", branch) if branch else ("HEAD",):
        if not os.path.isfile(f"{repository.gitdir}/logs/{name}"):  # it keeps the old commits, and tells of the step
            raise NotHeldError("this repository keeps no log of its names")
    part.refs["HEAD"] = text
    if branch:
        part.refs[branch], part.after["HEAD"] = repository.ref(branch), text
    part.after[branch or "HEAD"] = REWRITTEN
    return branch
