"""`continue`: the model is told that its call was refused, and what it says next goes into the same answer.

The client never sees the call, so its later requests do not hold it. What was withheld is remembered here by the text
that stands in its place, and put back, so that the model's history is what really happened. A response that the
provider keeps still holds its calls: the next request that builds on it brings their results. After a restart nothing
is remembered, and the model reads the text instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..value import Value
from .apis import ANTHROPIC, RESPONSES
from .newest import Newest
from .rewrite.calls import Ruling

__all__ = ["MAX_ROUNDS", "Kept", "Memory", "Withheld", "next_body", "repaired", "result_of"]

MAX_ROUNDS = 3
_MOST = 10_000  # calls and responses that are remembered
_OUTPUTS = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}


class Withheld(Value):
    """
    said    the call as the model made it: a block or an item
    result  what it was told of it
    closed  it was told so at once, and what follows is its next answer
    """

    said: Mapping[str, Any]
    result: Mapping[str, Any]
    closed: bool = False


class Kept(Value):
    """A response as the provider keeps it: its session, its id there, and the results that its calls are owed."""

    session: str
    real: str
    owed: tuple[Mapping[str, Any], ...] = ()


class Memory:
    """What was withheld, by session and text; and which session a kept response belongs to."""

    def __init__(self) -> None:
        self._texts = Newest[Withheld](_MOST)
        self._responses = Newest[Kept](_MOST)

    def keep(
        self, api: str, session: str, results: Sequence[tuple[Mapping[str, Any], Ruling]], *, closed: bool
    ) -> None:
        for said, ruling in results:
            result = result_of(api, said, ruling)
            if result is not None:
                entry = Withheld(said=said, result=result, closed=closed)
                self._texts.put((session, ruling.text), entry, len(repr(said)) + len(repr(result)))

    def find(self, session: str, text: Any) -> Withheld | None:
        return self._texts.get((session, text)) if isinstance(text, str) else None

    def answered(
        self, id: str, real: str, session: str, results: Sequence[tuple[Mapping[str, Any], Ruling]], *, closed: bool
    ) -> None:
        """A response that the provider may keep as `real`, with the calls in it that nobody will answer."""
        owed = [] if closed else [result_of(RESPONSES, said, ruling) for said, ruling in results]
        if id:
            kept = Kept(session=session, real=real or id, owed=tuple([one for one in owed if one is not None]))
            self._responses.put(id, kept, len(repr(kept.owed)))

    def before(self, body: Mapping[str, Any]) -> Kept | None:
        """The response that a request builds on."""
        return self._responses.get(str(body.get("previous_response_id")))


def result_of(api: str, said: Mapping[str, Any], ruling: Ruling) -> dict[str, Any] | None:
    """What the model is told of a call that was not made; None where its API has no words for that."""
    if api == ANTHROPIC:
        if said.get("type") != "tool_use":
            return None
        return {"type": "tool_result", "tool_use_id": said.get("id"), "is_error": True, "content": ruling.told}
    kind = _OUTPUTS.get(str(said.get("type")))
    return None if kind is None else {"type": kind, "call_id": said.get("call_id"), "output": ruling.told}


def next_body(
    api: str, body: Mapping[str, Any], content: Sequence[Mapping[str, Any]], results: Sequence[Any]
) -> dict[str, Any]:
    """The request that tells the model what became of its calls."""
    told = [result_of(api, said, ruling) for said, ruling in results]
    if api == ANTHROPIC:
        said = {"role": "assistant", "content": list(content)}
        return {**body, "messages": [*body.get("messages", ()), said, {"role": "user", "content": told}]}
    if body.get("conversation"):  # which has the answer already
        return {**body, "input": told}
    return {**body, "input": [*_listed(body.get("input")), *content, *told]}


def _listed(given: Any) -> list[Any]:
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return list(given or [])


def repaired(api: str, body: Mapping[str, Any], memory: Memory, session: str) -> Mapping[str, Any]:
    """The request with the calls that were withheld from the client; the same object where there are none."""
    if api == RESPONSES:
        before = memory.before(body)
        listed = _listed(body.get("input"))
        turned = [part for item in listed for part in _of_item(item, memory, session)]
        answered = {item.get("call_id") for item in listed if isinstance(item, dict)}
        owed = [one for one in before.owed if one.get("call_id") not in answered] if before is not None else []
        if owed or turned != listed:
            body = {**body, "input": [*owed, *turned]}
        if before is not None and before.real != body.get("previous_response_id"):
            body = {**body, "previous_response_id": before.real}
        return body
    messages = body.get("messages")
    if api != ANTHROPIC or not isinstance(messages, list):
        return body
    turned = _messages(messages, memory, session)
    return body if turned is messages else {**body, "messages": turned}


def _of_item(item: Any, memory: Memory, session: str) -> list[Any]:
    content = item.get("content") if isinstance(item, dict) and item.get("type", "message") == "message" else None
    part = content[0] if isinstance(content, list) and len(content) == 1 else None
    found = memory.find(session, part.get("text")) if isinstance(part, dict) else None
    return [item] if found is None or item.get("role") != "assistant" else [dict(found.said), dict(found.result)]


def _messages(messages: list[Any], memory: Memory, session: str) -> list[Any]:
    turned: list[Any] = []
    owed: list[Any] = []  # results that the next message of the user begins with
    changed = False
    for place, message in enumerate(messages):
        if isinstance(message, dict) and message.get("role") == "assistant":
            follows = messages[place + 1] if place + 1 < len(messages) else None
            split, owed = _assistant(message, memory, session, isinstance(follows, dict))
            changed = changed or split != [message]
            turned += split
        elif owed and isinstance(message, dict):
            said = message.get("content")
            listed = said if isinstance(said, list) else [{"type": "text", "text": said}]
            turned.append({**message, "content": [*owed, *listed]})
            owed = []
        else:
            turned.append(message)
    return turned if changed else messages


def _assistant(message: dict[str, Any], memory: Memory, session: str, follows: bool) -> tuple[list[Any], list[Any]]:
    """The messages that this one was made of, and results that the next one owes."""
    content = message.get("content")
    if not isinstance(content, list) or not follows:
        return [message], []
    done: list[Any] = []
    now: list[Any] = []
    told: list[Any] = []  # of calls that the model was told of at once
    owed: list[Any] = []
    for block in content:
        text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
        found = memory.find(session, text)
        if told and (found is None or not found.closed):  # here the model's next answer begins
            done += [{"role": "assistant", "content": now}, {"role": "user", "content": told}]
            now, told = [], []
        if found is None:
            now.append(block)
        else:
            now.append(dict(found.said))
            (told if found.closed else owed).append(dict(found.result))
    if told:  # it said nothing more
        return [*done, {**message, "content": now}], [*told, *owed]
    return [*done, {**message, "content": now}], owed
