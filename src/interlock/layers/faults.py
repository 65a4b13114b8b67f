"""A policy that could not be used: reads pass, everything else waits until the file is fixed."""

from __future__ import annotations

from ..model.action import is_read_only
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

__all__ = ["SAYS", "faults"]

SAYS = {
    "broken": Said(
        person="The policy cannot be used: {fault}. Until you fix it, only read-only calls are allowed.",
        agent="Tell the person that the policy file has an error: {fault}. Until they fix it, only read-only calls are "
        "allowed.",
    )
}


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
            text=SAYS["broken"].person.format(fault=fault.rstrip(".")),
            instead=SAYS["broken"].agent.format(fault=fault.rstrip(".")),
        )
        for fault in policy.faults
    ]
