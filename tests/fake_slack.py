"""Slack on this machine: its Web API and its sockets, as far as Interlock and the real SDK use them, on one port.

It keeps messages as Slack would, tells what was asked of it, and does what a test wants of it: refuse, be slow, lose an
answer on the way, send an envelope twice, renew or drop a socket.
"""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import struct
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

__all__ = ["APP", "BOT", "CHANNEL", "FakeSlack", "texts_in"]

BOT, APP = "xoxb-of-the-test", "xapp-of-the-test"
CHANNEL, TEAM, SELF = "C0TEST", "T0TEST", "U0BOT"
_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_Api = Callable[[dict[str, Any]], dict[str, Any]]


def texts_in(found: Any) -> Iterator[str]:
    """Every text in blocks, as a person sees them."""
    if isinstance(found, Mapping):
        for name, value in found.items():
            if name == "text" and isinstance(value, str):
                yield value
            else:
                yield from texts_in(value)
    elif isinstance(found, list):
        for one in found:
            yield from texts_in(one)


class _Link:
    """One open socket of the SDK's."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.lock = threading.Lock()

    def send(self, data: bytes, kind: int = _TEXT) -> None:
        size = len(data)
        if size < 126:
            head = struct.pack(">BB", 0x80 | kind, size)
        elif size < 1 << 16:
            head = struct.pack(">BBH", 0x80 | kind, 126, size)
        else:
            head = struct.pack(">BBQ", 0x80 | kind, 127, size)
        with self.lock:
            self.connection.sendall(head + data)


class FakeSlack:
    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.messages: dict[str, dict[str, Any]] = {}
        self.whispers: list[dict[str, Any]] = []
        self.acknowledged: list[str] = []
        self.links: list[_Link] = []
        self.down = False
        self.slow = 0.0  # seconds before each answer
        self._faults: list[tuple[str, int, dict[str, str], dict[str, Any], bool]] = []
        self._last = time.time()
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def do_GET(self) -> None:
                if self.headers.get("upgrade", "").lower() == "websocket":
                    outer._socket(self)
                else:
                    self._answered(dict(parse_qsl(urlsplit(self.path).query)))

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
                is_json = "json" in self.headers.get("content-type", "")
                self._answered(json.loads(raw or b"{}") if is_json else dict(parse_qsl(raw.decode())))

            def _answered(self, fields: dict[str, Any]) -> None:
                time.sleep(outer.slow)
                if outer.down:
                    self.close_connection = True
                    return
                method = urlsplit(self.path).path.rpartition("/")[2]
                token = self.headers.get("authorization", "").removeprefix("Bearer ")
                status, headers, told = outer._asked(method, fields, token)
                if status == 0:  # done, and the answer is lost
                    self.close_connection = True
                    return
                raw = json.dumps(told).encode()
                self.send_response(status)
                for name, value in {
                    "content-type": "application/json",
                    "content-length": str(len(raw)),
                    **headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_arguments: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *_arguments: object) -> None:
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port: int = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/api/"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.drop()
        self.server.shutdown()
        self.server.server_close()

    # --- the Web API -----------------------------------------------------------------------------------------------

    def fails(self, method: str, error: str, *, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """The next call of it."""
        self._faults.append((method, status, dict(headers or {}), {"ok": False, "error": error}, False))

    def loses(self, method: str) -> None:
        """The next call of it is done, and nobody is told."""
        self._faults.append((method, 0, {}, {}, True))

    def _asked(self, method: str, fields: dict[str, Any], token: str) -> tuple[int, dict[str, str], dict[str, Any]]:
        with self._lock:
            self.calls.append((method, fields))
            fault = next((fault for fault in self._faults if fault[0] == method), None)
            if fault is not None:
                self._faults.remove(fault)
                if fault[4]:
                    self._done(method, fields, token)
                return fault[1], fault[2], fault[3]
            return 200, {}, self._done(method, fields, token)

    def _done(self, method: str, fields: dict[str, Any], token: str) -> dict[str, Any]:
        if token != (APP if method == "apps.connections.open" else BOT):
            return {"ok": False, "error": "invalid_auth"}
        api: dict[str, _Api] = {
            "auth.test": lambda _: {"ok": True, "user_id": SELF, "team_id": TEAM, "bot_id": "B0BOT"},
            "apps.connections.open": lambda _: {"ok": True, "url": f"ws://127.0.0.1:{self.port}/link"},
            "chat.postMessage": self._posted,
            "chat.update": self._updated,
            "chat.postEphemeral": self._whispered,
            "conversations.replies": lambda asked: self._list(asked, thread=asked["ts"]),
            "conversations.history": lambda asked: self._list(asked, thread=""),
        }
        return api[method](fields) if method in api else {"ok": False, "error": "unknown_method"}

    def _posted(self, fields: dict[str, Any]) -> dict[str, Any]:
        if fields["channel"] != CHANNEL:
            return {"ok": False, "error": "channel_not_found"}
        self._last = max(self._last + 0.000001, time.time())
        ts = f"{self._last:.6f}"
        self.messages[ts] = {**fields, "ts": ts, "user": SELF}
        return {"ok": True, "channel": CHANNEL, "ts": ts}

    def _updated(self, fields: dict[str, Any]) -> dict[str, Any]:
        if fields["ts"] not in self.messages:
            return {"ok": False, "error": "message_not_found"}
        self.messages[fields["ts"]] |= {"text": fields["text"], "blocks": fields["blocks"], "edited": True}
        return {"ok": True, "ts": fields["ts"]}

    def _whispered(self, fields: dict[str, Any]) -> dict[str, Any]:
        self.whispers.append(fields)
        return {"ok": True}

    def _list(self, fields: dict[str, Any], *, thread: str) -> dict[str, Any]:
        found = [
            message
            for message in self.messages.values()
            if (message.get("thread_ts") or "") == thread and float(message["ts"]) >= float(fields["oldest"])
        ]
        return {"ok": True, "messages": found}

    # --- what people and tests look at -----------------------------------------------------------------------------

    def until(self, found: Callable[[], Any], seconds: float = 15.0) -> Any:
        end = time.monotonic() + seconds
        while not (got := found()):
            assert time.monotonic() < end, (
                f"did not come: {json.dumps([*self.messages.values()], indent=1)} {self.whispers}"
            )
            time.sleep(0.01)
        return got

    def posted(self, id: str) -> list[dict[str, Any]]:
        """The messages about this approval."""
        return [
            message
            for message in list(self.messages.values())
            if message.get("metadata", {}).get("event_payload", {}).get("key") == id
        ]

    def message(self, id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.until(lambda: self.posted(id))[0]
        return found

    def says(self, id: str, text: str) -> dict[str, Any]:
        """The message about it, once this text is in it."""
        return dict(self.until(lambda: next((m for m in self.posted(id) if text in self.text(m)), None)))

    @staticmethod
    def text(message: Mapping[str, Any]) -> str:
        return "".join([message["text"], "\n", *texts_in(message["blocks"])])

    @staticmethod
    def buttons(message: Mapping[str, Any]) -> dict[str, str]:
        """Action -> value."""
        rows = [block["elements"] for block in message["blocks"] if block["type"] == "actions"]
        return {button["action_id"]: button["value"] for row in rows for button in row}

    def asked(self, method: str) -> list[dict[str, Any]]:
        return [fields for name, fields in list(self.calls) if name == method]

    def whisper(self, text: str) -> dict[str, Any]:
        return dict(self.until(lambda: next((one for one in self.whispers if text in one["text"]), None)))

    # --- the sockets -----------------------------------------------------------------------------------------------

    def _socket(self, handler: BaseHTTPRequestHandler) -> None:
        key = handler.headers["sec-websocket-key"].encode()
        accept = base64.b64encode(hashlib.sha1(key + _MAGIC).digest()).decode()
        answer = ("HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade")
        handler.connection.sendall("\r\n".join([*answer, f"Sec-WebSocket-Accept: {accept}", "", ""]).encode())
        link = _Link(handler.connection)
        link.send(json.dumps({"type": "hello", "num_connections": len(self.links) + 1}).encode())
        self.links.append(link)
        try:
            while (frame := _frame(handler)) is not None:
                kind, data = frame
                if kind == _CLOSE:
                    break
                if kind == _PING:
                    link.send(data, _PONG)
                if kind == _TEXT:
                    self.acknowledged.append(json.loads(data)["envelope_id"])
        except OSError:
            pass
        finally:
            self.links.remove(link)
            handler.close_connection = True

    def send(self, told: Mapping[str, Any], *, to: int | None = None) -> None:
        """On every open socket, or on one of them."""
        links = self.until(lambda: list(self.links))
        for link in links if to is None else [links[to]]:
            link.send(json.dumps(told).encode())

    def envelope(self, kind: str, payload: Mapping[str, Any], *, id: str = "", to: int | None = -1) -> str:
        id = id or str(uuid.uuid4())
        self.send({"envelope_id": id, "type": kind, "payload": payload, "accepts_response_payload": False}, to=to)
        return id

    def click(self, message: Mapping[str, Any], action: str, user: str = "U0ANN", **more: Any) -> dict[str, Any]:
        """The payload of a click on a button of the message, sent."""
        payload = self.clicked(message, action, user, **more)
        self.envelope("interactive", payload)
        return payload

    def clicked(
        self, message: Mapping[str, Any], action: str, user: str = "U0ANN", *, value: str = "", team: str = TEAM
    ) -> dict[str, Any]:
        value = value or self.buttons(message).get(action, "")
        return {
            "type": "block_actions",
            "team": {"id": TEAM},
            "user": {"id": user, "team_id": team},
            "container": {
                "type": "message",
                "channel_id": message["channel"],
                "message_ts": message["ts"],
                "thread_ts": message.get("thread_ts"),
            },
            "channel": {"id": message["channel"]},
            "actions": [{"type": "button", "action_id": action, "value": value, "action_ts": str(time.time())}],
        }

    def say(
        self, text: str, thread: str, user: str = "U0ANN", *, later: float = 60.0, to: int | None = -1, **more: Any
    ) -> dict[str, Any]:
        """A person writes into the thread, `later` seconds from now by Slack's clock; the payload."""
        event = {
            "type": "message",
            "user": user,
            "text": text,
            "channel": CHANNEL,
            "ts": f"{time.time() + later:.6f}",
            "thread_ts": thread,
            "team": TEAM,
            **more,
        }
        payload = {"type": "event_callback", "team_id": TEAM, "event_id": f"Ev{uuid.uuid4().hex}", "event": event}
        self.envelope("events_api", payload, to=to)
        return payload

    def renew(self) -> None:
        """Slack asks for a new socket, and closes the old one a little later."""
        self.send({"type": "disconnect", "reason": "refresh_requested"}, to=-1)

    def drop(self) -> None:
        for link in list(self.links):
            try:
                link.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def _frame(handler: BaseHTTPRequestHandler) -> tuple[int, bytes] | None:
    head = handler.rfile.read(2)
    if len(head) < 2:
        return None
    kind, size = head[0] & 0x0F, head[1] & 0x7F
    if size == 126:
        (size,) = struct.unpack(">H", handler.rfile.read(2))
    elif size == 127:
        (size,) = struct.unpack(">Q", handler.rfile.read(8))
    mask = handler.rfile.read(4) if head[1] & 0x80 else bytes(4)
    data = handler.rfile.read(size)
    return kind, bytes(char ^ mask[at % 4] for at, char in enumerate(data))
