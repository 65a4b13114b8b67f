"""What every adapter does the same way."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from ..errors import InputError
from ..gate import Checked, Gate

__all__ = ["Open", "acheck", "arguments", "check", "pending", "reason"]

_MOST_OPEN = 10_000  # calls that were let through and not yet ended
_PENDING = (
    "Interlock: a person has to approve this call first ({approval}). Go on with something else, or stop; "
    "once it is approved, make exactly this call again."
)


def check(gate: Gate, tool: str, given: Any, *, session: str, call_id: str | None, agent: str = "") -> Checked:
    """Always a decision: arguments that are no data are a deny."""
    try:
        return gate.check(tool, arguments(given), session=session, call_id=call_id, agent=agent)
    except InputError as error:
        return Checked(verdict="deny", agent=f"Refused: {error}.")


async def acheck(gate: Gate, tool: str, given: Any, *, session: str, call_id: str | None, agent: str = "") -> Checked:
    try:
        return await gate.acheck(tool, arguments(given), session=session, call_id=call_id, agent=agent)
    except InputError as error:
        return Checked(verdict="deny", agent=f"Refused: {error}.")


def arguments(given: Any) -> Mapping[str, Any]:
    """The arguments of a call as an object. SDKs hand them over as one, or as its JSON text."""
    if isinstance(given, str | bytes):
        try:
            given = json.loads(given or "{}")
        except ValueError as error:
            raise InputError(f"the arguments are not JSON: {error}") from None
    if not isinstance(given, Mapping):
        raise InputError("the arguments are not an object")
    return given


def reason(checked: Checked) -> str:
    """What the model is told of a call that was not made."""
    if checked.verdict == "ask":
        return pending(checked)
    return f"Interlock: {checked.agent or checked.person or 'Refused.'}"


def pending(checked: Checked) -> str:
    return _PENDING.format(approval=checked.approval)


class Open:
    """Calls that were let through, until it is told what became of them."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, Checked] = OrderedDict()

    def let_through(self, call_id: str, checked: Checked) -> None:
        self._calls[call_id] = checked
        while len(self._calls) > _MOST_OPEN:
            self._calls.popitem(last=False)

    def ended(self, call_id: str) -> Checked | None:
        return self._calls.pop(call_id, None)
