"""What two models of different families said of a call that is asked about anyway.

It lowers nothing: that one of them says unsafe asks, or denies where `[judge] unsafe` says so; that both say safe is
said to the person and weighs nothing (`words/judged.py`). An abstention says nothing. Their words are somebody else's,
about somebody else's, so they are quoted. The agent reads them only with a refusal.
"""

from __future__ import annotations

from ..model.decision import Finding
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING
from ..words.said import Said, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..approve.grant import Grant
    from ..model.action import Reading
    from ..model.call import Call
    from ..model.session import Session
    from ..policy.model import Policy

__all__ = ["SAYS", "judge"]

_AGENT = "Tell the person what this call is for, or reach the goal in a way that risks less."

SAYS = {
    "unsafe": Said(person="Both models that were asked judge this call unsafe: {why}.", agent=_AGENT),
    "disagree": Said(
        person="Two models were asked about this call. {unsafe} judges it unsafe ({why}), {other} judges it safe.",
        agent=_AGENT,
    ),
    "one": Said(
        person="Two models were asked about this call. {unsafe} judges it unsafe ({why}), {other} did not answer.",
        agent=_AGENT,
    ),
}


def judge(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    against = [judgement for judgement in reading.judged if judgement.says == "unsafe"]
    if not against:
        return ()
    others = [judgement for judgement in reading.judged if judgement.says != "unsafe"]
    rule = "unsafe" if not others else "disagree" if others[0].says == "safe" else "one"
    text = SAYS[rule].person.format(
        why=" and ".join(dict.fromkeys([quoted(judgement.why) for judgement in against])),
        unsafe=quoted(against[0].model),
        other=quoted(others[0].model) if others else "",
    )
    verdict = Verdict.ASK if policy.judge is None else policy.judge.unsafe
    # INVARIANT: never a verdict below ask, whatever a policy from elsewhere says.
    verdict = max(verdict, Verdict.ASK)
    return [
        Finding(
            layer="judge",
            rule=rule,
            verdict=verdict,
            text=text,
            instead=SAYS[rule].agent if verdict is Verdict.DENY else "",  # of an ask, the agent learns nothing
            lifted_by=("once",) if verdict is Verdict.ASK else (),
        )
    ]
