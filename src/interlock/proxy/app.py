"""One request through the proxy, as ASGI.

    guards -> which API -> the request, without the provider's own tools -> upstream -> the answer, judged

What is not a model's answer passes byte for byte, in both directions. A request that is refused as a whole is told so
in the shape of its API's own errors.
"""

from __future__ import annotations

import asyncio
import json
import logging
import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import httpx

from ..gate import Gate
from ..serve.errors import RefusedError
from ..serve.guards import look_at, names_of, read_body
from .again import Memory
from .answered import BROKE
from .apis import Endpoint, endpoint_of, error_body_of
from .exchange import Exchange
from .heard import Heard
from .outcomes import Released
from .rewrite.pieces import FaultError, written
from .settings import ProxySettings
from .upstream import Headers, Upstream

__all__ = ["Proxy", "Request"]

_log = logging.getLogger("interlock.proxy")
_Message = MutableMapping[str, Any]
_Send = Callable[[_Message], Awaitable[None]]
_Receive = Callable[[], Awaitable[_Message]]
_BODY_SECONDS = 120.0
_TOOLS = ("tools", "functions", "tool_choice", "toolConfig", "tool_config")


class Proxy:
    def __init__(self, settings: ProxySettings, gate: Gate) -> None:
        self.settings = settings
        self.gate = gate
        self.upstream = Upstream(settings.upstream)
        self.names = names_of(settings.listen)
        self.memory = Memory()
        self.released = Released()
        self.heard = Heard()

    async def __call__(self, scope: MutableMapping[str, Any], receive: _Receive, send: _Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if scope["type"] != "http":
            return  # a websocket is closed by not being accepted
        request = Request(self, scope, send)
        try:
            look_at(scope, self.names, self.settings.listen.body)
            request.body = await read_body(receive, self.settings.listen.body, _BODY_SECONDS)
        except RefusedError as error:
            await request.refuse(error.text, error.status)
            return
        work = asyncio.create_task(request.answer())
        gone = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            if not work.done():
                work.cancel()  # nobody is there any longer: nothing that waits is used
            try:
                await work
            except asyncio.CancelledError:
                pass

    async def _live(self, receive: _Receive, send: _Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.upstream.close()
                await asyncio.to_thread(self.gate.close)
                await send({"type": "lifespan.shutdown.complete"})
                return


async def _gone(receive: _Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Request:
    def __init__(self, proxy: Proxy, scope: MutableMapping[str, Any], send: _Send) -> None:
        self.proxy = proxy
        self.scope = scope
        self.send = send
        self.method: str = scope["method"]
        self.path: bytes = scope.get("raw_path") or scope["path"].encode()
        self.query: bytes = scope.get("query_string", b"")
        self.headers: Headers = list(scope["headers"])
        self.endpoint: Endpoint = endpoint_of(self.path.decode("latin-1"), self.query.decode("latin-1"))
        self.body = b""
        self.started = False

    # --- what leaves -----------------------------------------------------------------------------------------------

    async def start(self, status: int, headers: Headers) -> None:
        self.started = True
        await self.send({"type": "http.response.start", "status": status, "headers": headers})

    async def write(self, raw: bytes) -> None:
        await self.send({"type": "http.response.body", "body": raw, "more_body": True})

    async def end(self, raw: bytes = b"") -> None:
        await self.send({"type": "http.response.body", "body": raw})

    async def json(self, body: Any, status: int, headers: Headers | None = None) -> None:
        raw = written(body).encode()
        own = [(b"content-type", b"application/json"), (b"content-length", str(len(raw)).encode())]
        await self.start(status, [*own, *(headers or [])])
        await self.end(raw)

    async def refuse(self, text: str, status: int) -> None:
        """The whole request, in the words of its API."""
        head = [(b"x-interlock-decision", b"deny")]
        await self.json(error_body_of(self.endpoint.api, f"Interlock: {text}", status), status, head)

    # --- the way through -------------------------------------------------------------------------------------------

    async def answer(self) -> None:
        try:
            await self._answered()
        except asyncio.CancelledError:
            raise
        except FaultError as error:
            await self._broke(str(error))
        except RefusedError as error:
            await self.refuse(error.text, error.status)
        except httpx.HTTPError as error:
            await self._broke(f"the model could not be reached ({type(error).__name__})")
        except Exception as error:
            # INVARIANT: whatever breaks in here ends the answer.
            _log.error("a request failed", exc_info=error)
            await self._broke("the proxy failed")

    async def _broke(self, text: str) -> None:
        if self.started:
            raise ConnectionAbortedError(text)  # the server cuts the connection: no client takes that for an end
        await self.json(error_body_of(self.endpoint.api, BROKE.format(text), 502), 502)

    async def _answered(self) -> None:
        if self.header(b"upgrade"):
            raise RefusedError("forbidden", "WebSocket and other upgrades cannot be judged; use HTTP")
        if self.endpoint.refused:
            raise RefusedError("forbidden", self.endpoint.refused)
        if not self.endpoint.api:
            await self._passed()
        elif self.method in ("POST", "GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"):
            await Exchange(self).run()
        else:
            raise RefusedError("method_not_allowed", "this address does not take that method")

    def header(self, name: bytes) -> str:
        return next((value.decode("latin-1") for known, value in self.headers if known == name), "")

    async def _passed(self) -> None:
        """An address that gives no model's answers."""
        if self._offers_tools():
            raise RefusedError(
                "forbidden", "this address is not one that Interlock reads, and the request offers tools"
            )
        answer = await self.sent(self.body, read=False)
        try:
            await self.start(answer.status_code, self.proxy.upstream.headers_of(answer, changed=False))
            async for chunk in answer.aiter_raw():
                await self.write(chunk)
            await self.end()
        finally:
            await answer.aclose()

    def _offers_tools(self) -> bool:
        try:
            data = json.loads(self.unpacked()) if self.body else None
        except (ValueError, RecursionError, RefusedError):
            return False
        return isinstance(data, dict) and any(data.get(key) for key in _TOOLS)

    def unpacked(self) -> bytes:
        """The body of the request. RefusedError where it cannot be read."""
        packed = self.header(b"content-encoding").strip().lower()
        if packed in ("", "identity"):
            return self.body
        limit = self.proxy.settings.listen.body
        try:
            if packed not in ("gzip", "x-gzip", "deflate"):
                raise RefusedError(
                    "unsupported_media_type", "the request is packed in a way that Interlock does not know"
                )
            box = zlib.decompressobj(47)
            raw = box.decompress(self.body, limit + 1)
        except zlib.error:
            raise RefusedError("bad_request", "the request is not packed as it says") from None
        if len(raw) > limit or not box.eof or box.unused_data:
            raise RefusedError("bad_request", "the request is too large, or is not packed as it says")
        return raw

    async def sent(self, body: bytes, *, read: bool) -> httpx.Response:
        return await self.proxy.upstream.send(self.method, self.path, self.query, self.headers, body or None, read=read)
