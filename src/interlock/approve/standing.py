"""What is weighed before a call may run, and what comes of it: the values that `weigh.py` takes and gives.

A `Case` is the call as it was read. A `Snapshot` is what the ledger holds on it at one moment. `Fire`, `Ask` and `Deny`
carry all that is to be written down; questions in them changed only through `lifecycle.py`.
"""

from __future__ import annotations

from ..model.verdict import Strength
from ..value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.action import Reading
    from ..model.call import Call
    from ..model.decision import Decision
    from ..model.session import Session
    from ..policy.model import Policy
    from .grant import Grant
    from .lifecycle import Question

__all__ = ["NOTHING", "Ask", "Asked", "Case", "Deny", "Fire", "Move", "Reminder", "Snapshot", "Standing", "Ticket"]


class Case(Value):
    """
    session  as the call finds it, with what its plan says
    grants   of the policy files, those that are live
    closed   windows of time that are not open
    moment   as texts have it that compare like moments
    at       the same in seconds; 0: not known
    proof    keyed digest of the whole call, where secrets were redacted from it
    elsewhere  questions are answered elsewhere than in front of whoever calls
    here     they are answered in a dialog of ours in the host as well
    """

    call: Call
    reading: Reading
    policy: Policy
    session: Session
    grants: tuple[Grant, ...] = ()
    closed: frozenset[str] = frozenset()
    moment: str = ""
    at: int = 0
    proof: str | None = None
    elsewhere: bool = False
    here: bool = False


class Ticket(Value):
    """A grant of the ledger that may cover the call.

    name  the id that its uses are counted under
    uses  how many it has in all, where its own row does not say; None: it does
    """

    grant: Grant
    name: str
    uses: int | None = None


class Asked(Value):
    """What was asked about this very call before, and what was said.

    live      the question that can still be answered or redeemed
    over      a question whose time has just run out
    last      the last one that is closed, where none is live; `last_of` is the session that it was asked in
    closed    how many are closed; with `live` closed as well, it is one more
    shown     the asks that the live one showed; None: each ask of the call
    waiting   how many questions of the same session or run wait for an answer
    void      why the yes to the live one does not count any more
    by        who approved the live one, how strong that is, and why it is not stronger
    persons   who they are, where two are needed: those that signatures show and that may be one of the two
    reminded  how often a person was reminded of the live one
    applied   what the agent is to be told of the last one, where a preview of it was applied
    no        what a person said with the newest no that the call falls under
    """

    live: Question | None = None
    over: Question | None = None
    last: Question | None = None
    last_of: str = ""
    closed: int = 0
    shown: tuple[str, ...] | None = None
    waiting: int = 0
    void: str = ""
    by: str = ""
    strength: Strength = Strength.WEAK
    why: str = ""
    persons: tuple[str, ...] = ()
    reminded: int = 0
    applied: str = ""
    no: str = ""


class Standing(Value):
    """What is looked up for a call that the policy alone does not allow.

    tickets  grants that may cover it
    signing  the strongest signature that a person can give here
    asked    None where no questions are kept
    """

    tickets: tuple[Ticket, ...] = ()
    signing: str = ""
    asked: Asked | None = None


NOTHING = Standing()


class Snapshot(Value):
    """`off` is until when all but the floor is switched off for the call, 0 where it is on."""

    off: int = 0
    standing: Standing = NOTHING


class Move(Value):
    """A question before and after, and what its row says of that."""

    before: Question
    after: Question
    how: Mapping[str, Any] = FrozenMap({})


class Fire(Value):
    """The call may run.

    session  the slice of the session that the decision was made from, which the receipt holds
    moves    questions that ended on the way
    uses     grants of the ledger that lifted something
    redeems  the approval that is used up by it
    """

    decision: Decision
    session: Session
    moves: tuple[Move, ...] = ()
    uses: tuple[Ticket, ...] = ()
    redeems: Move | None = None


class Reminder(Value):
    """A person is reminded of the question, for this time in all."""

    question: Question
    count: int


class Ask(Value):
    """Somebody has to say yes first.

    question  the one that is open for the call, in the ledger; None where none is kept
    is_new    it has to be written down
    news      what of it was not asked before, where an earlier question was closed for that
    """

    decision: Decision
    session: Session
    moves: tuple[Move, ...] = ()
    question: Question | None = None
    is_new: bool = False
    news: tuple[str, ...] = ()
    reminds: Reminder | None = None


class Deny(Value):
    """The call may not run. Where a yes elsewhere would change that, a question is kept as for `Ask`."""

    decision: Decision
    session: Session
    moves: tuple[Move, ...] = ()
    question: Question | None = None
    is_new: bool = False
    news: tuple[str, ...] = ()
    reminds: Reminder | None = None
