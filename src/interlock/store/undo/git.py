"""What git would lose, from its files: names, the index, objects that nothing else keeps, and files of the work tree.

Only the repository of the project itself, with its git folder inside: what lies in a repository of its own, in a linked
work tree or behind `core.worktree` is not held. Every answer is the careful one; what is too large is refused.
"""

from __future__ import annotations

import os

from ...approve.undoable import MADE_AGAIN
from ...limits import MAX_GIT_FILES, MAX_UNDO_BY_HAND, MAX_UNDO_FILES
from ...value import TYPE_CHECKING
from ..facts.git_index import count_in
from ..facts.git_objects import repository_of
from ..home.files import read_file
from .git_commits import amended, rebased
from .git_index import MODULE, entries_of, flat, is_clean, listing, tree_of
from .git_linked import unlinked
from .git_part import SMALL, Part, committed, with_what_is_in_the_way
from .held import NotHeldError
from .ignored import is_surely_ignored
from .keep import Wanted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..facts.git_objects import Repository
    from .git_index import Entry
    from .holding import Held

__all__ = ["git_of"]


def git_of(held: Held) -> list[Part]:
    """What the losses of git come to. One part for each."""
    found = []
    for loss in held.losses:
        if loss.git:
            folder, how, revision, *names = loss.path.split("\t")
            part = Part(_own_repository(folder, held.root), held.facts.home)
            try:
                _PLANS[how](part, how, revision, names)
            except (ValueError, IndexError) as error:
                raise NotHeldError(f"the repository cannot be read: {error}") from None
            found.append(part)
    if len(found) > 1:
        raise NotHeldError("more than one command of git would lose something")
    return found


def _own_repository(folder: str, root: str) -> Repository:
    repository = repository_of(folder)
    if repository is None or repository.top != root or repository.gitdir != f"{root}/.git":
        raise NotHeldError("it is not the repository of the project itself")
    if os.path.islink(repository.gitdir) or repository.common != repository.gitdir:
        raise NotHeldError("the repository shares its git folder")
    said = (read_file(repository.gitdir + "/config", limit=SMALL) or b"").lower()
    if any(word in said for word in (b"worktree", b"[include", b"reftable", b"objectformat", b"sparsecheckout")):
        raise NotHeldError("the repository is of an unusual kind")
    if os.path.exists(repository.gitdir + "/index.lock"):
        raise NotHeldError("another git command is at work")
    return repository


def _as_committed(part: Part, how: str, revision: str, paths: list[str]) -> None:
    """`reset --hard`, `checkout -f`, `checkout REV -- PATHS`, `checkout -- PATHS` and their like."""
    repository = part.repository
    top, index = repository.top, repository.gitdir + "/index"
    if count_in(index) > MAX_GIT_FILES:
        raise NotHeldError(f"the repository has more than {MAX_GIT_FILES} files")
    known = entries_of(index)
    written = os.stat(index).st_mtime_ns if known else 0
    now = {name: indexed.entry for name, indexed in known.items()}
    then: dict[str, Entry] = now
    if how != "index":
        commit, tree = tree_of(repository, revision)
        then = flat(repository, tree)
    below = [path[len(top) :].strip("/") for path in paths]
    count = 0
    for name in {**now, **then}:
        if below and not any(one in ("", name) or name.startswith(one + "/") for one in below):
            continue
        count += 1
        if count > MAX_UNDO_FILES * 10:
            raise NotHeldError("there are too many files")
        entry, goal = now.get(name), then.get(name)
        if how != "index" and entry is None and paths and goal is None:
            continue
        if entry == goal and (entry is None or entry[0] == MODULE or is_clean(f"{top}/{name}", known[name], written)):
            continue
        if MODULE in ((entry or ("",))[0], (goal or ("",))[0]):
            raise NotHeldError(f"`{name}` is a repository of its own")
        part.wanted += with_what_is_in_the_way(top, name, "absent" if goal is None else f"git:{goal[1]}")
    if how == "index":
        return
    head = committed(repository)
    part.blobs = [entry[1] for name, entry in now.items() if entry != head.get(name) and entry[0] != MODULE]
    meant = {
        name: entry
        for name, entry in {**now, **then}.items()
        if not below or any(one in ("", name) or name.startswith(one + "/") for one in below)
    }
    if paths:
        left = {name: entry for name, entry in now.items() if name not in meant}
        goals = {name: then[name] for name in meant if name in then}
        may_be = [listing({**left, **goals}), listing({**now, **goals}), listing(now)]
        part.files["index"] = "entries:" + " ".join(may_be)
        return
    part.files["index"] = "entries:" + listing(then)
    _heads(part, how, revision, commit)


def _heads(part: Part, how: str, revision: str, commit: str) -> None:
    """HEAD, and the branch that it is on: where they are, and where they will be."""
    repository = part.repository
    text = (read_file(repository.gitdir + "/HEAD", limit=SMALL) or b"").decode("utf-8", "replace").strip()
    part.refs["HEAD"] = text
    if not os.path.isfile(repository.gitdir + "/logs/HEAD"):  # it keeps what is left from being collected
        raise NotHeldError("this repository keeps no log of its HEAD")
    if how == "switch":
        branch = f"refs/heads/{revision}"
        part.after["HEAD"] = f"ref: {branch}" if repository.ref(branch) else commit
        return
    if text.startswith("ref: "):
        branch = text[5:].strip()
        part.refs[branch] = repository.ref(branch)
        part.after |= {"HEAD": text, branch: commit}
    else:
        part.after["HEAD"] = commit


def _untracked(part: Part, how: str, revision: str, paths: list[str]) -> None:
    repository = part.repository
    top = repository.top
    tracked = entries_of(repository.gitdir + "/index")
    folders = {"/".join(name.split("/")[:at]) for name in tracked for at in range(1, name.count("/") + 1)}
    ignores = is_surely_ignored(repository, part.home) if how == "untracked" else lambda _: False
    pending = [path[len(top) :].strip("/") for path in paths]
    count = 0
    while pending:
        below = pending.pop()
        path = f"{top}/{below}".rstrip("/")
        if below and (below not in folders or os.path.islink(path)):
            if below not in tracked and os.path.lexists(path) and not _skips(path, below, ignores):
                part.wanted.append(Wanted(path=below, after="absent"))
            continue
        for name in sorted(os.listdir(path)):
            count += 1
            if count > MAX_UNDO_FILES * 10:
                raise NotHeldError("there are too many files")
            if name != ".git" or below:
                pending.append(f"{below}/{name}".lstrip("/"))


def _skips(path: str, below: str, ignores: object) -> bool:
    """A repository of its own is left alone by git, and so is what it is told to ignore."""
    if os.path.isdir(path) and not os.path.islink(path) and os.path.lexists(path + "/.git"):
        return True
    return callable(ignores) and bool(ignores(below))


def _by_hand(part: Part, how: str, revision: str, paths: list[str]) -> None:
    """Files below folders that a build makes, which git neither has nor ignores: somebody may have put them there. More
    than a person does by hand are the build's own.
    """
    top = part.repository.top
    tracked = entries_of(part.repository.gitdir + "/index")
    ignores = is_surely_ignored(part.repository, part.home)
    for path in paths:
        below = path[len(top) :].strip("/")
        parts = below.split("/")
        if any(ignores("/".join(parts[:at])) for at in range(1, len(parts) + 1)):
            continue
        for name in _files_below(top, below):
            if name not in tracked:
                part.wanted.append(Wanted(path=name, after="absent"))
                if len(part.wanted) > MAX_UNDO_BY_HAND:
                    raise NotHeldError("there is more than somebody put there by hand")
    if not part.wanted:
        raise NotHeldError("nothing is lost that git has not, or ignores")


def _files_below(top: str, below: str) -> Iterator[str]:
    """Paths from the top of all files at or below one of its folders; what a link leads to is not below it."""
    at = f"{top}/{below}"
    if os.path.islink(at) or not os.path.isdir(at):
        if os.path.lexists(at):
            yield below
        return
    for folder, folders, files in os.walk(at):
        links = [name for name in folders if os.path.islink(f"{folder}/{name}")]
        yield from (os.path.relpath(f"{folder}/{name}", top) for name in (*files, *links))


def _names(part: Part, how: str, revision: str, names: list[str]) -> None:
    repository = part.repository
    for name in names:
        ref = f"refs/{'heads' if how == 'branch' else 'tags'}/{name}"
        if ".." in name or name.startswith("-"):
            raise NotHeldError(f"`{name}` is no plain name")
        oid = repository.ref(ref)
        if not oid:
            continue  # there is nothing to lose
        part.refs[ref], part.after[ref] = oid, ""
        part.lost.append(oid)
        if how == "branch":
            part.files[f"logs/{ref}"] = "absent"
            part.sections += _sections(repository.gitdir + "/config", name)


def _sections(config: str, branch: str) -> list[str]:
    """What the settings say of a branch: git takes it out with the branch."""
    raw = (read_file(config, limit=SMALL) or b"").decode("utf-8", "surrogateescape")
    found: list[str] = []
    inside = False
    for line in raw.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            inside = line.strip() == f'[branch "{branch}"]'
            if inside:
                found.append("")
        if inside:
            found[-1] += line
    return found


def _stash(part: Part, how: str, revision: str, names: list[str]) -> None:
    repository = part.repository
    log = (read_file(repository.gitdir + "/logs/refs/stash", limit=SMALL) or b"").decode("utf-8", "surrogateescape")
    lines = log.splitlines()
    top = repository.ref("refs/stash")
    if not top and not lines:
        return
    if not lines or any(len(line) < 82 for line in lines) or lines[-1][41:81] != top:
        raise NotHeldError("the stashes cannot be read")
    gone = range(len(lines)) if not names else [len(lines) - 1 - int(names[0])]
    if gone[0] < 0:
        return  # there is none with this number
    left = [line[41:81] for at, line in enumerate(lines) if at not in gone]
    part.refs["refs/stash"], part.after["refs/stash"] = top, left[-1] if left else ""
    part.files["logs/refs/stash"] = "stashes:" + " ".join(left) if left else "absent"
    part.lost += [lines[at][41:81] for at in gone]


_PLANS = {
    "head": _as_committed,
    "switch": _as_committed,
    "index": _as_committed,
    "untracked": _untracked,
    "ignored": _untracked,
    "only-ignored": _untracked,
    MADE_AGAIN: _by_hand,
    "branch": _names,
    "tag": _names,
    "stash": _stash,
    "worktree": unlinked,
    "amend": amended,
    "rebase": rebased,
}
