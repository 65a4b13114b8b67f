"""`interlock mcp serve --url …`: the relay in front of a server that is reached over Streamable HTTP.

Each request of the client becomes one of ours; what comes back passes as it comes, and is looked at on the way. The
body is decided on, never a header that mirrors it. When a client closes a response, the server's is closed too: since
2026-07-28 that is how a call is cancelled. The session is the bearer's, because the protocol's own is optional.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from ..limits import MAX_INPUT_BYTES, MCP_LIST_SECONDS
from .http_messages import Found, as_event, is_our_question, question_in
from .judge import Judge, engine_for
from .listing import Listing
from .messages import (
    CALL,
    CANCELLED,
    LIST,
    LIST_CHANGED,
    RefusedError,
    client_in,
    error,
    from_client,
    from_server,
    same_id,
)
from .relay import Relay, Shared
from .stdio import Workers, note

if TYPE_CHECKING:
    from starlette.requests import Request

    from ..store.home.folders import Folders
    from .messages import Client, Message

__all__ = ["app_for", "serve"]

# Headers of one connection, not of the message; and what would hide the body from us.
_OURS = frozenset(
    "host connection keep-alive transfer-encoding content-length accept-encoding content-encoding te upgrade".split()
)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_MOST_SESSIONS = 1024
_SESSION = "mcp-session-id"
_SERVER_ERROR = -32603


class _Session:
    """What is known of one bearer."""

    def __init__(self, front: _Front, name: str) -> None:
        self.judge = Judge(front.folders, front.server, session=name, engine=front.engine)
        self.context = threading.local()  # the headers of the request that a thread works for
        self.listing = Listing(front.folders, front.server, self._lists, note)
        self.shared = Shared(self.listing)
        self.calls: dict[str, Relay] = {}  # under way, by the id of the request
        self.asked: dict[str, Relay] = {}  # our questions to the client, by their id
        self.clients: dict[str, Client] = {}  # who began each session of the protocol, before 2026-07-28
        self._front = front

    def began_by(self, message: Message) -> Callable[[str], None] | None:
        """Keeps who began a session of the protocol, once the server has named it."""
        client = client_in(message) if message.method == "initialize" else None
        if client is None:
            return None

        def began(id: str) -> None:
            if len(self.clients) >= _MOST_SESSIONS:
                self.clients.pop(next(iter(self.clients)))
            self.clients[id] = client

        return began

    def start(self, headers: dict[str, str]) -> Callable[[Callable[[], None]], None]:
        def started(job: Callable[[], None]) -> None:
            def work() -> None:
                self.context.headers = headers
                job()

            self._front.workers.start(work)

        return started

    def _lists(self, raw: bytes) -> None:
        """A list of our own, in the client's name: asked and answered in the thread that needs it."""
        headers = {**self.context.headers, "content-type": "application/json"}
        headers["accept"] = "application/json, text/event-stream"
        if "mcp-method" in headers:
            headers["mcp-method"] = LIST
            headers.pop("mcp-name", None)
        found: list[bytes] = []
        try:
            with self._front.blocking.stream("POST", self._front.url, content=raw, headers=headers) as response:
                messages = Found(events=_is_stream(response.headers))
                for piece in response.iter_raw():
                    found += messages.feed(piece)
                    if found and _answers_it(found, raw):
                        break
                found += messages.end()
        except httpx.HTTPError as trouble:
            note(f"the server did not tell its tools: {type(trouble).__name__}")
        asked = from_server(raw) or {}
        answer = next((data for one in found if (data := from_server(one)) and data.get("id") == asked["id"]), None)
        self.listing.answered(asked["id"], answer or {})


def _answers_it(found: list[bytes], raw: bytes) -> bool:
    asked = from_server(raw) or {}
    return any((data := from_server(one)) is not None and data.get("id") == asked.get("id") for one in found)


class _Front:
    def __init__(self, folders: Folders, url: str, server: str) -> None:
        self.folders, self.url, self.server = folders, url, server
        self.engine = engine_for(folders)
        self.workers = Workers()
        timeout = httpx.Timeout(MCP_LIST_SECONDS)
        self.blocking = httpx.Client(timeout=timeout, trust_env=False)
        # A call may take as long as its client waits.
        self.upstream = httpx.AsyncClient(timeout=httpx.Timeout(30.0, read=None), trust_env=False)
        self.sessions: dict[str, _Session] = {}
        self.closing: set[asyncio.Task[None]] = set()

    def session(self, request: Request) -> _Session:
        bearer = request.headers.get("authorization", "")
        name = f"http-{hashlib.sha256(bearer.encode()).hexdigest()[:24]}" if bearer else "http-local"
        found = self.sessions.get(name)
        if found is None:
            if len(self.sessions) >= _MOST_SESSIONS:
                self.sessions.pop(next(iter(self.sessions)))
            found = self.sessions[name] = _Session(self, name)
        return found

    # --- requests ---

    async def answer(self, request: Request) -> Response:
        if not _is_at_home(request):
            return Response("Interlock: pages of other sites may not use this relay\n", 403)
        if request.method != "POST":
            return await self._passed(request, b"", self._looks(self.session(request)))
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > MAX_INPUT_BYTES:
                return Response("Interlock: the message is too long\n", 413)
        try:
            message = from_client(body)
        except RefusedError as refused:
            raw = error(refused.id, refused.code, f"Interlock: {refused.why}")
            return Response(raw, 400, media_type="application/json")
        session = self.session(request)
        if message.method == CALL:
            return await self._call(request, session, message, body)
        if message.method == CANCELLED and self._gives_up(session, message):
            return Response(status_code=202)
        if message.kind == "response" and is_our_question(message.id):
            relay = session.asked.pop(message.id, None)
            if relay is not None:
                relay.from_client(body)
            return Response(status_code=202)  # nobody else's business, however late it is
        return await self._passed(request, body, self._looks(session, message), began=session.began_by(message))

    def _gives_up(self, session: _Session, message: Message) -> bool:
        """Whether a call ends that the server has not got yet, so that there is nothing to tell it."""
        id = message.params.get("requestId") if hasattr(message.params, "get") else None
        relay = next((relay for key, relay in session.calls.items() if same_id(key, id)), None)
        return relay is not None and relay.gives_up(id)

    def _looks(self, session: _Session, message: Message | None = None) -> Callable[[bytes], None]:
        """What is done with the messages of a response that passes."""
        listing, id = session.listing, f"client-{uuid4().hex}"
        lists = message is not None and message.method == LIST and message.kind == "request"
        if message is not None and lists:
            listing.asked(id, message.params)

        def look(raw: bytes) -> None:
            data = from_server(raw)
            if data is None:
                return
            if data.get("method") == LIST_CHANGED:
                listing.changed()
            elif lists and message is not None and same_id(data.get("id"), message.id):
                listing.answered(id, data)

        return look

    async def _call(self, request: Request, session: _Session, message: Message, body: bytes) -> Response:
        loop, said = asyncio.get_running_loop(), asyncio.Queue[tuple[str, bytes]]()

        def tells(whom: str) -> Callable[[bytes], None]:
            def tell(raw: bytes) -> None:
                loop.call_soon_threadsafe(said.put_nowait, (whom, raw))

            return tell

        headers = _passing(request.headers.items())
        relay = Relay(
            session.judge,
            session.shared,
            to_client=tells("client"),
            to_server=tells("server"),
            start=session.start(headers),
            note=note,
            elicits="text/event-stream" in request.headers.get("accept", ""),
            client=session.clients.get(request.headers.get(_SESSION, "")),
        )
        key = str(message.id)
        session.calls[key] = relay
        relay.from_client(body)
        try:
            whom, raw = await _first(said.get(), _left(request))
        except _LeftError:
            await asyncio.to_thread(relay.gone)
            session.calls.pop(key, None)
            return Response(status_code=499)
        asks = question_in(raw) if whom == "client" else ""
        if whom == "client" and not asks:
            session.calls.pop(key, None)
            return Response(raw, media_type="application/json")

        def over() -> None:
            session.calls.pop(key, None)
            session.asked.pop(asks, None)
            relay.gone()

        look = self._looks(session)

        def seen(one: bytes) -> None:
            look(one)
            relay.from_server(one)

        if asks:
            session.asked[asks] = relay
            pieces = self._after_question(request, relay, said, raw, seen, over, message.id)
            return StreamingResponse(pieces, media_type="text/event-stream", headers={"cache-control": "no-cache"})
        relay.passes_by()
        return await self._passed(request, raw, seen, over)

    async def _after_question(
        self,
        request: Request,
        relay: Relay,
        said: asyncio.Queue[tuple[str, bytes]],
        question: bytes,
        look: Callable[[bytes], None],
        over: Callable[[], None],
        id: str | int,
    ) -> AsyncIterator[bytes]:
        """The response to a call that its client is asked about: the question, then whatever comes of it. The answer
        comes in a request of its own.
        """
        passed: Response | None = None
        try:
            yield as_event(question)
            whom, raw = await said.get()
            if whom == "client":
                yield as_event(raw)
                return
            relay.passes_by()
            passed = await self._passed(request, raw, look, over)
            whole, fine = b"", passed.status_code == 200
            if isinstance(passed, StreamingResponse):
                events = fine and _is_stream(passed.headers)
                async for piece in passed.body_iterator:
                    if events:
                        yield piece  # type: ignore[misc]
                    else:
                        whole += piece  # type: ignore[operator]
                if events:
                    return
            said_no = f"Interlock: the server answered with the status {passed.status_code}"
            yield as_event(whole if fine else error(id, _SERVER_ERROR, said_no))
        finally:
            # INVARIANT: a client that leaves while it is asked never has its call run.
            if passed is None:
                self.workers.start(over)

    async def _passed(
        self,
        request: Request,
        body: bytes,
        look: Callable[[bytes], None],
        over: Callable[[], None] | None = None,
        began: Callable[[str], None] | None = None,
    ) -> Response:
        """The request, made of the server; its response, as it comes. `began` is told the protocol's session."""
        headers = {**_passing(request.headers.items()), "accept-encoding": "identity"}
        made = self.upstream.build_request(request.method, self.url, content=body or None, headers=headers)
        try:
            response = await self.upstream.send(made, stream=True)
        except httpx.HTTPError as trouble:
            if over is not None:
                await asyncio.to_thread(over)
            return Response(f"Interlock: the server cannot be reached ({type(trouble).__name__})\n", 502)
        messages = Found(events=_is_stream(response.headers))
        if began is not None and response.status_code == 200:
            began(response.headers.get(_SESSION, ""))

        async def pieces() -> AsyncIterator[bytes]:
            try:
                async for piece in response.aiter_raw():
                    found = messages.feed(piece)
                    if found:  # before the client can act on it
                        await asyncio.to_thread(_all, look, found)
                    yield piece
                await asyncio.to_thread(_all, look, messages.end())
            except httpx.HTTPError as trouble:
                note(f"the server's response broke off: {type(trouble).__name__}")
            finally:
                # INVARIANT: a client that closes its response closes the server's: that is how it cancels. Nothing is
                # awaited here: where the client has left, every wait ends at once.
                if over is not None:
                    self.workers.start(over)
                closes = asyncio.get_running_loop().create_task(response.aclose())
                self.closing.add(closes)
                closes.add_done_callback(self.closing.discard)

        return StreamingResponse(pieces(), response.status_code, _passing(response.headers.items()))


def _all(look: Callable[[bytes], None], found: list[bytes]) -> None:
    for one in found:
        look(one)


class _LeftError(Exception):
    """The client has closed the connection."""


async def _left(request: Request) -> Any:
    while True:
        told = await request.receive()
        if told["type"] == "http.disconnect":
            raise _LeftError


async def _first(*ways: Any) -> Any:
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return done.pop().result()
    finally:
        for task in tasks:
            task.cancel()


def _passing(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers if name.lower() not in _OURS}


def _is_stream(headers: Any) -> bool:
    return str(headers.get("content-type", "")).partition(";")[0].strip().lower() == "text/event-stream"


def _is_at_home(request: Request) -> bool:
    """Whether no page of another site asks: a browser names where a page is from, and believes any name for us."""
    host = urlsplit(f"//{request.headers.get('host', '')}").hostname
    origin = request.headers.get("origin")
    return host in _LOOPBACK and (origin is None or urlsplit(origin).hostname in _LOOPBACK)


def app_for(folders: Folders, url: str, server: str) -> Starlette:
    front = _Front(folders, url, server)
    return Starlette(routes=[Route("/mcp", front.answer, methods=["GET", "POST", "DELETE"])])


def serve(folders: Folders, url: str, *, server: str, port: int, ready: Callable[[str], None]) -> int:
    import uvicorn

    config = uvicorn.Config(app_for(folders, url, server), host="127.0.0.1", port=port, log_level="warning")
    ready(f"http://127.0.0.1:{port}/mcp")
    uvicorn.Server(config).run()
    return 0
