"""`read_call`: the one door to the reading. Total: every call gets a reading."""

from __future__ import annotations

from ..action import Action, Opaque, Reading
from ..approve.approval import digest_of_call, projection_of
from ..effects import Effect
from ..value import TYPE_CHECKING
from .tools import read_tool

if TYPE_CHECKING:
    from ..action import Broken
    from ..call import Call
    from ..facts import Facts
    from .tools import Part

__all__ = ["read_call", "read_parts", "reading_of"]


def read_call(call: Call, facts: Facts) -> Reading:
    """What the call would do, as far as these facts tell. `missing` lists what would tell more."""
    return reading_of(call, read_parts(call, facts), facts)


def read_parts(call: Call, facts: Facts) -> Part:
    """Actions, opaque parts, missing facts. For those who gather facts and read several times."""
    try:
        return read_tool(call, facts)
    except Exception as error:
        # INVARIANT: a fault of ours is an opaque call, never an exception and never an allow.
        reason = f"reading failed: {type(error).__name__}"
        action = Action(name=f"tool:{call.tool}", effects=(Effect.EXECUTE,), tags=("unread",))
        return (action,), (Opaque(reason=reason),), ()


def reading_of(call: Call, part: Part, facts: Facts) -> Reading:
    actions, opaque, missing = part
    projection = projection_of(call)
    return Reading(
        call=digest_of_call(call, projection),
        projection=projection,
        actions=actions,
        opaque=opaque,
        missing=missing,
        broken=_broken(call, facts) if facts.contracts else (),
    )


def _broken(call: Call, facts: Facts) -> tuple[Broken, ...]:
    from ..contracts.check import broken_by

    return broken_by(facts.contracts, call.input, call.state)
