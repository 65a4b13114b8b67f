"""Receivers of telemetry on real sockets: a collector that decodes OTLP, and syslog by UDP, TCP and a Unix socket."""

from __future__ import annotations

import gzip
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

__all__ = ["Collected", "Datagrams", "Lines", "attributes", "collector", "parsed", "until"]

_MESSAGES: dict[str, Any] = {
    "/v1/traces": ExportTraceServiceRequest,
    "/v1/logs": ExportLogsServiceRequest,
    "/v1/metrics": ExportMetricsServiceRequest,
}


def until(found: Callable[[], Any], seconds: float = 15.0) -> Any:
    """What `found` gives, once it gives something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        got = found()
        if got:
            return got
        time.sleep(0.02)
    raise AssertionError("it never came")


def attributes(found: Any) -> dict[str, Any]:
    return {pair.key: _plain(pair.value) for pair in found}


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("value")
    return [_plain(one) for one in value.array_value.values] if kind == "array_value" else getattr(value, kind)


class Collected:
    """What a collector has got. `codes` says what it answers, by path; `hangs`: it never does."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}
        self.refuses: Callable[[str, Any], bool] = lambda _path, _message: False
        self.hangs = threading.Event()
        self.given_up = threading.Event()
        self.requests: list[tuple[str, Any]] = []
        self.tried = 0
        self.raw = b""
        self.headers: list[Mapping[str, str]] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def of(self, path: str) -> list[Any]:
        return [message for where, message in self.requests if where == path]

    @property
    def spans(self) -> list[Any]:
        return [
            span
            for message in self.of("/v1/traces")
            for resource in message.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def logs(self) -> list[Any]:
        return [
            record
            for message in self.of("/v1/logs")
            for resource in message.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]

    @property
    def metrics(self) -> dict[str, Any]:
        """The newest of each name."""
        return {
            metric.name: metric
            for message in self.of("/v1/metrics")
            for resource in message.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


@contextmanager
def collector(port: int = 0, known: Collected | None = None) -> Iterator[Collected]:
    """`known`: it was there before, and comes back."""
    got = known or Collected()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_POST(self) -> None:
            raw = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
            got.tried += 1
            if got.hangs.is_set():
                got.given_up.wait(30)
                return
            message = _MESSAGES[self.path]()
            message.ParseFromString(raw)
            code = 400 if got.refuses(self.path, message) else got.codes.get(self.path, 200)
            if code == 200:
                got.raw += raw
                got.headers.append(dict(self.headers.items()))
                got.requests.append((self.path, message))
            self.send_response(code)
            self.send_header("Content-Length", "0")
            self.end_headers()

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

    server = Server(("127.0.0.1", port), Handler)
    got.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield got
    finally:
        got.given_up.set()
        server.shutdown()
        server.server_close()
        thread.join()


class Datagrams:
    """Syslog by datagrams: `Datagrams()` by UDP, `Datagrams(path)` at a Unix socket."""

    def __init__(self, path: Path | None = None, port: int = 0) -> None:
        self.plug = socket.socket(socket.AF_UNIX if path else socket.AF_INET, socket.SOCK_DGRAM)
        self.plug.bind(str(path) if path else ("127.0.0.1", port))
        self.plug.settimeout(0.05)
        self.got: list[bytes] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    @property
    def port(self) -> int:
        port: int = self.plug.getsockname()[1]
        return port

    def _read(self) -> None:
        while not self._ended.is_set():
            try:
                self.got.append(self.plug.recv(65536))
            except TimeoutError:
                continue

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        self.plug.close()

    def __enter__(self) -> Datagrams:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Lines(Datagrams):
    """Syslog by TCP with counted octets."""

    def __init__(self, port: int = 0) -> None:
        self.plug = socket.create_server(("127.0.0.1", port))
        self.plug.settimeout(0.05)
        self.got = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        while not self._ended.is_set():
            try:
                connection, _ = self.plug.accept()
            except TimeoutError:
                continue
            with connection:
                raw = b""
                while chunk := connection.recv(65536):
                    raw += chunk
            while raw:
                length, _, rest = raw.partition(b" ")
                self.got.append(rest[: int(length)])
                raw = rest[int(length) :]


_SYSLOG = re.compile(
    r"<(?P<pri>\d+)>1 (?P<at>\S+) (?P<host>\S+) (?P<app>\S+) (?P<pid>\S+) (?P<kind>\S+) "
    r'(?:-|\[interlock@32473(?P<data>(?: [^=\s]+="(?:[^"\\\]]|\\.)*")*)\]) (?P<text>.*)',
    re.DOTALL,
)


def parsed(line: bytes) -> dict[str, Any]:
    """A message of RFC 5424. Fails where it is none."""
    found = _SYSLOG.fullmatch(line.decode())
    assert found is not None, line
    pairs = re.findall(r' ([^=\s]+)="((?:[^"\\\]]|\\.)*)"', found["data"] or "")
    data = {name: re.sub(r"\\(.)", r"\1", value) for name, value in pairs}
    return {**found.groupdict(), "pri": int(found["pri"]), "data": data}
