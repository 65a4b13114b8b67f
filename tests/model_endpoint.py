"""Endpoints of models, on this machine and with real sockets: what they answer is up to the test."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Handler = Callable[[BaseHTTPRequestHandler], None]


class Endpoint:
    """What was asked, and where it can be asked."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.asked: list[Any] = []


@contextmanager
def endpoint(handle: Handler) -> Iterator[Endpoint]:
    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            self.given = json.loads(self.rfile.read(size))
            found.asked.append(self.given)
            try:
                handle(self)
            except OSError:
                pass  # the other side has gone

        def do_GET(self) -> None:
            found.asked.append(self.path)
            raw(b'{"choices": [{"message": {"content": "NONCONFORMANT: from elsewhere"}}]}')(self)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    found = Endpoint(f"http://127.0.0.1:{server.server_port}/v1/chat/completions")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def raw(body: bytes, status: int = 200, **headers: str) -> Handler:
    def handle(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)

    return handle


def hang(_: BaseHTTPRequestHandler) -> None:
    time.sleep(1.5)


def dribble(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.end_headers()
    for _ in range(30):
        request.wfile.write(b" ")
        request.wfile.flush()
        time.sleep(0.05)
