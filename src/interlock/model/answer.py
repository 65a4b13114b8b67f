"""What a front tells its caller of a call: the one place where a verdict becomes an answer.

The verdict is what the layers found. The answer also hangs on who can be asked: a host that asks its own person, a
question that is open elsewhere, a policy that only observes. Every front goes by the answer, and none by the verdict.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, Value
from .verdict import Verdict

if TYPE_CHECKING:
    from ..approve.lifecycle import Question
    from .decision import Decision

__all__ = ["ALLOW", "ASK", "DENY", "HELD", "OBSERVED", "Answer", "answer_of"]

ALLOW, ASK, HELD, DENY, OBSERVED = "allow", "ask", "held", "deny", "observed"


class Answer(Value):
    """
    kind      ALLOW and DENY; ASK: the host puts the question to its own person; HELD: the question is open elsewhere,
              and the same call fires once it has a yes; OBSERVED: it runs, whatever the verdict
    approval  the id under which a person can say yes; empty where no yes would help
    until     the moment at which the question ends, in milliseconds since 1970; 0: it waits on
    """

    kind: str
    approval: str = ""
    until: int = 0

    @property
    def runs(self) -> bool:
        return self.kind in (ALLOW, OBSERVED)

    @property
    def word(self) -> str:
        """The verdict that whoever called is told: a question is one wherever it is open."""
        return ALLOW if self.runs else ASK if self.kind == HELD else self.kind


def answer_of(decision: Decision, question: Question | None, *, observed: bool, elsewhere: bool) -> Answer:
    """`question`: the one that is open for the call. `elsewhere`: nobody sits in front of whoever calls."""
    if decision.verdict is Verdict.ALLOW:
        return Answer(kind=ALLOW)
    if observed:
        return Answer(kind=OBSERVED)
    if question is not None and (elsewhere or decision.verdict is Verdict.DENY):
        return Answer(kind=HELD, approval=question.id, until=question.expires)
    if decision.verdict is Verdict.ASK and not elsewhere:
        return Answer(kind=ASK, approval=decision.approval or "")
    return Answer(kind=DENY)
