"""A real HTTP server on loopback: what it gives is set by the test, what it was sent is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

__all__ = ["Web", "web_server"]


class Web:
    def __init__(self) -> None:
        self.gives: bytes = b""
        self.code = 200
        self.headers: dict[str, str] = {}
        self.taken: list[Any] = []
        self.url = ""


@contextmanager
def web_server() -> Iterator[Web]:
    web = Web()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def _answer(self, body: bytes) -> None:
            self.send_response(web.code)
            for name, value in {"Content-Length": str(len(body)), **web.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self._answer(web.gives)

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            if web.code == 200:
                web.taken.append(json.loads(raw))
            self._answer(b"")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    web.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
