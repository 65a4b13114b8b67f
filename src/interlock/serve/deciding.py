"""`POST /v1/decisions`, from what was sent to what is told.

The one route that every call of every agent goes through, so it is ASGI by itself: a head is read once, and an answer
goes out as it is. Who it is is found out with what is decided, in one go for all who wait (`batches.py`).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from starlette.requests import Request

from ..model.answer import HELD
from ..model.errors import InterlockError
from .answers import Answer, again, answer_to, foreseen_answer, told_by
from .batches import Waiting
from .callers import Caller, bearer
from .errors import RefusedError, refused_by
from .parameters import is_large, is_short, known_only, object_in, one_of, parameter, wait_in
from .service import Decided

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from ..value import Json
    from .api import Api
    from .routes import Route

    Finds = Callable[[Api, Request, frozenset[str]], Awaitable[Caller]]

__all__ = ["Deciding"]

_KEYS = 10_000  # idempotency keys that are remembered


class Deciding:
    """`finds` says who sent a request that is only asked about, and refuses; `counts` counts one that was refused."""

    def __init__(
        self, api: Api, route: Route, finds: Finds, counts: Callable[[Api, Request, RefusedError], None]
    ) -> None:
        self.api = api
        self.route = route
        self.roles = route.roles or frozenset()
        self.finds = finds
        self.counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        known_only(request, self.route.query)
        if parameter(request, "mode") is not None:
            answer = await self._foreseen(request, await self.finds(self.api, request, self.roles))
            if answer is not None:
                await told_by(answer, send)
                return
        try:
            answer = await self._decide(request)
        except RefusedError as error:
            self.counts(self.api, request, error)
            raise
        await told_by(answer, send)

    async def _foreseen(self, request: Request, caller: Caller) -> Answer | None:
        """What would be decided, where `mode` asks for that; None where the call is meant."""
        if one_of(request, "mode", ("decide", "preview"), "decide") == "decide":
            return None
        outcome = await self.api.run(lambda: self.api.service.foreseen(object_in(request, self.route.body), caller))
        if outcome is None:
            raise RefusedError("unprocessable", "it hangs on a plan, and only making the call tells")
        return foreseen_answer(outcome)

    async def _decide(self, request: Request) -> Answer:
        began = time.perf_counter()
        api, head = self.api, dict(request.scope["headers"])
        text = bearer(head.get(b"authorization", b"").decode("latin-1"))
        kept = head.get(b"idempotency-key")
        key = None if kept is None else kept.decode("latin-1")
        trace = head.get(b"traceparent", b"").decode("latin-1")
        data: Mapping[str, Json] = {}
        seconds = 0.0

        def prepare(caller: Caller) -> tuple[Mapping[str, Json], str | None]:
            nonlocal data, seconds
            data = object_in(request, self.route.body)
            seconds = wait_in(request)
            if key is not None:
                self._one_use(request, caller, key, decided=False)
            return data, key

        size = {"large": is_large(request), "short": is_short(request)}
        caller, decided = await self._decided(trace, Waiting(text, self.roles, prepare, **size))
        if key is not None:
            self._one_use(request, caller, key, decided=True)
        verbose = api.settings.verbose
        if decided.before is not None:
            return again(decided.before, verbose=verbose)
        decision, told = decided.outcome.decision, decided.outcome.answer
        api.metrics.decided(decision.verdict, decision.effect, time.perf_counter() - began)
        if seconds and told.kind == HELD:
            with api.held.holding(told.approval, decided.outcome.call):
                is_settled = await api.settled(request, caller, told.approval, seconds)
            if is_settled:
                _, decided = await self._decided(trace, Waiting(text, self.roles, lambda _caller: (data, key), **size))
                if decided.before is not None:
                    return again(decided.before, verbose=verbose)
        if is_large(request):  # what is told of it may take as long as deciding it, and the loop is everybody's
            return await api.run(lambda: answer_to(decided.outcome, verbose=verbose))
        return answer_to(decided.outcome, verbose=verbose)

    async def _decided(self, trace: str, asked: Waiting) -> tuple[Caller, Decided]:
        api = self.api
        try:
            if not api.traces.wanted:
                return await api.batches.decided(asked)
            with api.traces.deciding(trace) as noted:
                caller, decided = await api.batches.decided(asked)
                if decided.before is None:
                    noted(decided.outcome.receipt)
        except InterlockError as error:
            raise refused_by(error, verbose=api.settings.verbose) from None
        return caller, decided

    def _one_use(self, request: Request, caller: Caller, key: str, *, decided: bool) -> None:
        """A key is for one call: another one under it is a mistake of the program that sends it. What was refused
        before it was decided uses no key.
        """
        keys, name = self.api.keys, (caller.token.id, key)
        digest = hashlib.sha256(request.scope["body"]).hexdigest()
        if decided:
            keys[name] = digest
            if len(keys) > _KEYS:
                keys.pop(next(iter(keys)))
        elif keys.get(name, digest) != digest:
            raise RefusedError("unprocessable", "this Idempotency-Key was used for another call")
