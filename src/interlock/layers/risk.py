"""Risk: what is above the ceiling is denied, what is irreversible and risky enough asks.

A tool's declared risk is where it starts; the reading may have raised it. Every ground that
applies is reported, not only the first.
"""

from __future__ import annotations

from ..approve.keys import key_of_action
from ..model.decision import Finding
from ..model.toolnames import tool_spec
from ..model.verdict import Risk, Verdict
from ..value import TYPE_CHECKING, lazy
from ..words.said import Said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..approve.grant import Grant
    from ..model.action import Action, Reading
    from ..model.call import Call
    from ..model.session import Session
    from ..policy.model import Policy
    from ..words.acts import does
    from ..words.marks import instead_of, why_of
else:
    does = lazy(globals(), "..words.acts", "does")
    instead_of = lazy(globals(), "..words.marks", "instead_of")
    why_of = lazy(globals(), "..words.marks", "why_of")

__all__ = ["SAYS", "risk"]

SAYS = {
    "critical": Said(
        person="its risk is critical; your policy allows no critical calls",
        agent="Find a way with less risk, or ask the person to do it.",
    ),
    "ceiling": Said(
        person="its risk is {level}; your policy allows {most} at most",
        agent="Find a way with less risk, or ask the person to do it.",
    ),
    "irreversible": Said(
        person="it cannot be undone",
        agent="This tool has a dry run: offer the person to make one first, and show them what it would do.",
    ),
}


def risk(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    spec = tool_spec(policy, call.tool, call.named)
    declared = spec.risk if spec is not None else Risk.LOW
    found: list[Finding] = []
    for index, action in enumerate(reading.actions):
        level = max(declared, action.risk)
        if level is Risk.CRITICAL and not policy.allow_critical:
            found.append(_deny("critical", index, action, SAYS["critical"].person))
        if level > policy.risk_max:
            why = SAYS["ceiling"].person.format(level=level, most=policy.risk_max)
            found.append(_deny("ceiling", index, action, why))
        irreversible = action.irreversible or (spec is not None and spec.irreversible)
        if irreversible and level >= policy.ask_at:
            why = why_of("destructive", action)
            dryrun = spec is not None and spec.dryrun
            found.append(
                Finding(
                    layer="risk",
                    rule="irreversible",
                    verdict=Verdict.ASK,
                    text=f"{does(action)}: {why}.",
                    instead=SAYS["irreversible"].agent if dryrun else instead_of("destructive", action),
                    actions=(index,),
                    grant=key_of_action(action),
                    lifted_by=("once", "capability"),
                    why=why,
                )
            )
    return found


def _deny(rule: str, index: int, action: Action, why: str) -> Finding:
    return Finding(
        layer="risk",
        rule=rule,
        verdict=Verdict.DENY,
        text=f"{does(action)}: {why}.",
        instead=SAYS[rule].agent,
        actions=(index,),
        why=why,
    )
