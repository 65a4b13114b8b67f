"""What was not understood is never allowed: each opaque part asks, once, for this call alone."""

from __future__ import annotations

from ..decision import Finding
from ..value import TYPE_CHECKING
from ..verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..action import Reading
    from ..approve.grant import Grant
    from ..call import Call
    from ..policy.model import Policy
    from ..session import Session

__all__ = ["unread"]


def unread(
    call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]
) -> Sequence[Finding]:
    if not reading.opaque and not reading.actions:
        # A reading without a word is a fault of ours, not a call without effects.
        return [_ask("empty", "nothing was read of this call")]
    return [_ask("opaque", part.reason) for part in reading.opaque]


def _ask(rule: str, text: str) -> Finding:
    return Finding(
        layer="reading",
        rule=rule,
        verdict=Verdict.ASK,
        text=text,
        instead="Use a file tool, or a simpler call whose effect can be read.",
        lifted_by=("once",),
    )
