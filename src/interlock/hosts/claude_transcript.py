"""Claude Code's transcript: who answered a question, and who typed a message.

One JSON object a line, written by the client a moment after the event that it tells of. Any program of the same user
can write there, so a line is weak evidence: it may tighten, and loosen for the session at most. Lines are bounded, and
what is not such a line says nothing. What was seen of the real client is in docs/hosts.md.
"""

from __future__ import annotations

from ..bytes.strict import parse_object
from ..limits import MAX_INPUT_BYTES
from ..model.errors import InputError
from ..value import TYPE_CHECKING, FrozenMap, Value
from .traits import BY_A_PERSON, BY_ELSE, REFUSED

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = ["Message", "answers_in", "message_in"]

_BY_A_PERSON = "user_temporary"  # the only word for it that was seen
_STRICTER = (BY_A_PERSON, BY_ELSE, REFUSED)


class Message(Value):
    """A row that holds a message to the agent. `typed`: the client says that a person typed it."""

    text: str
    typed: bool


def answers_in(lines: Iterable[bytes]) -> dict[str, str]:
    """Id of a call -> who answered the question about it, as far as these lines tell."""
    found: dict[str, str] = {}
    for line in lines:
        if b'"tool_result"' not in line:
            continue
        row = _row(line)
        told = None if row is None else _answer(row)
        if told is None:
            continue
        for part in _parts(row):
            name = part.get("tool_use_id")
            if part.get("type") == "tool_result" and type(name) is str:
                # INVARIANT: of two rows about one call the stricter counts, whichever comes first.
                found[name] = max(told, found.get(name, told), key=_STRICTER.index)
    return found


def message_in(line: bytes, prompt: str) -> Message | None:
    """The message, if this row holds the one with that id. Results of calls carry the same id and hold none."""
    if prompt.encode() not in line:
        return None
    row = _row(line)
    if row is None or row.get("type") != "user" or row.get("promptId") != prompt:
        return None
    message = row.get("message")
    content = message.get("content") if type(message) is FrozenMap else None
    if type(content) is tuple:
        parts = _parts(row)
        if any(part.get("type") == "tool_result" for part in parts) or row.get("origin") is None:
            return None
        content = "".join([str(part.get("text", "")) for part in parts])
    if type(content) is not str:
        return None
    origin = row.get("origin")
    human = type(origin) is FrozenMap and origin.get("kind") == "human"
    return Message(text=content, typed=human and row.get("promptSource") == "typed")


def _answer(row: Any) -> str | None:
    if row.get("toolDenialKind") == "user-rejected":
        return REFUSED
    decided = row.get("permissionDecision")
    if type(decided) is not FrozenMap or decided.get("decision") != "accept":
        return None
    return BY_A_PERSON if decided.get("source") == _BY_A_PERSON else BY_ELSE


def _row(line: bytes) -> Any:
    try:
        return parse_object(line, limit=MAX_INPUT_BYTES)
    except InputError:
        return None


def _parts(row: Any) -> list[Any]:
    message = row.get("message")
    content = message.get("content") if type(message) is FrozenMap else None
    return [part for part in content if type(part) is FrozenMap] if type(content) is tuple else []
