"""New rows of a ledger, as others write them: for whoever waits for an answer, shows what happens, or sends it on.

A tail has a connection of its own and only reads. On SQLite it looks at a counter that every commit of another
connection moves; on PostgreSQL it is told of prompts and answers, and looks for the rest now and then.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from .. import sql
from .sqlite import Database

if TYPE_CHECKING:
    from ...record.chain import Row
    from .ledger import Ledger

__all__ = ["MOST", "Tail"]

MOST = 500  # rows that are handed out at a time
_LOOKS_EACH = 0.02  # seconds, on a file
_POLLS_EACH = 0.5  # seconds, on a server: what is not announced, and all of it behind a pooler


class Tail:
    """`after` is the number of the last row that was handed out; None: begin with what comes from now on."""

    def __init__(self, ledger: Ledger, after: int | None = None) -> None:
        self.ledger = ledger
        self.database = ledger.connect()
        self.hears = False  # of commits as they happen; otherwise it looks now and then
        if isinstance(self.database, Database):
            self._seen = self._version()
            self.hears = True
        else:
            self.hears = self.database.can_listen()
        self.after = self.end() if after is None else after

    def end(self) -> int:
        """The number of the last row there is."""
        tip = self.database.row(sql.TIP)
        return 0 if tip is None else int(tip[0])

    def keys(self, end: int) -> list[str]:
        """What the rows up to this one are about, decisions left out: a fraction of what reading them costs."""
        return [key for (key,) in self.database.rows(sql.KEYS_BETWEEN, (self.after, end))]

    def rows(self) -> list[Row]:
        """What was written since the last time, oldest first; at most MOST of it."""
        found = list(self.database.entries(sql.AFTER, (self.after, MOST)))
        if found:
            self.after = found[-1].seq
        return found

    def wait(self, seconds: float, stop: threading.Event | None = None) -> bool:
        """Whether something may be there within so many seconds. `stop` ends the wait, unless a server is heard."""
        database, stop = self.database, stop or threading.Event()
        if not isinstance(database, Database):
            if self.hears:
                return bool(database.heard(min(seconds, _POLLS_EACH))) or seconds >= _POLLS_EACH
            stop.wait(min(seconds, _POLLS_EACH))
            return True
        end = time.monotonic() + seconds
        while True:
            now = self._version()
            if now != self._seen:
                self._seen = now
                return True
            if time.monotonic() >= end or stop.wait(_LOOKS_EACH):
                return False

    def _version(self) -> int:
        return int((self.database.row("PRAGMA data_version") or (0,))[0])

    def close(self) -> None:
        self.ledger.close()
