"""JSON lines: one object a line, appended to a file.

The file is opened for each batch, so it can be moved away by a rotation at any time: the next batch makes a new one.
What was written has reached the disk before the place is moved.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from ..store.home.files import append_line
from .told import LogEvent

__all__ = ["JsonLines", "line_of", "moment"]


def moment(at: int) -> str:
    """Milliseconds since 1970 as RFC 3339."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def line_of(told: LogEvent, *, service: str, machine: str) -> bytes:
    data: dict[str, Any] = {
        "at": moment(told.at),
        "event": told.name,
        "severity": told.severity,
        "service": service,
        "machine": machine,
        "row": told.row,
        "hash": told.hash,
        "text": told.text,
        **told.attributes,
    }
    return json.dumps(data, separators=(",", ":")).encode()


class JsonLines:
    def __init__(self, path: str, *, service: str, machine: str) -> None:
        self.path = path
        self.service = service
        self.machine = machine

    def send(self, batch: list[LogEvent]) -> str:
        lines = [line_of(told, service=self.service, machine=self.machine) for told in batch]
        append_line(self.path, b"\n".join(lines), durable=True)
        return ""

    def beat(self, _waiting: Callable[[], int], *, now: bool = False) -> str:
        return ""
