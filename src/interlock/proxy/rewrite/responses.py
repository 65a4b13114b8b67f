"""OpenAI Responses. A call is complete at its `response.output_item.done`; `response.completed` delivers it once more.

A withheld call becomes a message item at the same `output_index`, in the events and in every whole response that a
later event carries; the events are numbered anew. Names and arguments stand in up to five places of a stream, and
clients take them from any: they must be the same in all, or the call is withheld.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .calls import Calls, Ruling, Steps, Turned, hides_call, is_like_call, noted
from .items import INERT_ITEMS, given_of, message_item, same_call, trouble_of
from .pieces import DONE, FaultError, Piece, made

__all__ = ["KEEPALIVE", "Stream", "error_body", "error_piece", "whole"]

KEEPALIVE = b": interlock waits for a person\n\n"
_ANSWERED = ("function_call", "custom_tool_call")  # calls whose result the model can be told
_LAST = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")


def error_body(text: str, status: int) -> dict[str, Any]:
    kind = {400: "invalid_request_error", 403: "permission_error"}.get(status, "server_error")
    return {"error": {"message": text, "type": kind, "param": None, "code": "interlock"}}


def error_piece(text: str, stream: Any = None) -> Piece:
    """Some clients look for `error`, some for the kind of the event."""
    number = stream.number if isinstance(stream, Stream) else 0
    said = {"type": "error", "code": "interlock", "message": text, "param": None, "sequence_number": number}
    return made({**said, **error_body(text, 502)}, "error")


def _is_inert(item: Mapping[str, Any], provider: bool) -> bool:
    kind = item.get("type")
    if kind in INERT_ITEMS:
        return not hides_call({key: value for key, value in item.items() if key != "type"})
    if isinstance(kind, str) and kind in _PROVIDER:
        return provider
    return isinstance(kind, str) and not is_like_call(item)


_PROVIDER = (
    *("mcp_call", "mcp_list_tools", "web_search_call", "file_search_call", "code_interpreter_call"),
    *("image_generation_call", "tool_search_call", "program"),
)


class _Held:
    """An item that is a call, from its beginning on."""

    def __init__(self, piece: Piece, item: Mapping[str, Any]) -> None:
        self.pieces = [piece]
        self.begun = item
        self.parts: list[str] = []
        self.done: list[str] = []  # texts that an event gives as the whole


class _Filter:
    """The items of one answer: which calls were let through, and what stands for the others."""

    def __init__(self, provider: bool) -> None:
        self.calls = Calls()
        self.provider = provider
        self.kept: list[Mapping[str, Any]] = []
        self.replaced: list[tuple[Mapping[str, Any], dict[str, Any]]] = []
        self.results: list[tuple[Mapping[str, Any], Ruling]] = []

    def judged(self, item: Mapping[str, Any], trouble: str = "") -> Any:
        tool, given = given_of(item)
        wanted = self.calls.wanted(tool, given, item.get("call_id"), trouble or trouble_of(item, _PROVIDER))
        ruling = self.calls.ruled(wanted, (yield wanted))
        if ruling.allowed:
            self.kept.append(item)
        else:
            number = len(self.replaced)
            self.replaced.append((item, message_item(f"msg_interlock_{number}_{_id_of(item)}", ruling.text)))
            self.results.append((item, ruling))
        return ruling

    def output(self, response: Any) -> Any:
        """A response as it may be seen; judges what was not judged yet."""
        if not isinstance(response, dict) or hides_call({k: v for k, v in response.items() if k not in _ASKED}):
            raise FaultError("the answer holds a call where none belongs")
        items = response.get("output")
        if not items:
            return response
        if not isinstance(items, list):
            raise FaultError("the output of the answer is no list")
        turned: list[Any] = []
        # INVARIANT: what was judged once stands in a response once.
        kept, replaced = list(self.kept), list(self.replaced)
        for item in items:
            if not isinstance(item, dict):
                raise FaultError("an item of the answer is no object")
            turned.append((yield from self._seen(item, kept, replaced)))
        return response if all(a is b for a, b in zip(turned, items, strict=True)) else {**response, "output": turned}

    def _seen(self, item: dict[str, Any], kept: list[Any], replaced: list[Any]) -> Any:
        if _is_inert(item, self.provider):
            return item
        for known in kept:
            if same_call(item, known):
                kept.remove(known)
                return item
        for known, instead in replaced:
            if same_call(item, known):
                replaced.remove((known, instead))
                return instead
        ruling: Ruling = yield from self.judged(item)
        return item if ruling.allowed else self.replaced[-1][1]


# What a response repeats of its request: tools are offered there, and none is called.
_ASKED = ("output", "tools", "tool_choice", "instructions", "prompt", "metadata", "text")


def _id_of(item: Mapping[str, Any]) -> str:
    found = item.get("call_id") or item.get("id")
    return "".join([char for char in str(found or "") if char.isalnum() or char in "_-"])[:64]


class Stream:
    """One answer, or one of the rounds that make up an answer (`base`: items of earlier rounds)."""

    def __init__(
        self,
        *,
        provider: bool = False,
        goes_on: bool = False,
        base: int = 0,
        number: int = -1,
        before: Any = (),
        id: str = "",
    ) -> None:
        self.filter = _Filter(provider)
        self.provider = provider
        self.goes_on = goes_on
        self.base = base
        self.number = number  # of the next event; -1: as the first one says
        self.before: list[dict[str, Any]] = list(before)  # items of earlier rounds, as the client has them
        self.id = id  # of the response that the client has
        self.real = ""  # and of the one that the provider has
        self.again = False
        self.content: list[dict[str, Any]] = []  # what the model really said
        self.out: list[dict[str, Any]] = []  # and what the client got in its place
        self.ended = False
        self._began = bool(base)
        self._held: dict[int, _Held] = {}
        self._queue: list[Piece] = []

    @property
    def count(self) -> int:
        return self.base + len(self.out)

    @property
    def calls(self) -> Calls:
        return self.filter.calls

    @property
    def results(self) -> list[tuple[Mapping[str, Any], Ruling]]:
        """What was withheld."""
        return self.filter.results

    def next(self, *, goes_on: bool) -> Stream:
        """The model's next answer, in the same response of the client's."""
        before = [*self.before, *self.out]
        return Stream(
            provider=self.provider, goes_on=goes_on, base=self.count, number=self.number, before=before, id=self.id
        )

    def feed(self, piece: Piece) -> Steps:
        data = piece.data
        if data is None or data == DONE:
            yield piece
            return
        if not isinstance(data, dict):
            raise FaultError("an event of the answer is no object")
        kind, index = data.get("type"), data.get("output_index")
        if self.ended or not (index is None or type(index) is int):
            raise FaultError("the answer goes on after its end, or its items have no numbers")
        if kind == "error" or (kind is None and "error" in data):
            self._held, self._queue, self.ended = {}, [], True
            yield piece
        elif self._held and index not in self._held:
            if "response" in data:
                raise FaultError("the answer ended inside a tool call")
            self.calls.holds(len(piece.raw))
            self._queue.append(piece)
        elif index in self._held:
            yield from self._more(piece, index)
        elif kind == "response.output_item.added":
            yield from self._added(piece, index)
        elif kind == "response.output_item.done":
            yield from self._done(piece)
        elif "response" in data:
            yield from self._response(piece, kind)
        else:
            if hides_call(data) or "item" in data or _is_of_call(kind, self.provider):
                raise FaultError("an event of the answer is not known, and may hold a call")
            yield self._numbered(piece)

    def end(self) -> Steps:
        if self._held:
            raise FaultError("the answer ended inside a tool call")
        yield from ()

    def _numbered(self, piece: Piece) -> Piece:
        """With its place among the events, and among the items of all rounds."""
        data, said = piece.data, piece.data.get("sequence_number")
        change: dict[str, Any] = {}
        if self.number < 0:
            self.number = said if type(said) is int else 0
        if type(said) is int and said != self.number:
            change["sequence_number"] = self.number
        if self.base and type(data.get("output_index")) is int:
            change["output_index"] = data["output_index"] + self.base
        self.number += 1
        return made({**data, **change}, piece.event) if change else piece

    def _added(self, piece: Piece, index: Any) -> Steps:
        item = piece.data.get("item")
        if type(index) is not int or index != len(self.out) + len(self._held) or not isinstance(item, dict):
            raise FaultError("an item of the answer is out of order")
        if _is_inert(item, self.provider):
            self.out.append(item)
            self.content.append(item)
            yield self._numbered(piece)
        else:
            self._held[index] = _Held(piece, item)
            self.calls.holds(len(piece.raw))

    def _more(self, piece: Piece, index: int) -> Steps:
        held, data = self._held[index], piece.data
        held.pieces.append(piece)
        self.calls.holds(len(piece.raw))
        kind = data.get("type")
        if kind == "response.output_item.done":
            yield from self._judged(held, index, data.get("item"))
            return
        for key in ("delta", "arguments", "input", "code", "diff"):
            if isinstance(data.get(key), str):
                (held.parts if key == "delta" else held.done).append(data[key])

    def _judged(self, held: _Held, index: int, item: Any) -> Steps:
        if not isinstance(item, dict):
            raise FaultError("an item of the answer is not known")
        trouble = "" if _agrees(held, item) else "it changed while it was streamed"
        ruling: Ruling = yield from self.filter.judged(item, trouble)
        yield from noted(ruling)
        del self._held[index]
        self.content.append(item)
        if ruling.allowed:
            self.out.append(item)
            for each in held.pieces:
                yield self._numbered(each)
        else:
            instead = self.filter.replaced[-1][1]
            self.out.append(instead)
            for data in _events(instead, index):
                number = {"sequence_number": self.number}
                yield self._numbered(made({**data, **(number if self.number >= 0 else {})}, data["type"]))
        queue, self._queue = self._queue, []
        for each in queue:
            yield from self.feed(each)

    def _done(self, piece: Piece) -> Steps:
        """The end of an item that is no call. INVARIANT: it does not become one at its end."""
        item, index = piece.data.get("item"), piece.data.get("output_index")
        if type(index) is not int or not 0 <= index < len(self.out) or not isinstance(item, dict):
            raise FaultError("an item of the answer is out of order")
        if not _is_inert(item, self.provider) or not _is_inert(self.out[index], self.provider):
            raise FaultError("an item of the answer became a call at its end")
        self.out[index] = self.content[index] = item
        yield self._numbered(piece)

    def _response(self, piece: Piece, kind: Any) -> Steps:
        data = piece.data
        if hides_call({key: value for key, value in data.items() if key != "response"}):
            raise FaultError("an event of the answer is not known, and may hold a call")
        last = kind in _LAST
        response = data["response"]
        if not last and isinstance(response, dict) and response.get("output"):
            raise FaultError("the answer tells its items before they come")
        turned = yield from self.filter.output(response)
        if isinstance(turned.get("id"), str):
            self.id = self.id or turned["id"]
            self.real = turned["id"]
            turned = turned if turned["id"] == self.id else {**turned, "id": self.id}
        if last:
            self.ended = True
            tells = all(said.get("type") in _ANSWERED and ruling.final for said, ruling in self.results)
            if self.goes_on and kind == _LAST[0] and self.calls.withheld and not self.calls.kept and tells:
                self.again = True
                return
        elif self.base and self._began:  # the client has its beginning already
            return
        if self.before and last:
            turned = {**turned, "output": [*self.before, *(turned.get("output") or [])]}
        changed = turned is not data["response"]
        yield self._numbered(made({**data, "response": turned}, piece.event) if changed else piece)


def _is_of_call(kind: Any, provider: bool) -> bool:
    """Whether an event belongs to a call, and none is held: it came before its beginning or after its end."""
    words = ("function_call", "custom_tool_call", "shell_call", "apply_patch_call", "computer_call")
    return isinstance(kind, str) and any(word in kind for word in words)


def _agrees(held: _Held, item: dict[str, Any]) -> bool:
    """Whether all places of a call say the same."""
    begun = held.begun
    if any(begun.get(key) != item.get(key) for key in ("type", "id", "call_id", "name", "namespace", "server_label")):
        return False
    for key in ("arguments", "input"):
        whole = item.get(key)
        if not isinstance(whole, str):
            continue
        if begun.get(key) not in (None, "", whole) or (held.parts and "".join(held.parts) != whole):
            return False
        if any(text != whole for text in held.done):
            return False
    return True


def _events(item: dict[str, Any], index: int) -> list[dict[str, Any]]:
    """The events by which a message item comes."""
    text = item["content"][0]["text"]
    at = {"item_id": item["id"], "output_index": index, "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    empty = {**item, "status": "in_progress", "content": []}
    return [
        {"type": "response.output_item.added", "output_index": index, "item": empty},
        {"type": "response.content_part.added", **at, "part": part},
        {"type": "response.output_text.delta", **at, "delta": text, "logprobs": []},
        {"type": "response.output_text.done", **at, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **at, "part": {**part, "text": text}},
        {"type": "response.output_item.done", "output_index": index, "item": item},
    ]


def whole(body: Any, *, provider: bool = False, results: list[Any] | None = None) -> Turned:
    """An answer that came at once."""
    if not isinstance(body, dict):
        if hides_call(body):
            raise FaultError("the answer is not known, and may hold a call")
        return body
    found = _Filter(provider)
    turned = yield from found.output(body)
    if results is not None:
        results += found.results
    return turned
