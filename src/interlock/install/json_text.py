"""JSON as somebody wrote it: every value with its place in the text, and edits that leave the rest as it is.

A settings file is a person's own. Parsing it and writing it anew would move their line breaks, their `1.0` and their
`\\u00e9`; so a value is put in or cut out where it stands, in the style of what is around it.
"""

from __future__ import annotations

import json
import re

from ..bytes.strict import parse_object
from ..limits import MAX_WATCHED_BYTES
from ..model.errors import InputError
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

__all__ = ["Node", "added", "located", "put_first", "removed", "replaced", "whole"]

_BLANK = re.compile(r"[ \t\n\r]*")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_WORD = re.compile(r"[^ \t\n\r,\]}]+")
_UNIT = "  "


class Node:
    """A value and where it stands. A member of an object begins with its key (`begins`), an item with itself."""

    __slots__ = ("begins", "children", "end", "key", "kind", "start")

    def __init__(self, key: str | None, begins: int, start: int) -> None:
        self.key, self.begins, self.start = key, begins, start
        self.end = start
        self.kind = ""  # "{", "[" or neither
        self.children: list[Node] = []

    def child(self, key: str) -> Node | None:
        return next((child for child in self.children if child.key == key), None)


def located(text: str, limit: int = MAX_WATCHED_BYTES) -> Node:
    """The object that is the whole text. InputError where it is not JSON that every reader takes alike."""
    parse_object(text.encode("utf-8", "surrogatepass"), limit=limit)
    return _value(text, _skip(text, 0))


def whole(text: str, node: Node) -> Any:
    return json.loads(text[node.start : node.end])


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, key: str | None = None, begins: int | None = None) -> Node:
    """INVARIANT: the text is JSON, which `located` has seen to."""
    node = Node(key, at if begins is None else begins, at)
    opened = text[at]
    if opened not in "{[":
        found = (_TEXT if opened == '"' else _WORD).match(text, at)
        node.end = found.end() if found else at + 1
        return node
    node.kind = opened
    at = _skip(text, at + 1)
    while text[at] not in "}]":
        first, name = at, None
        if opened == "{":
            found = _TEXT.match(text, at)
            name = json.loads(found.group()) if found else ""
            at = _skip(text, _skip(text, found.end() if found else at) + 1)
        child = _value(text, at, name, first)
        node.children.append(child)
        at = _skip(text, child.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    node.end = at + 1
    return node


def added(text: str, node: Node, value: Any, key: str | None = None) -> str:
    """The text with one more member or item at the end of the container."""
    if node.children:
        last = node.children[-1]
        before = text[node.start : node.children[0].begins]
        if "\n" not in before:
            return text[: last.end] + ", " + _written(value, key, None) + text[last.end :]
        indent = _indent(text, last.begins)
        shown = _written(value, key, indent, _unit(text))
        return text[: last.end] + "," + _break(text) + indent + shown.replace("\n", _break(text)) + text[last.end :]
    if "\n" not in text.strip() and text.strip() != "{}":
        return text[: node.start + 1] + _written(value, key, None) + text[node.end - 1 :]
    outer = _indent(text, node.start)
    indent = outer + _unit(text)
    shown = "\n" + indent + _written(value, key, indent, _unit(text)) + "\n" + outer
    return text[: node.start + 1] + shown.replace("\n", _break(text)) + text[node.end - 1 :]


def put_first(text: str, node: Node, value: Any) -> str:
    """The text with one more item at the beginning of the list. InputError where it is not a list."""
    if node.kind != "[":
        raise InputError(f"`{node.key}` is not a list there")
    if not node.children:
        return added(text, node, value)
    first = node.children[0].begins
    return text[:first] + _written(value, None, None) + "," + (text[node.start + 1 : first] or " ") + text[first:]


def removed(text: str, node: Node, child: Node) -> str:
    """The text without this child, and without the comma that it had."""
    at = node.children.index(child)
    if at > 0:
        return text[: node.children[at - 1].end] + text[child.end :]
    if len(node.children) > 1:
        return text[: child.begins] + text[node.children[1].begins :]
    return text[: node.start + 1] + text[node.end - 1 :]


def replaced(text: str, node: Node, value: Any) -> str:
    return text[: node.start] + _written(value, None, None) + text[node.end :]


def _written(value: Any, key: str | None, indent: str | None, unit: str = _UNIT) -> str:
    """`indent` None: on one line."""
    if indent is None:
        shown = json.dumps(value, ensure_ascii=False)
    else:
        shown = json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", "\n" + indent)
    return shown if key is None else f"{json.dumps(key, ensure_ascii=False)}: {shown}"


def _break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent(text: str, at: int) -> str:
    """The blanks that the line of this place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """What one level is indented by: as the first line inside the object is."""
    root = _skip(text, 0)
    first = _skip(text, root + 1)
    found = _indent(text, first) if "\n" in text[root:first] else ""
    return found or _UNIT
