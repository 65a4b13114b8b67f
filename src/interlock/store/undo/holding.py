"""From what a reading says would be lost to the paths that a checkpoint holds.

A pattern holds everything that it may match, hidden names too. Secrets, what an agent obeys and the guard's own files
are refused wherever they lie below: then the call keeps its tier.
"""

from __future__ import annotations

import os
import re

from ...limits import MAX_UNDO_BYTES, MAX_UNDO_FILES
from ...reading.places.places import marks_of
from ...value import TYPE_CHECKING, Value, lazy
from .held import FILE, NotHeldError
from .keep import Wanted, keep
from .look import Tree, open_folder, open_root
from .shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...approve.undoable import Loss
    from ...model.facts import Facts
    from ...policy.model import Policy
    from ..home.folders import Folders
    from .git import git_of
    from .held import Checkpoint
else:
    git_of = lazy(globals(), ".git", "git_of")

__all__ = ["Held", "could_hold", "hold", "refusing", "shelf_of"]

_REFUSED = frozenset("guard own-secret secret obeyed obeyed-asked obeyed-noted outside root home device".split())
_PLAIN = re.compile(r"[^\[\]{}()\\!]*")
_WILD = re.compile(r"\*\*/|\*\*|\*|\?")


class Held(Value):
    """What has to be held. `touched`: paths that the call changes besides, and whether they have to be held as well."""

    root: str
    losses: tuple[Loss, ...]
    touched: tuple[tuple[str, bool], ...]
    facts: Facts


def shelf_of(folders: Folders, policy: Policy | None = None) -> Shelf:
    """Without a policy the built-in budgets hold."""
    if policy is None:
        return Shelf(folders.state + "/undo")
    return Shelf(folders.state + "/undo", total=policy.undo_bytes, days=policy.undo_days)


def refusing(root: str, facts: Facts) -> Callable[[str], str]:
    """Says of a path below the root why it is not held. Of most files the folder says all that there is to say."""

    def refuses(path: str) -> str:
        if not _REFUSED.isdisjoint(marks_of(f"{root}/{path}", facts)):
            return f"`{path}` holds secrets, or is obeyed by others"
        return ""

    return refuses


def hold(held: Held, shelf: Shelf, *, session: str, call: str) -> Checkpoint:
    """The checkpoint. NotHeldError or StoreError where it is not to be had."""
    try:
        wanted, parts = _wanted(held), git_of(held)
    except OSError as error:
        raise NotHeldError(f"it cannot be looked at: {error.strerror}") from None
    return keep(
        shelf,
        held.root,
        [*wanted, *[one for part in parts for one in part.wanted]],
        session=session,
        call=call,
        refuses=refusing(held.root, held.facts),
        git=(lambda keeping: tuple([part.hold(keeping) for part in parts])) if parts else None,
    )


def could_hold(held: Held, shelf: Shelf, *, session: str) -> None:
    """Looks whether it could be held. What does not exist is nothing to lose."""
    room = min(MAX_UNDO_BYTES, shelf.left(session))
    if not os.path.isdir(held.root):
        return

    tree = Tree(held.root, refusing(held.root, held.facts))
    try:
        size = 0
        for wanted in [*_wanted(held), *[one for part in git_of(held) for one in part.wanted]]:
            for seen in tree.seen(wanted.path, linked=wanted.linked):
                size += seen.info.st_blocks * 512 if seen.info is not None and seen.kind == FILE else 0
                if size > room:
                    raise NotHeldError(f"it is more than {room >> 20} MB")
    finally:
        tree.close()


def _wanted(held: Held) -> list[Wanted]:
    top = held.root.rstrip("/") + "/"
    found = []
    for loss in held.losses:
        if loss.git:
            continue
        path = loss.path[len(top) :]
        if loss.glob:
            found += [Wanted(path=name, after="absent") for name in _matching(held.root, path)]
        else:
            found.append(Wanted(path=path, after="absent"))
    lost = {one.path for one in found}
    refuses = refusing(held.root, held.facts)
    for path, needed in held.touched:
        below = path[len(top) :] if path.startswith(top) else ""
        if below in lost or not (needed or os.path.lexists(path)):  # what the call makes stays where it is
            continue
        if not below or refuses(below) or os.path.isdir(path):
            if needed and not os.path.isdir(path):
                raise NotHeldError(f"`{path}` cannot be held")
            if not needed or not below or refuses(below):
                continue
        found.append(Wanted(path=below))
    return found


def _matching(root: str, pattern: str) -> list[str]:
    """Paths below the root that the pattern may mean. Of several that lie in each other, the highest."""
    if not _PLAIN.fullmatch(pattern):
        raise NotHeldError(f"`{pattern}` is more than a simple pattern")
    parts = pattern.split("/")
    at = next((at for at, part in enumerate(parts) if "*" in part or "?" in part), len(parts))
    base, rest = "/".join(parts[:at]), "/".join(parts[at:])
    fits = re.compile(_regular(rest), re.DOTALL)
    depth = None if "**" in rest else rest.count("/") + 1
    fd = open_root(root)
    found: list[str] = []
    count = 0
    try:
        pending = [("", 1)]
        while pending:
            below, level = pending.pop()
            try:
                folder = open_folder(fd, f"{base}/{below}".strip("/"))
            except FileNotFoundError:
                continue
            except OSError as error:
                raise NotHeldError(f"`{pattern}` cannot be looked up: {error.strerror}") from None
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        count += 1
                        if count > MAX_UNDO_FILES * 10:
                            raise NotHeldError(f"`{pattern}` means too many files")
                        name = f"{below}/{entry.name}" if below else entry.name
                        if fits.fullmatch(name):
                            found.append(f"{base}/{name}".strip("/"))
                        elif entry.is_dir(follow_symlinks=False) and (depth is None or level < depth):
                            if entry.name == ".git":
                                continue  # a pattern that takes it in whole has matched it
                            pending.append((name, level + 1))
            finally:
                os.close(folder)
    finally:
        os.close(fd)
    return sorted(found)


def _regular(pattern: str) -> str:
    said = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    made, at = "", 0
    for wild in _WILD.finditer(pattern):
        made += re.escape(pattern[at : wild.start()]) + said[wild.group()]
        at = wild.end()
    return made + re.escape(pattern[at:])
