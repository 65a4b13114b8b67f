"""What every request is held to before anything else looks at it, as ASGI around the app.

A name that is not ours in `Host` (a page elsewhere that points its own name at this machine), a foreign origin, a body
that is too large or comes too slowly: refused here, once for all routes. Every answer leaves with headers that keep a
browser from framing it, guessing its type, sending its address on or running anything that we did not write.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from .budgets import FLOW, Budgets
from .errors import RefusedError
from .settings import Settings, is_loopback

__all__ = ["HEADERS", "Guard", "look_at", "names_of", "problem", "read_body", "refuse"]

_Scope = MutableMapping[str, Any]
_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Scope, _Receive, _Send], Awaitable[None]]

# Headers of which two would be read in two ways.
_ONCE = (
    *(b"host", b"content-length", b"transfer-encoding", b"authorization", b"origin", b"content-type"),
    *(b"idempotency-key", b"last-event-id", b"sec-fetch-site", b"sec-fetch-mode"),
)
_TOKEN_IN_ADDRESS = re.compile(rb"ilt(_|%5f)[0-9a-f]{4}|[?&](access_|id_|bearer_)?token(=|&|$)", re.IGNORECASE)
_SLOWEST = 10.0  # seconds that a whole body may take
_SAFE = ("GET", "HEAD", "OPTIONS")
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
_HSTS = (b"strict-transport-security", b"max-age=31536000")


def problem(error: RefusedError) -> tuple[int, bytes, list[tuple[bytes, bytes]]]:
    raw = json.dumps({"error": {"code": error.code, "message": error.text}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(raw)).encode())]
    return error.status, raw, headers + [(name.encode(), value.encode()) for name, value in error.headers.items()]


class Guard:
    def __init__(
        self, app: _App, settings: Settings, budgets: Budgets, counted: Callable[[str], None] = lambda _code: None
    ) -> None:
        self.app = app
        self.budgets = budgets
        self.limit = settings.body
        self.counted = counted
        self.names = names_of(settings)
        self.extra = [*_HEADERS, _HSTS] if settings.secure else _HEADERS

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # a websocket is closed by not being accepted

        async def with_headers(message: _Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *[pair for pair in self.extra if pair[0] not in given]]
            await send(message)

        flow = ""
        try:
            look_at(scope, self.names, self.limit)
            flow = self.budgets.flow_of(scope)
            self.budgets.arrived(scope, flow)
            self.budgets.begins(flow)
        except RefusedError as error:
            await self._refused(error, flow, with_headers)
            return
        try:
            FLOW.set(flow)
            try:
                came = None if _says_length(scope) else lambda size: self.budgets.came(flow, size)
                safe = scope["method"] in _SAFE
                scope["body"] = b"" if safe else await read_body(receive, self.limit, _SLOWEST, came)
            except RefusedError as error:
                await self._refused(error, flow, with_headers)
                return
            await self.app(scope, receive, with_headers)
        finally:
            self.budgets.ends(flow)

    async def _refused(self, error: RefusedError, flow: str, send: _Send) -> None:
        self.counted(error.code)
        if error.code == "rate_limited":
            await self.budgets.put_off(flow)
        await refuse(error, send)


def look_at(scope: _Scope, names: frozenset[str], limit: int) -> None:
    """RefusedError where a request could be read in two ways, or was not meant for us."""
    headers: dict[bytes, list[bytes]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name, []).append(value)
    for name in _ONCE:
        if len(headers.get(name, ())) > 1:
            raise RefusedError("bad_request", f"the header {name.decode()} is there more than once")
    if b"content-length" in headers and b"transfer-encoding" in headers:
        raise RefusedError("bad_request", "a request has a length or a transfer encoding, not both")
    host = (headers.get(b"host") or [b""])[0].decode("latin-1").lower()
    if host not in names:
        raise RefusedError(
            "misdirected", "this service does not answer to that name; give it the `url` under which it is reached"
        )
    path = scope.get("raw_path") or scope["path"].encode()
    if b".." in path or b"\\" in path or b"%2e" in path.lower() or b"%2f" in path.lower() or b"//" in path:
        raise RefusedError("not_found", "there is nothing here")
    # An address is written down by every machine on the way.
    if _TOKEN_IN_ADDRESS.search(path) or _TOKEN_IN_ADDRESS.search(b"?" + scope.get("query_string", b"")):
        raise RefusedError(
            "bad_request",
            "a token does not belong into an address: send it as `Authorization: Bearer …`, and revoke this one",
        )
    # A browser says where a request comes from; a program says nothing, and has a token of its own.
    site = (headers.get(b"sec-fetch-site") or [b""])[0]
    if site not in (b"", b"same-origin", b"none") and not _is_visit(scope, headers):
        raise RefusedError("forbidden", "requests from other sites are not taken")
    if site == b"none" and scope["method"] not in _SAFE:
        raise RefusedError("forbidden", "requests from other sites are not taken")
    origin = headers.get(b"origin")
    if origin is not None:
        named = urlsplit(origin[0].decode("latin-1").lower())
        if named.netloc not in names or named.scheme not in ("http", "https"):
            raise RefusedError("forbidden", "requests from other sites are not taken")
    length = (headers.get(b"content-length") or [b"0"])[0]
    if not length.isdigit():
        raise RefusedError("bad_request", "content-length is not a number")
    if int(length) > limit:
        raise RefusedError("too_large", f"a request has at most {limit} bytes")


def _says_length(scope: _Scope) -> bool:
    return any(name == b"content-length" for name, _ in scope["headers"])


async def read_body(receive: _Receive, limit: int, seconds: float, came: Callable[[int], None] | None = None) -> bytes:
    """`came` is told the size of each part, where nobody said how long all of it is."""
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise RefusedError("bad_request", "the request ended before its body did")
                part = message.get("body", b"")
                size += len(part)
                if size > limit:
                    raise RefusedError("too_large", f"a request has at most {limit} bytes")
                if came is not None:
                    came(len(part))
                parts.append(part)
                if not message.get("more_body"):
                    return b"".join(parts)
    except TimeoutError:
        raise RefusedError("bad_request", f"the body did not arrive within {seconds:g} seconds") from None


def _is_visit(scope: _Scope, headers: dict[bytes, list[bytes]]) -> bool:
    """Somebody follows a link to the page: it shows itself, and the cookie stays away by its own rule."""
    mode = (headers.get(b"sec-fetch-mode") or [b""])[0]
    return scope["method"] == "GET" and mode == b"navigate" and not scope["path"].startswith("/v1/")


def names_of(settings: Settings) -> frozenset[str]:
    """The names under which it is reached, with the port as browsers send it."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    hosts = {host, *(("localhost", "127.0.0.1", "[::1]") if is_loopback(settings.host) else ())}
    names = {f"{name}:{settings.port}" for name in hosts}
    if settings.port == (443 if settings.cert else 80):  # which nobody writes down
        names |= hosts
    if settings.url:
        named = urlsplit(settings.url.lower())
        host = named.netloc.rpartition("@")[2]
        names.add(host)
        usual = 443 if named.scheme == "https" else 80
        if named.port is None:
            names.add(f"{host}:{usual}")
        elif named.port == usual:
            names.add(host.rpartition(":")[0])
    return frozenset(name.lower() for name in names if name)


async def refuse(error: RefusedError, send: _Send) -> None:
    status, raw, headers = problem(error)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": raw})
