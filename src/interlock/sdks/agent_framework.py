"""Microsoft Agent Framework: a function middleware.

    agent = Agent(client=…, tools=[…], middleware=[Interlock()])

Middleware that stands further in may change the arguments, so nothing is decided in the chain: the middleware puts
itself around the tool's `invoke`, which the framework calls last, and decides in it: innermost, wherever it stands in
the list. A deny is the tool's result: the model gets the reason. An ask is the framework's own request for an approval:
the run ends with `user_input_requests`, and a response to them only wakes the call up: the ledger is asked again.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from agent_framework import Content, FunctionMiddleware
from pydantic_core import to_jsonable_python

from ..gate import Gate
from .common import Followed, acheck, asettled, question, reason, refused, stand_around

__all__ = ["Interlock", "asked"]

_KEY = "interlock"  # in the metadata of a call: whose gate it is; in an approval request: the question


class Interlock(FunctionMiddleware):
    """
    gate     where calls are decided; otherwise one with your own policy and ledger
    session  whose calls they are; otherwise the id of the agent's session, or that of `gate.session(…)`
    """

    def __init__(self, gate: Gate | None = None, *, session: str | None = None) -> None:
        self.gate = Gate() if gate is None else gate
        self.session = session

    async def process(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:
        try:
            stand_around(context.function, "invoke", _gated)
        except Exception as error:
            context.result = reason(refused(error))
            return
        context.metadata[_KEY] = self
        await call_next()

    async def run(self, tool: Any, inner: Callable[..., Awaitable[Any]], context: Any, **more: Any) -> Any:
        """One call, in the place of `tool.invoke`."""
        about = context.metadata
        call_id = str(about.get("call_id") or "")
        try:
            # A copy: nobody else holds it.
            more["arguments"] = copy.deepcopy(context.arguments if more["arguments"] is None else more["arguments"])
            given = to_jsonable_python(more["arguments"])
        except Exception as error:
            return reason(refused(error))
        session = self.session or getattr(context.session, "session_id", None)
        checked = await acheck(self.gate, tool.name, given, session=session, call_id=call_id or None)
        if checked.verdict == "ask":
            call = Content.from_function_call(
                call_id, tool.name, arguments=given, id=about.get("function_call_occurrence_id")
            )
            put = {_KEY: question(checked, tool.name, call_id)}
            return Content.from_function_approval_request(
                id=call.id or call_id, function_call=call, additional_properties=put
            )
        if checked.verdict != "allow":
            return reason(checked)
        async with Followed(self.gate, checked):
            result = await inner(context=context, **more)
        await asettled(self.gate, checked, "ran", _told(result))
        return result


def asked(response: Any) -> list[dict[str, Any]]:
    """The questions that a run waits for: approval, question, tool, call_id."""
    put = [each.additional_properties or {} for each in response.user_input_requests]
    return [each[_KEY] for each in put if isinstance(each.get(_KEY), Mapping)]


def _gated(tool: Any, inner: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Asks first, in every run whose middleware has a gate."""

    async def invoke(*, arguments: Any = None, context: Any = None, **more: Any) -> Any:
        guard = None if context is None else context.metadata.get(_KEY)
        if guard is None:
            return await inner(arguments=arguments, context=context, **more)
        return await guard.run(tool, inner, context, arguments=arguments, **more)

    return invoke


def _told(result: Any) -> Any:
    """What came back, as far as it is text."""
    if not isinstance(result, list):
        return result
    return [getattr(each, "text", None) or getattr(each, "type", type(each).__name__) for each in result]
