"""The routes below /v1 but for decisions (`deciding.py`): one function for each, from a request to an answer.

What a route is (method, path, who may, which answers there are) stands in the table of `routes.py`. A function here
gets the caller whose role was looked at already, and works on `service.py` in a thread.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ..bytes.canon import canonical
from ..model.errors import InterlockError
from ..store.ledger.writing_back import WritingBack
from ..store.people.answering import Asked
from ..telemetry.traces import Traces
from .answers import stamp
from .batches import Batches
from .budgets import FLOW, Buckets, Budgets
from .callers import Caller
from .cursors import cursor_of, place_in
from .errors import RefusedError, refused_by
from .held import Held
from .hub import Hub, Waiter
from .metrics import Metrics
from .parameters import number_in, object_in, one_of, parameter, wait_in
from .readiness import Readiness
from .records import audit_rows
from .service import Service
from .settings import Settings

__all__ = ["Api", "asked_to_wire"]

_THREADS = 8  # each has a connection of its own, and only one writes at a time
_OF_ONE = 2  # of them, those that work for one token
_ANSWERS = {"approve": True, "deny": False}
_PAGE = 1024 * 1024  # characters of one page of questions: one of them may have megabytes
_REASON = 2000  # characters of a reason that is kept
_LOOKS_AGAIN = 30.0  # seconds: a row that nobody was told of, where the ledger could not be followed for a while
_JUST_OVER = 0.02  # seconds after which a question that ends by itself is surely over
_STILL_THERE = 5.0  # seconds between looks whether whoever waits is still there

_T = TypeVar("_T")


class Api:
    """What all routes share."""

    def __init__(self, service: Service, hub: Hub, settings: Settings, writing_back: WritingBack) -> None:
        self.service = service
        self.hub = hub
        self.writing_back = writing_back
        self.settings = settings
        self.metrics = Metrics()
        self.readiness = Readiness(service.trouble)
        self.traces = Traces()
        self.budgets = Budgets(settings)
        self.strangers = Buckets(1, 60, "many requests")  # by address: guesses at tokens
        self.threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="interlock")
        # Apart from the others, who may be many: what is decided waits for no other request's thread.
        self.deciders = ThreadPoolExecutor(_THREADS, thread_name_prefix="interlock-decides")
        self.held = Held(service.engine.folders)
        self.batches = Batches(service, self.deciders, self.budgets)
        self._at_once: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self.written: dict[int, asyncio.Future[bytes]] = {}  # rows of late as listeners are told of them
        self.keys: dict[tuple[str, str], str] = {}  # idempotency keys of late -> what they were used for

    async def run(self, work: Callable[..., _T], *arguments: Any) -> _T:
        """In a thread: it may wait for the disk or for others. Our errors become refusals."""
        flow = FLOW.get()
        turn = self._at_once.get(flow)
        if turn is None:
            turn = self._at_once[flow] = asyncio.Semaphore(_OF_ONE if flow else _THREADS)
        try:
            async with turn:
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self.threads, self._with_ledger, flow, work, arguments)
        except InterlockError as error:
            raise refused_by(error, verbose=self.settings.verbose) from None

    def _with_ledger(self, flow: str, work: Callable[..., _T], arguments: tuple[Any, ...]) -> _T:
        """With a connection that is lent for it, so that there are few and all of them are closed in the end."""
        began = time.thread_time()
        try:
            with self.service.engine.lent():
                return work(*arguments)
        finally:
            self.budgets.spent(flow, time.thread_time() - began)

    # --- calls -----------------------------------------------------------------------------------------------------

    async def settled(self, request: Request, caller: Caller, approval: str, seconds: float) -> bool:
        """Whether the question was answered or ended within so many seconds. Whoever has left is not waited for, and
        whoever lost its token meanwhile is told so.
        """
        end = time.monotonic() + seconds
        self.metrics.waiting.inc()
        try:
            with self.hub.waiting(approval) as waiter:
                while (until := await self.run(self.service.open_until, approval)) is not None:
                    left = end - time.monotonic()
                    if left <= 0:
                        return False
                    if not await _woken(request, waiter, min(left, _LOOKS_AGAIN, _ends_in(until))):
                        return False
                return True
        finally:
            self.metrics.waiting.dec()
            await self._held_to(caller)

    async def _held_to(self, caller: Caller) -> None:
        """INVARIANT: nothing is told or allowed after a wait to a token that was revoked in the meantime."""
        if not await self.run(self.service.still_good, caller):
            raise RefusedError("unauthenticated", "the token is not known, or no longer good")

    async def told(self, request: Request, caller: Caller) -> Response:
        told = await self.run(lambda: self.service.ended(object_in(request, "Outcome"), caller))
        body: dict[str, Any] = {"recorded": True}
        if told.person:
            body["warnings"] = list(told.person)
        return JSONResponse(body)

    async def said(self, request: Request, caller: Caller) -> Response:
        await self.run(lambda: self.service.said(object_in(request, "Message"), caller))
        return JSONResponse({"recorded": True})

    # --- approvals -------------------------------------------------------------------------------------------------

    async def approvals(self, request: Request, caller: Caller) -> Response:
        state = one_of(request, "state", ("pending", "all"), "pending")
        limit = number_in(request, "limit", 1, 1000, 100)
        cursor = parameter(request, "cursor")
        after = (-1, -1) if cursor is None else place_in(cursor, state)
        page, next = await self.run(self._page, caller, after, state, limit)
        # Written already, to see how large it gets.
        raw = f'{{"approvals":[{",".join(page)}],"next":{_written(next)}}}'
        return Response(raw.encode(), media_type="application/json")

    def _page(self, caller: Caller, after: tuple[int, int], state: str, limit: int) -> tuple[list[str], str | None]:
        """So many questions, or fewer where they are large, and the cursor where there are more."""
        page: list[str] = []
        size, last = 0, after
        with closing(self.service.questions(caller, after, over=state == "all")) as found:
            for asked in found:
                written = _written(asked_to_wire(asked))
                size += len(written)
                if page and (len(page) == limit or size > _PAGE):
                    return page, cursor_of(state, last)
                page.append(written)
                last = asked.question.asked, asked.question.seq
        return page, None

    async def approval(self, request: Request, caller: Caller) -> Response:
        id, seconds = request.path_params["id"], wait_in(request)
        asked = await self.run(self.service.question, id, caller)
        if seconds and asked.is_open:
            await self.settled(request, caller, id, seconds)
            asked = await self.run(self.service.question, id, caller)
        headers = {"retry-after": "2"} if asked.is_open else {}
        return JSONResponse(asked_to_wire(asked), headers=headers)

    async def answer(self, request: Request, caller: Caller) -> Response:
        data = await self.run(object_in, request, "Answer")
        answer, reach, reason = data.get("answer"), data.get("reach", "once"), data.get("reason", "")
        if type(answer) is not str or answer not in _ANSWERS:
            raise RefusedError("bad_request", "`answer` must be `approve` or `deny`")
        if type(reach) is not str or type(reason) is not str or len(reason) > _REASON:
            raise RefusedError("bad_request", f"`reach` and `reason` must be texts, of at most {_REASON} characters")
        unseen = data.get("confirm_hidden", False)
        if type(unseen) is not bool:
            raise RefusedError("bad_request", "`confirm_hidden` must be true or false")
        id = request.path_params["id"]
        return JSONResponse(asked_to_wire(await self.answered(id, caller, answer, reach, reason, unseen=unseen)))

    async def answered(
        self,
        id: str,
        caller: Caller,
        answer: str,
        reach: str,
        reason: str,
        where: str = "http",
        *,
        unseen: bool = False,
    ) -> Asked:
        """An answer, from whichever surface it came. `unseen`: it counts for what is hidden of the call, too."""
        yes = _ANSWERS[answer]
        done = await self.run(
            lambda: self.service.answer(id, caller, yes=yes, reach=reach, why=reason, where=where, unseen=unseen)
        )
        self.metrics.answers.labels(answer, where).inc()
        return done

    # --- the record ------------------------------------------------------------------------------------------------

    async def audit(self, request: Request, caller: Caller) -> Response:
        limit = number_in(request, "limit", 1, 1000, 100)
        before = number_in(request, "before", 1, 1 << 62, 1 << 62)
        verdict = one_of(request, "decision", ("", "allow", "block", "escalate"), "")
        rows = await self.run(
            lambda: audit_rows(
                self.service.ledger,
                limit=limit,
                before=before,
                decision=verdict,
                session=request.query_params.get("session", ""),
            )
        )
        return JSONResponse({"rows": rows, "next": rows[-1]["seq"] if len(rows) == limit else None})

    async def receipt(self, request: Request, caller: Caller) -> Response:
        body = await self.run(self.service.receipt, request.path_params["digest"], caller)

        return Response(canonical(body), media_type="application/json")


_written = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def asked_to_wire(asked: Asked) -> dict[str, Any]:
    told = asked.as_dict()
    until = stamp(told["expires"]) if told["expires"] else None
    return {**told, "host": asked.body.get("host", ""), "asked_at": stamp(told["asked"]), "expires_at": until}


async def _woken(request: Request, waiter: Waiter, seconds: float) -> bool:
    """Whether it is worth looking at the question again: a row came about it, or so many seconds are over. Not where
    whoever asked has left: a yes would be used up for nobody. Looking costs a turn at the ledger, and many wait;
    whether they are there costs nothing.
    """
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        woken = await waiter.woken(min(left, _STILL_THERE))
        if await request.is_disconnected():
            return False
        if woken:
            return True
    return True


def _ends_in(until: int) -> float:
    """For how many seconds a question can still be answered: of its end by itself no row tells."""
    return max(0.0, until / 1000 - time.time()) + _JUST_OVER if until else _LOOKS_AGAIN
