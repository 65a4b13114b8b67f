"""TOML as somebody wrote it: where the value of a key stands, and edits that leave the rest of the text as it is.

It knows where statements and values begin and end, and nothing of what they mean. INVARIANT: `with_value` gives a text
that the real parser reads as the old one with this one value; where it cannot, it says so and nothing is written.
"""

from __future__ import annotations

import json
import re
import tomllib

from ..model.errors import InputError
from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

__all__ = ["parsed", "with_value"]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BASIC = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LITERAL = re.compile(r"'[^'\n]*'")
_LONG = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}(?!")|\'\'\'.*?\'{3,5}(?!\')', re.DOTALL)
_OTHER = re.compile(r"[^,\]}#\r\n]+")


class _Member(Value):
    """A key with all that leads to it, where it begins in its statement, and where its value stands."""

    path: tuple[str, ...]
    begins: int
    start: int
    end: int
    inline: bool = False


def parsed(text: str) -> dict[str, Any]:
    """InputError where it is not TOML."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"not TOML: {error}") from None


def with_value(text: str, path: Sequence[str], value: str | list[str]) -> str:
    """The text with this value at the path, whose table is there already."""
    data = parsed(text)
    table = data
    for key in path[:-1]:
        table = table[key]
    if table.get(path[-1]) == value:
        return text
    table[path[-1]] = value
    written = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    try:
        members = list(_members(text))
        own = [member for member in members if member.path == tuple(path)]
        beside = [member for member in members if member.path[:-1] == tuple(path[:-1])]
        if own:
            changed = text[: own[0].start] + written + text[own[0].end :]
        else:
            changed = _added(text, beside[-1], path[-1], written)
        if parsed(changed) == data:
            return changed
    except (IndexError, InputError):
        pass
    raise InputError(f"`{'.'.join(path)}` is written in a way that cannot be edited here")


def _added(text: str, beside: _Member, key: str, written: str) -> str:
    """One more key behind this one, in its style."""
    before = text[beside.begins : beside.start]
    head = before[: before.rindex(beside.path[-1])] if beside.path[-1] in before else ""
    head = head.rstrip("\"'")
    if beside.inline:
        return f"{text[: beside.end]}, {head}{key} = {written}{text[beside.end :]}"
    line = "\r\n" if "\r\n" in text else "\n"
    indent = text[text.rfind("\n", 0, beside.begins) + 1 : beside.begins]
    end = text.find("\n", beside.end)
    end = len(text) if end < 0 else end - (text[end - 1] == "\r")
    return f"{text[:end]}{line}{indent}{head}{key} = {written}{text[end:]}"


def _members(text: str) -> Iterator[_Member]:
    """INVARIANT: the text is TOML, which `parsed` has seen to. Tables in arrays are passed over."""
    table: tuple[str, ...] = ()
    at = _skip(text, 0)
    while at < len(text):
        if text[at] == "[":
            listed = text.startswith("[[", at)
            table, at = _keys(text, at + (2 if listed else 1))
            at = text.index("]", at) + (2 if listed else 1)
            if listed:
                table = ("[[", *table)
        else:
            begins = at
            keys, at = _keys(text, at)
            start = _space(text, text.index("=", at) + 1)
            at = _value_end(text, start)
            path = (*table, *keys)
            yield _Member(path=path, begins=begins, start=start, end=at)
            if text[start] == "{":
                yield from _inside(text, start, path)
        at = _skip(text, at)


def _inside(text: str, start: int, table: tuple[str, ...]) -> Iterator[_Member]:
    at = _skip(text, start + 1)
    while text[at] != "}":
        begins = at
        keys, at = _keys(text, at)
        first = _space(text, text.index("=", at) + 1)
        at = _value_end(text, first)
        path = (*table, *keys)
        yield _Member(path=path, begins=begins, start=first, end=at, inline=True)
        if text[first] == "{":
            yield from _inside(text, first, path)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _keys(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """A key, dotted or not, and where it ends."""
    keys = []
    while True:
        at = _space(text, at)
        found = (_BASIC if text[at] == '"' else _LITERAL if text[at] == "'" else _BARE).match(text, at)
        if found is None:
            raise InputError("a key that is not known here")
        word = found.group()
        keys.append(next(iter(tomllib.loads(f"{word} = 0"))))
        at = _space(text, found.end())
        if at >= len(text) or text[at] != ".":
            return tuple(keys), at
        at += 1


def _value_end(text: str, at: int) -> int:
    if text.startswith(('"""', "'''"), at):
        found = _LONG.match(text, at)
    elif text[at] in "\"'":
        found = (_BASIC if text[at] == '"' else _LITERAL).match(text, at)
    elif text[at] == "[":
        at = _skip(text, at + 1)
        while text[at] != "]":
            at = _skip(text, _value_end(text, at))
            if text[at] == ",":
                at = _skip(text, at + 1)
        return at + 1
    elif text[at] == "{":
        at = _skip(text, at + 1)
        while text[at] != "}":
            _, at = _keys(text, at)
            at = _skip(text, _value_end(text, _space(text, text.index("=", at) + 1)))
            if text[at] == ",":
                at = _skip(text, at + 1)
        return at + 1
    else:
        found = _OTHER.match(text, at)
        return at + len(found.group().rstrip()) if found else at + 1
    if found is None:
        raise InputError("a text that is not known here")
    return found.end()


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
