"""`read_call`: the one door to the reading. Total: every call gets a reading."""

from __future__ import annotations

from ..action import Action, Opaque, Reading
from ..approve.approval import projection_of
from ..call import digest_of_call
from ..effects import Effect
from ..value import TYPE_CHECKING
from .tools import read_tool

if TYPE_CHECKING:
    from ..call import Call
    from ..facts import Facts

__all__ = ["read_call"]


def read_call(call: Call, facts: Facts) -> Reading:
    """What the call would do, as far as these facts tell. `missing` lists what would tell more."""
    try:
        actions, opaque, missing = read_tool(call, facts)
    except Exception as error:
        # INVARIANT: a fault of ours is an opaque call, never an exception and never an allow.
        reason = f"reading failed: {type(error).__name__}"
        actions = (Action(name=f"tool:{call.tool}", effects=(Effect.EXECUTE,), tags=("unread",)),)
        opaque, missing = (Opaque(reason=reason),), ()
    return Reading(
        call=digest_of_call(call), projection=projection_of(call), actions=actions, opaque=opaque, missing=missing
    )
