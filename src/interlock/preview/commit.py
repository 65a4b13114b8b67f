"""Puts the changes of a preview into the project: all of them, or none.

First everything new is laid down beside its place, in one folder inside the project, and made durable. Then a journal
says what is to be moved where. From then on each step is a rename or a change of mode whose reverse is known; a step
that fails takes all of them back, and a process that is killed leaves the journal, from which the next start finishes.
Paths are walked one folder at a time from the project's own descriptor, and no link is followed on the way.

INVARIANT: what is moved away is kept until the end, and is given back if it is not what the command had seen.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Mapping, Sequence

from ..model.errors import StoreError
from ..store.home.files import Descriptor
from .below import Mark, mark_of
from .changes import Change, Side
from .journal import Journal, Step, moved_with
from .kernel import syncfs

__all__ = ["commit", "finish", "steps_for"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PIECE = 1 << 20
_MOVABLE = 0o700  # what its owner needs of a folder to move it


def steps_for(changes: Sequence[Change], below: Mapping[str, Mark]) -> tuple[Step, ...]:
    """What is below a folder that goes, or comes, goes or comes with it. Modes come last, the deepest first: a folder
    may become one that nothing can be put into.
    """
    moves: list[Step] = []
    modes: list[Step] = []
    whole = ""  # the folder that the last step moved with all that it holds
    for change in sorted(changes, key=lambda change: change.path):
        if whole and change.path.startswith(whole + "/"):
            continue
        number, old = len(moves) + len(modes), below.get(change.path)
        before, after = change.before, change.after
        if before is not None and after is not None and _same_but_mode(before, after):
            modes.append(Step(number=number, does="mode", path=change.path, old=old, modes=(before.mode, after.mode)))
            continue
        if any(side is not None and side.kind == "folder" for side in (before, after)):
            whole = change.path
        moves.append(Step(number=number, does="take" if after is None else "put", path=change.path, old=old))
        if after is not None and after.kind == "folder" and _MOVABLE & ~after.mode:  # it could not be moved so
            wide = after.mode | _MOVABLE
            modes.append(Step(number=number + 1, does="mode", path=change.path, modes=(wide, after.mode)))
    return (*moves, *reversed(modes))


def _same_but_mode(before: Side, after: Side) -> bool:
    if before.kind == after.kind == "folder":
        return True
    return before.kind == after.kind == "file" and before.replace(mode=0) == after.replace(mode=0)


def commit(root: str, changes: Sequence[Change], below: Mapping[str, Mark], stage: str, journal: Journal) -> None:
    """StoreError where it could not be done; then nothing of it was."""
    steps = steps_for(changes, below)
    with Descriptor(os.open(root, _FOLDER)) as top:
        if mark_of(os.fstat(top))[1] != below[""][1]:
            raise StoreError(f"{root} is another folder than the one that was previewed")
        beside = journal.begin(root, steps, below)
        try:
            os.mkdir(beside, 0o700, dir_fd=top)
            at = os.open(beside, _FOLDER, dir_fd=top)
        except OSError as error:
            journal.end()
            raise StoreError(f"nothing was applied: {error.strerror}: {root}") from None
        try:
            _lay_down_and_walk(top, at, steps, changes, below, stage, root, journal)
        except (OSError, StoreError) as error:
            _remove(top, beside, journal)
            raise StoreError(f"nothing was applied: {error}") from None
        finally:
            os.close(at)
        journal.done()
        _remove(top, beside, journal)


def _lay_down_and_walk(
    top: int,
    at: int,
    steps: Sequence[Step],
    changes: Sequence[Change],
    below: Mapping[str, Mark],
    stage: str,
    root: str,
    journal: Journal,
) -> None:
    _lay_down(at, steps, changes, stage, root)
    syncfs(at)
    journal.decide()
    try:
        _walk(top, at, steps)
        _check(at, steps, below)
    except (OSError, StoreError):
        _take_back(top, at, steps)
        raise


def finish(journal: Journal) -> str:
    """After a process was killed: what was decided is done to its end, what was not is removed. What became of it."""
    root, beside, steps, below, state = journal.read()
    try:
        top = os.open(root, _FOLDER)
    except FileNotFoundError:
        journal.end()
        return "lost with the project's folder"
    try:
        if mark_of(os.fstat(top))[1] != below[""][1]:
            raise StoreError(f"{root} is another folder than the one that was previewed; see {journal.path}")
        try:
            at = os.open(beside, _FOLDER, dir_fd=top)
        except FileNotFoundError:
            journal.end()
            return _ENDS[state == "done"]
        try:
            if state == "decided" and _finished(top, at, steps, below):
                journal.done()
                state = "done"
        finally:
            os.close(at)
        _remove(top, beside, journal)
    finally:
        os.close(top)
    return _ENDS[state == "done"]


_ENDS = {True: "finished", False: "taken back"}


def _finished(top: int, at: int, steps: Sequence[Step], below: Mapping[str, Mark]) -> bool:
    try:
        _walk(top, at, steps)
        _check(at, steps, below)
    except (OSError, StoreError):
        _take_back(top, at, steps)
        return False
    return True


# --- laying down ----------------------------------------------------------------------------------------------------


def _lay_down(at: int, steps: Sequence[Step], changes: Sequence[Change], stage: str, root: str) -> None:
    firsts: dict[int, tuple[int, str]] = {}  # new names of one file: where the first was laid down
    kept: list[int] = []
    by_path = {change.path: change for change in changes}
    tops = {step.path for step in steps if step.does == "put"}
    within: dict[str, list[Change]] = {}
    for change in changes:
        top = moved_with(change.path, tops)
        if top is not None and change.after is not None:
            within.setdefault(top, []).append(change)
    modes: list[tuple[int, str, int]] = []
    try:
        for step in steps:
            if step.does != "put":
                continue
            inner = within.get(step.path, ())
            base = f"{step.number}.new"
            _one(at, base, by_path[step.path], stage, root, firsts, modes)
            for change in sorted((change for change in inner if change.path != step.path), key=lambda one: one.path):
                parent, name = _open_parent(at, base + change.path[len(step.path) :])
                kept.append(parent)
                _one(parent, name, change, stage, root, firsts, modes)
        for parent, name, mode in reversed(modes):  # of folders, when they are full: one may not be written to
            os.chmod(name, mode | _MOVABLE if parent == at else mode, dir_fd=parent)
    finally:
        for descriptor in kept:
            os.close(descriptor)


def _one(
    parent: int,
    name: str,
    change: Change,
    stage: str,
    root: str,
    firsts: dict[int, tuple[int, str]],
    modes: list[tuple[int, str, int]],
) -> None:
    side = change.after
    if side is None:
        return
    if side.kind == "folder":
        os.mkdir(name, 0o700, dir_fd=parent)
        modes.append((parent, name, side.mode))
    elif side.kind == "link":
        os.symlink(side.target, name, dir_fd=parent)
    elif change.same in firsts and change.same:
        there, first = firsts[change.same]
        os.link(first, name, src_dir_fd=there, dst_dir_fd=parent, follow_symlinks=False)
    else:
        _file(parent, name, change, stage, root)
        firsts[change.same] = (parent, name)


def _file(parent: int, name: str, change: Change, stage: str, root: str) -> None:
    side = change.after
    if side is None:
        return
    source = os.open(f"{stage}/bytes/{change.bytes}", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    target = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=parent)
    try:
        found = hashlib.sha256()
        while piece := os.read(source, _PIECE):
            found.update(piece)
            rest = memoryview(piece)
            while rest:
                rest = rest[os.write(target, rest) :]
        if found.hexdigest() != side.digest:
            raise StoreError(f"what was kept of `{change.path}` is not what the command had written")
        for attribute, value in (*_kept_attributes(root, change), *side.attributes):
            os.setxattr(target, attribute, bytes.fromhex(value))
        os.fchmod(target, side.mode)
        os.utime(target, ns=(change.time, change.time))
        os.fsync(target)
    finally:
        os.close(source)
        os.close(target)


def _kept_attributes(root: str, change: Change) -> list[tuple[str, str]]:
    """Access lists of the file that is replaced. Labels of the system are the system's to set."""
    if change.before is None or change.before.kind != "file":
        return []
    path = f"{root}/{change.path}"
    try:
        names = [name for name in os.listxattr(path, follow_symlinks=False) if name.startswith("system.")]
        return [(name, os.getxattr(path, name, follow_symlinks=False).hex()) for name in names]
    except OSError:
        return []


# --- the steps ------------------------------------------------------------------------------------------------------


def _open_parent(top: int, path: str) -> tuple[int, str]:
    """The folder that holds the path, one step at a time, and the name in it. A link on the way is an error."""
    *folders, name = path.split("/")
    at = os.dup(top)
    for folder in folders:
        inner = os.open(folder, _FOLDER, dir_fd=at)
        os.close(at)
        at = inner
    return at, name


def _is_there(name: str, at: int) -> bool:
    try:
        os.stat(name, dir_fd=at, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _is_folder(name: str, at: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode)


def _walk(top: int, at: int, steps: Sequence[Step]) -> None:
    """Does what is not done yet. Each step can be told from the files beside to be done, half done or not begun."""
    for step in steps:
        parent, name = _open_parent(top, step.path)
        try:
            _do(parent, name, at, step)
        finally:
            os.close(parent)


def _do(parent: int, name: str, at: int, step: Step) -> None:
    new, old = f"{step.number}.new", f"{step.number}.old"
    if step.does == "mode":
        _set_mode(parent, name, step.old, step.modes[1])
        return
    if step.does == "put" and not _is_there(new, at):
        return  # done before
    if step.old is None:
        if _is_there(name, parent):
            raise StoreError(f"`{step.path}` is there now, and was not when the command ran")
    elif not _is_there(old, at):
        state = os.stat(name, dir_fd=parent, follow_symlinks=False)
        if mark_of(state) != tuple(step.old) and not stat.S_ISDIR(state.st_mode):
            raise StoreError(f"`{step.path}` has changed since the command ran")
        stays = step.does == "put" and stat.S_ISREG(state.st_mode) and not _is_folder(new, at)
        _put_away(parent, name, at, old, stays=stays)
    if step.does == "put":
        os.rename(new, name, src_dir_fd=at, dst_dir_fd=parent)


def _put_away(parent: int, name: str, at: int, old: str, *, stays: bool) -> None:
    """`stays`: a new one is moved over it at once, and nobody ever finds nothing there. Not every disk has links."""
    if stays:
        try:
            os.link(name, old, src_dir_fd=parent, dst_dir_fd=at, follow_symlinks=False)
            return
        except OSError:
            pass
    os.rename(name, old, src_dir_fd=parent, dst_dir_fd=at)


def _set_mode(parent: int, name: str, old: tuple[int, ...] | None, mode: int) -> None:
    with Descriptor(os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)) as descriptor:
        state = os.fstat(descriptor)
        if stat.S_ISLNK(state.st_mode) or (old is not None and state.st_ino != old[1]):
            raise StoreError(f"`{name}` has changed since the command ran")
        os.chmod(f"/proc/self/fd/{descriptor}", mode)


def _check(at: int, steps: Sequence[Step], below: Mapping[str, Mark]) -> None:
    """What was moved away must be what the command had seen. A rename changes the change time of what it moves only."""
    moves = [step for step in steps if step.does != "mode" and step.old is not None]
    tops = {step.path for step in moves}
    seen: dict[str, dict[str, tuple[int, ...]]] = {}
    for name, mark in below.items():
        top = moved_with(name, tops)
        if top is not None:
            seen.setdefault(top, {})[name[len(top) :]] = mark[:4]
    for step in moves:
        moved = {name: mark[:4] for name, mark in _below(at, f"{step.number}.old").items()}
        if moved != seen.get(step.path):
            raise StoreError(f"`{step.path}` has changed since the command ran")


def _below(at: int, name: str) -> dict[str, Mark]:
    found: dict[str, Mark] = {}
    todo = [("", name)]
    while todo:
        path, inner = todo.pop()
        parent, last = _open_parent(at, inner)
        try:
            state = os.stat(last, dir_fd=parent, follow_symlinks=False)
            found[path] = mark_of(state)
            if stat.S_ISDIR(state.st_mode):
                with Descriptor(os.open(last, _FOLDER, dir_fd=parent)) as folder:
                    todo += [(f"{path}/{one}", f"{inner}/{one}") for one in os.listdir(folder)]
        finally:
            os.close(parent)
    return found


def _take_back(top: int, at: int, steps: Sequence[Step]) -> None:
    """Every step that was done or half done, in reverse. What is ours is moved out of the way, never removed."""
    for step in reversed(steps):
        new, old = f"{step.number}.new", f"{step.number}.old"
        try:
            parent, name = _open_parent(top, step.path)
        except OSError:  # its folder is not there: then it was not done
            continue
        try:
            if step.does == "mode":
                if _is_there(name, parent):
                    _set_mode(parent, name, step.old, step.modes[0])
                continue
            if step.does == "put" and not _is_there(new, at) and _is_there(name, parent):
                os.rename(name, new, src_dir_fd=parent, dst_dir_fd=at)
            if _is_there(old, at):
                os.rename(old, name, src_dir_fd=at, dst_dir_fd=parent)
        finally:
            os.close(parent)


def _remove(top: int, beside: str, journal: Journal) -> None:
    for _, folders, _, at in os.fwalk(beside, dir_fd=top):  # a folder that may not be written to cannot be emptied
        for name in folders:
            if not stat.S_ISLNK(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
                _set_mode(at, name, None, _MOVABLE)
    shutil.rmtree(beside, ignore_errors=True, dir_fd=top)
    if _is_there(beside, top):
        raise StoreError(f"`{beside}` in the project could not be removed; nothing in it is needed any more")
    journal.end()
