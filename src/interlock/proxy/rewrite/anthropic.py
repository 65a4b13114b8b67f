"""Anthropic Messages. A call is complete at the `content_block_stop` of its `tool_use` block.

A withheld call becomes a text block with the same index, and `stop_reason` is `end_turn` where no call is left. Events
of other blocks wait behind a call that is held, so that blocks leave in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .calls import Calls, Ruling, Steps, Turned, Wanted, hides_call, is_like_call, noted
from .pieces import FaultError, Piece, made

__all__ = ["KEEPALIVE", "PROVIDER", "Stream", "error_body", "error_piece", "whole"]

KEEPALIVE = b": interlock waits for a person\n\n"
PROVIDER = ("server_tool_use", "mcp_tool_use")  # which the provider ran by itself
_INERT = ("text", "thinking", "redacted_thinking", "container_upload", "compaction", "fallback")
_ERRORS = {400: "invalid_request_error", 403: "permission_error", 413: "request_too_large"}


def error_body(text: str, status: int) -> dict[str, Any]:
    return {"type": "error", "error": {"type": _ERRORS.get(status, "api_error"), "message": text}}


def error_piece(text: str, _stream: Any = None) -> Piece:
    return made(error_body(text, 502), "error")


def _is_inert(block: Mapping[str, Any], provider: bool) -> bool:
    """Whether nobody does anything because of this block."""
    kind = block.get("type")
    if kind in _INERT:
        return not hides_call({key: value for key, value in block.items() if key not in ("text", "thinking", "data")})
    if kind in PROVIDER:
        return provider
    return isinstance(kind, str) and (kind.endswith("_tool_result") or not is_like_call(block))


def _unknown(block: Mapping[str, Any]) -> str:
    if block.get("type") in PROVIDER:
        return "it is run by the provider, where nobody can judge it"
    return "it is a kind of call that Interlock does not know"


def _said(index: int, text: str) -> list[Piece]:
    named: tuple[dict[str, Any], ...] = (
        {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": index},
    )
    return [made(data, str(data["type"])) for data in named]


class _Held:
    """A block that may be a call, from its start on."""

    def __init__(self, piece: Piece, block: Mapping[str, Any], known: bool) -> None:
        self.pieces = [piece]
        self.block = block
        self.index: int = piece.data["index"]
        self.known = known
        self.text: list[str] = []
        self.trouble = "" if known else _unknown(block)


class Stream:
    """One answer, or one of the rounds that make up an answer (`base`: blocks of earlier rounds)."""

    def __init__(
        self,
        *,
        provider: bool = False,
        goes_on: bool = False,
        remembers: bool = False,
        base: int = 0,
        spent: int = 0,
    ) -> None:
        """`goes_on`: there may be another round; `remembers`: what was withheld is put back into later requests."""
        self.calls = Calls()
        self.provider = provider
        self.goes_on = goes_on
        self.remembers = remembers or goes_on
        self.base = base
        self.spent = spent  # tokens of earlier rounds
        self.again = False  # every call was withheld, and the model is to be told so
        self.content: list[dict[str, Any]] = []  # what the model really said, where it may go on
        self.results: list[tuple[dict[str, Any], Ruling]] = []  # what was withheld of it
        self.ended = False
        self._tells = True  # the model can be told of every call that was withheld
        self._blocks = 0
        self._open: set[int] = set()  # blocks that are no calls
        self._held: _Held | None = None
        self._queue: list[Piece] = []

    @property
    def count(self) -> int:
        return self.base + self._blocks

    def next(self, *, goes_on: bool) -> Stream:
        """The model's next answer, in the same message of the client's."""
        return Stream(provider=self.provider, goes_on=goes_on, remembers=True, base=self.count, spent=self.spent)

    def feed(self, piece: Piece) -> Steps:
        data = piece.data
        if data is None:
            yield piece
            return
        if not isinstance(data, dict):
            raise FaultError("an event of the answer is no object")
        kind, index = data.get("type"), data.get("index")
        if not (index is None or type(index) is int):
            raise FaultError("a block of the answer has no number")
        if kind == "error":
            self._held, self._queue, self.ended = None, [], True
            yield piece
        elif kind == "ping":
            yield piece
        elif self._held is not None and index != self._held.index:
            if kind in ("message_delta", "message_stop", "message_start"):
                raise FaultError("the answer ended inside a tool call")
            self.calls.holds(len(piece.raw))
            self._queue.append(piece)
        elif kind == "content_block_start":
            yield from self._started(piece)
        elif kind == "content_block_delta":
            yield from self._more(piece)
        elif kind == "content_block_stop":
            yield from self._stopped(piece)
        else:
            yield from self._around(piece, kind)

    def end(self) -> Steps:
        if self._held is not None:
            raise FaultError("the answer ended inside a tool call")
        yield from ()

    def _around(self, piece: Piece, kind: Any) -> Steps:
        data = piece.data
        if kind == "message_start":
            message = data.get("message")
            if not isinstance(message, dict) or message.get("content") or hides_call(message) or self._blocks:
                raise FaultError("the answer begins with what should come later")
            if not self.base:
                yield piece
        elif kind == "message_delta":
            delta = data.get("delta")
            if not isinstance(delta, dict) or hides_call(data):
                raise FaultError("an event of the answer is not known")
            yield from self._ending(piece, delta)
        elif kind == "message_stop":
            self.ended = True
            if not self.again:
                yield piece
        elif hides_call(data) or "content_block" in data:
            raise FaultError("an event of the answer is not known, and may hold a call")
        else:
            yield piece

    def _ending(self, piece: Piece, delta: dict[str, Any]) -> Steps:
        data = piece.data
        usage = data.get("usage") if isinstance(data.get("usage"), dict) else {}
        tokens = usage.get("output_tokens", 0)
        for_calls = delta.get("stop_reason") == "tool_use" and self.calls.withheld and not self.calls.kept
        if for_calls and self.goes_on and self._tells:
            self.again = True
            self.spent += tokens if isinstance(tokens, int) else 0
            return
        if self.spent and isinstance(tokens, int):
            piece = made({**data, "usage": {**usage, "output_tokens": tokens + self.spent}}, piece.event)
        if for_calls:
            piece = made({**piece.data, "delta": {**delta, "stop_reason": "end_turn"}}, piece.event)
        yield piece

    def _started(self, piece: Piece) -> Steps:
        data, block = piece.data, piece.data.get("content_block")
        # INVARIANT: clients find a block by its place, so an index that is not its place would give a call the
        # arguments of another one.
        if type(data.get("index")) is not int or data["index"] != self._blocks or not isinstance(block, dict):
            raise FaultError("a block of the answer is out of order")
        if self._held is not None:
            raise FaultError("a block of the answer begins twice")
        self._blocks += 1
        if self.remembers:
            self.content.append(dict(block))
        if _is_inert(block, self.provider):
            self._open.add(data["index"])
            yield self._moved(piece)
            return
        self._held = _Held(piece, block, block.get("type") == "tool_use")
        self.calls.holds(len(piece.raw))

    def _moved(self, piece: Piece) -> Piece:
        if not self.base:
            return piece
        return made({**piece.data, "index": piece.data["index"] + self.base}, piece.event)

    def _more(self, piece: Piece) -> Steps:
        data, delta, held = piece.data, piece.data.get("delta"), self._held
        if not isinstance(delta, dict):
            raise FaultError("an event of the answer is not known")
        kind = delta.get("type")
        if held is None:
            # INVARIANT: nothing is added to a call after it was judged.
            if data.get("index") not in self._open or (kind == "input_json_delta" and not self.provider):
                raise FaultError("a part of a call came without its beginning, or after its end")
            if self.remembers:
                _grow(self.content[data["index"]], delta)
            yield self._moved(piece)
            return
        self.calls.holds(len(piece.raw))
        held.pieces.append(piece)
        part = delta.get("partial_json")
        if kind == "input_json_delta" and isinstance(part, str):
            held.text.append(part)
        elif held.known:
            held.trouble = "a part of it is of a kind that Interlock does not know"

    def _stopped(self, piece: Piece) -> Steps:
        held, index = self._held, piece.data.get("index")
        if held is None:
            if index not in self._open:
                raise FaultError("a block of the answer ends that was not open")
            self._open.discard(index)
            yield self._moved(piece)
            return
        held.pieces.append(piece)
        wanted = self._wanted(held)
        if self.remembers:
            self.content[held.index]["input"] = dict(wanted.given)
        ruling = self.calls.ruled(wanted, (yield wanted))
        yield from noted(ruling)
        if ruling.allowed:
            for each in held.pieces:
                yield self._moved(each)
        else:
            if self.remembers:
                self.results.append((self.content[held.index], ruling))
            self._tells = self._tells and held.known and ruling.final
            yield from _said(held.index + self.base, ruling.text)
        self._held, queue, self._queue = None, self._queue, []
        for each in queue:
            yield from self.feed(each)

    def _wanted(self, held: _Held) -> Wanted:
        block, text = held.block, "".join(held.text)
        begun = block.get("input")
        trouble = held.trouble
        if begun and text.strip():
            trouble = trouble or "its arguments were given twice"
        given = text if text.strip() else begun if begun is not None else {}
        return self.calls.wanted(block.get("name"), given, block.get("id"), trouble)


def _grow(block: dict[str, Any], delta: dict[str, Any]) -> None:
    """A block of the model's answer as it was said."""
    for key in ("text", "thinking", "signature"):
        if isinstance(delta.get(key), str):
            block[key] = str(block.get(key) or "") + delta[key]
    if "citation" in delta:
        block["citations"] = [*(block.get("citations") or []), delta["citation"]]


def whole(body: Any, *, provider: bool = False, results: list[Any] | None = None) -> Turned:
    """An answer that came at once."""
    if not isinstance(body, dict) or not isinstance(body.get("content"), list):
        if hides_call(body):
            raise FaultError("the answer is not known, and may hold a call")
        return body
    if hides_call({key: value for key, value in body.items() if key != "content"}):
        raise FaultError("the answer holds a call where none belongs")
    calls, content = Calls(), []
    for block in body["content"]:
        if not isinstance(block, dict):
            raise FaultError("a block of the answer is no object")
        if _is_inert(block, provider):
            content.append(block)
            continue
        known = block.get("type") == "tool_use"
        given = block.get("input", {})
        trouble = "" if isinstance(given, dict) else "its arguments are no JSON object"
        wanted = calls.wanted(block.get("name"), given, block.get("id"), trouble if known else _unknown(block))
        ruling = calls.ruled(wanted, (yield wanted))
        content.append(block if ruling.allowed else {"type": "text", "text": ruling.text})
        if not ruling.allowed and results is not None:
            results.append((block, ruling))
    if not calls.withheld:
        return body
    ended = body.get("stop_reason") == "tool_use" and not calls.kept
    return {**body, "content": content, **({"stop_reason": "end_turn"} if ended else {})}
