"""OpenAI Agents: an agent whose tools ask the gate first.

    agent = gated(Agent(name="…", tools=[…]))

The gate stands around the function that runs the tool, behind every guardrail: innermost. A deny is the tool's output:
the model gets the reason. An ask is `needs_approval`: the run ends with `result.interruptions`, and goes on from its
`RunState`. `approve` there, also `always_approve`, only wakes the call up: the ledger is asked again.
"""

from __future__ import annotations

import copy
import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from agents import Agent, FunctionTool
from agents.tool import with_function_tool_failure_error_handler

from ..gate import Gate
from ..model.errors import InputError
from .common import Followed, arguments, asettled, question, reason, refused
from .turns import Turns, Wanted

__all__ = ["Guard", "asked", "gated"]

_MOST = 10_000  # questions that are remembered
_NOT_OURS = (
    "Interlock cannot stand in front of the tool {name} ({kind}): OpenAI's servers or the SDK run it without asking. "
    "Leave it out, or name it in `ungated=` to let it run without a check"
)
_GATED = "this agent has a gate already: `gated` takes the agent as the SDK made it, once"


def gated(
    agent: Any,
    gate: Gate | None = None,
    *,
    session: str | Callable[[Any], str] | None = None,
    ungated: Iterable[str] = (),
) -> Any:
    """A copy of the agent with a gate in front of each function tool, those of MCP servers among them. InputError for a
    tool that no gate can stand in front of. Agents that it hands over to, or uses as tools, are gated by themselves.

    gate     where calls are decided; otherwise one with your own policy and ledger
    session  whose calls they are: a name, or a function of the run's context; otherwise that of `gate.session(…)`
    ungated  names of tools that run without a check
    """
    if not isinstance(agent, Agent) or isinstance(agent, _Gated):
        raise InputError(_GATED if isinstance(agent, _Gated) else f"`gated` takes an agent, not {type(agent).__name__}")
    guard = Guard(Gate() if gate is None else gate, agent.name, session, frozenset(ungated))
    made = agent.clone(tools=[guard.around(tool) for tool in agent.tools])
    # Tools of MCP servers are listed anew for each turn.
    made.__class__ = type(type(agent).__name__, (_Gated, type(agent)), {})
    made.interlock = guard
    return made


def asked(result: Any, *agents: Any) -> list[dict[str, Any]]:
    """The questions that a run waits for, as they were put in this process: approval, call, question, tool, call_id.

    agents  whose; otherwise those of the agents that wait
    """
    waiting = agents or tuple({id(item.agent): item.agent for item in result.interruptions}.values())
    found = [agent.interlock.questions for agent in waiting if isinstance(agent, _Gated)]
    ids = [item.raw_item.call_id for item in result.interruptions]
    return [questions[id] for id in ids for questions in found if id in questions]


class _Gated(Agent):
    interlock: Any

    async def get_mcp_tools(self, run_context: Any) -> Any:
        return [self.interlock.around(tool) for tool in await super().get_mcp_tools(run_context)]


class Guard:
    """The gate of one agent."""

    def __init__(
        self, gate: Gate, agent: str, session: str | Callable[[Any], str] | None, ungated: frozenset[str]
    ) -> None:
        self.gate, self.agent, self.session, self.ungated = gate, agent, session, ungated
        self.questions: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._calls = Turns(gate)

    def around(self, tool: Any) -> Any:
        """A copy of the tool with the gate around what runs it."""
        name = getattr(tool, "name", type(tool).__name__)
        if name in self.ungated:
            return tool
        if not isinstance(tool, FunctionTool):
            raise InputError(_NOT_OURS.format(name=name, kind=type(tool).__name__))
        # The tool as it is, but errors come through, so that it can be told that it failed.
        inner = copy.copy(tool)
        inner._use_default_failure_error_function, inner._failure_error_function = False, None

        async def asks(context: Any, params: dict[str, Any], call_id: str) -> bool:
            theirs = tool.needs_approval
            if callable(theirs):
                theirs = theirs(context, params, call_id)
                theirs = await theirs if inspect.isawaitable(theirs) else theirs
            return bool(theirs) or await self._asks(context, name, params, call_id)

        async def invoke(context: Any, given: str) -> Any:
            return await self._invoke(context, inner, given)

        outer = copy.copy(tool)
        # A function of our own, and so the SDK puts calls to `needs_approval` also where they leave an argument out.
        outer.on_invoke_tool = with_function_tool_failure_error_handler(invoke, lambda *_handled: None)
        outer.needs_approval = asks
        FunctionTool.__post_init__(outer)  # ties the function to this copy
        return outer

    async def _asks(self, context: Any, name: str, params: dict[str, Any], call_id: str) -> bool:
        try:
            session = self._session(context)
            own = Wanted(tool=name, given=params, call_id=call_id)
            checked = await self._calls.aahead(own, session=session, agent=self.agent)
        except Exception:
            return False  # it is refused when it is to be made
        if checked.verdict == "ask":
            self.questions[call_id] = question(checked, name, call_id)
            while len(self.questions) > _MOST:
                self.questions.popitem(last=False)
        return checked.verdict == "ask"

    async def _invoke(self, context: Any, tool: Any, given: str) -> Any:
        call_id = context.tool_call_id
        self.questions.pop(call_id, None)
        try:
            own = Wanted(tool=tool.name, given=arguments(given), call_id=call_id)
            checked = await self._calls.adecide(own, (), session=self._session(context), agent=self.agent)
        except Exception as error:
            return reason(refused(error))
        if checked.verdict != "allow":
            return reason(checked)
        async with Followed(self.gate, checked):
            result = await tool.on_invoke_tool(context, given)
        await asettled(self.gate, checked, "ran", result)
        return result

    def _session(self, context: Any) -> str | None:
        return self.session(context.context) if callable(self.session) else self.session
