"""Which files the sessions of a ledger have written, asked by path: for a process that stays.

The states of all sessions hold it, and to read them takes half a second at twenty thousand. Here what they hold is kept
as numbers that stand for paths, and only the states that rows have saved since are read. A path whose number is not
among them was not written. One whose number is may have been, so the states themselves are asked: two paths can have
one number, and what a session no longer holds stays here until all is read again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...bytes.canon import canonical
from ...model.errors import StoreError
from ...record.resume import opened
from .. import sql

if TYPE_CHECKING:
    from .ledger import Ledger

__all__ = ["may_be_written"]

_MOST = 500_000  # numbers that one process keeps, some 30 MB; with more, the states are asked each time

# By ledger: a row, its hash, and the numbers of all that sessions have written up to it; None where they are too many.
# For any number of threads: numbers are only ever added to a set, and a row is noted once those up to it are in.
_FOLLOWED: dict[str, tuple[int, str, set[int] | None]] = {}


def may_be_written(ledger: Ledger, paths: list[bytes]) -> bool:
    """Whether a session may have written one of these, each in its canonical form. Not: none has, up to this moment."""
    numbers = _followed(ledger)
    return numbers is None or not numbers.isdisjoint([hash(path[1:-1]) for path in paths])


def _followed(ledger: Ledger) -> set[int] | None:
    seq, name, numbers = _FOLLOWED.get(ledger.path, (0, "", set[int]()))
    if numbers is None:
        return None
    database = ledger.connect()
    tip = (database.look(sql.TIP) or (0, ""))[:2]
    if tip == (seq, name):
        return numbers
    known = None if seq == 0 else database.look(sql.BY_SEQ, (seq,))
    if known is not None and known[-1] == name:
        states = database.rows(sql.STATES_SAVED_AFTER, (seq,))
    else:  # INVARIANT: where that row is gone or another one, rows that saved sessions may be gone as well
        numbers, states = set(), database.rows(sql.SESSION_STATES)
    for (state,) in states:
        found = _paths_of(bytes(state))
        if found is None or len(numbers) > _MOST:
            numbers = None
            break
        numbers.update(map(hash, found))
    _FOLLOWED[ledger.path] = (*tip, numbers)
    return numbers


def _paths_of(state: bytes) -> frozenset[bytes] | None:
    """What may be a path in it, in the canonical form without its quotes: every text that begins as one, where none is
    escaped, since to take a state apart takes ten times as long. None of one that is escaped and cannot be taken apart:
    that is trouble of its own session, and stops no other.
    """
    if b"\\" not in state:
        return frozenset([text for text in state.split(b'"')[1::2] if text[:1] == b"/"])
    try:
        session = opened(state)[0]
    except StoreError:
        return None
    return frozenset([canonical(path)[1:-1] for path in session.written | session.created | session.kept])
