"""A person's answer in a dialog of ours in the host: kept like any other, as weak as a host's word is.

`own_words.py` of the hook makes sure of the way that it came. The question is the one that was put when the call was
decided; a yes is used up by the call that waits, and a no is remembered for the session.
"""

from __future__ import annotations

from ..approve.lifecycle import close, is_live
from ..value import TYPE_CHECKING
from .answering import Asked, answered, one_question
from .approvals import HOST, find, move
from .offers import answered_for, offers_for

if TYPE_CHECKING:
    from .folders import Folders
    from .ledger import Ledger

__all__ = ["asked_here", "covers_of", "left_here", "settled_here"]

_SESSION = "session"


def asked_here(ledger: Ledger, approval: str) -> Asked | None:
    """The question, where a dialog shows all of it that counts: nothing hidden, nothing cut."""
    asked = one_question(ledger, approval)
    return asked if asked.is_open and not asked.hidden and asked.input is not None else None


def covers_of(asked: Asked) -> bool:
    """Whether a yes to this may count for the session."""
    return any(offer.reach == _SESSION and not offer.refused for offer in offers_for(asked))


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
