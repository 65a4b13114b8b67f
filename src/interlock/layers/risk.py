"""Risk: what is above the ceiling is denied, what is irreversible and risky enough asks.

A tool's declared risk is where it starts; the reading may have raised it. Every ground that
applies is reported, not only the first.
"""

from __future__ import annotations

from ..action import undo_told
from ..approve.keys import key_of_action
from ..decision import Finding
from ..toolnames import tool_spec
from ..value import TYPE_CHECKING
from ..verdict import Risk, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..action import Reading
    from ..approve.grant import Grant
    from ..call import Call
    from ..policy.model import Policy
    from ..session import Session

__all__ = ["risk"]


def risk(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    spec = tool_spec(policy, call.tool, call.named)
    declared = spec.risk if spec is not None else Risk.LOW
    found: list[Finding] = []
    for index, action in enumerate(reading.actions):
        level = max(declared, action.risk)
        if level is Risk.CRITICAL and not policy.allow_critical:
            found.append(_deny("critical", index, f"`{action.name}` is critical, and critical calls are not allowed"))
        # INVARIANT: raising a risk never loosens, so critical, where allowed, still counts as high.
        if (min(level, Risk.HIGH) if policy.allow_critical else level) > policy.risk_max:
            found.append(_deny("ceiling", index, f"`{action.name}` is {level}, above the ceiling {policy.risk_max}"))
        irreversible = action.irreversible or (spec is not None and spec.irreversible)
        if irreversible and level >= policy.ask_at:
            found.append(
                Finding(
                    layer="risk",
                    rule="irreversible",
                    verdict=Verdict.ASK,
                    text=f"`{action.name}` cannot be taken back ({level}){undo_told(action)}",
                    instead=_ADVICE[spec is not None and spec.dryrun],
                    actions=(index,),
                    grant=key_of_action(action),
                    lifted_by=("once", "capability"),
                )
            )
    return found


_ADVICE = {
    True: "Make a dry run first, and show the person what it would do.",
    False: "Use a dry run first, or a form of the call that can be undone.",
}


def _deny(rule: str, index: int, text: str) -> Finding:
    return Finding(
        layer="risk",
        rule=rule,
        verdict=Verdict.DENY,
        text=text,
        instead="Do this in a less risky way, or ask the person to do it.",
        actions=(index,),
    )
