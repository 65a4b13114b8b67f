"""Somebody who receives webhooks, on a real socket: keeps what came, and answers as it is told to."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

__all__ = ["Receiver", "Took"]


class Took:
    """One delivery."""

    def __init__(self, signature: str, body: bytes, path: str) -> None:
        self.signature = signature
        self.body = body
        self.path = path
        self.at = time.monotonic()

    @property
    def event(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.body)
        return told


class Receiver:
    """`answers` are the next statuses, each with headers; then 204 for ever. `slow`: seconds before each answer."""

    def __init__(self, port: int = 0, *, slow: float = 0.0, big: bool = False) -> None:
        self.took: list[Took] = []
        self.answers: list[tuple[int, dict[str, str]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.took.append(Took(self.headers["interlock-signature"], body, self.path))
                status, headers = outer.answers.pop(0) if outer.answers else (200, {})
                time.sleep(slow)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if big:  # an answer without an end
                    self.close_connection = True
                    self.end_headers()
                    try:
                        while True:
                            self.wfile.write(b"x" * 65536)
                    except OSError:
                        return
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_arguments: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *_arguments: object) -> None:
                pass

        self.server = Server(("127.0.0.1", port), Handler)
        self.port: int = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def until(self, count: int, seconds: float = 15.0) -> list[Took]:
        """What came, once it is so much."""
        end = time.monotonic() + seconds
        while len(self.took) < count:
            assert time.monotonic() < end, f"{len(self.took)} of {count} came: {[one.event for one in self.took]}"
            time.sleep(0.01)
        return self.took

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()
