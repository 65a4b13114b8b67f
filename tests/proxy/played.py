"""An answer through a rewriter without a network, and what clients of each API would put together from the result."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from interlock.proxy.apis import APIS
from interlock.proxy.rewrite.calls import Ruling, Wanted
from interlock.proxy.rewrite.pieces import FaultError, Splitter
from proxy.proxying import read_events

__all__ = ["Played", "allow", "calls_in", "deny", "play"]

Rule = Callable[[Wanted], Ruling]


def allow(_wanted: Wanted) -> Ruling:
    return Ruling(allowed=True)


def deny(wanted: Wanted) -> Ruling:
    return Ruling(allowed=False, text=f"[no {wanted.tool}]", told="no", final=True)


class Played:
    """What left, what was judged, and why it ended early."""

    def __init__(self) -> None:
        self.raw = b""
        self.wanted: list[Wanted] = []
        self.fault = ""

    @property
    def events(self) -> list[dict[str, Any]]:
        return read_events(self.raw)


def play(api: str, chunks: Sequence[bytes], rule: Rule, **options: Any) -> Played:
    played, rewriter, splitter = Played(), APIS[api].Stream(**options), Splitter()

    def driven(steps: Any) -> None:
        reply = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration:
                return
            reply = None
            if isinstance(step, Wanted):
                played.wanted.append(step)
                reply = rule(step)
            else:
                played.raw += step.raw

    try:
        for chunk in chunks:
            for piece in splitter.feed(chunk):
                driven(rewriter.feed(piece))
        for piece in splitter.end():
            driven(rewriter.feed(piece))
        driven(rewriter.end())
    except FaultError as error:
        played.fault = str(error)
        played.raw += APIS[api].error_piece(str(error), rewriter).raw
    return played


def calls_in(api: str, events: Sequence[dict[str, Any]]) -> list[tuple[str, Any]]:
    """Tool and arguments of every call that some client would find in these events, however it reads them."""
    found = {"anthropic": _anthropic, "chat": _chat, "responses": _responses, "gemini": _gemini}[api](events)
    return [(name, _read(given)) for name, given in found]


def _read(given: Any) -> Any:
    try:
        return json.loads(given or "{}") if isinstance(given, str) else given
    except ValueError:
        return given


def _anthropic(events: Sequence[dict[str, Any]]) -> list[tuple[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for event in events:
        if event.get("type") == "message_start":
            blocks += event["message"].get("content") or []
        elif event.get("type") == "content_block_start":
            blocks.append({**event["content_block"], "json": ""})
        elif event.get("type") == "content_block_delta" and 0 <= event["index"] < len(blocks):
            block = blocks[event["index"]]
            block["json"] = block.get("json", "") + event["delta"].get("partial_json", "")
    return [(str(b.get("name")), b.get("json") or b.get("input")) for b in blocks if b.get("type") == "tool_use"]


def _chat(events: Sequence[dict[str, Any]]) -> list[tuple[str, Any]]:
    calls: dict[Any, list[str]] = {}
    for event in events:
        for choice in event.get("choices", ()):
            delta = choice.get("delta") or {}
            for part in delta.get("tool_calls") or ():
                inner = part.get("function") or part.get("custom") or {}
                one = calls.setdefault((choice["index"], part.get("index")), ["", ""])
                one[0] += inner.get("name") or ""
                one[1] += inner.get("arguments") or inner.get("input") or ""
            if delta.get("function_call"):
                one = calls.setdefault((choice["index"], "legacy"), ["", ""])
                one[0] += delta["function_call"].get("name") or ""
                one[1] += delta["function_call"].get("arguments") or ""
    return [(name, text) for name, text in calls.values()]


def _responses(events: Sequence[dict[str, Any]]) -> list[tuple[str, Any]]:
    items = [event["item"] for event in events if isinstance(event.get("item"), dict) and "done" in event["type"]]
    whole = [item for event in events for item in (event.get("response") or {}).get("output") or ()]
    found = [(str(item.get("name")), item.get("arguments")) for item in items if item.get("type") == "function_call"]
    last = [(str(item.get("name")), item.get("arguments")) for item in whole if item.get("type") == "function_call"]
    return [*found, *[one for one in last if last.count(one) > found.count(one)]]


def _gemini(events: Sequence[dict[str, Any]]) -> list[tuple[str, Any]]:
    parts = [
        part
        for event in events
        for candidate in event.get("candidates") or ()
        for part in (candidate.get("content") or {}).get("parts") or ()
    ]
    calls = [part.get("functionCall") or part.get("function_call") for part in parts]
    return [(str(call.get("name")), call.get("args") or {}) for call in calls if call]
