"""The outcome of a call whose decision the front still holds, such as a relay that forwarded it a moment ago.

Nothing is searched in the ledger, and nothing of it is taken apart: what was decided is in hand, and this process wrote
the session's last state. INVARIANT: the row and the session are those that `outcomes.py` would keep. A front tells the
outcome of each of its decisions once.
"""

from __future__ import annotations

from itertools import count

from ..model.session import HAPPENED
from ..model.verdict import Verdict
from ..record.resume import changed
from ..store.ledger.proofs import keyed
from ..value import TYPE_CHECKING
from .outcomes import compared, learnt, observed_so, what_stands
from .turns import LookAgainError, in_turn
from .values import learner_of

if TYPE_CHECKING:
    from typing import Any

    from ..calls.world import Outcome
    from ..engine import Engine
    from ..model.events import Ended
    from ..model.session import Session
    from ..store.ledger.ledger import Turn
    from .noticing import Notice
    from .values import Learner

__all__ = ["is_plain", "settled"]


def is_plain(told: Ended, decided: Outcome) -> bool:
    """Whether nothing follows from the outcome but what the session learns: no question was answered by it."""
    kept = decided.row > 0 or decided.trouble is not None
    allowed = decided.observed or decided.decision.verdict is Verdict.ALLOW
    return kept and allowed and (told.call is decided.call or told.call == decided.call)


def settled(engine: Engine, told: Ended, decided: Outcome, notice: Notice) -> None:
    call, reading, ledger = told.call, decided.reading, engine.ledger()
    owner = call.kept_session
    result = None if told.outcome == "unknown" else keyed(compared(told), notice.folders)
    row: dict[str, Any] = {
        "agent": call.agent,
        "approved": [],
        "decision": decided.row or None,
        "outcome": told.outcome,
        "result": result,
        "tool": call.tool,
        **({"bytes": told.size} if told.size else {}),
    }

    looks = count()

    def look() -> tuple[dict[str, str], Learner | None]:
        there = what_stands(reading)
        return there, learner_of(engine, told, ledger.last_known(owner, anew=next(looks) > 0)[0])

    def keep(turn: Turn, seen: tuple[dict[str, str], Learner | None]) -> None:
        there, learns = seen
        if not decided.row:  # the ledger could not be written when it was decided
            turn.append("outcome", row, session=owner)
            return

        def after(session: Session) -> Session:
            if session.values is not None and learns is None and told.outcome in HAPPENED:
                raise LookAgainError
            if decided.observed:
                session = observed_so(session, reading, told.outcome, there)
            else:
                session = learnt(session, reading, told.outcome, result, Verdict.ALLOW, there, call.agent)
            if learns is not None:
                session = learns(session, decided.decision.verdict)
            return notice(turn, session)

        state = None if turn.state is None else changed(turn.state, after, call.session)
        turn.append("outcome", row, key=decided.receipt, state=state, session=owner)

    in_turn(ledger, owner, notice, look, keep)
