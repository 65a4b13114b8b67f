"""A policy that could not be used: reads pass, everything else waits until it is mended."""

from __future__ import annotations

from ..action import is_read_only
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

__all__ = ["faults"]


def faults(
    call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]
) -> Sequence[Finding]:
    if not policy.faults or is_read_only(reading):
        return ()
    return [
        Finding(
            layer="policy",
            rule="broken",
            verdict=Verdict.DENY,
            text=f"the policy could not be used: {fault}",
            instead="Ask the person to mend the policy file; only reads pass until then.",
        )
        for fault in policy.faults
    ]
