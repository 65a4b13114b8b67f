"""A stream of server-sent events, cut into pieces that every client reads in the same way.

Clients differ in what ends a line: some also break at U+2028 or at a lone carriage return, and would find an event in
what is a text here. So a piece leaves with line feeds only, its data on one line, and such characters as escapes. A
piece that came in that form already leaves byte for byte. Data must be JSON that can be read in one way.
"""

from __future__ import annotations

import json
from typing import Any

from ...model.errors import printable
from ...value import Value

__all__ = ["DONE", "MAX_EVENT_BYTES", "FaultError", "Piece", "Splitter", "made", "parsed", "written"]

MAX_EVENT_BYTES = 16 * 1024 * 1024  # one event
DONE = "[DONE]"  # how OpenAI ends a stream
_BREAKS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_FIELDS = (b"event", b"data", b"id", b"retry")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")


class FaultError(Exception):
    """The answer could not be understood, and ends here. The words are ours, never the model's."""


class Piece(Value):
    """
    event  the name in its `event:` line
    data   what its data says; None: there is none, such as a comment
    raw    the bytes that leave
    """

    event: str
    data: Any
    raw: bytes


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise FaultError("an object of the answer has the same key twice")
    return found


def _finite(_word: str) -> Any:
    raise FaultError("the answer holds a number that is not finite")


_decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_finite)


def parsed(text: str) -> Any:
    """JSON that has one meaning: no key twice. FaultError otherwise."""
    try:
        return _decoder.decode(text)
    except (ValueError, RecursionError):
        raise FaultError("the answer is not JSON") from None


def written(data: Any) -> str:
    """On one line, for every client's idea of a line. Halves of a character stay halves."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=(",", ":"))
    return _on_one_line(text)


def _on_one_line(text: str) -> str:
    if not text.isascii():
        for char, escape in _BREAKS.items():
            text = text.replace(char, escape)
    return text


def made(data: Any, event: str = "") -> Piece:
    """A piece of our own, or one that was changed."""
    head = f"event: {event}\n" if event else ""
    return Piece(event=event, data=data, raw=f"{head}data: {written(data)}\n\n".encode())


class Splitter:
    """Takes bytes as they arrive, cut anywhere; gives whole pieces."""

    def __init__(self) -> None:
        self._rest = b""
        self._began = False

    def feed(self, chunk: bytes) -> list[Piece]:
        held = self._rest + chunk
        if not self._began:
            if len(held) < 3 and b"\xef\xbb\xbf".startswith(held):
                self._rest = held
                return []
            self._began = True
            held = held.removeprefix(b"\xef\xbb\xbf")
        last = b""
        if b"\r" in held:
            if held.endswith(b"\r"):  # half of a line's end, perhaps
                held, last = held[:-1], b"\r"
            held = held.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *blocks, rest = held.split(b"\n\n")
        self._rest = rest + last
        if len(self._rest) > MAX_EVENT_BYTES:
            raise FaultError("one event of the answer is too large")
        found = []
        for block in blocks:
            piece = _piece(block)
            if piece is not None:
                found.append(piece)
        return found

    def end(self) -> list[Piece]:
        """What stands at the end without a blank line. Some clients read it, so it is read here too."""
        rest, self._rest = self._rest.strip(b"\r\n"), b""
        piece = _piece(rest) if rest else None
        return [] if piece is None else [piece]


def _piece(block: bytes) -> Piece | None:
    lines = block.strip(b"\n").split(b"\n")
    event, data, other = "", [], []
    plain, strange = len(block) > 0 and block[:1] != b"\n", False
    for line in lines:
        name, colon, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            data.append(value)
        elif name == b"event":
            event = _named(value)
        elif (not name and colon) or name in _FIELDS:
            if line.isascii() and line.decode().isprintable():
                other.append(line)
            else:
                plain = False
        elif line:  # a field that nobody knows is left out; where there is nothing else, it is no event at all
            plain, strange = False, True
    if strange and not (data or event or other):
        raise FaultError("the answer is no stream of events")
    if not data:
        return Piece(event=event, data=None, raw=b"\n".join(other) + b"\n\n") if other else None
    try:
        text = b" ".join(data).decode()
    except UnicodeDecodeError:
        raise FaultError("the answer is not UTF-8 text") from None
    if text.strip() == DONE:
        return Piece(event=event, data=DONE, raw=b"data: [DONE]\n\n")
    said = parsed(text)
    safe = _on_one_line(text)
    if plain and len(data) == 1 and safe is text and _is_unindented(lines):
        return Piece(event=event, data=said, raw=b"\n".join(lines) + b"\n\n")
    head = [*other, *([b"event: " + event.encode()] if event else []), b"data: " + safe.encode()]
    return Piece(event=event, data=said, raw=b"\n".join(head) + b"\n\n")


def _is_unindented(lines: list[bytes]) -> bool:
    """Every line is a field or a comment as it stands there; none is empty."""
    return all(line[:1].isalpha() or line[:1] == b":" for line in lines)


def _named(value: bytes) -> str:
    name = value.decode("latin-1")
    if not _NAME.issuperset(name):
        raise FaultError(f"the answer has an event with a name that is none: {printable(name[:40])!r}")
    return name
