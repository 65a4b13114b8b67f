"""One request to a model and its answer: in as many rounds as `continue` takes."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import httpx

from ..model.call import short_id
from ..model.errors import InterlockError
from ..serve.errors import RefusedError
from .again import MAX_ROUNDS, next_body, repaired
from .answered import BROKE, events, turned_whole
from .apis import ANTHROPIC, APIS, RESPONSES
from .asked import Asked, read_request, session_of
from .heard import words_in
from .judging import Judge
from .outcomes import outcomes_in
from .rewrite.pieces import FaultError, parsed, written
from .upstream import Headers, read_whole, unpacked

if TYPE_CHECKING:
    from .app import Request

__all__ = ["Exchange"]

_log = logging.getLogger("interlock.proxy")
_KEYS = (b"authorization", b"x-api-key", b"x-goog-api-key", b"api-key")
_STRICTEST = ("allow", "ask", "deny")


class Exchange:
    def __init__(self, request: Request) -> None:
        self.request = request
        self.proxy = request.proxy
        self.api: str = request.endpoint.api
        self.speaks = APIS[self.api]
        self.goes_on = self.proxy.settings.mode == "continue" and self.api in (ANTHROPIC, RESPONSES)
        self.asked, self.raw = self._asked()
        self.judge = self._judge(self.asked.body)
        self.provider = bool(self.proxy.settings.provider)
        self.body: Mapping[str, Any] = self.asked.body

    # --- the request -----------------------------------------------------------------------------------------------

    def _asked(self) -> tuple[Asked, bytes]:
        request = self.request
        if not request.body:
            streams = request.endpoint.streams or b"stream=true" in request.query.lower()
            return Asked(body={}, streams=streams), b""
        raw = request.unpacked()
        try:
            body = parsed(raw.decode())
        except (FaultError, UnicodeDecodeError):
            raise RefusedError("bad_request", "the request is no JSON that can be read in one way") from None
        if not isinstance(body, dict):
            raise RefusedError("bad_request", "the request is no JSON object")
        asked = read_request(self.api, body, request.endpoint.streams, self.proxy.settings.provider)
        return asked, raw if asked.body is body else b""

    def _judge(self, body: Mapping[str, Any]) -> Judge:
        request, settings = self.request, self.proxy.settings
        key = next((request.header(name) for name in _KEYS if request.header(name)), "")
        before = self.proxy.memory.before(body)
        session = short_id(request.header(b"x-interlock-session").strip()) or (before.session if before else "")
        session = session or session_of(self.api, body, key)
        hold = 0.0 if self._wants_202() else settings.hold
        return Judge(self.proxy.gate, session=session, cwd=settings.cwd, hold=hold, names_calls=self.goes_on)

    def _wants_202(self) -> bool:
        return "respond-async" in self.request.header(b"prefer").lower()

    async def run(self) -> None:
        await self._settle()
        if self.proxy.settings.hears:
            await self._hear()
        self.body = repaired(self.api, self.asked.body, self.proxy.memory, self.judge.session)
        raw = self.raw
        if self.body is not self.asked.body or not raw:
            raw = written(self.body).encode() if self.request.body else b""
        answer = await self.request.sent(raw, read=True)
        try:
            await self._returned(answer)
        finally:
            await answer.aclose()
            for wanted, checked in self.judge.allowed:
                self.proxy.released.keep(self.judge.session, wanted.id or wanted.tool, checked)

    async def _settle(self) -> None:
        """Tells what became of earlier calls, as the client tells the model."""
        told = self.proxy.released.settled(self.judge.session, outcomes_in(self.api, self.asked.body))
        for checked, outcome in told:
            await self.proxy.gate.asettled(checked, "failed" if outcome.failed else "ran", outcome.result)

    async def _hear(self) -> None:
        """Tells what the person said. What cannot be told was not said: then more is asked, not less."""
        session = self.judge.session
        for text in self.proxy.heard.new(session, words_in(self.api, self.asked.body)):
            try:
                await self.proxy.gate.asaid(text, session=session, cwd=self.judge.cwd)
            except InterlockError as error:
                _log.warning("what the person said was not recorded: %s", error)

    # --- the answer ------------------------------------------------------------------------------------------------

    async def _returned(self, answer: httpx.Response) -> None:
        head = [(b"x-interlock-session", _line(self.judge.session))]
        if self.asked.stripped:
            head.append((b"x-interlock-stripped", _line(", ".join(self.asked.stripped))))
        if 300 <= answer.status_code < 400:
            raise FaultError("the model's server sends the client elsewhere")
        if not 200 <= answer.status_code < 300:  # an error: clients take no calls from it
            await self._send(answer, await read_whole(answer), head)
        elif _is_stream(answer):
            headers = self.proxy.upstream.headers_of(answer, changed=True)
            await self.request.start(answer.status_code, [*headers, *head])
            await self._streamed(answer)
            await self.request.end()
        else:
            await self._whole(answer, head)

    async def _send(self, answer: httpx.Response, raw: bytes, head: Headers) -> None:
        sent = [*self.proxy.upstream.headers_of(answer, changed=True), *head]
        await self.request.start(answer.status_code, [*sent, (b"content-length", str(len(raw)).encode())])
        await self.request.end(raw)

    async def _streamed(self, answer: httpx.Response) -> None:
        more = {"goes_on": True} if self.goes_on else {}
        rewriter = self.speaks.Stream(provider=self.provider, **more)
        whole = await events(self.api, unpacked(answer), rewriter, self.judge, self.request.write)
        for left in range(MAX_ROUNDS - 1, -1, -1):
            self._remember(rewriter)
            if not whole or not getattr(rewriter, "again", False):
                return
            self.body = next_body(self.api, self.body, rewriter.content, rewriter.results)
            rewriter = rewriter.next(goes_on=left > 0)
            whole = await self._round(rewriter)
        self._remember(rewriter)

    async def _round(self, rewriter: Any) -> bool:
        """The model's next answer, into the stream that the client reads already."""
        trouble = "the model did not go on after a refused call"
        try:
            answer = await self.request.sent(written(self.body).encode(), read=True)
        except httpx.HTTPError as error:
            trouble = f"the model could not be reached ({type(error).__name__})"
        else:
            try:
                if answer.status_code == 200 and _is_stream(answer):
                    return await events(self.api, unpacked(answer), rewriter, self.judge, self.request.write)
            finally:
                await answer.aclose()
        _log.warning("an answer was ended: %s", trouble)
        await self.request.write(self.speaks.error_piece(BROKE.format(trouble), rewriter).raw)
        return False

    def _remember(self, rewriter: Any) -> None:
        """What was withheld in a round, for later requests."""
        closed = getattr(rewriter, "again", False)
        if self.goes_on:
            self.proxy.memory.keep(self.api, self.judge.session, rewriter.results, closed=closed)
        if self.api == RESPONSES:
            results = rewriter.results
            self.proxy.memory.answered(rewriter.id, rewriter.real, self.judge.session, results, closed=closed)

    async def _whole(self, answer: httpx.Response, head: Headers) -> None:
        raw = await read_whole(answer)
        if raw.strip():
            turned = await self._turned(raw)
            if self._wants_202() and any(one.verdict == "ask" for one in self.judge.judged):
                await self._accepted(head)
                return
            raw = raw if turned is None else written(turned).encode()
        await self._send(answer, raw, [*head, *_told(self.judge)])

    async def _turned(self, raw: bytes) -> Any | None:
        """The body that the client gets, where it is another one than came; of all rounds together."""
        place = {ANTHROPIC: "content", RESPONSES: "output"}.get(self.api, "")
        before: list[Any] = []
        for left in range(MAX_ROUNDS, -1, -1):
            results: list[Any] = []
            said, turned = await turned_whole(self.api, raw, self.judge, provider=self.provider, results=results)
            found = said if turned is None else turned
            again = self.goes_on and left > 0 and self._tells(found, results)
            if self.goes_on:
                self.proxy.memory.keep(self.api, self.judge.session, results, closed=again)
            if self.api == RESPONSES and isinstance(said, dict):
                id = said["id"] if isinstance(said.get("id"), str) else ""
                self.proxy.memory.answered(id, id, self.judge.session, results, closed=again)
            if not again:
                return {**found, place: [*before, *found[place]]} if before else turned
            before += found[place]
            self.body = next_body(self.api, self.body, said[place], results)
            answer = await self.request.sent(written(self.body).encode(), read=True)
            try:
                if answer.status_code != 200:
                    raise FaultError("the model did not go on after a refused call")
                raw = await read_whole(answer)
            finally:
                await answer.aclose()
        raise FaultError("the model did not stop")  # the last round never goes on

    def _tells(self, turned: Any, results: list[Any]) -> bool:
        """Whether every call was withheld for good, and the model can be told of each."""
        if not results or not all(ruling.final for _, ruling in results):
            return False
        kinds = ("tool_use",) if self.api == ANTHROPIC else ("function_call", "custom_tool_call")
        left = turned["content" if self.api == ANTHROPIC else "output"]
        return all(said.get("type") in kinds for said, _ in results) and not any(
            part.get("type") in kinds for part in left
        )

    async def _accepted(self, head: Headers) -> None:
        """A person is asked, and the client is told to make the request again. Nothing of the answer is used."""
        await self.judge.forget()
        waits = [one for one in self.judge.judged if one.verdict == "ask"]
        body = {
            "status": "pending",
            "approval_id": waits[0].approval,
            "audit_entry_id": waits[0].receipt,
            "approvals": [one.approval for one in waits],
            "tool": waits[0].wanted.tool,
            "text": waits[0].text,
            **({"expires_at": waits[0].expires} if waits[0].expires else {}),
        }
        await self.request.json(body, 202, [*head, *_told(self.judge), (b"retry-after", b"5")])


def _is_stream(answer: httpx.Response) -> bool:
    return "text/event-stream" in answer.headers.get("content-type", "").lower()


def _line(text: str) -> bytes:
    """A value of a header. What a request says may hold line breaks."""
    return "".join([char if " " <= char <= "~" else "?" for char in text[:500]]).encode()


def _told(judge: Judge) -> Headers:
    """Of all calls of an answer: the strictest verdict, and the receipts."""
    if not judge.judged:
        return []
    verdict = max((one.verdict for one in judge.judged), key=_STRICTEST.index)
    receipts = ", ".join([one.receipt for one in judge.judged if one.receipt][:50])
    found = [(b"x-interlock-decision", verdict.encode())]
    return [*found, (b"x-interlock-receipt", receipts.encode())] if receipts else found
