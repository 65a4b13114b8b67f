"""The way to the model: what is sent on, what comes back, and how it was packed.

Headers and bodies go both ways as they are, but for what belongs to one connection, and for our own headers, which
nobody else may set. INVARIANT: keys are passed on, and never kept or written down.
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Iterable
from typing import Any
from urllib.parse import urlsplit

import httpx

from ..model.errors import InputError
from ..serve.settings import is_loopback
from .rewrite.pieces import FaultError

__all__ = ["MAX_ANSWER_BYTES", "Ahead", "Headers", "Upstream", "read_whole", "sound_address", "unpacked"]

MAX_ANSWER_BYTES = 64 * 1024 * 1024  # an answer that comes at once
_AHEAD_BYTES = 16 * 1024 * 1024  # of an answer that are read while a call is held
_STREAMS = 16  # of one client: each of them costs more, the more there are
_CLIENTS = 256
_LIMITS = httpx.Limits(max_connections=_STREAMS, max_keepalive_connections=_STREAMS)
_TIMES = httpx.Timeout(600.0, connect=15.0, pool=30.0)
# What belongs to one connection, and not to the message.
_HOP = frozenset(
    (
        *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te"),
        *(b"trailer", b"transfer-encoding", b"upgrade", b"host", b"content-length", b"expect"),
    )
)
_OURS = b"x-interlock-"
Headers = list[tuple[bytes, bytes]]


def sound_address(url: str, *, insecure: bool = False) -> str:
    """InputError where a model cannot be reached there, or keys would cross the network in the open."""
    found = urlsplit(url)
    if found.scheme not in ("http", "https") or not found.hostname:
        raise InputError(f"`{url[:200]}` is no address; give one such as https://api.anthropic.com")
    if found.query or found.fragment or found.username:
        raise InputError("the address of the model has a query, a fragment or a password; give it without")
    if found.scheme == "http" and not is_loopback(found.hostname) and not insecure:
        raise InputError(
            f"{found.hostname} is another machine, and keys would cross the network in the open; use https"
        )
    return url.rstrip("/")


def _passed(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    listed = [(name.lower(), value) for name, value in headers]
    named = {part.strip().lower() for name, value in listed if name == b"connection" for part in value.split(b",")}
    return [
        (name, value) for name, value in listed if name not in _HOP and name not in named and not name.startswith(_OURS)
    ]


class _Client:
    """A client, and how many of its answers are under way."""

    def __init__(self, trusts: ssl.SSLContext) -> None:
        self.http = httpx.AsyncClient(limits=_LIMITS, timeout=_TIMES, follow_redirects=False, verify=trusts)
        self.busy = 0

    async def send(self, request: httpx.Request) -> httpx.Response:
        self.busy += 1
        try:
            answer = await self.http.send(request, stream=True)
        except BaseException:
            self.busy -= 1
            raise
        answer.stream = _Counted(answer.stream, self)
        return answer


class _Counted(httpx.AsyncByteStream):
    """What comes back, counted until it is closed."""

    def __init__(self, comes: Any, client: _Client) -> None:
        self._comes = comes
        self._client: _Client | None = client

    def __aiter__(self) -> AsyncIterator[bytes]:
        found: AsyncIterator[bytes] = self._comes.__aiter__()
        return found

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.busy -= 1
        await self._comes.aclose()


class Upstream:
    """A pool of connections looks at all of them for each request. So streams are shared out among clients: the first
    that is not full, which is where the connections are that can be used again.
    """

    def __init__(self, address: str) -> None:
        self.url = httpx.URL(address)
        self._trusts = httpx.create_ssl_context()  # which takes longer to make than all the rest
        self.clients: list[_Client] = []

    def _client(self) -> _Client:
        for client in self.clients:
            if client.busy < _STREAMS:
                return client
        if len(self.clients) == _CLIENTS:
            return min(self.clients, key=lambda client: client.busy)
        self.clients.append(_Client(self._trusts))
        return self.clients[-1]

    async def send(
        self, method: str, path: bytes, query: bytes, headers: Headers, body: bytes | None, *, read: bool
    ) -> httpx.Response:
        """The answer, of which only the head has come. `read`: it is looked into, so it must not be packed."""
        passed = _passed(headers)
        if read:
            passed = [pair for pair in passed if pair[0] not in (b"accept-encoding", b"content-encoding")]
            passed.append((b"accept-encoding", b"identity"))
        raw = self.url.raw_path.rstrip(b"/") + path + (b"?" + query if query else b"")
        url = self.url.copy_with(raw_path=raw)
        return await self._client().send(httpx.Request(method, url, headers=passed, content=body))

    def headers_of(self, answer: httpx.Response, *, changed: bool) -> Headers:
        """Those that go back. `changed`: its length and its packing are ours."""
        found = _passed(answer.headers.raw)
        if changed:
            return [pair for pair in found if pair[0] not in (b"content-encoding", b"content-md5", b"digest", b"etag")]
        length = [(b"content-length", value) for name, value in answer.headers.raw if name.lower() == b"content-length"]
        return [*found, *length[:1]]

    async def close(self) -> None:
        for client in self.clients:
            await client.http.aclose()


async def unpacked(answer: httpx.Response) -> AsyncIterator[bytes]:
    """The bytes of an answer. It was asked for unpacked; where it is packed all the same, it is unpacked bit by bit."""
    packed = answer.headers.get("content-encoding", "").strip().lower()
    if packed in ("", "identity"):
        async for chunk in answer.aiter_raw():
            yield chunk
        return
    if packed not in ("gzip", "x-gzip", "deflate"):
        raise FaultError("the answer is packed in a way that Interlock does not know")
    box = zlib.decompressobj(47)
    try:
        async for chunk in answer.aiter_raw():
            while chunk:
                yield box.decompress(chunk, 1 << 20)
                chunk = box.unconsumed_tail
            if box.unused_data:
                raise FaultError("the answer goes on after its end")
    except zlib.error:
        raise FaultError("the answer is not packed as it says") from None
    if not box.eof:
        raise FaultError("the answer is cut short")


async def read_whole(answer: httpx.Response) -> bytes:
    parts, size = [], 0
    async for chunk in unpacked(answer):
        size += len(chunk)
        if size > MAX_ANSWER_BYTES:
            raise FaultError("the answer is too large")
        parts.append(chunk)
    return b"".join(parts)


class Ahead:
    """Chunks of an answer. While a call is held, the rest is read on, so that the model's server does not give up."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._queue: asyncio.Queue[bytes | Exception | None] | None = None
        self._room = asyncio.Event()
        self._size = 0
        self._task: asyncio.Task[None] | None = None

    def read_on(self) -> None:
        if self._task is None:
            self._queue = asyncio.Queue()
            self._task = asyncio.create_task(self._read(self._queue))

    async def _read(self, queue: asyncio.Queue[bytes | Exception | None]) -> None:
        try:
            async for chunk in self._chunks:
                self._size += len(chunk)
                queue.put_nowait(chunk)
                while self._size > _AHEAD_BYTES:
                    self._room.clear()
                    await self._room.wait()
            queue.put_nowait(None)
        except Exception as error:
            queue.put_nowait(error)

    def __aiter__(self) -> Ahead:
        return self

    async def __anext__(self) -> bytes:
        if self._queue is None:
            return await self._chunks.__anext__()
        found = await self._queue.get()
        if found is None:
            raise StopAsyncIteration
        if isinstance(found, Exception):
            raise found
        self._size -= len(found)
        self._room.set()
        return found

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
