"""From the settings to the followers: one for each receiver, so that one that hangs holds up no other."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from ..model.errors import lacking
from ..store.home.folders import Folders
from ..store.ledger.tail import Tail
from ..store.outside.evidence import machine_name
from .collector import Collector, headers_in
from .follower import Follower, Receiver
from .jsonl import JsonLines
from .place import place_for
from .settings import Telemetry
from .syslog import Syslog
from .traces import Traces

__all__ = ["Telling", "destinations", "followers_for"]

_ENDS = 2.0  # seconds that a thread may take to end; what it has not sent is sent at the next start


def destinations(settings: Telemetry) -> list[str]:
    """The receivers by name, as people see them."""
    named = (("otlp", settings.otlp), ("jsonl", settings.jsonl), ("syslog", settings.syslog))
    return [f"{kind} {address}" for kind, address in named if address]


def followers_for(
    folders: Folders,
    settings: Telemetry,
    open_tail: Callable[[], Tail],
    *,
    traces: Traces | None = None,
    from_start: bool = False,
    said: Callable[[str], None] = lambda _text: None,
) -> list[Follower]:
    made = []
    for name in destinations(settings):
        kind = name.partition(" ")[0]
        made.append(
            Follower(
                open_tail,
                _receiver(kind, settings),
                place_for(folders, name),
                arguments=settings.arguments,
                traces=traces if kind == "otlp" else None,
                from_start=from_start,
                said=said,
            )
        )
    return made


def _receiver(kind: str, settings: Telemetry) -> Receiver:
    service, machine = settings.service, machine_name()
    if kind == "jsonl":
        return JsonLines(settings.jsonl, service=service, machine=machine)
    if kind == "syslog":
        return Syslog(settings.syslog, service=service, machine=machine)
    try:
        from .otlp import Otlp
    except ImportError as error:
        raise lacking("OpenTelemetry", "otel", error.name, sys.executable) from None

    if settings.headers:
        headers_in(settings.headers)  # what is wrong with them is said now, and not at the first decision
    return Otlp(Collector(settings.otlp, settings.headers), service=service, machine=machine)


class Telling:
    """The followers, each in a thread of its own, until `end`."""

    def __init__(self, followers: list[Follower]) -> None:
        self.followers = followers
        self.threads = [
            threading.Thread(target=follower.run, name="interlock-telemetry", daemon=True) for follower in followers
        ]
        for thread in self.threads:
            thread.start()

    def end(self) -> None:
        for follower in self.followers:
            follower.stop.set()
        for thread in self.threads:
            thread.join(_ENDS)
