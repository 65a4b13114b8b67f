"""What an answer leaves behind in a session: a yes is remembered as grants, a no under the keys that were asked."""

from __future__ import annotations

from ..model.session import HAPPENED, advance, remember_refusal
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING
from .keys import refusal_of, remembered

if TYPE_CHECKING:
    from ..model.action import Reading
    from ..model.decision import Decision
    from ..model.session import Session

__all__ = ["ANSWERS", "OPEN", "approved", "assumed_outcome", "refused", "settled"]

OPEN = "open"  # nobody answers
ANSWERS = ("approve", "refuse", OPEN)


def approved(session: Session, reading: Reading, decision: Decision, *, by: str) -> Session:
    """A person said yes: what may be remembered of it covers its like for the rest of the session."""
    given = [grant for finding in decision.reasons for grant in remembered(finding, reading.actions, by=by)]
    return session.replace(grants=session.grants + tuple([g for g in given if g not in session.grants]))


def refused(session: Session, reading: Reading, decision: Decision) -> Session:
    """A person said no: variants under the same keys are denied, not asked again."""
    if decision.approval is None:
        return session
    asks = [finding for finding in decision.reasons if finding.verdict is Verdict.ASK]
    return remember_refusal(session, refusal_of(asks, reading.actions, decision.approval))


def assumed_outcome(reading: Reading) -> str:
    """How an allowed call turned out that nothing is told of: it ran.

    What a file tool brings back is all there is to it, and without its result nobody can say that it was the same.
    """
    files = all(action.name.startswith("fs:") and action.field != "command" for action in reading.actions)
    return "unknown" if files else "ran"


def settled(
    session: Session,
    reading: Reading,
    decision: Decision,
    *,
    answer: str | None = None,
    outcome: str | None = None,
    result: str | None = None,
    agent: str = "",
) -> Session:
    """The session once a call is over: asks are answered so, allowed calls have run unless `outcome` says otherwise.

    Without an answer an ask stays open: the call did not run, unless it is told that it did.
    """
    if decision.verdict is Verdict.ASK and answer == "approve":
        session = approved(session, reading, decision, by="--answer approve")
        decision = decision.replace(verdict=Verdict.ALLOW)
    elif decision.verdict is Verdict.ASK and answer == "refuse":
        session = refused(session, reading, decision)
    told = outcome or assumed_outcome(reading)
    ran_anyway = decision.verdict is Verdict.ASK and answer is None and outcome in HAPPENED
    if decision.verdict is Verdict.ALLOW or ran_anyway:
        return advance(session, reading, decision, told, result, agent=agent)
    return advance(session, reading, decision, "not_run", agent=agent)
