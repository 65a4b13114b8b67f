"""`GET /v1/events`: rows of the ledger as server-sent events.

The id of an event is the number of its row, so that a listener who comes back says where it was (`Last-Event-ID`, or
`after`) and misses nothing. A comment every few seconds tells both ends that the other is still there.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ..store import sql
from .callers import Caller
from .errors import RefusedError
from .hub import Listener
from .records import event_of

if TYPE_CHECKING:
    from ..record.chain import Row
    from .api import Api

__all__ = ["events"]

_BEAT = 10.0  # seconds between signs of life
_MOST_BACK = 1000  # rows that a listener may have missed
_MOST_LISTENERS = 1000


async def events(api: Api, request: Request, caller: Caller) -> Response:
    after = _after(request)
    if len(api.hub.listeners) >= _MOST_LISTENERS:
        raise RefusedError("rate_limited", "too many listeners", {"retry-after": "10"})
    return StreamingResponse(
        _sent(api, caller, after), media_type="text/event-stream", headers={"x-accel-buffering": "no"}
    )


async def _sent(api: Api, caller: Caller, after: int | None) -> AsyncIterator[bytes]:
    listener = Listener()
    api.hub.listeners.add(listener)  # before what was missed is read, so that nothing falls between
    api.metrics.listening.inc()
    try:
        yield b"retry: 2000\n\n"
        seen = after or 0
        if after is not None:
            for row in await api.run(_since, api, after):
                seen = row.seq
                told = await _told(api, caller, row)
                if told:
                    yield told
        while not listener.lagged:  # a listener that is cut off comes back with its last id
            try:
                row_or_end = await asyncio.wait_for(listener.rows.get(), _BEAT)
            except TimeoutError:
                if not await api.run(_is_good, api, caller):
                    return
                yield b": here\n\n"
                continue
            if row_or_end is None:
                return
            if row_or_end.seq > seen:
                told = await _told(api, caller, row_or_end)
                if told:
                    yield told
    finally:
        api.hub.listeners.discard(listener)
        api.metrics.listening.dec()


def _since(api: Api, after: int) -> list[Row]:
    with api.service.ledger.looking() as view:
        return list(view.database.entries(sql.AFTER, (after, _MOST_BACK)))


def _is_good(api: Api, caller: Caller) -> bool:
    """A token that was revoked meanwhile hears no more."""
    with api.service.ledger.looking() as view:
        row = view.find(caller.token.id, "token")
        return row is not None and b'"says":"created"' in row.body and not caller.token.is_over(view.at)


async def _told(api: Api, caller: Caller, row: Row) -> bytes:
    event = event_of(row)
    if event is None or (caller.is_agent and not await api.run(api.service.is_owned, row.session, caller)):
        return b""
    return f"id: {row.seq}\nevent: {row.kind}\ndata: {json.dumps(event)}\n\n".encode()


def _after(request: Request) -> int | None:
    text = request.headers.get("last-event-id") or request.query_params.get("after")
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise RefusedError("bad_request", "`after` must be the number of a row")
    return int(text)
