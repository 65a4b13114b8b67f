"""Gemini generateContent. A call is one part of a chunk, complete as it is; `finishReason` is the same either way.

A withheld call becomes a text part in its place. A call whose arguments come in parts is not put together: the request
asks for whole ones (`proxy/asked.py`), and a part of one is withheld.
"""

from __future__ import annotations

from typing import Any

from .calls import Calls, Steps, Turned, hides_call, is_like_call
from .pieces import DONE, FaultError, Piece, made

__all__ = ["KEEPALIVE", "Stream", "error_body", "error_piece", "whole"]

KEEPALIVE = b"\n"  # google-genai takes a comment for data, and breaks
_INERT = frozenset(
    (
        *("text", "thought", "thoughtsignature", "inlinedata", "filedata", "codeexecutionresult", "videometadata"),
        *("functionresponse", "mediaresolution", "partmetadata", "toolresponse"),
    )
)
_PROVIDER = frozenset(("executablecode", "toolcall"))  # which the provider ran by itself
_STATUS = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 502: "UNAVAILABLE"}


def error_body(text: str, status: int) -> dict[str, Any]:
    return {"error": {"code": status, "message": text, "status": _STATUS.get(status, "INTERNAL")}}


def error_piece(text: str, _stream: Any = None) -> Piece:
    return made(error_body(text, 502))


def _flat(key: str) -> str:
    return key.replace("_", "").lower()


class Stream:
    def __init__(self, *, provider: bool = False) -> None:
        self.provider = provider
        self.calls = Calls()
        self.ended = False

    def feed(self, piece: Piece) -> Steps:
        if piece.data is None:
            return  # a comment of upstream's would break the client
        if piece.data == DONE:
            yield piece
            return
        turned = yield from _turned(piece.data, self.calls, provider=self.provider)
        yield piece if turned is piece.data else made(turned, piece.event)

    def end(self) -> Steps:
        yield from ()


def whole(body: Any, *, provider: bool = False, results: list[Any] | None = None) -> Turned:
    """One answer, or the list that a stream without `alt=sse` is."""
    calls = Calls()
    if isinstance(body, list):
        turned = []
        for each in body:
            turned.append((yield from _turned(each, calls, provider=provider)))
        return body if all(new is old for new, old in zip(turned, body, strict=True)) else turned
    return (yield from _turned(body, calls, provider=provider))


def _turned(chunk: Any, calls: Calls, *, provider: bool) -> Turned:
    if not isinstance(chunk, dict):
        raise FaultError("an event of the answer is no object")
    if hides_call({key: value for key, value in chunk.items() if key != "candidates"}):
        raise FaultError("the answer holds a call where none belongs")
    candidates = chunk.get("candidates")
    if candidates is None:
        return chunk
    if not isinstance(candidates, list):
        raise FaultError("the candidates of the answer are no list")
    turned = []
    for candidate in candidates:
        turned.append((yield from _candidate(candidate, calls, provider)))
    if all(new is old for new, old in zip(turned, candidates, strict=True)):
        return chunk
    return {**chunk, "candidates": turned}


def _candidate(candidate: Any, calls: Calls, provider: bool) -> Turned:
    if not isinstance(candidate, dict):
        raise FaultError("a candidate of the answer is no object")
    if hides_call({key: value for key, value in candidate.items() if key != "content"}):
        raise FaultError("the answer holds a call where none belongs")
    content = candidate.get("content")
    if content is None:
        return candidate
    if not isinstance(content, dict) or hides_call({key: value for key, value in content.items() if key != "parts"}):
        raise FaultError("a candidate of the answer is not known")
    parts = content.get("parts")
    if parts is None:
        return candidate
    if not isinstance(parts, list):
        raise FaultError("the parts of the answer are no list")
    turned = []
    for part in parts:
        turned.append((yield from _part(part, calls, provider)))
    if all(new is old for new, old in zip(turned, parts, strict=True)):
        return candidate
    return {**candidate, "content": {**content, "parts": turned}}


def _part(part: Any, calls: Calls, provider: bool) -> Turned:
    if not isinstance(part, dict):
        raise FaultError("a part of the answer is no object")
    # The clients take both `functionCall` and `function_call`, so a part with two of one key could be either.
    named = [_flat(key) for key in part]
    doing = [key for key, flat in zip(part, named, strict=True) if flat not in _INERT and _counts(flat, part[key])]
    if provider:
        doing = [key for key in doing if _flat(key) not in _PROVIDER]
    if not doing:
        return part
    trouble = ""
    call = part[doing[0]]
    if len(set(named)) != len(named) or len(doing) != 1:
        trouble = "it could be read in two ways"
    elif _flat(doing[0]) in _PROVIDER:
        trouble = "it is run by the provider, where nobody can judge it"
    elif _flat(doing[0]) != "functioncall" or not isinstance(call, dict):
        trouble = "it is a kind of call that Interlock does not know"
    elif set(call) - {"name", "args", "id"} or not isinstance(call.get("args", {}), dict | None):
        trouble = "its arguments come in parts, or it has fields that Interlock does not know"
    fields = call if isinstance(call, dict) else {}
    wanted = calls.wanted(fields.get("name"), fields.get("args") or {}, fields.get("id"), trouble)
    ruling = calls.ruled(wanted, (yield wanted))
    return part if ruling.allowed else {"text": ruling.text}


def _counts(flat: str, value: Any) -> bool:
    """Whether a key that is not known may be something to do."""
    return flat in ("functioncall", *_PROVIDER) or is_like_call({"type": flat}) or is_like_call(value)
