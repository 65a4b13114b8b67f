"""After a secret was read in a session, a host that it has not spoken to before is asked about.

What an agent has read it can put into any address. So from then on the first fetch from a host that is neither widely
known nor used before in this session is a question, once for that host.
"""

from __future__ import annotations

from ..approve.keys import key_of_action
from ..approve.mode import mode_in_force
from ..decision import Finding
from ..effects import Effect
from ..policy.model import ApprovalMode
from ..value import TYPE_CHECKING
from ..verdict import Verdict
from ..words.said import Said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..action import Reading
    from ..approve.grant import Grant
    from ..call import Call
    from ..policy.model import Policy
    from ..session import Session

__all__ = ["SAYS", "flow"]

SAYS = {
    "new-host": Said(
        person="this session has read a secret, and has not used {host} before",
        agent="Use a host that this session has used already, or tell the person what you need from this one.",
    )
}


def flow(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    if not session.secret:
        return ()
    if mode_in_force(policy, session) is ApprovalMode.PERMISSIVE and policy.tiers.permissive >= 2:
        return ()
    from ..known_hosts import is_known_host, is_own_network
    from ..words.acts import does
    from ..words.said import quoted

    found = []
    for index, action in enumerate(reading.actions):
        host = action.target.get("host")
        if type(host) is not str or Effect.NETWORK not in action.effects or host in session.hosts:
            continue
        if is_known_host(host) or is_own_network(host):
            continue
        why = SAYS["new-host"].person.format(host=quoted(host))
        found.append(
            Finding(
                layer="flow",
                rule="new-host",
                verdict=Verdict.ASK,
                text=f"{does(action)}: {why}.",
                instead=SAYS["new-host"].agent,
                actions=(index,),
                grant=key_of_action(action),
                lifted_by=("once", "capability", "remembered"),
                why=why,
            )
        )
    return found
