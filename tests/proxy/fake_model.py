"""A model's server on the loopback that answers as a test says: in which pieces, how slowly, cut off where."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Asked", "FakeModel", "Reply", "fake_model"]


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.raw)
        return found


@dataclass(frozen=True)
class Reply:
    """
    chunks  bytes, written one by one
    pause   seconds between them
    cut     the connection breaks after them
    """

    chunks: Sequence[bytes]
    kind: str = "text/event-stream"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pause: float = 0.0
    cut: bool = False

    @classmethod
    def json(cls, body: Any, **more: Any) -> Reply:
        return cls(chunks=[json.dumps(body).encode()], kind="application/json", **more)


class FakeModel:
    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[Asked] = []
        self.answers: Callable[[Asked], Reply] = lambda _asked: Reply.json({})
        self.gone = threading.Event()  # a client left before the end

    def says(self, *replies: Reply) -> None:
        """One after the other; the last one again and again."""
        left = list(replies)
        lock = threading.Lock()

        def answer(_asked: Asked) -> Reply:
            with lock:
                return left.pop(0) if len(left) > 1 else left[0]

        self.answers = answer


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, *_: object) -> None:
        """A client that went away is no news."""


@contextmanager
def fake_model() -> Iterator[FakeModel]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: object) -> None:
            pass

        def _answer(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            asked = Asked(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, raw)
            model.asked.append(asked)
            reply = model.answers(asked)
            self.send_response(reply.status)
            self.send_header("content-type", reply.kind)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            if self.command == "HEAD":
                return
            try:
                for chunk in reply.chunks:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                    self.wfile.flush()
                    time.sleep(reply.pause)
                if reply.cut:
                    self.close_connection = True
                    self.connection.close()
                    return
                self.wfile.write(b"0\r\n\r\n")
            except OSError:
                model.gone.set()
                self.close_connection = True

        do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = _answer

    server = _Server(("127.0.0.1", 0), Handler)
    model = FakeModel(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
