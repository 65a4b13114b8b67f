"""The person's words in a request, where whoever starts the proxy says that user messages are just that.

Programs put all kinds of things into a user message: results of tools, pages that were looked up, reminders of their
own. What is taken for the person's word may go into a call without a question, so nothing is unless the settings say
so; and even then not what stands beside a tool's result, nor what a client marks as its own.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from .apis import ANTHROPIC, CHAT, GEMINI, RESPONSES

__all__ = ["Heard", "words_in"]

_MOST = 10_000  # messages that are remembered as told
# What a client adds by itself inside of a user message. One that is not closed goes on to the end.
_OWN = re.compile(r"<(system-reminder|command-[a-z]+|local-command-[a-z]+)>.*?(?:</\1>|\Z)", re.DOTALL)
_RESULTS = frozenset(("tool_result", "function_call_output", "functionResponse", "function_response"))


class Heard:
    """Which messages were told, since every request repeats the whole conversation."""

    def __init__(self) -> None:
        self._told: OrderedDict[tuple[str, bytes], None] = OrderedDict()

    def new(self, session: str, texts: list[str]) -> list[str]:
        found = []
        for text in texts:
            mark = (session, hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
            if mark not in self._told:
                self._told[mark] = None
                found.append(text)
        while len(self._told) > _MOST:
            self._told.popitem(last=False)
        return found


def words_in(api: str, body: Mapping[str, Any]) -> list[str]:
    """What the user messages of a request say, in their order."""
    texts = [_OWN.sub(" ", text) for message in _messages(api, body) for text in _texts(message)]
    return [text for text in texts if text.strip()]


_PLACES = {
    ANTHROPIC: ("messages", "content"),
    CHAT: ("messages", "content"),
    RESPONSES: ("input", "content"),
    GEMINI: ("contents", "parts"),
}


def _messages(api: str, body: Mapping[str, Any]) -> Iterator[Any]:
    """The content of each user message: a text, or a list of parts."""
    if api == RESPONSES and isinstance(body.get("input"), str):
        yield body["input"]
        return
    key, content = _PLACES[api]
    given = body.get(key)
    for message in given if isinstance(given, list) else []:
        if isinstance(message, dict) and message.get("role") == "user":
            yield message.get(content)


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    if any(part.get("type") in _RESULTS or not _RESULTS.isdisjoint(part) for part in parts):
        return []
    kinds = (None, "text", "input_text")
    return [part["text"] for part in parts if part.get("type") in kinds and isinstance(part.get("text"), str)]
