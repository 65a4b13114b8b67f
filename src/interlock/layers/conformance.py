"""What contracts prove wrong with a call, as notes to the agent.

Advice: it never blocks, and it never says that a call is right.
"""

from __future__ import annotations

from ..limits import MAX_NOTES
from ..model.decision import Finding
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

__all__ = ["SAYS", "conformance"]

SAYS = {
    "contract": Said(person="{text} (contract {contract})"),
    "more": Said(person="and {count} more that contracts prove wrong"),
}


def conformance(
    call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]
) -> Sequence[Finding]:
    if not reading.broken and not reading.doubts:
        return ()
    found: dict[str, tuple[str, str]] = {}
    for broken in reading.broken:  # two catalogues may say the same of one tool: told once
        text = SAYS["contract"].person.format(text=broken.text, contract=broken.contract)
        found.setdefault(broken.text, (broken.contract, text))
    for doubt in reading.doubts:
        found.setdefault(doubt, ("consult", doubt))
    told = list(found.values())[:MAX_NOTES]
    if len(found) > MAX_NOTES:
        told.append(("more", SAYS["more"].person.format(count=len(found) - MAX_NOTES)))
    return [Finding(layer="conformance", rule=rule, verdict=Verdict.ALLOW, text=text) for rule, text in told]
