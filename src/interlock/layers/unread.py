"""What was not understood is never allowed: each opaque part asks, once, for this call alone.

What is no call at all is denied: nobody could say yes to it, since nobody can tell what would be called.
"""

from __future__ import annotations

from ..model.decision import Finding
from ..model.facts import DEFINITION, MALFORMED
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING
from ..words.said import Said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..approve.grant import Grant
    from ..model.action import Reading
    from ..model.call import Call
    from ..model.session import Session
    from ..policy.model import Policy

__all__ = ["SAYS", "unread"]

SAYS = {
    "opaque": Said(
        person="Interlock could not read all of it: {reason}",
        agent="Use a file tool, or split this into simpler commands that name their files and programs.",
    ),
    "definition": Said(
        person="its tool server defines this tool otherwise than you have seen it: {reason}",
        agent="Do not use this tool until the person has looked at what its server says of it.",
    ),
    "malformed": Said(
        person="What the agent sent is not a call that can be read in one way: {reason}",
        agent="Make the call again in another way.",
    ),
    "empty": Said(
        person="Interlock could not read this call at all",
        agent="Use another tool, or a simpler call.",
    ),
}


def unread(
    call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]
) -> Sequence[Finding]:
    if not reading.opaque and not reading.actions:
        # A reading without a word is a fault of ours, not a call without effects.
        return [_ask("empty", "", None)]
    planned = () if reading.line is None else [at for _, at in reading.line.unclear]
    return [
        _ask(_RULES.get(part.field, "opaque"), part.reason, (part.field, *part.span), planned=at in planned)
        for at, part in enumerate(reading.opaque)
    ]


_RULES = {DEFINITION: "definition", MALFORMED: "malformed"}


def _ask(rule: str, reason: str, evidence: tuple[str, int, int] | None, *, planned: bool = False) -> Finding:
    why = SAYS[rule].person.format(reason=reason)
    if rule == "malformed":
        text = f"{why}."
        return Finding(layer="reading", rule=rule, verdict=Verdict.DENY, text=text, instead=SAYS[rule].agent)
    return Finding(
        layer="reading",
        rule=rule,
        verdict=Verdict.ASK,
        text=f"{why}.",
        instead=SAYS[rule].agent,
        lifted_by=("once", "planned") if planned else ("once",),
        why=why,
        evidence=evidence,
    )
