"""Messages in the body of an HTTP response, found while it passes: one JSON object, or events of a stream; and those of
our own in such a stream.
"""

from __future__ import annotations

import json

__all__ = ["Found", "as_event", "is_our_question", "question_in"]

_MOST = 64 * 1024 * 1024


class Found:
    """Fed with pieces of a body, gives the messages that are whole. What is too long is passed over."""

    def __init__(self, *, events: bool) -> None:
        self._events = events
        self._rest = b""

    def feed(self, piece: bytes) -> list[bytes]:
        self._rest += piece
        if len(self._rest) > _MOST:
            self._rest = b""
        if not self._events:
            return []
        # Any of the three line ends may separate the lines of an event, and two of them end it.
        text = self._rest.replace(b"\r\n", b"\n")
        if text.endswith(b"\r"):
            return []  # perhaps half of a line end
        *whole, self._rest = text.replace(b"\r", b"\n").split(b"\n\n")
        return [message for event in whole if (message := _data(event))]

    def end(self) -> list[bytes]:
        """What is left when the body has ended."""
        rest, self._rest = self._rest, b""
        found = _data(rest.replace(b"\r\n", b"\n").replace(b"\r", b"\n")) if self._events else rest.strip()
        return [found] if found else []


def _data(event: bytes) -> bytes:
    lines = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line.startswith(b"data:")]
    return b"\n".join(lines).strip()


def as_event(raw: bytes) -> bytes:
    """A message as an event of a stream."""
    lines = raw.strip().splitlines()
    return b"event: message\n" + b"".join([b"data: " + line + b"\n" for line in lines]) + b"\n"


def question_in(raw: bytes) -> str:
    """The id of a question to the client in a message of our own; empty where it asks nothing."""
    data = json.loads(raw)
    return str(data["id"]) if "method" in data else ""


def is_our_question(id: object) -> bool:
    return type(id) is str and id.startswith("interlock-")
