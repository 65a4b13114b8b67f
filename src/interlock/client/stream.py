"""Server-sent events, line by line, and when a stream that ended is taken up again."""

from __future__ import annotations

import json

from ..model.errors import ServiceError
from .steps import Reply, refusal_of, retried_after
from .values import Event, event_from

__all__ = ["Lines", "reconnected"]

_FIRST, _LONGEST = 0.2, 5.0  # seconds between tries
_AGAIN = (0, 429, 502, 503, 504)


class Lines:
    """Reads the lines of one stream after another, and remembers the last event. `after` None: only what is new."""

    def __init__(self, after: int | None) -> None:
        self.after = after
        self._id: int | None = None

    @property
    def path(self) -> str:
        return "/v1/events" if self.after is None else f"/v1/events?after={self.after}"

    def read(self, line: str) -> Event | None:
        name, _, value = line.partition(": ")
        if name == "id" and value.isascii() and value.isdigit():
            self._id = int(value)
        if name != "data" or self._id is None:
            return None
        try:
            body = json.loads(value)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise ServiceError("the service sent an event that is no JSON object")
        self.after = self._id
        return event_from(self._id, body)


def reconnected(reply: Reply, tries: int, silent: float, patience: float) -> float:
    """Seconds until it is tried again. The error, where that has no end."""
    if reply.status not in _AGAIN or silent > patience:
        raise refusal_of(reply)
    return max(retried_after(reply), min(_FIRST * 2.0 ** min(tries - 1, 10), _LONGEST))
