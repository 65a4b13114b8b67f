"""OTLP over HTTP, the wire: one message to a collector, bounded in time and size, no redirect followed.

StoreError      it did not arrive; the same message is sent again
RejectedError   the collector will never take it; sending it again would keep everything behind it from arriving
NotThereError   it has no place for this signal: no pipeline for logs, say
"""

from __future__ import annotations

import gzip
import http.client
import ssl
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

from .. import __version__
from ..limits import TELEMETRY_SECONDS
from ..model.errors import InputError, StoreError
from ..store.home.files import read_file

__all__ = ["Collector", "NotThereError", "RejectedError", "headers_in"]

_MOST_ANSWERED = 64 * 1024  # bytes
_NEVER = (400, 413, 415, 422)  # what a collector answers to a message that it cannot take
_NOT_THERE = (404, 405, 501)
_MAX_HEADERS = 16 * 1024


class RejectedError(StoreError):
    """The receiver has read it, and does not want it."""


class NotThereError(StoreError):
    """The receiver is there, and knows nothing of this signal."""


def headers_in(path: str) -> dict[str, str]:
    """The headers in a file, one a line. InputError names the line, and shows nothing of it: it may be a key."""
    raw = read_file(path, limit=_MAX_HEADERS)
    if raw is None:
        raise InputError(f"{path} is not there")
    found = {}
    for number, line in enumerate(raw.decode("utf-8", "replace").splitlines(), 1):
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not line.strip():
            continue
        if not colon or not value.isascii() or not value.isprintable() or not name.replace("-", "").isalnum():
            raise InputError(f"{path}:{number}: a header is `name: value`")
        found[name.lower()] = value
    return found


class Collector:
    """`headers` is a file that is read for each message, so that a new key counts at once."""

    def __init__(self, address: str, headers: str = "") -> None:
        self.parts = urlsplit(address.rstrip("/"))
        self.address = address
        self.headers = headers

    def post(self, signal: str, raw: bytes) -> bytes:
        """`signal` is traces, metrics or logs. What the collector says of it."""
        given: Mapping[str, str] = headers_in(self.headers) if self.headers else {}
        headers = {
            "content-type": "application/x-protobuf",
            "content-encoding": "gzip",
            "user-agent": f"interlock/{__version__}",
            **given,
        }
        end = time.monotonic() + TELEMETRY_SECONDS
        connection = self._connection()
        try:
            connection.request("POST", f"{self.parts.path}/v1/{signal}", gzip.compress(raw, 1), headers)
            answer = connection.getresponse()
            said = _read(answer, end)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise StoreError(f"`{self.address}` could not be reached: {error or type(error).__name__}") from None
        finally:
            connection.close()
        if answer.status in _NOT_THERE:
            raise NotThereError(f"`{self.address}` answered {answer.status} {answer.reason} to {signal}")
        if answer.status in _NEVER:
            raise RejectedError(f"`{self.address}` answered {answer.status} {answer.reason} to {signal}")
        if not 200 <= answer.status < 300:
            raise StoreError(f"`{self.address}` answered {answer.status} {answer.reason} to {signal}")
        return said

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self.parts.hostname or "", self.parts.port
        if self.parts.scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=TELEMETRY_SECONDS, context=context)
        return http.client.HTTPConnection(host, port, timeout=TELEMETRY_SECONDS)


def _read(answer: http.client.HTTPResponse, end: float) -> bytes:
    chunks, size = [], 0
    while chunk := answer.read1(8192):
        size += len(chunk)
        if size > _MOST_ANSWERED or time.monotonic() > end:
            raise ValueError("its answer does not end")
        chunks.append(chunk)
    return b"".join(chunks)
