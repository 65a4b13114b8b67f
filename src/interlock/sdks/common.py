"""What every adapter does the same way: a decision whatever happens, the words for the model, the outcome."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from ..bytes.masked import masked
from ..gate import Checked, Gate
from ..model.errors import InputError
from ..words.question import in_a_line

__all__ = [
    "Followed",
    "Open",
    "acheck",
    "arguments",
    "asettled",
    "check",
    "pending",
    "question",
    "reason",
    "refused",
    "settled",
    "stand_around",
    "thawed",
]

_LOG = logging.getLogger("interlock")
_MOST_OPEN = 10_000  # calls that were let through and not yet ended
_PENDING = (
    "Interlock: a person has to approve this call first ({approval}). Go on with something else, or stop; "
    "once it is approved, make exactly this call again."
)
_BROKE = "Refused: Interlock failed ({}). Tell the person who runs this agent."
_VERDICTS = ("allow", "ask", "deny")


def check(
    gate: Gate,
    tool: str,
    given: Any,
    *,
    session: str | None,
    call_id: str | None,
    agent: str = "",
    wait: float = 0,
) -> Checked:
    """Always a decision: arguments that are no data are a deny, and so is a gate that raises or returns anything else.

    `session` is None where the SDK has none: then it is that of `gate.session(…)`, if there is one.
    """
    try:
        found = gate.check(tool, arguments(given), session=session, call_id=call_id, agent=agent, wait=wait)
    except Exception as error:
        return refused(error)
    return _sound(found)


async def acheck(
    gate: Gate,
    tool: str,
    given: Any,
    *,
    session: str | None,
    call_id: str | None,
    agent: str = "",
    cwd: str | None = None,
    wait: float = 0,
) -> Checked:
    """As `check`, without blocking the event loop. `cwd`: where the call would run, if not where the program does."""
    try:
        found = await gate.acheck(
            tool, arguments(given), session=session, call_id=call_id, agent=agent, cwd=cwd, wait=wait
        )
    except Exception as error:
        return refused(error)
    return _sound(found)


def _sound(found: Any) -> Checked:
    """INVARIANT: nothing but a decision that says so lets a call through."""
    if type(found) is Checked and found.verdict in _VERDICTS:
        return found
    return refused(TypeError("what came back is no decision"))


def refused(error: Exception) -> Checked:
    """The deny that follows from an error on the way to a decision."""
    told = f"Refused: {error}." if isinstance(error, InputError) else _BROKE.format(type(error).__name__)
    return Checked(verdict="deny", agent=told)


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


def question(checked: Checked, tool: str, call_id: str | None) -> dict[str, Any]:
    """What a pause tells the program around the agent: plain data, the same in every SDK. `call` is what a person needs
    to see besides the question: the call that is asked about, with its arguments, without the secrets in them. Where a
    whole turn is held, that may be another one than the call that waits.
    """
    asked = checked.call.named or checked.call.tool or tool
    return {
        "type": "interlock.ask",
        "approval": checked.approval,
        "call": in_a_line(asked, masked(checked.input)[0]),
        "question": checked.person,
        "expires": checked.expires,
        "tool": tool,
        "call_id": call_id or "",
    }


def thawed(value: Any) -> Any:
    """Arguments that were decided about, as plain data of their own that a tool can take."""
    if isinstance(value, Mapping):
        return {key: thawed(item) for key, item in value.items()}
    return [thawed(item) for item in value] if isinstance(value, tuple | list) else value


def settled(gate: Gate, checked: Checked, outcome: str, result: Any = None) -> tuple[str, ...]:
    """Tells what became of a call, and logs what a person should know of it.

    Never an error: the call has been made, and its result is the program's.
    """
    try:
        told = gate.settled(checked, outcome, result)
    except Exception as error:
        told = (f"what became of the call was not recorded: {error}",)
    for line in told:
        _LOG.warning("%s", line)
    return told


class Followed:
    """Around a call that was let through: one that raises has failed, and what became of one that is cancelled is not
    known.
    """

    def __init__(self, gate: Gate, checked: Checked) -> None:
        self.gate = gate
        self.checked = checked

    async def __aenter__(self) -> None:
        pass

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Exception):
            await asettled(self.gate, self.checked, "failed", f"{type(error).__name__}: {error}")
        elif error is not None:
            settled(self.gate, self.checked, "unknown")


async def asettled(gate: Gate, checked: Checked, outcome: str, result: Any = None) -> tuple[str, ...]:
    return await asyncio.to_thread(settled, gate, checked, outcome, result)


def stand_around(tool: Any, name: str, stands: Callable[[Any, Callable[..., Any]], Callable[..., Any]]) -> None:
    """Puts `stands(tool, inner)` in the place of what runs this one tool, once: a method, or a function that it holds.
    A copy of the tool gets one of its own: what stands around the other one may run that.
    """
    own = vars(tool)
    now = own.get(name)
    if getattr(now, "of", None) is tool:
        return
    if hasattr(now, "of"):
        del own[name]
    inner = getattr(tool, name, None) or now.inner
    placed: Any = stands(tool, inner)
    placed.of, placed.inner = tool, inner
    own[name] = placed


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
