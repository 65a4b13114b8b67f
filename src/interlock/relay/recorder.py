"""Outcomes are recorded one after the other beside the messages: a server that says more is heard meanwhile.

INVARIANT: whoever decides a call can wait for every outcome that its client had seen when it made the call.
"""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Recorder"]

_PATIENCE = 30.0  # seconds; a ledger that is locked for longer is told by the decision itself


class Recorder:
    def __init__(self) -> None:
        self.seen = 0  # outcomes that were announced
        self._kept = 0
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._changed = threading.Condition()
        self._runs = False

    def announce(self) -> Callable[[Callable[[], None]], None]:
        """Counts an outcome, before anybody knows of it; what comes back takes the work of recording it."""
        with self._changed:
            self.seen += 1
            if not self._runs:
                self._runs = True
                threading.Thread(target=self._work, daemon=True).start()
        return self._jobs.put

    def wait_for(self, count: int) -> None:
        if self._kept < count:
            with self._changed:
                self._changed.wait_for(lambda: self._kept >= count, _PATIENCE)

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                job()
            finally:
                with self._changed:
                    self._kept += 1
                    self._changed.notify_all()
