"""Capabilities: an action that is gated needs a grant that a person gave ahead.

Fail-closed, and for the gated actions only: those that `[capability] actions` names, and with `enforce` those of
approve/gated.py too. Each gated action of a compound call needs a grant of its own whose scope covers its target; no
answer given in the session stands in for one. The denial says what to grant, as a command and as TOML.
"""

from __future__ import annotations

from ..model.decision import Finding
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, lazy
from ..words.said import Said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..approve.gated import gate_of
    from ..approve.grant import Grant
    from ..approve.remedy import permitted_by, remedy_for
    from ..model.action import Reading
    from ..model.call import Call
    from ..model.session import Session
    from ..policy.model import Policy
    from ..words.acts import does
else:
    gate_of = lazy(globals(), "..approve.gated", "gate_of")
    permitted_by = lazy(globals(), "..approve.remedy", "permitted_by")
    remedy_for = lazy(globals(), "..approve.remedy", "remedy_for")
    does = lazy(globals(), "..words.acts", "does")

__all__ = ["SAYS", "capability"]

SAYS = {
    "ungranted": Said(
        person="your policy allows this only with a grant, and none covers it",
        agent="Leave this step to the person, and tell them what is ready for it.",
    )
}


def capability(
    call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]
) -> Sequence[Finding]:
    if not policy.enforce and not policy.gated:
        return ()
    found = []
    for index, action in enumerate(reading.actions):
        gate = gate_of(action, policy.gated, all_built_in=policy.enforce)
        if gate is None:
            continue
        scope = permitted_by(gate, action)
        said = SAYS["ungranted"]
        found.append(
            Finding(
                layer="capability",
                rule=action.name,
                verdict=Verdict.DENY,
                text=f"{does(action)}: {said.person}.",
                instead=said.agent,
                actions=(index,),
                grant=" ".join([action.name, *(f"{field}={value}" for field, value in scope)]),
                lifted_by=("capability",),
                remedy=remedy_for(gate, action),
                why=said.person,
            )
        )
    return found
