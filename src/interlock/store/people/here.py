"""A person's answer in a dialog of ours in the host: kept like any other, as weak as a host's word is.

`hook/own_words.py` makes sure of the way that it came. The question is the one that was put when the call was
decided; a yes is used up by the call that waits, and a no is remembered for the session.
"""

from __future__ import annotations

import os
import time

from ...approve.lifecycle import close, is_live
from ...value import TYPE_CHECKING
from ..ledger.approvals import HOST, find, move
from .answering import Asked, answered, one_question
from .offers import answered_for, offers_for
from .surface import process_of

if TYPE_CHECKING:
    from ..home.folders import Folders
    from ..ledger.ledger import Ledger

__all__ = ["asked_here", "covers_of", "is_older_than_calls", "left_here", "settled_here"]

_SESSION = "session"
_RECENT = 1000  # rows that name the process of a host: more do not live at once
_STEP = 0.1  # seconds: the clocks that are compared have steps of a hundredth
_BEGINNINGS = "SELECT key, seq, body FROM ledger WHERE kind = 'session' ORDER BY seq DESC LIMIT ?"
_FIRST = "SELECT MIN(at) FROM ledger WHERE session = ? AND seq > ? AND kind = 'decision'"


def asked_here(ledger: Ledger, approval: str) -> Asked | None:
    """The question, where a dialog shows all of it that counts: nothing hidden, nothing cut."""
    asked = one_question(ledger, approval)
    return asked if asked.is_open and not asked.hidden and asked.input is not None else None


def covers_of(asked: Asked) -> bool:
    """Whether a yes to this may count for the session."""
    return any(offer.reach == _SESSION and not offer.refused for offer in offers_for(asked))


def is_older_than_calls(ledger: Ledger, server: int, host: int) -> bool:
    """Whether the process began before the first call that an agent of the host made. What began later may have been
    started by that agent. What cannot be told counts as later.
    """
    began, above = process_of(server), process_of(host)
    if began is None or above is None:
        return False
    database, mark = ledger.connect(), b'"parent":[%d,%d]' % above
    rows = [(key, seq) for key, seq, body in list(database.rows(_BEGINNINGS, (_RECENT,))) if mark in bytes(body)]
    firsts: list[int] = [row[0] for row in [database.row(_FIRST, one) for one in rows] if row is not None and row[0]]
    if not firsts:
        return False
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - began[1] / os.sysconf("SC_CLK_TCK")
    return age > time.time() - min(firsts) / 1000 + _STEP


def settled_here(folders: Folders, ledger: Ledger, asked: Asked, *, yes: bool, session: bool, title: str) -> None:
    """`title`: of the host. An ApprovalError where it was answered elsewhere meanwhile, or its time is over."""
    by = f"a dialog of {title}"
    if yes and session:
        answered_for(folders, ledger, asked, reach=_SESSION, by=by, where=HOST, lasts=0)
    else:
        answered(ledger, asked, yes=yes, by=by, why="", where=HOST)


def left_here(ledger: Ledger, asked: Asked) -> None:
    """Nobody has answered: the host's own dialog asks, and the question is not open besides."""
    with ledger.deciding(str(asked.body["session"])) as turn:
        kept = find(turn, asked.question.id)
        if kept is not None and kept.seq == asked.question.seq and is_live(kept, turn.at):
            move(turn, kept, close(kept), {"by": HOST, "why": "it is left to the host's own dialog"})
