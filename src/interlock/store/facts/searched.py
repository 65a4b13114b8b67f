"""Lists the files below a folder that somebody obeys, for searches whose results are changed (searched.py).

The folder is the agent's to fill, so the walk is bounded by counts. It goes first where obeyed files lie: into the
project, the home and the hidden folders that the table of obeyed files names. What builds and package managers bring
is left out: nobody obeys it. Git's list of tracked files is read from its index.
"""

from __future__ import annotations

import os

from ...limits import MAX_LISTED, MAX_PLACED, MAX_PLACED_BYTES
from ...model.errors import StoreError
from ...model.obeyed import OBEYED
from ...reading.lands.placing import bases_of, tells
from ...reading.machine.places import REGENERABLE
from ...reading.places.paths import folded, holds, within
from ...reading.places.place_folders import holds_guarded, holds_obeyed, takes_in_guarded
from ...reading.places.places import obeyed_by
from ...value import TYPE_CHECKING, lazy
from ..home.files import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model.facts import Facts
    from ...model.more_wants import Listing
    from .git_index import tracked_files
    from .git_objects import repository_of

    Listed = tuple[str, str]  # kind, path
else:
    tracked_files = lazy(globals(), ".git_index", "tracked_files")
    repository_of = lazy(globals(), ".git_objects", "repository_of")

__all__ = ["listed"]

_FIRSTS = frozenset([pattern.removeprefix("~/").partition("/")[0] for pattern in OBEYED])
_ENDINGS = tuple([first[1:] for first in _FIRSTS if first[:1] == "*"])
_LEVELS = ("denied", "asked")
_RECORD = "the audit"  # transcripts of a host: many, and told last
_MOST_LINKS = 2000  # that are followed
_GITS_OWN = frozenset(("objects", "logs", "lfs"))  # too many files to look at each


def listed(want: Listing, facts: Facts) -> tuple[Listed, ...]:
    found: dict[str, str] = {}
    try:
        for what, path in (_tracked if want.tracked else _walked)(want.folder, facts):
            if not want.texts or (what in ("file", "link") and _holds(path, want.texts)):
                found[path] = what
                if len(found) >= 4 * MAX_LISTED:
                    break
    except (OSError, ValueError, LookupError, StoreError):
        pass  # what was found before the damage counts
    bases = bases_of(facts)
    order = sorted(found, key=lambda path: (*_rank(path, facts, bases), path))
    return tuple([(found[path], path) for path in order[:MAX_LISTED]])


def _rank(path: str, facts: Facts, bases: tuple[str, ...]) -> tuple[bool, bool, bool]:
    """What is denied and obeyed now comes first."""
    by = obeyed_by(path, facts)
    return by is not None and by[0] == _RECORD, not tells(path, facts, bases), by is None or by[1] != "denied"


def _walked(top: str, facts: Facts) -> Iterator[Listed]:
    soon = [at for at in (*bases_of(facts), *[own.rstrip("/") for own in facts.own]) if holds(top, at) and at != top]
    later, done, left, links = [top], set[str](), MAX_PLACED, 0
    if not os.path.isdir(top):
        if os.path.lexists(top) and (_counts(top, facts) or _counts(os.path.realpath(top), facts)):
            yield ("link" if os.path.islink(top) else "file"), top  # a search finds the file that it is given
        return
    while (soon or later) and left > 0:
        urgent = bool(soon)
        folder = soon.pop() if soon else later.pop(0)
        if folder in done:
            continue
        done.add(folder)
        all_count = _has_a_row(folder, facts) and takes_in_guarded(folder, facts)
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            left -= 1
            if left < 0:
                return
            if entry.is_dir(follow_symlinks=False):
                if _is_passed_by(folder, entry.name, facts):
                    continue
                hidden = entry.name[:1] == "." and folded(entry.name) in _FIRSTS
                (soon if hidden or (urgent and "/." in folder) else later).append(entry.path)
                if _is_above_obeyed(entry.path, facts):
                    yield ("bare" if _is_bare(entry.path) else "folder"), entry.path
            elif all_count or _counts(entry.path, facts):
                yield _kind(entry), entry.path
            elif entry.is_symlink() and links < _MOST_LINKS:
                links += 1
                if _counts(os.path.realpath(entry.path), facts):
                    yield "link", entry.path


def _is_above_obeyed(path: str, facts: Facts) -> bool:
    """A folder whose files are obeyed, all or some."""
    if _counts(path, facts):
        return True
    if not _has_a_row(path, facts):
        return False
    return takes_in_guarded(path, facts) or holds_guarded(path, facts) or holds_obeyed(path)


def _has_a_row(folder: str, facts: Facts) -> bool:
    """Whether a row of the table begins with a folder on this path: most do not, and are told apart by that."""
    return bool(facts.moved) or not _FIRSTS.isdisjoint(folded(folder).split("/"))


def _is_passed_by(folder: str, name: str, facts: Facts) -> bool:
    if name in _GITS_OWN and folder.endswith("/.git"):
        return True
    return name in REGENERABLE and not any(own.startswith(folded(f"{folder}/{name}/")) for own in facts.own)


def _counts(path: str, facts: Facts) -> bool:
    """Whether it is denied or asked about. Most names are told apart without a look at the table."""
    name = folded(path.rpartition("/")[2])
    if not ("/." in path or name in _FIRSTS or name.endswith(_ENDINGS) or facts.hooks or facts.obeyed or facts.moved):
        if not facts.obeyed_at_least and not facts.linked and not within(facts.own, folded(path)):
            return False
    by = obeyed_by(path, facts)
    return by is not None and by[1] in _LEVELS


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "link"
    try:
        return "file" if entry.stat(follow_symlinks=False).st_size else "empty"
    except OSError:
        return "file"


def _is_bare(folder: str) -> bool:
    try:
        return not os.listdir(folder)
    except OSError:
        return False


def _tracked(folder: str, facts: Facts) -> Iterator[Listed]:
    repository = repository_of(folder)
    if repository is None:
        return
    top = repository.top.rstrip("/")
    for name, (mode, _) in tracked_files(repository.gitdir + "/index"):
        path = f"{top}/{name}"
        if holds(folder, path) and _counts(path, facts) and os.path.lexists(path):
            yield "link" if mode == "120000" else "file", path


def _holds(path: str, globs: tuple[str, ...]) -> bool:
    """Whether all pieces of one of the texts stand in the file; one that cannot be read may hold them."""
    try:
        raw = read_file(path, limit=MAX_PLACED_BYTES)
    except StoreError:
        return True
    text = folded((raw or b"").decode("utf-8", "replace"))
    for glob in globs:
        pieces = [piece for piece in folded(glob).replace("?", "*").split("*") if piece]
        if all(piece in text for piece in pieces):
            return True
    return False
