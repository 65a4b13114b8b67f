"""`Gate`: check a call, hold it until a person has answered, or put the check around a function.

Whatever breaks or hangs in here is a deny. Arguments are plain JSON data, taken as they are at that moment: a function
that a gate stands around gets what was decided about, not what somebody made of it meanwhile.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast
from uuid import uuid4

from ..bytes.canon import canonical
from ..model.call import Call, reported, short_id
from ..model.errors import InputError, InterlockError
from ..model.toolnames import our_name
from ..policy.declared import declared
from ..value import freeze
from .checked import Checked, refused
from .within import LateError, Workers

if TYPE_CHECKING:
    from ..policy.model import ToolSpec
    from ..value import Json

__all__ = ["Backend", "Gate"]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_DEADLINE = 5.0  # seconds for one decision
_LOOKS_EACH = 0.5  # seconds between looks at a question that a task waits for
_LATE = "Refused: Interlock did not answer within {:g} seconds. Try the call again later."
_BROKE = "Refused: Interlock failed ({}). Tell the person who runs this agent."
_session: ContextVar[str] = ContextVar("interlock_session", default="")


class Backend(Protocol):
    """Where calls are decided: here (`local.py`), or by a service (`remote.py`)."""

    def decide(self, call: Call) -> Checked: ...
    def refuse(self, call: Call, why: str) -> Checked: ...
    def asks(self, call: Call) -> bool | None: ...
    def wait(self, approval: str, seconds: float) -> bool: ...
    def tell(self, call: Call, outcome: str, result: Json) -> tuple[str, ...]: ...
    def said(self, text: str, session: str, cwd: str, host: str) -> None: ...
    def close(self) -> None: ...


class Gate:
    """Safe to share between threads and tasks."""

    def __init__(
        self,
        policy: str | os.PathLike[str] | None = None,
        *,
        home: str | os.PathLike[str] | None = None,
        root: str | os.PathLike[str] | None = None,
        host: str = "",
        deadline: float = _DEADLINE,
        backend: Backend | None = None,
    ) -> None:
        """
        policy    a file in the place of the user's policy; managed policy stays above it; PolicyError if it is broken
        home      where Interlock keeps its files, in place of the home folder
        root      the project of every call; otherwise it is found from the working folder
        host      whose tool names these are, such as `claude-code`; otherwise they are the program's own
        deadline  seconds after which a check that has not ended is a deny
        backend   where calls are decided; `Gate.remote` makes one for a service
        """
        self.tools: dict[str, ToolSpec] = {}
        self._previews: dict[str, Callable[..., Any]] = {}
        self.host = host
        self.deadline = deadline
        self._workers = Workers("interlock-gate")
        if backend is None:
            from .local import Local

            backend = local = Local(policy=_path(policy), home=_path(home), root=_path(root), tools=self.tools)
            local.prepare()
        self.backend = backend

    @classmethod
    def remote(cls, url: str, token: str, *, deadline: float = _DEADLINE, host: str = "") -> Gate:
        """A gate that asks `interlock serve`. The policy, the ledger and the people are there."""
        from .remote import Remote

        return cls(deadline=deadline, host=host, backend=Remote(url, token, deadline=deadline))

    def close(self) -> None:
        self._workers.close()
        self.backend.close()

    def __enter__(self) -> Gate:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    # --- checking --------------------------------------------------------------------------------------------------

    def check(
        self,
        tool: str,
        input: Mapping[str, Any],
        *,
        session: str | None = None,
        call_id: str | None = None,
        agent: str = "",
        cwd: str | None = None,
        state: Mapping[str, Any] | None = None,
        wait: float = 0,
    ) -> Checked:
        """Decides one call, and records it. `wait`: for how many seconds a person's answer is waited for.

        The same `call_id` with the same call gives the recorded decision again. InputError where the input is not
        JSON data; anything else that goes wrong is a deny.
        """
        call = self.call(tool, input, session=session, call_id=call_id, agent=agent, cwd=cwd, state=state)
        if call.tool in self._previews:
            call = self._previewed(call)
        checked = self._decided(call)
        if wait <= 0 or checked.verdict != "ask":
            return checked
        try:
            settled = self.backend.wait(checked.approval, wait)
        except InterlockError as error:
            return _broken(call, error)
        return self._decided(call) if settled else checked

    async def acheck(
        self,
        tool: str,
        input: Mapping[str, Any],
        *,
        session: str | None = None,
        call_id: str | None = None,
        agent: str = "",
        cwd: str | None = None,
        state: Mapping[str, Any] | None = None,
        wait: float = 0,
    ) -> Checked:
        """As `check`, without blocking the event loop."""
        call = self.call(tool, input, session=session, call_id=call_id, agent=agent, cwd=cwd, state=state)
        if call.tool in self._previews:
            call = await asyncio.to_thread(self._previewed, call)
        checked = await self._adecided(call)
        if wait <= 0 or checked.verdict != "ask":
            return checked
        try:
            settled = await self.aanswered(checked.approval, wait=wait)
        except InterlockError as error:
            return _broken(call, error)
        return await self._adecided(call) if settled else checked

    def call(
        self,
        tool: str,
        input: Mapping[str, Any],
        *,
        session: str | None = None,
        call_id: str | None = None,
        agent: str = "",
        cwd: str | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> Call:
        """The call as it is decided about: a copy of the arguments that nobody can change. InputError if it is none."""
        if not isinstance(tool, str) or not tool.strip():
            raise InputError("a tool has a name")
        own = _session.get() if session is None else session
        ours = our_name(self.host, tool)
        return Call(
            tool=ours,
            named="" if ours == tool else tool,
            input=_plain(input, "input"),
            state=None if state is None else _plain(state, "state"),
            cwd=cwd or os.getcwd(),
            session=short_id(own),
            agent=short_id(agent),
            host=self.host,
            attempt=None if call_id is None else short_id(call_id),
        )

    def settled(self, checked: Checked, outcome: str, result: Any = None) -> tuple[str, ...]:
        """Tells what became of a call: `ran`, `failed`, `not_run` or `unknown`. Returns what a person should know."""
        try:
            return self.backend.tell(checked.call, outcome, _told(result))
        except InterlockError as error:
            return (f"what became of the call was not recorded: {error}",)

    def answered(self, approval: str, *, wait: float = 0) -> bool:
        """Whether the question no longer waits: it was answered, or has ended. `wait`: for how many seconds that is
        waited for. What the answer was is told by the call, when it is made again. ApprovalError for an id that nobody
        has asked about here: another ledger, or a typo.
        """
        return self.backend.wait(approval, wait)

    async def aanswered(self, approval: str, *, wait: float = 0) -> bool:
        """The same without blocking the event loop. INVARIANT: no thread waits with it: however many calls are held,
        the program's own threads stay free, and whoever is cancelled leaves none behind.
        """
        end = time.monotonic() + wait
        while not (settled := await asyncio.to_thread(self.answered, approval)):
            left = end - time.monotonic()
            if left <= 0:
                break
            await asyncio.sleep(min(_LOOKS_EACH, left))
        return settled

    def said(self, text: str, *, session: str | None = None, cwd: str | None = None) -> None:
        """Tells what the person said to the agent. Where the policy asks where values come from, what they named may
        go into a call without a question. Never pass on what a tool or another agent has said.
        """
        own = _session.get() if session is None else session
        if own:  # what belongs to no session is remembered nowhere
            self.backend.said(text, short_id(own), cwd or os.getcwd(), self.host)

    async def asaid(self, text: str, *, session: str | None = None, cwd: str | None = None) -> None:
        own = _session.get() if session is None else session
        await asyncio.to_thread(lambda: self.said(text, session=own, cwd=cwd))

    async def asettled(self, checked: Checked, outcome: str, result: Any = None) -> tuple[str, ...]:
        return await asyncio.to_thread(self.settled, checked, outcome, result)

    def preview(self, tool: str, input: Mapping[str, Any], **about: Any) -> Any:
        """What the tool's own dry run says of this call, as it would be shown to a person. Nothing is decided."""
        call = self.call(tool, input, **about)
        if call.tool not in self._previews:
            raise InputError(f"`{tool}` has no preview; give it one: @gate.tool(preview=…)")
        return _thawed(self._reported(call).report)

    def _previewed(self, call: Call) -> Call:
        """With the tool's own report, where the call would ask or nobody can tell. What is decided goes by the call."""
        try:
            asks = self.backend.asks(call)
        except InterlockError:
            asks = None
        return call if asks is False else self._reported(call)

    def _reported(self, call: Call) -> Call:
        try:
            found = self._previews[call.tool](**{name: _thawed(value) for name, value in call.input.items()})
            return reported(call, freeze(found))
        except Exception as error:  # a person is told, and decides without it
            return reported(call, f"the preview failed: {type(error).__name__}")

    def _decided(self, call: Call) -> Checked:
        try:
            return _sound(self._workers.run(self.deadline, self._too_late, self.backend.decide, call))
        except InputError:
            raise
        except LateError:
            return Checked(verdict="deny", agent=_LATE.format(self.deadline), call=call)
        except Exception as error:
            return _broken(call, error)

    async def _adecided(self, call: Call) -> Checked:
        try:
            return _sound(await self._workers.arun(self.deadline, self._too_late, self.backend.decide, call))
        except InputError:
            raise
        except LateError:
            return Checked(verdict="deny", agent=_LATE.format(self.deadline), call=call)
        except Exception as error:
            return _broken(call, error)

    async def arefused(self, tool: str, why: str, **about: Any) -> Checked:
        """A call that cannot be read in one way: denied, and recorded with the reason."""
        call = self.call(tool, {}, **about)
        try:
            checked = await self._workers.arun(self.deadline, self._too_late, self.backend.refuse, call, why)
        except Exception as error:
            return _broken(call, error)
        return checked if checked.verdict == "deny" else _broken(call, ValueError(why))

    def _too_late(self, checked: Checked) -> None:
        """An allow that came after the deny was told: the call was not made."""
        if type(checked) is Checked and checked.allowed:
            self.settled(checked, "not_run")

    # --- holding ---------------------------------------------------------------------------------------------------

    def hold(self, tool: str | Call, input: Mapping[str, Any] | None = None, *, wait: float = 0, **about: Any) -> _Hold:
        """`with gate.hold("refund", {"amount": 5}) as permit:`, also with `async with`.

        The body runs only if the call may be made; Denied or NeedsApproval otherwise. That it ran, or failed, is told.
        """
        if isinstance(tool, Call):
            given: dict[str, Any] = {
                **{name: getattr(tool, name) for name in ("session", "agent", "cwd", "state")},
                "call_id": tool.attempt,
            }
            return _Hold(self, tool.named or tool.tool, tool.input, wait, {**given, **about})
        return _Hold(self, tool, input or {}, wait, about)

    @contextmanager
    def session(self, name: str) -> Iterator[None]:
        """Calls in here are of this session, where they name none themselves."""
        before = _session.set(name)
        try:
            yield
        finally:
            _session.reset(before)

    # --- functions -------------------------------------------------------------------------------------------------

    def declare(self, name: str, **about: Any) -> None:
        """Says what a tool does, as an entry of the policy would: effects, risk, irreversible, tags, args, compensator,
        a JSON schema of its input, MCP annotations.
        """
        self.tools[name] = declared(name, **about)

    def tool(
        self,
        *,
        name: str | None = None,
        effects: Iterable[str] | None = None,
        risk: str | None = None,
        irreversible: bool | None = None,
        tags: Iterable[str] = (),
        args: Mapping[str, str] | None = None,
        compensator: str | None = None,
        preview: Callable[..., Any] | None = None,
        wait: float = 0,
    ) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
        """Puts the check around a function, sync or async.

        `preview` takes the same arguments, changes nothing, and says as JSON data what the call would do. It runs where
        the call would ask; the question shows what it said, and the yes counts while it says the same.

        Deny raises Denied, ask raises NeedsApproval, or waits for so many seconds first. An allowed call runs once,
        with the arguments that were decided about, and what became of it is told.
        """

        def around(function: Callable[_P, _R]) -> Callable[_P, _R]:
            named = name or function.__name__
            self.declare(
                named,
                effects=effects,
                risk=risk,
                irreversible=irreversible,
                tags=tags,
                args=args,
                compensator=compensator,
                dryrun=preview is not None,
            )
            if preview is not None:
                self._previews[named] = preview
            shape = inspect.signature(function)

            def given(arguments: Any, more: Any) -> inspect.BoundArguments:
                bound = shape.bind(*arguments, **more)
                bound.apply_defaults()
                return bound

            if inspect.iscoroutinefunction(function):

                @functools.wraps(function)
                async def acalled(*arguments: _P.args, **more: _P.kwargs) -> Any:
                    bound = given(arguments, more)
                    async with self.hold(named, dict(bound.arguments), wait=wait, call_id=_new_id()) as permit:
                        return permit.returned(await function(*_args(bound, permit), **_kwargs(bound, permit)))

                return cast("Callable[_P, _R]", acalled)

            @functools.wraps(function)
            def called(*arguments: _P.args, **more: _P.kwargs) -> _R:
                bound = given(arguments, more)
                with self.hold(named, dict(bound.arguments), wait=wait, call_id=_new_id()) as permit:
                    result: _R = permit.returned(function(*_args(bound, permit), **_kwargs(bound, permit)))
                    return result

            return called

        return around


class _Hold:
    """One call, around the body that makes it."""

    def __init__(self, gate: Gate, tool: str, input: Mapping[str, Any], wait: float, about: Mapping[str, Any]) -> None:
        self.gate, self.tool, self.given, self.wait, self.about = gate, tool, input, wait, about
        self.checked: Checked | None = None
        self.result: Any = None

    @property
    def input(self) -> Mapping[str, Any]:
        """The arguments to make the call with."""
        return {} if self.checked is None else self.checked.input

    @property
    def receipt(self) -> str:
        return "" if self.checked is None else self.checked.receipt

    def returned(self, result: Any) -> Any:
        """Notes what came back, for the record; hands it on."""
        self.result = result
        return result

    def _entered(self, checked: Checked) -> _Hold:
        if not checked.allowed:
            raise refused(checked)
        self.checked = checked
        return self

    def __enter__(self) -> _Hold:
        return self._entered(self.gate.check(self.tool, self.given, wait=self.wait, **self.about))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        if self.checked is not None:
            self.gate.settled(self.checked, *_outcome(kind, error, self.result))

    async def __aenter__(self) -> _Hold:
        return self._entered(await self.gate.acheck(self.tool, self.given, wait=self.wait, **self.about))

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        if self.checked is not None:
            await self.gate.asettled(self.checked, *_outcome(kind, error, self.result))


def _outcome(kind: type[BaseException] | None, error: BaseException | None, result: Any) -> tuple[str, Any]:
    if kind is None:
        return "ran", result
    # A call that was cut off may have done anything.
    return ("failed", f"{kind.__name__}: {error}") if issubclass(kind, Exception) else ("unknown", None)


def _sound(checked: Checked) -> Checked:
    if type(checked) is not Checked or checked.verdict not in ("allow", "ask", "deny"):
        raise TypeError("what came back is no decision")
    return checked


def _broken(call: Call, error: Exception) -> Checked:
    return Checked(verdict="deny", agent=_BROKE.format(type(error).__name__), person=str(error), call=call)


def _plain(data: Mapping[str, Any], what: str) -> Mapping[str, Any]:
    """A frozen copy. INVARIANT: what is decided about is data, so that nobody can change it afterwards."""
    if not isinstance(data, Mapping) or not all(isinstance(name, str) for name in data):
        raise InputError(f"`{what}` must be an object of JSON data, not {type(data).__name__}")
    try:
        frozen = freeze(dict(data))
        canonical(frozen)
    except InputError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"`{what}` is not JSON data: {error}") from None
    return cast("Mapping[str, Any]", frozen)


def _told(result: Any) -> Json:
    """What came back, as far as it is data; of anything else, that it is another each time."""
    try:
        frozen: Any = freeze(result)
        canonical(frozen)
    except Exception:
        return f"{type(result).__name__} {uuid4().hex}"
    return cast("Json", frozen)


def _thawed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _thawed(item) for key, item in value.items()}
    return [_thawed(item) for item in value] if isinstance(value, tuple) else value


def _args(bound: inspect.BoundArguments, permit: _Hold) -> tuple[Any, ...]:
    return _with(bound, permit).args


def _kwargs(bound: inspect.BoundArguments, permit: _Hold) -> dict[str, Any]:
    return _with(bound, permit).kwargs


def _with(bound: inspect.BoundArguments, permit: _Hold) -> inspect.BoundArguments:
    """The call's own arguments in place of those that were given."""
    decided = permit.input
    for name, given in bound.arguments.items():
        value = _thawed(decided[name])
        bound.arguments[name] = tuple(value) if isinstance(given, tuple) else value
    return bound


def _new_id() -> str:
    return f"call:{uuid4().hex}"


def _path(given: str | os.PathLike[str] | None) -> str | None:
    return None if given is None else os.fspath(given)
