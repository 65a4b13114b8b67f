"""Looks up what few readings ask: a function for each kind of `more_wants.py`, and its row in the table."""

from __future__ import annotations

import os

from ...limits import MAX_PROGRAM_BYTES
from ...model.errors import StoreError
from ...model.more_wants import (
    Begins,
    BranchCommit,
    DefiningFiles,
    Destination,
    Digest,
    HoldsSettings,
    Images,
    Landings,
    Listing,
    Loaded,
    LostFromHead,
    Matching,
    Packages,
    PlainTags,
    Pushed,
    RewrittenCommits,
    SameAsCommit,
    SameAsHead,
    SameTask,
    Stood,
    TextAt,
    UncommittedWork,
)
from ...model.obeyed import MARKERS
from ...model.wants import Script
from ...value import TYPE_CHECKING
from ..home.files import read_file
from .links import is_our_own

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...model.more_wants import Git
    from ...model.wants import Want
    from .facts import Round

__all__ = ["MORE_LOOKED_UP_BY"]


def _digest(want: Digest, found: Round) -> None:
    from ...bytes.canon import digest_of_bytes

    try:
        raw = None if is_our_own(want.path) else read_file(want.path, limit=MAX_PROGRAM_BYTES)
    except StoreError:
        return
    if raw is not None:
        found.known[want] = digest_of_bytes(raw)


def _settings(want: HoldsSettings, found: Round) -> None:
    from .contents import holds_settings

    found.known[want] = not is_our_own(want.path) and holds_settings(want.path)


def _packages(want: Packages, found: Round) -> None:
    from .packages import declared_in

    found.known[want] = declared_in(want, found.before.home)


def _images(want: Images, found: Round) -> None:
    from .images import images_of

    found.known[want] = images_of(want)


def _stood(want: Stood, found: Round) -> None:
    from .temporary import standing

    found.known[want] = standing(want, found.before, found.wrote)


def _defined(want: DefiningFiles, found: Round) -> None:
    from .skills import defining_files

    files = found.known[want] = defining_files(want, found.before)
    for file in files:
        found.look_up(Script(file))


def _listed(want: Listing, found: Round) -> None:
    from .searched import listed

    found.known[want] = listed(want, found.before)


def _landed(want: Landings, found: Round) -> None:
    from .placing import landings

    found.known[want] = landings(want.placement, found.before)


def _loaded(want: Loaded, found: Round) -> None:
    from ..home.mods import loads_from

    facts = found.before
    found.known[want] = loads_from(want.folder, facts.home, facts.root, facts.moved)


def _pushed(want: Pushed, found: Round) -> None:
    from .git_refs import sent_by

    found.known[want] = sent_by(want.push, found.before.home, found.before.variables, found.before)


def _destination(want: Destination, found: Round) -> None:
    from .destinations import where_of

    found.known[want] = where_of(want.query, found.before.home, found.before.variables)


def _in_git(want: Git, found: Round) -> None:
    from .git_state import answer_of

    found.known[want] = answer_of(want, found.before.home, found.wrote)


def _matching(want: Matching, found: Round) -> None:
    found.known[want] = _named(want)


_MOST_FOLDERS = 16


def _named(want: Matching) -> tuple[str, ...]:
    """What a pattern in the last part of a path names; an empty name if that is too much, or not sure."""
    from fnmatch import fnmatchcase

    parent, _, name = want.pattern.rpartition("/")
    found: list[str] = []
    try:
        with os.scandir(parent or "/") as entries:
            for entry in entries:
                if entry.name[0] == "." or not fnmatchcase(entry.name, name):
                    continue
                if entry.is_symlink() or len(found) == _MOST_FOLDERS:
                    return ("",)
                if want.files or entry.is_dir():
                    found.append(f"{parent}/{entry.name}")
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError:
        return ("",)
    return tuple(sorted(found))


def _begins(want: Begins, found: Round) -> None:
    found.known[want] = _is_marked(want)


def _is_marked(want: Begins) -> bool:
    """Whether something lies in the folder that shows it. A folder that cannot be looked into counts."""
    for name in MARKERS[want.where]:
        try:
            os.lstat(f"{want.folder}/{name}")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError):
            pass
        return True
    return False


MORE_LOOKED_UP_BY: dict[type[Want[object]], Callable[[Any, Round], None]] = {
    Begins: _begins,
    BranchCommit: _in_git,
    DefiningFiles: _defined,
    Destination: _destination,
    Digest: _digest,
    HoldsSettings: _settings,
    Landings: _landed,
    Listing: _listed,
    Loaded: _loaded,
    LostFromHead: _in_git,
    Matching: _matching,
    Packages: _packages,
    PlainTags: _in_git,
    Images: _images,
    Pushed: _pushed,
    RewrittenCommits: _in_git,
    SameAsCommit: _in_git,
    SameAsHead: _in_git,
    SameTask: _in_git,
    Stood: _stood,
    TextAt: _in_git,
    UncommittedWork: _in_git,
}
