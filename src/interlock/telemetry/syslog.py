"""Syslog: one message for each thing told, its attributes as structured data.

A datagram is kept short enough for receivers to take it whole; arguments that do not fit are left out, and the
message says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from ..limits import TELEMETRY_SECONDS
from ..store.outside.syslog import by_tcp, by_udp, by_unix, counted, syslog_line
from .told import SEVERITIES, LogEvent

__all__ = ["Syslog", "message_of"]

_MOST = {"udp": 2048, "unix": 8192, "tcp": 64 * 1024}  # bytes of one message
# What goes first where a message is too long, and what it is then marked with.
_SHORTER = (200, 60, 20)  # characters of each text, until it fits
_WHOLE = ("row", "hash", "interlock.receipt", "interlock.policy", "interlock.approval")
_LONG = ("gen_ai.tool.call.arguments", "interlock.says", "interlock.reasons")


def message_of(told: LogEvent, *, service: str, machine: str, most: int) -> bytes:
    data = {"row": str(told.row), "machine": machine}
    for name, value in told.attributes.items():
        if isinstance(value, bool):
            data[name] = "true" if value else "false"
        else:
            data[name] = json.dumps(value) if isinstance(value, tuple) else str(value)
    if told.hash:
        data["hash"] = told.hash

    line = _line(told, service, data, told.text)
    for name in _LONG:
        if len(line) > most and data.pop(name, None) is not None:
            data["interlock.cut"] = "true"
            line = _line(told, service, data, told.text)
    for length in _SHORTER:  # names that agents chose can be long as well
        if len(line) > most:
            data = {name: value if name in _WHOLE else value[:length] for name, value in data.items()}
            line = _line(told, service, {**data, "interlock.cut": "true"}, told.text[:length])
    return line


def _line(told: LogEvent, service: str, data: Mapping[str, str], text: str) -> bytes:
    return syslog_line(
        told.at,
        told.name.removeprefix("interlock."),
        text.encode("utf-8", "replace"),
        severity=SEVERITIES[told.severity],
        app=service,
        data=data,
    )


class Syslog:
    def __init__(self, address: str, *, service: str, machine: str) -> None:
        self.way = address.partition(":")[0]
        self.address = address
        self.service = service
        self.machine = machine

    def send(self, batch: list[LogEvent]) -> str:
        most = _MOST[self.way]
        lines = [message_of(told, service=self.service, machine=self.machine, most=most) for told in batch]
        if self.way == "unix":
            by_unix(self.address.removeprefix("unix:"), lines, TELEMETRY_SECONDS)
            return ""
        parts = urlsplit(self.address)
        host, port = parts.hostname or "", parts.port or 514
        if self.way == "tcp":
            by_tcp(host, port, counted(lines), TELEMETRY_SECONDS)
        else:
            by_udp(host, port, lines, TELEMETRY_SECONDS)
        return ""

    def beat(self, _waiting: Callable[[], int], *, now: bool = False) -> str:
        return ""
