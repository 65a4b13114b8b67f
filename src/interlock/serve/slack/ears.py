"""The socket on which clicks and texts come in (Slack's Socket Mode): each is taken once, and acknowledged.

Slack sends again what was not acknowledged in time, on any socket that is open; while it renews one, there are two. An
answer is acknowledged when it is kept, or after the time that Slack waits. A socket that breaks is opened again by the
SDK; here it is only opened first, and watched.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTimeError
from socket import SHUT_RDWR
from typing import Any
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry, Gauge
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from ..settings import is_loopback
from ..webhooks import backoff
from .web import Web, quiet

__all__ = ["Ears", "Once"]

_log = logging.getLogger("interlock.slack")
_PATIENCE = 2.5  # seconds; Slack waits for 3
_REMEMBERED = 10_000
_WATCH = 1.0  # seconds between two looks at the socket
_PING = 5.0
_CLOSES = 5.0  # seconds that closing may take

# kind of what came, and its payload -> the work on it; None where there is none
_Take = Callable[[str, Mapping[str, Any]], "Future[None] | None"]


class Once:
    """Remembers what came, as far as that can come again."""

    def __init__(self, most: int = _REMEMBERED) -> None:
        self.most = most
        self._seen: OrderedDict[object, None] = OrderedDict()
        self._lock = threading.Lock()

    def forget(self, key: object) -> None:
        with self._lock:
            self._seen.pop(key, None)

    def is_new(self, key: object) -> bool:
        with self._lock:
            if key in self._seen:
                return False
            self._seen[key] = None
            if len(self._seen) > self.most:
                self._seen.popitem(last=False)
            return True


class _Socket(SocketModeClient):
    def issue_new_wss_url(self) -> str:
        url = str(super().issue_new_wss_url())
        # INVARIANT: what people answer does not cross a network in the open.
        parts = urlsplit(url)
        if parts.scheme != "wss" and not (parts.scheme == "ws" and is_loopback(parts.hostname or "")):
            raise ValueError("Slack names a socket without TLS")
        return url

    def disconnect(self) -> None:
        try:
            super().disconnect()
        except AttributeError:  # another thread of the SDK's has closed it between its look and its close
            pass

    def end(self) -> None:
        """Closes it at once: `close` alone waits for what may still come."""
        self.closed, self.auto_reconnect_enabled = True, False
        raw = getattr(self.current_session, "sock", None)
        if raw is not None:
            try:
                raw.shutdown(SHUT_RDWR)
            except OSError:
                pass
        self.close()


class Ears:
    def __init__(self, token: str, web: Web, take: _Take, registry: CollectorRegistry) -> None:
        self.token = token
        self.web = web
        self.take = take
        self.connected = Gauge("interlock_slack_connected", "Whether the socket to Slack is open", registry=registry)
        self.once = Once()
        self.socket: _Socket | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="interlock-slack-socket", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        closing = threading.Thread(target=self._close, daemon=True)  # it may wait for a server that does not answer
        closing.start()
        closing.join(_CLOSES)

    def _close(self) -> None:
        if self._thread is not None:
            self._thread.join()
        if self.socket is not None:
            self.socket.end()

    def _run(self) -> None:
        failures, was = 0, None
        while not self._stop.is_set():
            pause = _WATCH
            if self.socket is None:
                try:
                    self.socket = self._opened()
                    failures = 0
                except Exception as error:
                    failures += 1
                    pause = min(60.0, backoff(failures))
                    if failures == 1:
                        _log.warning("the socket to Slack cannot be opened (%s); it is tried again", _why(error))
            up = self.socket is not None and self.socket.is_connected()
            if was is not None and was != up and self.socket is not None:
                _log.warning("the socket to Slack is %s", "open again" if up else "closed; it is opened again")
            if self.socket is not None:
                was = up
            self.connected.set(int(up))
            self._stop.wait(pause)

    def _opened(self) -> _Socket:
        socket = _Socket(app_token=self.token, web_client=self.web.client, logger=quiet, ping_interval=_PING)
        socket.socket_mode_request_listeners.append(self._heard)
        try:
            socket.connect()
        except BaseException:
            socket.close()
            raise
        return socket

    def _heard(self, client: BaseSocketModeClient, request: SocketModeRequest) -> None:
        """Called by the SDK in a thread of its own."""
        payload = request.payload if isinstance(request.payload, dict) else {}
        # INVARIANT: what was not taken is not acknowledged. Slack sends it again, to whoever listens then.
        if self._stop.is_set():
            return
        try:
            if self.once.is_new(request.envelope_id):
                work = self.take(str(request.type), payload)
                if work is not None:
                    work.result(_PATIENCE)
        except NotInTimeError:
            pass  # it goes on; that Slack sends it again changes nothing
        except Exception:
            _log.exception("what came from Slack could not be taken")
            self.once.forget(request.envelope_id)
            return
        client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))


def _why(error: Exception) -> str:
    response: Any = getattr(error, "response", None) or {}
    code = response.get("error") if hasattr(response, "get") else None
    return code if isinstance(code, str) and code.isascii() and len(code) < 100 else type(error).__name__
