"""Strands Agents: an intervention in front of each tool call.

    agent = Agent(model=…, tools=[…], interventions=[Interlock()])

Strands asks interventions after every hook, and for calls by code (`agent.tool.NAME()`) too. A deny is `Deny`: the
model gets the reason. An ask is an interrupt: the run ends with `result.interrupts`, and any response to them wakes the
call up; the ledger is asked again. What stands behind it anyway, another intervention or a middleware, meets the seal:
the tool runs with the arguments that were decided about, once, or not at all.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from itertools import count
from typing import Any

from strands.interventions import Deny, InterventionHandler, Proceed
from strands.types._events import ToolResultEvent
from strands.types.tools import AgentTool

from ..gate import Checked, Gate
from .common import Open, acheck, asettled, question, reason, thawed
from .turns import Turns, Wanted, is_all

__all__ = ["Interlock"]

_CHANGED = "Interlock: Refused: the call was changed after it had been looked at. Tell the person who runs this agent."
_BACKGROUND = "_background_execution"  # says how a call is run; Strands takes it out of the arguments


class Interlock(InterventionHandler):
    """
    gate     where calls are decided; otherwise one with your own policy and ledger
    session  whose calls they are; otherwise the agent's session id
    turn     "all": no call of a turn runs while a question about another one is open
    """

    name = "interlock"
    on_error = "deny"

    def __init__(self, gate: Gate | None = None, *, session: str | None = None, turn: str = "each") -> None:
        self.gate = Gate() if gate is None else gate
        self.session = session
        self._turns = Turns(self.gate) if is_all(turn) else None
        self._open = Open()

    async def before_tool_call(self, event: Any, **_more: Any) -> Any:
        own, session = _wanted(event.tool_use), self._session(event.agent)
        for asked in count():
            if self._turns is None:
                checked = await acheck(self.gate, own.tool, own.given, session=session, call_id=own.call_id)
            else:
                checked = await self._turns.adecide(own, _turn(event.agent, own.call_id), session=session)
            if checked.verdict != "ask":
                break
            # The first time this leaves the agent. A call that still waits when it was woken up asks once more.
            event.interrupt(f"interlock {asked}", reason=question(checked, own.tool, own.call_id))
        if checked.verdict != "allow":
            return Deny(reason=reason(checked))
        event.tool_use["input"] = thawed(checked.input) | _background(event.tool_use)
        if event.selected_tool is not None:
            event.selected_tool = _Sealed(event.selected_tool, checked)
        self._open.let_through(f"{session} {own.call_id}", checked)
        return Proceed()

    async def after_tool_call(self, event: Any, **_more: Any) -> Any:
        checked = self._open.ended(f"{self._session(event.agent)} {event.tool_use['toolUseId']}")
        if checked is not None:
            await asettled(self.gate, checked, *_became(event))
        return Proceed()

    def _session(self, agent: Any) -> str:
        return self.session or str(agent.session_id)


class _Sealed(AgentTool):
    """The tool of one call that was let through: it runs with what was decided about, once."""

    def __init__(self, tool: Any, checked: Checked) -> None:
        super().__init__()
        self._tool, self._checked, self._decided = tool, checked, thawed(checked.input)
        self._used = self.refused = False

    tool_name = property(lambda self: self._tool.tool_name)
    tool_spec = property(lambda self: self._tool.tool_spec)
    tool_type = property(lambda self: self._tool.tool_type)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_tool":
            raise AttributeError(name)
        return getattr(self._tool, name)

    async def stream(self, tool_use: Any, invocation_state: Any, **more: Any) -> AsyncIterator[Any]:
        call = self._checked.call
        same = tool_use["input"] == self._decided and tool_use["name"] in (call.tool, call.named)
        if self._used or not same:
            self.refused = True
            told = {"toolUseId": tool_use["toolUseId"], "status": "error", "content": [{"text": _CHANGED}]}
            yield ToolResultEvent(told)
            return
        self._used = True
        async for event in self._tool.stream(tool_use, invocation_state, **more):
            yield event


def _became(event: Any) -> tuple[str, Any]:
    if getattr(event.selected_tool, "refused", False) or event.cancel_message:
        return "not_run", None
    if event.exception is not None:
        return "failed", f"{type(event.exception).__name__}: {event.exception}"
    result = event.result
    if not isinstance(result, Mapping):
        return "ran", None
    return ("failed" if result.get("status") == "error" else "ran"), result.get("content")


def _wanted(use: Any) -> Wanted:
    given = use["input"]
    if isinstance(given, Mapping):
        given = {name: value for name, value in given.items() if name != _BACKGROUND}
    return Wanted(tool=use["name"], given=given, call_id=use["toolUseId"])


def _background(use: Any) -> dict[str, Any]:
    return {_BACKGROUND: use["input"][_BACKGROUND]} if _BACKGROUND in use["input"] else {}


def _turn(agent: Any, call_id: str) -> list[Wanted]:
    """The calls that the model made together with this one."""
    for message in reversed(agent.messages):
        uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
        if any(use["toolUseId"] == call_id for use in uses):
            return [_wanted(use) for use in uses]
    return []
