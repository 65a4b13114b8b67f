"""Hosts that are known by their documentation alone: what their files share. Nothing here was seen with a client.

So the strict reading counts. A tool is read as one of ours only if every field of its input is one that the
documentation names; any other call is one of an unknown tool, whatever its name is. What cannot be read is denied. Only
the event before a call is asked for: what becomes of a call, and what a person says, is not told.
"""

from __future__ import annotations

from ..bytes.canon import canonical
from ..model.events import Decided, Proposed, Refusal, Spoken
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, FrozenMap, Value
from .wire import call_of, cut, place_of, remedies_of, seen, waiting_for

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.call import Call
    from ..model.events import Reply
    from ..value import Json

    Fields = Mapping[str, frozenset[str]]  # the host's name of a tool -> every field that is documented of it

__all__ = ["by_exit_code", "known_call", "one_object", "proposed", "renamed", "told_of"]

ALLOWED = b'{"decision":"allow"}\n'  # where the exit code is the answer, this says that it is one


def renamed(data: Mapping[str, Json], names: Mapping[str, str], **more: Json) -> Mapping[str, Json]:
    """The event with the names of its fields that most hosts have (`wire.py`): our name -> the host's."""
    found = {ours: data[theirs] for ours, theirs in names.items() if theirs in data}
    return FrozenMap({**found, **{name: value for name, value in more.items() if value is not None}})


def known_call(host: str, fields: Fields, told: Mapping[str, Json]) -> Call:
    """The call. Where a field is not documented, or the name is one of ours by chance, the tool is an unknown one."""
    call = call_of(host, told)
    name = call.named or call.tool
    known = fields.get(name)
    if known is not None and all(field in known for field in call.input):
        return call
    apart = name[0].isupper() or name.startswith("mcp__")  # our names begin so (wire.py, `names_of`)
    return call.replace(tool=f"{host}:{name}" if apart else name, named="")


def proposed(
    call: Call,
    told: Mapping[str, Json],
    environment: Mapping[str, str],
    parent: int,
    *,
    root: Json = None,
) -> Proposed:
    """A call, and where it was made. Whether somebody attends is not told."""
    place = place_of(call.host, told, environment, parent, project="", attended=True)
    if type(root) is str and root.startswith("/"):
        place = place.replace(root=root)
    return Proposed(place=place, call=call)


class PlainAnswer(Value):
    """Whether the call may run; why not, for the agent; what the person is told; and both, for a host with one text."""

    allows: bool
    agent: str
    person: str = ""

    @property
    def whole(self) -> str:
        return cut("\n".join(filter(None, (self.agent, self.person))))


def told_of(reply: Reply) -> PlainAnswer:
    """What a host is told of a decision that can ask nobody: an ask is a deny that names its approval."""
    if type(reply) is not Decided:
        why = reply.reason if type(reply) is Refusal else f"unknown reply {type(reply).__name__}"
        return PlainAnswer(allows=False, agent=cut(f"Interlock: {seen(why)}."))
    decision = reply.decision
    why, lines = reply.agent, (*reply.notes, *reply.warnings)
    if decision.verdict is Verdict.ASK:
        about = reply.person.partition("\n")[0]  # what follows there is about a yes in a dialog
        waits = waiting_for(reply.held)
        why = f"not run yet. {about}\n{waits}"
    else:
        lines = (*lines, *remedies_of(decision, reply.person))
    return PlainAnswer(
        allows=decision.verdict is Verdict.ALLOW or reply.silent,
        agent=cut(f"Interlock: {seen(why)}"),
        person=cut("Interlock: " + seen("\n".join(lines))) if lines else "",
    )


def one_object(told: dict[str, Any]) -> Spoken:
    return Spoken(stdout=canonical(told) + b"\n")


def by_exit_code(reply: Reply) -> Spoken:
    """0 lets the call run; 2 does not, and stderr says why."""
    told = told_of(reply)
    return Spoken(stdout=ALLOWED) if told.allows else Spoken(stderr=told.whole.encode() + b"\n", code=2)
