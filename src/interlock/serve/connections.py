"""A connection before there is a request: how long a client may take to send one, and how large its head may be.

uvicorn waits for a head as long as it takes and keeps all of it. Here a connection that sends nothing, sends by drops,
or does not read what it is sent is closed; a head has a size; a request names a path on this machine and nothing else.
What cannot be read as HTTP is answered in the shape of every other error, with the same headers.

There is an end to connections, and whoever opens all of them keeps nobody out: a new one takes the place of the one
that has been without a whole request for the longest time. How many requests a token may have under way is bounded
elsewhere (`budgets.py`).
"""

from __future__ import annotations

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from .errors import RefusedError
from .guards import HEADERS, problem

__all__ = ["HEAD_BYTES", "HEAD_SECONDS", "MESSAGE_SECONDS", "MOST", "STALLED_SECONDS", "Connection"]

HEAD_SECONDS = 10.0  # from the first byte, or from the beginning of the connection, to the end of the head
MESSAGE_SECONDS = 30.0  # and from there to the end of the body, also of one that was refused
STALLED_SECONDS = 30.0  # for which a client may leave unread what it is sent
HEAD_BYTES = 32 * 1024
_MOST_HEADERS = 100
_MOST_QUEUED = 16  # requests that a client sends before the first of them is answered
MOST = 4096  # connections at a time
# of each server: its connections without a whole request, those that have been so for the longest time first
_IDLE: WeakKeyDictionary[Any, dict[Connection, None]] = WeakKeyDictionary()


class Connection(HttpToolsProtocol):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._in_head = True  # no whole head has come since the last request
        self._in_message = False
        self._size = 0  # of the head so far
        self._idle: dict[Connection, None] = _IDLE.setdefault(self.server_state, {})

    # --- time ------------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._idle[self] = None
        if len(self.connections) > MOST:
            next(iter(self._idle)).make_room()
        if not transport.is_closing():
            self._within(HEAD_SECONDS)

    def make_room(self) -> None:
        """Closes the connection, which counts no longer."""
        self._idle.pop(self, None)
        self.connections.discard(self)
        self._cut()

    def connection_lost(self, exc: Exception | None) -> None:
        self._idle.pop(self, None)
        self._within(None)
        self.resume_writing()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()  # which uvicorn leaves running where the connection was cut

    def _within(self, seconds: float | None) -> None:
        """Closes the connection unless it gets on within so many seconds; None: it did."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._cut)

    def _cut(self) -> None:
        if not self.transport.is_closing():
            self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(STALLED_SECONDS, self._cut)

    def resume_writing(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
        if self.flow is not None:
            super().resume_writing()

    # --- what is sent ----------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._deadline is None and not self._in_message and self._is_idle():
            self._within(HEAD_SECONDS)  # blank lines begin no message, and would keep the connection for ever
        super().data_received(data)
        if self._in_head and self._in_message and not self.transport.is_closing():
            self._size += len(data)
            if self._size > HEAD_BYTES:
                self.send_400_response("the head of the request is too large")

    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._in_message, self._size = True, True, 0
        if self._deadline is None:
            self._within(HEAD_SECONDS)

    def on_headers_complete(self) -> None:
        """An error here ends in a 400."""
        self._in_head = False
        size = len(self.url) + sum([len(name) + len(value) for name, value in self.headers])
        if size > HEAD_BYTES or len(self.headers) > _MOST_HEADERS or len(self.pipeline) >= _MOST_QUEUED:
            raise ValueError("too much at once")
        # INVARIANT: an address with a name of its own in it would stand beside the name that `Host` was checked for.
        if not self.url.startswith(b"/") or b"#" in self.url:
            raise ValueError("not a path")
        if self.parser.get_http_version() not in ("1.0", "1.1"):
            raise ValueError("another HTTP")
        if self._encodings() not in ([], [b"chunked"]):
            raise ValueError("an encoding that others may read in another way")
        self._within(MESSAGE_SECONDS)
        super().on_headers_complete()

    def _encodings(self) -> list[bytes]:
        return [value.strip().lower() for name, value in self.headers if name == b"transfer-encoding"]

    def on_message_complete(self) -> None:
        self._in_message = False
        if not self._is_idle():
            self._idle.pop(self, None)
        self._within(None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing() and self._is_idle():
            self._idle[self] = None

    # --- what it is told -------------------------------------------------------------------------------------------

    def _unsupported_upgrade_warning(self) -> None:
        """Answered as if it had not been asked for; the log is not for whoever sends requests."""
        if self.cycle is not None:
            self.cycle.keep_alive = False

    def send_400_response(self, msg: str) -> None:
        self._within(None)
        if self.transport.is_closing():
            return
        if not self._is_idle():
            if self.pipeline or self.cycle.response_started or not self.cycle.more_body:
                self.transport.abort()  # another request is being answered: no answer may stand in place of that one's
                return
            self.cycle.disconnected = True  # whoever waits for the rest of the body waits in vain
            self.cycle.message_event.set()
        _, raw, headers = problem(RefusedError("bad_request", msg))
        extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
        lines = [name + b": " + value + b"\r\n" for name, value in [*headers, *extra, (b"connection", b"close")]]
        self.transport.write(b"".join([STATUS_LINE[400], *lines, b"\r\n", raw]))
        self.transport.close()
