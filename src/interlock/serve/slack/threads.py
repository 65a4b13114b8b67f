"""Which message in Slack is which question's, and which thread which session's: a small database beside the ledger.

A message is noted before it is posted. Where the answer to that was lost, by a kill or on the way, it is looked for in
Slack before it is posted again. What is long over is forgotten. Used by several threads, one at a time.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...model.errors import StoreError
from ...value import Value

__all__ = ["Posted", "Threads"]

_DAYS = 30
_DAY = 24 * 3600 * 1000  # milliseconds
_TABLES = """
CREATE TABLE IF NOT EXISTS threads (
    channel TEXT NOT NULL, session TEXT NOT NULL, ts TEXT NOT NULL, tried INTEGER NOT NULL,
    PRIMARY KEY (channel, session));
CREATE TABLE IF NOT EXISTS questions (
    id TEXT PRIMARY KEY, seq INTEGER NOT NULL, session TEXT NOT NULL, channel TEXT NOT NULL, thread TEXT NOT NULL,
    ts TEXT NOT NULL, tried INTEGER NOT NULL, shown TEXT NOT NULL, whole INTEGER NOT NULL, until INTEGER NOT NULL,
    ended INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS questions_by_message ON questions (channel, ts);
CREATE INDEX IF NOT EXISTS questions_by_thread ON questions (channel, thread);
CREATE INDEX IF NOT EXISTS questions_by_end ON questions (ended);
"""


class Posted(Value):
    """
    seq     the row that asked
    ts      of its message; empty while it is not known to be there
    tried   when it was first posted, in milliseconds since 1970
    shown   digest of what the message says
    whole   the call is in it, whole
    until   when something about it changes by itself; 0: never
    ended   when it was over; 0: it is not
    """

    id: str
    seq: int
    session: str
    channel: str
    thread: str
    ts: str
    tried: int
    shown: str
    whole: bool
    until: int
    ended: int


_COLUMNS = "id, seq, session, channel, thread, ts, tried, shown, whole, until, ended"


class Threads:
    def __init__(self, path: str) -> None:
        self.path = path
        self.lock = threading.Lock()
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            self.database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self.database.execute("PRAGMA journal_mode = WAL")
            self.database.executescript(_TABLES)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"`{path}` cannot be used: {error}; remove it to begin new threads") from None

    def close(self) -> None:
        with self.lock:
            self.database.close()

    # --- threads ---------------------------------------------------------------------------------------------------

    def thread(self, channel: str, session: str) -> tuple[str, int] | None:
        """The thread's first message, empty while it is not known to be there, and when it was tried."""
        with self._using() as database:
            row = database.execute(
                "SELECT ts, tried FROM threads WHERE channel = ? AND session = ?", (channel, session)
            ).fetchone()
        return None if row is None else (str(row[0]), int(row[1]))

    def keep_thread(self, channel: str, session: str, ts: str, at: int) -> None:
        with self._using() as database:
            database.execute(
                "INSERT INTO threads VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET ts = excluded.ts",
                (channel, session, ts, at),
            )

    # --- questions -------------------------------------------------------------------------------------------------

    def question(self, id: str) -> Posted | None:
        return next(iter(self._found("id = ?", (id,))), None)

    def at_message(self, channel: str, ts: str) -> Posted | None:
        return next(iter(self._found("channel = ? AND ts = ?", (channel, ts))), None) if ts else None

    def in_thread(self, channel: str, thread: str) -> list[Posted]:
        """The questions of a thread, the oldest first."""
        return self._found("channel = ? AND thread = ? ORDER BY seq", (channel, thread)) if thread else []

    def going_on(self) -> list[Posted]:
        """What is not over yet."""
        return self._found("ended = 0 ORDER BY seq", ())

    def on_their_way(self) -> bool:
        """Whether some message may be in Slack that is not known to be there."""
        return bool(self._found("ended = 0 AND ts = '' AND tried > 0 LIMIT 1", ()))

    def keep(self, posted: Posted) -> None:
        with self._using() as database:
            database.execute(
                f"INSERT OR REPLACE INTO questions ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                tuple(posted.as_dict().values()),
            )

    def drop(self, id: str) -> None:
        """It is posted anew."""
        with self._using() as database:
            database.execute("DELETE FROM questions WHERE id = ?", (id,))

    def forget_thread(self, channel: str, session: str) -> None:
        """Somebody has removed it in Slack."""
        with self._using() as database:
            database.execute("DELETE FROM threads WHERE channel = ? AND session = ?", (channel, session))

    def forget(self, now: int) -> None:
        """What was over long ago, and threads that nobody used for as long."""
        old = now - _DAYS * _DAY
        with self._using() as database:
            database.execute("DELETE FROM questions WHERE ended > 0 AND ended < ?", (old,))
            database.execute(
                "DELETE FROM threads WHERE tried < ? AND NOT EXISTS (SELECT 1 FROM questions "
                "WHERE questions.channel = threads.channel AND questions.session = threads.session)",
                (old,),
            )

    def _found(self, where: str, values: tuple[Any, ...]) -> list[Posted]:
        with self._using() as database:
            rows = database.execute(f"SELECT {_COLUMNS} FROM questions WHERE {where}", values).fetchall()  # noqa: S608
        return [Posted.in_order(*row).replace(whole=bool(row[8])) for row in rows]

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self.lock:
            try:
                yield self.database
            except sqlite3.Error as error:
                raise StoreError(f"`{self.path}` cannot be used: {error}") from None
