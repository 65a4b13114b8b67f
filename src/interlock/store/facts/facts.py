"""Looks up what the reading is missing. Facts only grow; what cannot be had stays missing."""

from __future__ import annotations

import os

from ...limits import MAX_SCRIPT_BYTES
from ...model.errors import StoreError
from ...model.wants import Real, Script
from ...reading.places.paths import folded
from ...reading.places.secret_files import looks_like_key, sort_of
from ...reading.read import read_in_rounds
from ...reading.tools.tools import likely_missing
from ...value import TYPE_CHECKING, FrozenMap
from ..home.files import read_file
from .links import follow, is_our_own

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...model.action import Reading
    from ...model.call import Call
    from ...model.facts import Facts
    from ...model.wants import Want

    Wrote = Callable[[str], bool]

__all__ = ["LOOKED_UP_BY", "Round", "gather", "read_with_facts"]


def read_with_facts(call: Call, facts: Facts, wrote: Wrote | None = None) -> Reading:
    """The call, read with what the disk says. `wrote`: whether any session is known to have written a file."""
    likely = likely_missing(call, facts)
    if likely:
        facts = gather(likely, facts) or facts
    return read_in_rounds(call, facts, lambda missing, facts: gather(missing, facts, wrote))[0]


def gather(missing: tuple[Want[object], ...], facts: Facts, wrote: Wrote | None = None) -> Facts | None:
    """The facts with what could be found out added; None if that is nothing."""
    found = Round(facts, wrote)
    for want in missing:
        found.look_up(want)
    return found.facts()


class Round:
    """What is found out in one round, before it becomes facts."""

    __slots__ = ("before", "known", "leads", "sets", "texts", "wrote")

    def __init__(self, before: Facts, wrote: Wrote | None) -> None:
        self.before = before
        self.wrote = wrote
        self.known: dict[Any, object] = {}
        self.leads: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self.sets: dict[str, set[str]] = {}  # by the field of the facts

    def look_up(self, want: Want[object]) -> None:
        row = LOOKED_UP_BY.get(type(want))
        if row is None:
            from .more_facts import MORE_LOOKED_UP_BY

            row = MORE_LOOKED_UP_BY[type(want)]
        row(want, self)

    def put(self, field: str, *paths: str) -> None:
        self.sets.setdefault(field, set()).update(paths)

    def facts(self) -> Facts | None:
        before = self.before
        if not (self.known or self.leads or self.texts) and self.sets.get("unread", frozenset()) <= before.unread:
            return None
        changes: dict[str, object] = {field: getattr(before, field) | paths for field, paths in self.sets.items()}
        for field, more in (("known", self.known), ("real", self.leads), ("scripts", self.texts)):
            if more:
                changes[field] = FrozenMap({**getattr(before, field), **more})
        return before.replace(**changes)


def _real(want: Real, found: Round) -> None:
    path = want.path
    if is_our_own(path):
        found.leads[path] = path
        found.put("absent", path)
        return
    try:
        at, there = follow(path)
    except (OSError, ValueError):
        return
    found.leads[path] = _behind_a_hard_link(at, found.before) if there else at
    if not there:
        found.put("absent", path)
        return
    if not os.access(at, os.W_OK):
        found.put("fixed", *_spellings(path, at))
    if _is_worth_a_look(path, at):
        from .contents import what_is_in

        field = {"key": "keys", "plain": "plain"}.get(what_is_in(path, at))
        if field is not None:
            found.put(field, *_spellings(path, at))


def _script(want: Script, found: Round) -> None:
    try:
        text = _text_of(want.path)
    except (StoreError, UnicodeDecodeError):
        found.put("unread", want.path)
        return
    if text is not None:
        found.texts[want.path] = text


# The other kinds have their rows in more_facts.py.
LOOKED_UP_BY: dict[type[Want[object]], Callable[[Any, Round], None]] = {
    Real: _real,
    Script: _script,
}


def _is_worth_a_look(path: str, at: str) -> bool:
    """Whether the name leaves open what is in the file: it may be a key, or may hold no secret after all."""
    name = at.rpartition("/")[2]
    if looks_like_key(name) or looks_like_key(path.rpartition("/")[2]):
        return True
    return any(sort_of(folded(spelt).split("/")[1:]) == "judged" for spelt in (path, at))


def _spellings(path: str, at: str) -> tuple[str, ...]:
    """The file as it was asked for, as it is spelt plainly, and where it lies."""
    if ".." in path:
        return at, path
    return at, path, "/" + "/".join([part for part in path.split("/") if part not in ("", ".")])


_REGULAR, _KIND = 0o100000, 0o170000
_OWN_FILES = (
    ".config/interlock/ledger.key",
    ".config/interlock/store.pgpass",
    ".config/interlock/policy.toml",
    ".config/interlock/trust.json",
    ".local/state/interlock/proof.key",
    ".local/state/interlock/ledger.db",
    ".local/state/interlock/ledger.db.head",
)


def _behind_a_hard_link(path: str, facts: Facts) -> str:
    """The file of ours that this is a second name of, else the path itself. Few files have two names: it is cheap."""
    try:
        found = os.stat(path)
        if found.st_nlink < 2 or found.st_mode & _KIND != _REGULAR:
            return path
    except (OSError, ValueError):
        return path
    for name in _OWN_FILES:
        own = f"{facts.home}/{name}"
        try:
            other = os.stat(own)
        except OSError:
            continue
        if (other.st_dev, other.st_ino) == (found.st_dev, found.st_ino):
            return own
    return path


def _text_of(path: str) -> str | None:
    """The text of a script; None if it is not there. Raises if it is no plain file, too long or no text."""
    if is_our_own(path):
        raise StoreError(f"`{path}` is a file of this process")
    raw = read_file(path, limit=MAX_SCRIPT_BYTES)
    if raw is not None and b"\0" in raw:
        raise StoreError(f"`{path}` is not text")
    return None if raw is None else raw.decode()
