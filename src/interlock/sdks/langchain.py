"""LangChain and LangGraph: a middleware around each tool call.

    agent = create_agent(model, tools, middleware=[..., Interlock()], checkpointer=...)

A plain graph takes its two methods: `ToolNode(tools, wrap_tool_call=…, awrap_tool_call=…)`. A deny is an error message
of the tool: the model gets the reason. An ask is LangGraph's `interrupt`; any answer to it wakes the call up, and the
ledger is asked again. It belongs last in the list of middleware, innermost. Whatever stands further in anyway and
changes the arguments meets the seal: the tool runs with what was decided about, once, or not at all.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.types import interrupt

from ..gate import Checked, Gate
from .common import acheck, asettled, check, question, reason, settled, thawed
from .turns import Turns, Wanted, is_all

__all__ = ["Interlock"]

_CHANGED = (
    "Interlock: Refused: the arguments were changed after they had been looked at. "
    "Tell the person who runs this agent that Interlock belongs last in its list of middleware."
)


class Interlock(AgentMiddleware):
    """
    gate     where calls are decided; otherwise one with your own policy and ledger
    session  whose calls they are; otherwise the thread's id
    turn     "all": no call of a turn runs while a question about another one is open
    """

    def __init__(self, gate: Gate | None = None, *, session: str | None = None, turn: str = "each") -> None:
        super().__init__()
        self.gate = Gate() if gate is None else gate
        self.session = session
        self._turns = Turns(self.gate) if is_all(turn) else None

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        call, session = request.tool_call, self._session(request)
        while True:
            if self._turns is None:
                checked = check(self.gate, call["name"], call["args"], session=session, call_id=call["id"])
            else:
                checked = self._turns.decide(_wanted(call), _turn(request), session=session)
            if checked.verdict != "ask":
                break
            # The first time this leaves the graph. When it goes on, all of this runs again from the top; where the
            # call still waits then, the answers that there were are gone through, and the next one is asked for.
            interrupt(question(checked, call["name"], call["id"]))
        if checked.verdict != "allow":
            return _error(call, reason(checked))
        sealed = _Sealed(request.tool, checked)
        try:
            result = handler(_decided(request, checked, sealed))
        except BaseException as error:
            settled(self.gate, checked, *sealed.outcome(*_raised(error)))
            raise
        settled(self.gate, checked, *sealed.outcome(*_became(result)))
        return result

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        call, session = request.tool_call, self._session(request)
        while True:
            if self._turns is None:
                checked = await acheck(self.gate, call["name"], call["args"], session=session, call_id=call["id"])
            else:
                checked = await self._turns.adecide(_wanted(call), _turn(request), session=session)
            if checked.verdict != "ask":
                break
            interrupt(question(checked, call["name"], call["id"]))
        if checked.verdict != "allow":
            return _error(call, reason(checked))
        sealed = _Sealed(request.tool, checked)
        try:
            result = await handler(_decided(request, checked, sealed))
        except BaseException as error:
            settled(self.gate, checked, *sealed.outcome(*_raised(error)))
            raise
        await asettled(self.gate, checked, *sealed.outcome(*_became(result)))
        return result

    def _session(self, request: Any) -> str | None:
        if self.session is not None:
            return self.session
        config = getattr(request.runtime, "config", None) or {}
        thread = (config.get("configurable") or {}).get("thread_id")
        return None if thread is None else str(thread)


class _Sealed:
    """The tool of one call that was let through: it runs with the arguments that were decided about, once."""

    def __init__(self, tool: Any, checked: Checked) -> None:
        self._tool, self._decided = tool, thawed(checked.input)
        self._used = self._refused = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tool, name)

    def invoke(self, given: Any, config: Any = None, **more: Any) -> Any:
        return self._tool.invoke(given, config, **more) if self._may(given) else _error(given, _CHANGED)

    async def ainvoke(self, given: Any, config: Any = None, **more: Any) -> Any:
        return await self._tool.ainvoke(given, config, **more) if self._may(given) else _error(given, _CHANGED)

    def _may(self, given: Any) -> bool:
        # What LangGraph itself puts in (state, store, runtime) is none of the model's arguments.
        own = {*self._decided, *self._tool.args}
        same = {name: value for name, value in given["args"].items() if name in own} == self._decided
        self._refused = self._refused or self._used or not same
        may, self._used = same and not self._used, True
        return may

    def outcome(self, outcome: str, result: Any) -> tuple[str, Any]:
        """What is told of the call, given what came back from it."""
        return ("not_run", None) if self._refused else (outcome, result)


def _decided(request: Any, checked: Checked, sealed: _Sealed) -> Any:
    """The request with a copy of the arguments that were decided about. A tool that nobody knows stays unknown."""
    call = {**request.tool_call, "args": thawed(checked.input)}
    return request.override(tool_call=call, tool=None if request.tool is None else sealed)


def _became(result: Any) -> tuple[str, Any]:
    if isinstance(result, ToolMessage):
        return ("failed" if result.status == "error" else "ran"), result.content
    return "ran", None  # a command to the graph


def _raised(error: BaseException) -> tuple[str, Any]:
    # A tool that pauses the graph itself, or that was cut off, may have done anything.
    if isinstance(error, GraphBubbleUp) or not isinstance(error, Exception):
        return "unknown", None
    return "failed", f"{type(error).__name__}: {error}"


def _error(call: Any, text: str) -> ToolMessage:
    return ToolMessage(text, tool_call_id=call["id"], name=call["name"], status="error")


def _wanted(call: Any) -> Wanted:
    return Wanted(tool=call["name"], given=call["args"], call_id=call["id"] or "")


def _turn(request: Any) -> list[Wanted]:
    """The calls that the model made together with this one."""
    state = request.state
    messages = (
        state
        if isinstance(state, list)
        else (state.get("messages", ()) if isinstance(state, dict) else getattr(state, "messages", ()))
    )
    for message in reversed(messages):
        if isinstance(message, AIMessage) and any(call["id"] == request.tool_call["id"] for call in message.tool_calls):
            return [_wanted(call) for call in message.tool_calls]
    return []
