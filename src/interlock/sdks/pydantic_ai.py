"""Pydantic AI: a capability that stands innermost.

    agent = Agent(model, capabilities=[Interlock()], output_type=[str, DeferredToolRequests])

A deny is `ToolFailed`: the model gets the reason. An ask is `ApprovalRequired`: the run ends with the question in its
`DeferredToolRequests`, and goes on with `deferred_tool_results`. What they say about the call is not looked at: the
ledger is asked again, also about arguments that were overridden.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.exceptions import ApprovalRequired, ToolFailed
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_core import to_jsonable_python

from ..gate import Checked, Gate
from .common import Open, acheck, asettled, question, reason, settled, thawed
from .turns import Turns, Wanted, is_all

__all__ = ["Interlock"]


class Interlock(AbstractCapability[Any]):
    """
    gate     where calls are decided; otherwise one with your own policy and ledger
    session  whose calls they are; otherwise the conversation's id, which stays the same when a run is resumed
    turn     "all": no call of a turn runs while a question about another one is open
    """

    def __init__(self, gate: Gate | None = None, *, session: str | None = None, turn: str = "each") -> None:
        self.gate = Gate() if gate is None else gate
        self.session = session
        self._turns = Turns(self.gate) if is_all(turn) else None
        self._open = Open()

    def get_ordering(self) -> CapabilityOrdering:
        # Whatever stands further in could change the arguments after they were looked at.
        return CapabilityOrdering(position="innermost")

    async def before_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: dict[str, Any]) -> dict[str, Any]:
        session = self.session or ctx.conversation_id
        wanted = Wanted(tool=call.tool_name, given=_data(args), call_id=call.tool_call_id)
        if self._turns is None:
            checked = await acheck(self.gate, wanted.tool, wanted.given, session=session, call_id=wanted.call_id)
        else:
            checked = await self._turns.adecide(wanted, _turn(ctx, call.tool_call_id), session=session)
        if checked.verdict == "ask":
            raise ApprovalRequired(metadata=question(checked, wanted.tool, wanted.call_id))
        if checked.verdict != "allow":
            raise ToolFailed(reason(checked))
        self._open.let_through(_key(ctx, call), checked)
        # A copy of what was decided about, where that is all there is to the arguments.
        decided = thawed(checked.input)
        return decided if decided == args else args

    async def after_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: dict[str, Any], result: Any) -> Any:
        await self._ended(ctx, call, "ran", result)
        return result

    async def on_tool_execute_error(
        self, ctx: Any, *, call: Any, tool_def: Any, args: dict[str, Any], error: Exception
    ) -> Any:
        await self._ended(ctx, call, "failed", f"{type(error).__name__}: {error}")
        raise error

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: dict[str, Any], handler: Any) -> Any:
        """All of the above happens in the handler. What ends a call otherwise is seen here alone: the tool wants a
        retry or says itself that it failed, another capability raises, somebody cancels.
        """
        try:
            return await handler(args)
        except Exception as error:
            await self._ended(ctx, call, "failed", f"{type(error).__name__}: {error}")
            raise
        except BaseException:
            checked = self._open.ended(_key(ctx, call))
            if checked is not None:
                settled(self.gate, checked, "unknown")
            raise

    async def _ended(self, ctx: Any, call: Any, outcome: str, result: Any) -> None:
        checked: Checked | None = self._open.ended(_key(ctx, call))
        if checked is not None:
            await asettled(self.gate, checked, outcome, result)


def _key(ctx: Any, call: Any) -> str:
    return f"{ctx.run_id} {call.tool_call_id}"


def _data(args: Mapping[str, Any]) -> Any:
    """Arguments as data: a tool may take dates or models, which the SDK has made of the model's JSON."""
    try:
        return to_jsonable_python(args)
    except Exception:
        return args  # no data: that is a deny


def _turn(ctx: Any, call_id: str) -> list[Wanted]:
    """The calls that the model made together with this one and that have no result yet."""
    for message in reversed(ctx.messages):
        if isinstance(message, ModelResponse):
            parts = [part for part in message.parts if isinstance(part, ToolCallPart)]
            if any(part.tool_call_id == call_id for part in parts):
                return [
                    Wanted(tool=part.tool_name, given=part.args_as_dict(), call_id=part.tool_call_id) for part in parts
                ]
    return []
