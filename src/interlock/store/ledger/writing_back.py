"""Writes the log of a SQLite ledger back into it, in a thread of its own, so that no call waits for the disk.

SQLite does that at the end of whichever turn finds the log long, and that turn waits until the disk has taken all of
it. A service under load has such a turn every few hundred decisions, and with it everybody waits who comes behind. Here
another connection does it, which locks nobody out. Where calls come without a pause the log can only grow; then a turn
writes it back after all, once it is many times as long.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from ...model.errors import StoreError
from .sqlite import Database

if TYPE_CHECKING:
    from .ledger import Ledger

__all__ = ["WritingBack"]

_LOOKS_EACH = 1.0  # seconds
_LONG = 4 << 20  # bytes of the log from which on it is worth the disk's while


class WritingBack:
    """`ledger` has a connection of its own for this."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._work, name="interlock-log", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(2)

    def _work(self) -> None:
        while not self._stop.wait(_LOOKS_EACH):
            try:
                self.look()
            except StoreError:
                self.ledger.close()  # whatever it is, a turn will meet it too, and tell it
        self.ledger.close()

    def look(self) -> bool:
        """Whether there was something to write back."""
        database = self.ledger.database
        if not isinstance(database, Database) or not _is_long(database.path + "-wal"):
            return False
        self.ledger.connect()
        database.write_back()
        return True


def _is_long(log: str) -> bool:
    try:
        return os.stat(log).st_size > _LONG
    except OSError:
        return False
