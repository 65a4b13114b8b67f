"""YAML in its plain form, as a value: maps and lists by indentation, scalars on one line, `|` blocks, `[…]` lists.

Readers of such files take all of YAML. Whatever is outside the plain form (anchors, tags, text that goes on in the next
line, maps in braces, escapes, a key that is given twice) makes the text one that is not read: None, never a guess.
Every scalar is a text.
"""

from __future__ import annotations

import re

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    Plain = str | list["Plain"] | dict[str, "Plain"]

__all__ = ["plain_yaml"]

_LONGEST = 64 * 1024
_DEEPEST = 24
_KEY = re.compile(r"(?:([A-Za-z_$@/.][\w$@/. -]*?)|\"([^\"\\]*)\"|'([^']*)')\s*:(?:\s+(.*)|)", re.ASCII)
_BLOCK = re.compile(r"\|[+-]?(?:\s+#.*)?")
_NO_PLAIN = frozenset("&*!|>%@`\"'[]{}#,?")


class _Odd(Exception):
    """The text is not in the plain form."""


def plain_yaml(text: str) -> Plain | None:
    if len(text) > _LONGEST or not text.replace("\n", "").isprintable():
        return None
    lines = text.removeprefix("---\n").split("\n")
    try:
        found, at = _block(lines, 0, 0, 0)
        if _next(lines, at) < len(lines):
            return None
    except _Odd:
        return None
    return found


def _next(lines: list[str], at: int) -> int:
    """The next line that says something."""
    while at < len(lines) and (not lines[at].strip() or lines[at].lstrip()[0] == "#"):
        at += 1
    return at


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _block(lines: list[str], at: int, least: int, depth: int) -> tuple[Plain, int]:
    """The map or list whose first line is the next one, at `least` or deeper."""
    at = _next(lines, at)
    if at >= len(lines) or _indent(lines[at]) < least:
        return "", at
    if depth > _DEEPEST:
        raise _Odd
    indent = _indent(lines[at])
    if lines[at][indent : indent + 2] == "- " or lines[at][indent:] == "-":
        return _list(lines, at, indent, depth)
    return _map(lines, at, indent, depth)


def _list(lines: list[str], at: int, indent: int, depth: int) -> tuple[Plain, int]:
    found: list[Plain] = []
    while at < len(lines) and _indent(lines[at]) == indent and lines[at][indent : indent + 1] == "-":
        rest = lines[at][indent + 1 :]
        if rest and rest[0] != " ":
            raise _Odd
        inner = indent + 1 + _indent(rest)
        if not rest.strip() or rest.lstrip()[0] == "#":
            item, at = _block(lines, at + 1, indent + 1, depth + 1)
        elif _KEY.fullmatch(rest.strip()):
            lines = [*lines[:at], " " * inner + rest.strip(), *lines[at + 1 :]]
            item, at = _map(lines, at, inner, depth + 1)
        else:
            item, at = _value(rest.strip(), lines, at, indent)
        found.append(item)
        at = _next(lines, at)
    if at < len(lines) and _indent(lines[at]) > indent:
        raise _Odd
    return found, at


def _map(lines: list[str], at: int, indent: int, depth: int) -> tuple[Plain, int]:
    found: dict[str, Plain] = {}
    while at < len(lines) and _indent(lines[at]) == indent:
        line = lines[at].strip()
        if line[:2] == "- " or line == "-":
            break
        head = _KEY.fullmatch(line)
        if head is None:
            raise _Odd
        key = next(part for part in head.groups()[:3] if part is not None)
        if key in found or key == "<<":
            raise _Odd
        value = (head[4] or "").strip()
        if value and value[0] != "#":
            found[key], at = _value(value, lines, at, indent)
        else:
            below = _next(lines, at + 1)
            # A list may stand right under its key.
            listed = below < len(lines) and _indent(lines[below]) == indent and lines[below].strip()[:2] in ("- ", "-")
            found[key], at = _block(lines, at + 1, indent if listed else indent + 1, depth + 1)
        at = _next(lines, at)
    if at < len(lines) and _indent(lines[at]) > indent:
        raise _Odd
    return found, at


def _value(text: str, lines: list[str], at: int, indent: int) -> tuple[Plain, int]:
    """A value that begins behind its key or dash, and the line behind it."""
    if _BLOCK.fullmatch(text):
        return _literal(lines, at + 1, indent)
    below = _next(lines, at + 1)
    if below < len(lines) and _indent(lines[below]) > indent:
        raise _Odd  # a text that goes on there
    if text[0] == "[":
        inner, closed, after = text[1:].rpartition("]")
        if not closed or after.partition("#")[0].strip():
            raise _Odd
        return [_scalar(part.strip()) for part in inner.split(",") if part.strip()], at + 1
    if text == "{}":
        return {}, at + 1
    return _scalar(text), at + 1


def _scalar(text: str) -> str:
    if text[0] in "\"'":
        inner, closed, after = text[1:].partition(text[0])
        if (
            not closed
            or after[:1] not in ("", " ")
            or after.partition("#")[0].strip()
            or "\\" in inner * (text[0] == '"')
        ):
            raise _Odd
        return inner
    plain = text.partition(" #")[0].rstrip()
    if plain[0] in _NO_PLAIN or ": " in plain or plain[-1] == ":" or plain[:2] in ("- ", "-"):
        raise _Odd
    return plain


def _literal(lines: list[str], at: int, indent: int) -> tuple[Plain, int]:
    first = next((line for line in lines[at:] if line.strip()), "")
    depth = _indent(first)
    if depth <= indent:
        raise _Odd
    found = []
    while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) >= depth):
        found.append(lines[at][depth:])
        at += 1
    return "\n".join(found).rstrip("\n") + "\n", at
