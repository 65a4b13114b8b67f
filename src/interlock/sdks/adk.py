"""Google ADK: a plugin that stands around what runs each tool.

    app = App(name="…", root_agent=agent, plugins=[Interlock()])

Other plugins and the agents' own callbacks may change the arguments after a plugin has looked at them. So this one does
not decide in its callback: there it puts itself around the tool's `run_async`, which ADK calls last, and decides in it:
innermost, wherever it stands in the list. A deny is an error result: the model gets the reason. An ask is ADK's request
for a confirmation; a confirmation, however old, only wakes the call up: the ledger is asked again.

An agent that is used as a tool runs in a session of its own, which is gone when it ends. Its calls count as calls of
the session that called it, and a question of one of them is told to its model, because nothing there could be resumed.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any

from google.adk.flows.llm_flows.functions import find_event_by_function_call_id, generate_request_confirmation_event
from google.adk.plugins.base_plugin import BasePlugin

from ..gate import Checked, Gate
from .common import Followed, acheck, asettled, question, reason, refused, stand_around, thawed
from .turns import Turns, Wanted, is_all

__all__ = ["Interlock"]

_LOG = logging.getLogger("interlock")
_PATIENCE = 30.0  # seconds for ADK to take a question in
_REJECTED = "Interlock: Refused: a person rejected this call."
_outer: ContextVar[str] = ContextVar("interlock_adk_session", default="")  # of the call that this run happens in


class Interlock(BasePlugin):
    """
    gate     where calls are decided; otherwise one with your own policy and ledger
    session  whose calls they are; otherwise the id of ADK's session
    turn     "all": no call of a turn runs while a question about another one is open
    """

    def __init__(self, gate: Gate | None = None, *, session: str | None = None, turn: str = "each") -> None:
        super().__init__("interlock")
        self.gate = Gate() if gate is None else gate
        self.session = session
        self._turns = Turns(self.gate) if is_all(turn) else None

    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> dict[str, Any] | None:
        try:
            stand_around(tool, "run_async", _gated)
        except Exception as error:
            return _error(reason(refused(error)))
        return None

    async def run(self, tool: Any, inner: Callable[..., Awaitable[Any]], args: Any, context: Any) -> Any:
        """One call, in the place of `tool.run_async`."""
        confirmation = context.tool_confirmation
        if confirmation is not None and not confirmation.confirmed:
            return _error(_REJECTED)
        session = self.session or _outer.get() or context.session.id
        try:
            checked = await self._decided(tool, args, context, session)
        except Exception as error:
            checked = refused(error)
        if checked.verdict == "ask" and not _outer.get():
            asked = question(checked, tool.name, context.function_call_id)
            context.request_confirmation(hint=checked.person, payload=asked)
            context.actions.skip_summarization = True
            if confirmation is not None:
                await _ask_again(context)
        if checked.verdict != "allow":
            return _error(reason(checked))
        within = _outer.set(session)
        try:
            async with Followed(self.gate, checked):
                # A copy of what was decided about: nobody else holds it.
                result = await inner(args=thawed(checked.input), tool_context=context)
        finally:
            _outer.reset(within)
        if inspect.isasyncgen(result):
            return self._streamed(checked, result)
        await asettled(self.gate, checked, "failed" if _is_error(result) else "ran", result)
        return result

    async def _decided(self, tool: Any, args: Any, context: Any, session: str) -> Checked:
        call_id = context.function_call_id or ""
        if _outer.get():  # ids are the model's, and each session of that agent is a new one
            call_id = f"{context.session.id} {call_id}"
        own = Wanted(tool=tool.name, given=args, call_id=call_id)
        if self._turns is None:
            return await acheck(
                self.gate, own.tool, own.given, session=session, call_id=call_id or None, agent=context.agent_name
            )
        return await self._turns.adecide(own, _turn(context), session=session, agent=context.agent_name)

    async def _streamed(self, checked: Checked, results: Any) -> AsyncIterator[Any]:
        """What a tool of a live run yields until it ends."""
        async with Followed(self.gate, checked):
            async for result in results:
                yield result
        await asettled(self.gate, checked, "ran")


def _gated(tool: Any, inner: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Asks first, in every run whose plugins have a gate."""

    async def run_async(*, args: Any, tool_context: Any) -> Any:
        plugins = tool_context.get_invocation_context().plugin_manager.plugins
        guard = next((plugin for plugin in plugins if isinstance(plugin, Interlock)), None)
        if guard is None:
            return await inner(args=args, tool_context=tool_context)
        return await guard.run(tool, inner, args, tool_context)

    return run_async


async def _ask_again(context: Any) -> None:
    """ADK puts the questions of a turn to the program, and none of a call that it has woken up. Where that cannot be
    done either, the model is told of the approval all the same.
    """
    invocation = context._invocation_context
    try:
        made = find_event_by_function_call_id(invocation.session.events, context.function_call_id)
        asks = generate_request_confirmation_event(invocation, made, SimpleNamespace(actions=context.actions))
        await asyncio.wait_for(invocation._enqueue_event(asks), _PATIENCE)
    except Exception as error:
        _LOG.warning("ADK was not told that the call still waits: %s", error)


def _error(text: str) -> dict[str, Any]:
    return {"error": text}


def _is_error(result: Any) -> bool:
    return isinstance(result, Mapping) and bool(result.get("error"))


def _turn(context: Any) -> list[Wanted]:
    """The calls that the model made together with this one."""
    for event in reversed(context.session.events):
        calls = event.get_function_calls()
        if any(call.id == context.function_call_id for call in calls):
            return [Wanted(tool=call.name, given=call.args or {}, call_id=call.id or "") for call in calls]
    return []
