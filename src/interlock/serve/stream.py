"""`GET /v1/events`: rows of the ledger as server-sent events.

The id of an event is the number of its row, so that a listener who comes back says where it was (`Last-Event-ID`, or
`after`) and misses nothing. A comment every few seconds tells both ends that the other is still there.

A row is written out once, by a thread, however many listen: one token may have fifty listeners, and each call of
everybody else would keep the loop busy for all of them.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ..record.chain import Row
from ..store import sql
from .callers import Caller
from .errors import RefusedError
from .hub import Listener
from .records import event_of

if TYPE_CHECKING:
    from .api import Api

__all__ = ["events"]

_BEAT = 10.0  # seconds between signs of life
_AT_ONCE = 500  # rows that are read at a time for a listener that has missed some
_MOST_LISTENERS = 1000
_MOST_OF_ONE = 50  # of them, those of one token
_KEPT = 1000  # rows as they are told, for as long as a listener may wait for them


async def events(api: Api, request: Request, caller: Caller) -> Response:
    after = _after(request)
    mine = [listener for listener in api.hub.listeners if listener.holder == caller.token.id]
    if len(api.hub.listeners) >= _MOST_LISTENERS or len(mine) >= _MOST_OF_ONE:
        raise RefusedError("rate_limited", "too many listeners", {"retry-after": "10"})
    headers = {"x-accel-buffering": "no"}
    if request.method == "HEAD":
        return Response(media_type="text/event-stream", headers=headers)
    return StreamingResponse(_sent(api, caller, after), media_type="text/event-stream", headers=headers)


async def _sent(api: Api, caller: Caller, after: int | None) -> AsyncIterator[bytes]:
    listener = Listener(caller.token.id)
    api.hub.listeners.add(listener)  # before what was missed is read, so that nothing falls between
    api.metrics.listening.inc()
    try:
        yield b"retry: 2000\n\n"
        seen = after or 0
        while after is not None:
            seen, missed, is_all = await api.run(_since, api, caller, seen)
            for part in missed:
                yield part
            if is_all:
                break
        good_until = time.monotonic() + _BEAT
        while not listener.lagged:  # a listener that is cut off comes back with its last id
            row: Row | None = None
            try:
                row = await asyncio.wait_for(listener.rows.get(), _BEAT)
                if row is None:
                    return  # the service ends
            except TimeoutError:
                pass
            lost = row is not None and (row.kind, row.key) == ("token", caller.token.id)
            if lost or time.monotonic() >= good_until:
                if not await api.run(api.service.still_good, caller):
                    return
                good_until = time.monotonic() + _BEAT
            if row is None:
                yield b": here\n\n"
            elif row.seq > seen:
                told = await _told(api, caller, row)
                if told:
                    yield told
    finally:
        api.hub.listeners.discard(listener)
        api.metrics.listening.dec()


def _since(api: Api, caller: Caller, after: int) -> tuple[int, list[bytes], bool]:
    """The last row that was looked at, what is told of those that the caller may see, and whether that was all."""
    with api.service.ledger.looking() as view:
        rows = list(view.database.entries(sql.AFTER, (after, _AT_ONCE)))
    told = [_written(row) for row in rows if not caller.is_agent or api.service.is_owned(row.session, caller)]
    return (rows[-1].seq if rows else after), [part for part in told if part], len(rows) < _AT_ONCE


async def _told(api: Api, caller: Caller, row: Row) -> bytes:
    if caller.is_agent:
        owner = api.service.claimed.get(row.session)
        if owner != caller.token.id and (
            owner is not None or not await api.run(api.service.is_owned, row.session, caller)
        ):
            return b""
    if row.seq not in api.written:
        if len(api.written) >= _KEPT:
            api.written.pop(next(iter(api.written)))
        api.written[row.seq] = asyncio.ensure_future(asyncio.to_thread(_written, row))
    return await asyncio.shield(api.written[row.seq])


def _written(row: Row) -> bytes:
    event = event_of(row)
    return b"" if event is None else f"id: {row.seq}\nevent: {row.kind}\ndata: {json.dumps(event)}\n\n".encode()


def _after(request: Request) -> int | None:
    text = request.headers.get("last-event-id") or request.query_params.get("after")
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise RefusedError("bad_request", "`after` must be the number of a row")
    return int(text)
