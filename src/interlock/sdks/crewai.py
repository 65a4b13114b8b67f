"""CrewAI: a hook that puts the gate around what runs each tool.

    Interlock().install()

CrewAI has hooks before a tool call, and three traps: a hook that raises is passed over and the tool runs; a later hook
may change the arguments; a tool that fails is run again, up to six times, without asking any hook. So the hook decides
nothing: it puts the gate around the function that is the tool, and each run of it is decided, with the arguments that
it would run with. A call that may not be made comes back as CrewAI's `ToolFailure`: the model gets the reason, and
nothing of it is kept in CrewAI's cache. CrewAI cannot pause a run: an ask waits for a person for as long as you say,
and then tells the model.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any
from uuid import uuid4

from crewai.hooks.dispatch import HookAborted, InterceptionPoint, register, unregister
from crewai.tools.base_tool import Tool
from crewai.tools.tool_failure import ToolFailure
from pydantic_core import to_jsonable_python

from ..gate import Checked, Gate
from .common import Followed, acheck, asettled, check, question, reason, refused, settled, stand_around

__all__ = ["Interlock", "asked"]

_KEY = "interlock"  # in the details of a failure: the question, or the receipt
_About = tuple[str, str]  # session and agent
_about: ContextVar[_About | None] = ContextVar("interlock_crewai", default=None)
_installed: list[Interlock] = []


class Interlock:
    """
    gate     where calls are decided; otherwise one with your own policy and ledger
    session  whose calls they are; otherwise the crew's id, which is another one in each process
    wait     for how many seconds a call waits for a person's answer, in its thread
    """

    def __init__(self, gate: Gate | None = None, *, session: str | None = None, wait: float = 0) -> None:
        self.gate = Gate() if gate is None else gate
        self.session = session
        self.wait = wait

    def install(self) -> Interlock:
        """From now on every tool call of every crew in this process is gated; by the one that was installed last."""
        if self not in _installed:
            register(InterceptionPoint.PRE_TOOL_CALL, self.before)
            _installed.append(self)
        return self

    def uninstall(self) -> None:
        unregister(InterceptionPoint.PRE_TOOL_CALL, self.before)
        if self in _installed:
            _installed.remove(self)

    def __enter__(self) -> Interlock:
        return self.install()

    def __exit__(self, *_error: object) -> None:
        self.uninstall()

    def before(self, context: Any) -> None:
        """INVARIANT: nothing but `HookAborted` leaves this. CrewAI would pass over it, and run the tool."""
        try:
            crew = getattr(context.crew, "id", None)
            session = self.session or ("" if crew is None else str(crew))
            about = (session, str(getattr(context.agent, "role", None) or ""))
            _about.set(about)
            _stand_around_tool(context.tool, context.tool_name, about)
        except Exception as error:
            raise HookAborted(reason(refused(error)), source=_KEY) from None

    def run(self, name: str, inner: Callable[..., Any], given: Any, about: _About, more: Any) -> Any:
        """One run, in the place of the function that is the tool."""
        session, agent = about
        try:
            wanted = _given(inner, given, more)
        except Exception as error:
            return _failure(refused(error), name)
        checked = check(
            self.gate, name, wanted, session=session or None, call_id=_new_id(), agent=agent, wait=self.wait
        )
        if checked.verdict != "allow":
            return _failure(checked, name)
        try:
            result = inner(*given, **more)
        except Exception as error:
            settled(self.gate, checked, "failed", f"{type(error).__name__}: {error}")
            raise
        except BaseException:
            settled(self.gate, checked, "unknown")
            raise
        if inspect.isawaitable(result):
            return self._awaited(checked, result)
        settled(self.gate, checked, *_became(result))
        return result

    async def arun(self, name: str, inner: Callable[..., Any], given: Any, about: _About, more: Any) -> Any:
        """As `run`, without blocking the event loop."""
        session, agent = about
        try:
            wanted = _given(inner, given, more)
        except Exception as error:
            return _failure(refused(error), name)
        checked = await acheck(
            self.gate, name, wanted, session=session or None, call_id=_new_id(), agent=agent, wait=self.wait
        )
        if checked.verdict != "allow":
            return _failure(checked, name)
        return await self._awaited(checked, inner(*given, **more))

    async def _awaited(self, checked: Checked, result: Any) -> Any:
        async with Followed(self.gate, checked):
            found = await result
        await asettled(self.gate, checked, *_became(found))
        return found


def asked(output: Any) -> list[dict[str, Any]]:
    """The questions that a crew's run ended with: approval, question, tool."""
    records = [record for task in output.tasks_output for record in task.tool_failures]
    told = [record.failure.details.get(_KEY) or {} for record in records]
    return [each for each in told if "approval" in each]


def _stand_around_tool(structured: Any, name: str, about: _About) -> None:
    """Around the function behind `structured`, whichever way CrewAI comes to it."""

    def gated(_tool: Any, inner: Callable[..., Any]) -> Callable[..., Any]:
        return _gated(name, inner, about)

    tool = getattr(structured, "_original_tool", None) or structured
    if tool is structured or isinstance(tool, Tool):
        stand_around(tool, "func", gated)
    else:
        stand_around(tool, "_run", gated)
        stand_around(tool, "_arun", gated)
        vars(structured)["func"] = tool._run  # was taken before anything stood around it
    if callable(tool.cache_function):
        stand_around(tool, "cache_function", _keeps_no_refusal)


def _gated(name: str, inner: Callable[..., Any], about: _About) -> Callable[..., Any]:
    """`about`: whose call it is where CrewAI runs it in a thread that knows nothing of the hook."""
    if inspect.iscoroutinefunction(inner):

        @functools.wraps(inner)
        async def acalled(*given: Any, **more: Any) -> Any:
            if not _installed:
                return await inner(*given, **more)
            return await _installed[-1].arun(name, inner, given, _about.get() or about, more)

        return acalled

    @functools.wraps(inner)
    def called(*given: Any, **more: Any) -> Any:
        if not _installed:
            return inner(*given, **more)
        return _installed[-1].run(name, inner, given, _about.get() or about, more)

    return called


def _keeps_no_refusal(_tool: Any, inner: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(inner)  # CrewAI writes it down by its name
    def cache_function(given: Any = None, result: Any = None) -> bool:
        refusal = isinstance(result, ToolFailure) and _KEY in result.details
        return not refusal and bool(inner(given, result))

    return cache_function


def _given(inner: Callable[..., Any], given: Any, more: Any) -> Any:
    """The arguments by name, as data: a tool may take dates or models."""
    bound = inspect.signature(inner).bind(*given, **more)
    named: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        spread = bound.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD
        named.update(value if spread else {name: value})
    return to_jsonable_python(named)


def _failure(checked: Checked, name: str) -> ToolFailure:
    asks = checked.verdict == "ask"
    details = {_KEY: question(checked, name, None) if asks else {"receipt": checked.receipt}}
    return ToolFailure(message=reason(checked), retryable=asks, details=details)


def _became(result: Any) -> tuple[str, Any]:
    if isinstance(result, ToolFailure):
        return "failed", result.message
    return "ran", result


def _new_id() -> str:
    return f"call:{uuid4().hex}"  # CrewAI tells hooks of no id
