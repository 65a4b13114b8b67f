"""The client whose methods are awaited. It does what `Client` does; `sync.py` says what each is for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ..calls.forks import OfProcess
from . import steps, transport
from .stream import Lines, reconnected
from .values import Approval, Decided, Event

if TYPE_CHECKING:
    import httpx

__all__ = ["AsyncClient"]

_T = TypeVar("_T")


class AsyncClient:
    """
    url       the service's address; https, but for this machine
    token     the token's text
    patience  for how many seconds a lost connection or a service in trouble is tried again
    verify    a file of certificates to trust in place of the system's
    insecure  plain HTTP to another machine
    """

    def __init__(
        self, url: str, token: str, *, patience: float = 60, verify: str | None = None, insecure: bool = False
    ) -> None:
        self.url = steps.address_of(url, insecure=insecure)
        self.patience = patience
        self._http: OfProcess[httpx.AsyncClient] = OfProcess(lambda: transport.async_client(self.url, token, verify))

    async def decide(
        self,
        tool: str,
        input: Mapping[str, Any],
        *,
        session: str = "",
        cwd: str = "",
        wait: float = 0,
        idempotency_key: str = "",
        **more: Any,
    ) -> Decided:
        """Asks about a call before it is made, and waits so many seconds where a person is asked. `more` are the other
        fields of a call: `agent`, `agent_type`, `host`, `state`.
        """
        call = transport.call_of(tool, input, session=session, cwd=cwd, more=more)
        key = idempotency_key or transport.new_key()
        return await self._run(steps.decide_steps(call, key, wait, self.patience, time.monotonic))

    async def wait_for(self, decided: Decided, *, seconds: float = 600) -> Decided:
        """Waits until somebody has answered. ServiceError where nobody does in time."""
        return await self._run(steps.wait_steps(decided, seconds, self.patience, time.monotonic))

    async def outcome(self, decided: Decided, outcome: str, result: Any = None) -> tuple[str, ...]:
        """Tells what became of the call: ran, failed, not_run or unknown. What is returned are warnings."""
        return await self._run(steps.outcome_steps(decided, outcome, result, self.patience, time.monotonic))

    async def said(self, text: str, *, session: str, cwd: str = "", host: str = "") -> None:
        """Tells what the person said to the agent in this session, and never what a tool has said."""
        told = {key: value for key, value in (("session", session), ("cwd", cwd), ("host", host)) if value}
        await self._run(steps.said_steps(text, told, self.patience, time.monotonic))

    async def approvals(self, *, state: str = "pending") -> tuple[Approval, ...]:
        return await self._run(steps.approvals_steps(state, self.patience, time.monotonic))

    async def approval(self, id: str, *, wait: float = 0) -> Approval:
        return await self._run(steps.approval_steps(id, wait, self.patience, time.monotonic))

    async def answer(
        self, id: str, answer: str, *, reach: str = "once", reason: str = "", confirm_hidden: bool = False
    ) -> Approval:
        """Says `approve` or `deny`. A call with hidden values is approved only with `confirm_hidden`."""
        said = steps.answer_body(answer, reach, reason, confirm_hidden=confirm_hidden)
        return await self._run(steps.answer_steps(id, answer, said, self.patience, time.monotonic))

    async def receipt(self, digest: str) -> Mapping[str, Any]:
        """What a decision was made from."""
        return await self._run(steps.receipt_steps(digest, self.patience, time.monotonic))

    async def events(self, *, after: int | None = None) -> AsyncIterator[Event]:
        """What happens, as it happens, without end. A connection that is lost is taken up where it was."""
        import httpx

        lines = Lines(after)
        tries, last = 0, time.monotonic()
        while True:
            reply = steps.Reply(status=0)
            try:
                async with self._http().stream("GET", lines.path, timeout=transport.STREAM) as stream:
                    if stream.status_code == 200:
                        async for line in stream.aiter_lines():
                            tries, last = 0, time.monotonic()
                            event = lines.read(line)
                            if event is not None:
                                yield event
                    else:
                        reply = transport.reply_of(stream, await stream.aread())
            except httpx.TransportError:
                pass
            tries += 1
            await asyncio.sleep(reconnected(reply, tries, time.monotonic() - last, self.patience))

    async def _run(self, todo: steps.Steps[_T]) -> _T:
        given: steps.Reply | None = None
        try:
            while True:
                step = todo.send(given)
                if isinstance(step, steps.Ask):
                    given = await self._sent(step)
                else:
                    given = None
                    await asyncio.sleep(step.seconds)
        except StopIteration as done:
            value: _T = done.value
            return value

    async def _sent(self, ask: steps.Ask) -> steps.Reply:
        import httpx

        try:
            return transport.reply_of(found := await self._http().request(**transport.request_of(ask)), found.content)
        except httpx.TransportError:
            return steps.Reply(status=0)

    async def close(self) -> None:
        if (made := self._http.made()) is not None:
            await made.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncClient({self.url!r})"
