"""Which request a decision was made in: its trace and how long it took, kept until the decision is told.

The HTTP service notes it here, in memory, and whoever follows the ledger takes it up when the decision's row comes by.
So there is one teller, and no decision is told twice. A receipt says the same for the same call, so a note is taken
only for a row that was written while its request was decided.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..value import Value

__all__ = ["Trace", "Traces", "parent_in"]

_MOST = 10_000  # receipts whose notes wait to be taken up
_MOST_ALIKE = 100  # notes of one receipt
_PATIENCE = 1.0  # seconds that a row waits for the request that is still deciding it
_SLACK = 2  # milliseconds: a row's moment is rounded
_HEX = frozenset("0123456789abcdef")


class Trace(Value):
    """
    parent        trace and span of the request, as bytes; None where it named none
    began, ended  nanoseconds since 1970
    """

    parent: tuple[bytes, bytes] | None
    began: int
    ended: int


def parent_in(header: str) -> tuple[bytes, bytes] | None:
    """Trace id and span id of a `traceparent`; None where it is not a sound one."""
    parts = header.strip().split("-")
    if len(parts) < 4 or (parts[0] == "00" and len(parts) != 4) or parts[0] == "ff":
        return None
    version, trace, span, flags = parts[:4]
    if [len(part) for part in (version, trace, span, flags)] != [2, 32, 16, 2]:
        return None
    if not _HEX.issuperset(version + trace + span + flags) or not trace.strip("0") or not span.strip("0"):
        return None
    return bytes.fromhex(trace), bytes.fromhex(span)


class Traces:
    """Shared by the threads of the service and the one that follows the ledger."""

    def __init__(self) -> None:
        self.wanted = False  # where nothing is sent, nobody takes notes up
        self._lock = threading.Condition()
        self._deciding: dict[int, int] = {}
        self._noted: dict[str, list[Trace]] = {}
        self._count = 0

    @contextmanager
    def deciding(self, header: str) -> Iterator[Callable[[str], None]]:
        """Around one decision; what is given takes its receipt."""
        if not self.wanted:
            yield lambda _receipt: None
            return
        began = time.time_ns()
        with self._lock:
            self._count += 1
            number = self._count
            self._deciding[number] = began

        def noted(receipt: str) -> None:
            trace = Trace(parent=parent_in(header), began=began, ended=time.time_ns())
            with self._lock:
                same = self._noted.pop(receipt, [])
                self._noted[receipt] = [*same[-_MOST_ALIKE:], trace]
                if len(self._noted) > _MOST:
                    del self._noted[next(iter(self._noted))]

        try:
            yield noted
        finally:
            with self._lock:
                del self._deciding[number]
                self._lock.notify_all()

    def taken(self, receipt: str, at: int) -> Trace | None:
        """The request that a row of this moment was written in. A note is for one row."""
        end = time.monotonic() + _PATIENCE
        with self._lock:
            while True:
                found = self._found(receipt, at)
                left = end - time.monotonic()
                if found is not None or left <= 0 or not self._may_come(at):
                    return found
                self._lock.wait(left)

    def _found(self, receipt: str, at: int) -> Trace | None:
        noted = self._noted.get(receipt, [])
        for trace in noted:
            if trace.began // 1_000_000 - _SLACK <= at <= trace.ended // 1_000_000 + _SLACK:
                noted.remove(trace)
                if not noted:
                    del self._noted[receipt]
                return trace
        return None

    def _may_come(self, at: int) -> bool:
        return any(began // 1_000_000 - _SLACK <= at for began in self._deciding.values())
