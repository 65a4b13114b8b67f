"""OpenAI Chat Completions. A call is complete at the chunk with the `finish_reason` of its choice.

Calls leave as one chunk each, numbered anew from 0: what the client puts together is what was judged. A withheld call
becomes content, and `finish_reason` is `stop` where no call is left. The chunk with the usage and `[DONE]` stay.
"""

from __future__ import annotations

from typing import Any

from .calls import Calls, Ruling, Steps, Turned, Wanted, hides_call, noted
from .pieces import DONE, FaultError, Piece, made

__all__ = ["KEEPALIVE", "Stream", "error_body", "error_piece", "whole"]

KEEPALIVE = b": interlock waits for a person\n\n"
_FOR_CALLS = ("tool_calls", "function_call")  # reasons to finish, and where calls stand


def error_body(text: str, status: int) -> dict[str, Any]:
    kind = {400: "invalid_request_error", 403: "permission_error"}.get(status, "server_error")
    return {"error": {"message": text, "type": kind, "param": None, "code": "interlock"}}


def error_piece(text: str, _stream: Any = None) -> Piece:
    return made(error_body(text, 502))


class _Call:
    """One call, put together from its parts."""

    def __init__(self) -> None:
        self.id: str | None = None
        self.kind = ""
        self.name: str | None = None
        self.text: list[str] = []
        self.more: dict[str, Any] = {}  # fields that nobody here knows, such as signatures
        self.trouble = ""

    def takes(self, part: dict[str, Any]) -> None:
        for key, value in part.items():
            if key == "id":
                self._id(value)
            elif key == "type":
                self._kind(value)
            elif key in ("function", "custom"):
                self._inner(key, value)
            elif key != "index":
                if hides_call({key: value}):
                    self.trouble = "it holds another call"
                self.more[key] = value

    def _id(self, value: Any) -> None:
        if value and self.id not in (None, value):
            self.trouble = "its id changed"
        self.id = value or self.id

    def _kind(self, value: Any) -> None:
        if value and self.kind not in ("", value):
            self.trouble = "its kind changed"
        self.kind = value or self.kind

    def _inner(self, kind: str, inner: Any) -> None:
        if inner is None:
            return
        self._kind(kind)
        text = "arguments" if kind == "function" else "input"
        if not isinstance(inner, dict) or set(inner) - {"name", text}:
            self.trouble = "a part of it is of a kind that Interlock does not know"
            return
        name = inner.get("name")
        if name and self.name not in (None, name):
            self.trouble = "its name changed"
        self.name = name or self.name
        given = inner.get(text)
        if isinstance(given, str):
            self.text.append(given)
        elif given is not None:
            self.trouble = "its arguments are no text"

    def wanted(self, calls: Calls) -> Wanted:
        text = "".join(self.text)
        if self.kind not in ("function", "custom"):
            self.trouble = self.trouble or "it is a kind of call that Interlock does not know"
        given: Any = {"input": text} if self.kind == "custom" else text
        return calls.wanted(self.name, given, self.id, self.trouble)

    def whole(self, number: int) -> dict[str, Any]:
        text = "input" if self.kind == "custom" else "arguments"
        inner = {"name": self.name, text: "".join(self.text)}
        named = {"id": self.id} if self.id else {}
        return {"index": number, **named, "type": self.kind, self.kind: inner, **self.more}


class _Choice:
    def __init__(self) -> None:
        self.calls = Calls()
        self.held: dict[int, _Call] = {}
        self.legacy: _Call | None = None  # `function_call`, of which a choice has one
        self.spoke = False
        self.finished = False

    @property
    def is_open(self) -> bool:
        return bool(self.held or self.legacy)


class Stream:
    def __init__(self, *, provider: bool = False) -> None:
        self.provider = provider
        self.choices: dict[int, _Choice] = {}
        self.ended = False

    def feed(self, piece: Piece) -> Steps:
        data = piece.data
        if data is None:
            yield piece
            return
        if data == DONE:
            yield from self.end()
            self.ended = True
            yield piece
            return
        if not isinstance(data, dict):
            raise FaultError("an event of the answer is no object")
        choices = data.get("choices")
        if not isinstance(choices, list):
            if hides_call(data):
                raise FaultError("an event of the answer is not known, and may hold a call")
            self.ended = self.ended or "error" in data
            yield piece
            return
        if hides_call({key: value for key, value in data.items() if key != "choices"}):
            raise FaultError("an event of the answer holds a call where none belongs")
        kept, changed = [], False
        for choice in choices:
            left = self._taken(choice)
            state = self.choices[choice["index"]]
            if choice.get("finish_reason"):
                state.finished = True
                if state.is_open:
                    reason = yield from self._judged(data, choice, state)
                    left = {**(choice if left is None else left), "finish_reason": reason}
                    delta = left.get("delta") or {}
                    left["delta"] = {key: value for key, value in delta.items() if key not in _FOR_CALLS}
            changed = changed or left is not choice
            if left is not None:
                kept.append(left)
        if not changed:
            yield piece
        elif kept or data.get("usage"):
            yield made({**data, "choices": kept}, piece.event)

    def end(self) -> Steps:
        if any(choice.is_open for choice in self.choices.values()):
            raise FaultError("the answer ended inside a tool call")
        yield from ()

    def _taken(self, choice: Any) -> dict[str, Any] | None:
        """The choice without its calls, which are kept here; None where nothing else is in it."""
        if not isinstance(choice, dict) or type(choice.get("index")) is not int:
            raise FaultError("a choice of the answer has no number")
        state = self.choices.setdefault(choice["index"], _Choice())
        delta = choice.get("delta")
        if delta is None:
            delta = {}
        if not isinstance(delta, dict):
            raise FaultError("a choice of the answer is not known")
        if hides_call({key: value for key, value in choice.items() if key != "delta"}) or hides_call(
            {key: value for key, value in delta.items() if key not in _FOR_CALLS}
        ):
            raise FaultError("a choice of the answer holds a call where none belongs")
        state.spoke = state.spoke or bool(delta.get("content"))
        found = [key for key in _FOR_CALLS if delta.get(key)]
        if not found:
            return choice
        if state.finished:
            # INVARIANT: nothing is added to a call after it was judged.
            raise FaultError("a part of a call came after its end")
        self._collect(state, delta)
        rest = {key: value for key, value in delta.items() if key not in _FOR_CALLS}
        if not any(value is not None for value in rest.values()) and not choice.get("finish_reason"):
            return None
        return {**choice, "delta": rest}

    def _collect(self, state: _Choice, delta: dict[str, Any]) -> None:
        parts = delta.get("tool_calls") or []
        if not isinstance(parts, list):
            raise FaultError("the calls of the answer are no list")
        for part in parts:
            if not isinstance(part, dict) or type(part.get("index", 0)) is not int:
                raise FaultError("a call of the answer is no object")
            state.calls.holds(sum(len(str(value)) for value in part.values()))
            state.held.setdefault(part.get("index", len(state.held)), _Call()).takes(part)
        if delta.get("function_call"):
            state.calls.holds(len(str(delta["function_call"])))
            state.legacy = state.legacy or _Call()
            state.legacy.takes({"function": delta["function_call"]})

    def _judged(self, data: dict[str, Any], choice: dict[str, Any], state: _Choice) -> Any:
        """Gives the calls that are let through, and what stands for the others; returns the reason to finish."""
        said: list[str] = []
        kept: list[_Call] = []
        for _, call in sorted(state.held.items()):
            ruling = yield from self._ruled(state, call.wanted(state.calls))
            (kept.append(call) if ruling.allowed else said.append(ruling.text))
        legacy = None
        if state.legacy is not None:
            ruling = yield from self._ruled(state, state.legacy.wanted(state.calls))
            legacy = state.legacy if ruling.allowed else None
            said += [] if ruling.allowed else [ruling.text]
        state.held, state.legacy = {}, None
        deltas: list[dict[str, Any]] = []
        if said:
            deltas.append({"content": ("\n\n" if state.spoke else "") + "\n\n".join(said)})
        deltas += [{"tool_calls": [call.whole(number)]} for number, call in enumerate(kept)]
        if legacy is not None:
            deltas.append({"function_call": {"name": legacy.name, "arguments": "".join(legacy.text)}})
        head = {key: value for key, value in data.items() if key != "usage"}
        for delta in deltas:
            alone = {"index": choice["index"], "delta": delta, "logprobs": None, "finish_reason": None}
            yield made({**head, "choices": [alone]})
        reason = choice["finish_reason"]
        return "stop" if reason in _FOR_CALLS and not state.calls.kept else reason

    def _ruled(self, state: _Choice, wanted: Wanted) -> Any:
        ruling: Ruling = state.calls.ruled(wanted, (yield wanted))
        yield from noted(ruling)
        return ruling


def whole(body: Any, *, provider: bool = False, results: list[Any] | None = None) -> Turned:
    """An answer that came at once."""
    if not isinstance(body, dict) or not isinstance(body.get("choices"), list):
        if hides_call(body):
            raise FaultError("the answer is not known, and may hold a call")
        return body
    if hides_call({key: value for key, value in body.items() if key != "choices"}):
        raise FaultError("the answer holds a call where none belongs")
    choices = []
    for choice in body["choices"]:
        choices.append((yield from _turned(choice)))
    if all(new is old for new, old in zip(choices, body["choices"], strict=True)):
        return body
    return {**body, "choices": choices}


def _turned(choice: Any) -> Turned:
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        if hides_call(choice):
            raise FaultError("a choice of the answer is not known, and may hold a call")
        return choice
    rest = {key: value for key, value in message.items() if key not in _FOR_CALLS}
    if hides_call(rest) or hides_call({key: value for key, value in choice.items() if key != "message"}):
        raise FaultError("a choice of the answer holds a call where none belongs")
    calls = Calls()
    said: list[str] = []
    listed = message.get("tool_calls") or []
    legacy = message.get("function_call") or None
    if not isinstance(listed, list):
        raise FaultError("the calls of the answer are no list")
    kept = []
    for part in listed:
        call = _Call()
        call.takes(part if isinstance(part, dict) else {"type": "unknown"})
        wanted = call.wanted(calls)
        ruling = calls.ruled(wanted, (yield wanted))
        (kept.append(part) if ruling.allowed else said.append(ruling.text))
    if legacy is not None:
        call = _Call()
        call.takes({"function": legacy})
        wanted = call.wanted(calls)
        ruling = calls.ruled(wanted, (yield wanted))
        if not ruling.allowed:
            legacy = None
            said.append(ruling.text)
    if not calls.withheld:
        return choice
    rest["content"] = "\n\n".join([*([str(rest["content"])] if rest.get("content") else []), *said])
    if kept:
        rest["tool_calls"] = kept
    if legacy is not None:
        rest["function_call"] = legacy
    ends = choice.get("finish_reason") in _FOR_CALLS and not calls.kept
    return {**choice, "message": rest, **({"finish_reason": "stop"} if ends else {})}
