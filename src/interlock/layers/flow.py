"""Where things come from, and where they go.

After a secret was read in a session, a host that it has not spoken to before is asked about: what an agent has read it
can put into any address. So from then on the first fetch from a host that is neither widely known nor used before in
this session is a question, once for that host.

And of a tool whose arguments the policy gives such roles (`model/origins.py`), a value asks that came out of a tool's
result and not from the person, a trusted result or the policy: whoever wrote that result may have chosen it. The same
where what a secret result held would leave.
"""

from __future__ import annotations

from ..approve.keys import key_of_action
from ..approve.mode import mode_in_force
from ..model.decision import Finding
from ..model.effects import Effect
from ..model.verdict import Verdict
from ..policy.model import ApprovalMode
from ..value import TYPE_CHECKING, lazy
from ..words.said import Said, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..approve.grant import Grant
    from ..model.action import Reading
    from ..model.call import Call
    from ..model.known_hosts import is_known_host, is_own_network
    from ..model.origins import Origin
    from ..model.session import Session
    from ..policy.model import Policy
    from ..words.acts import does
else:
    is_known_host = lazy(globals(), "..model.known_hosts", "is_known_host")
    is_own_network = lazy(globals(), "..model.known_hosts", "is_own_network")
    does = lazy(globals(), "..words.acts", "does")

__all__ = ["SAYS", "flow"]

SAYS = {
    "new-host": Said(
        person="this session has read a secret, and has not used {host} before",
        agent="Use a host that this session has used already, or tell the person what you need from this one.",
    ),
    "from-result": Said(
        person="{what} {value} is not from you: it came out of what {source} gave back",
        agent="Use a value that the person gave, or ask them for it.",
    ),
    "from-nowhere": Said(
        person="{what} {value} is not from you, and came out of no result that you trust",
        agent="Use a value that the person gave, or ask them for it.",
    ),
    "secret-leaves": Said(
        person="{what} holds something that {source} gave back, which your policy calls secret",
        agent="Leave out what is secret, or ask the person whether it may be sent.",
    ),
}
_WHAT = {
    "recipient": "the recipient",
    "link": "the address",
    "object": "the object",
    "credential": "the new password or key",
    "message": "in the text, the address",
    "day": "the day",
}


def flow(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    origins = [_from_elsewhere(origin, reading) for origin in reading.origins] if reading.origins else []
    return [*origins, *_new_hosts(reading, policy, session)] if session.secret else origins


def _from_elsewhere(origin: Origin, reading: Reading) -> Finding:
    if origin.secret:
        rule, what, source = "secret-leaves", f"the argument {quoted(origin.argument)}", origin.secret
    else:
        rule, what, source = "from-result" if origin.source else "from-nowhere", _WHAT[origin.role], origin.source
    value = quoted(origin.value) if origin.value else f"in {quoted(origin.argument)}"
    why = SAYS[rule].person.format(what=what, value=value, source=quoted(source))
    return Finding(
        layer="flow",
        rule=rule,
        verdict=Verdict.ASK,
        text=f"{does(reading.actions[0])}: {why}." if reading.actions else f"{why[:1].upper()}{why[1:]}.",
        instead=SAYS[rule].agent,
        actions=(0,) if reading.actions else (),
        lifted_by=("once",),
        why=why,
    )


def _new_hosts(reading: Reading, policy: Policy, session: Session) -> Sequence[Finding]:
    if mode_in_force(policy, session) is ApprovalMode.PERMISSIVE and policy.tiers.permissive == 3:
        return ()

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
