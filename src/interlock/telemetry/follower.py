"""Follows the ledger for one receiver: reads, hands over, notes how far it got. In this order, so nothing is left out.

A receiver that does not answer is tried again and again, with longer waits; meanwhile rows stay where they are, in the
ledger, and nothing piles up here. What a receiver will never take is found by halves and left out by itself, which is
said, so that one row cannot hold up all that come after it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from ..model.errors import InterlockError, StoreError
from ..store import sql
from ..store.ledger.identity import ledger_name
from ..store.ledger.sqlite import Database, NothingYetError
from ..store.ledger.tail import MOST, Tail
from .collector import RejectedError
from .place import BusyError, Got, Place
from .told import LogEvent, notice, told_of
from .traces import Traces

if TYPE_CHECKING:
    from ..record.chain import Row

__all__ = ["Follower", "Receiver"]

_LOOK = 0.5  # seconds until it sees that it should end; also how long rows are gathered
_WAITS = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)  # seconds between tries
_BATCH = 1_000_000  # characters that are handed over at once, about


class Receiver(Protocol):
    def send(self, batch: list[LogEvent]) -> str:
        """StoreError where it did not arrive. What is worth saying, if it did; empty: nothing."""

    def beat(self, waiting: Callable[[], int], *, now: bool = False) -> str:
        """Whatever is due beside the rows. `waiting` counts the questions that nobody has answered."""


class _Stopped(Exception):
    """It was told to end while a receiver was being waited for."""


class Follower:
    def __init__(
        self,
        open_tail: Callable[[], Tail],
        receiver: Receiver,
        place: Place,
        *,
        arguments: bool = False,
        traces: Traces | None = None,
        from_start: bool = False,
        said: Callable[[str], None] = lambda _text: None,
    ) -> None:
        """`from_start`: a receiver that never got anything gets the whole ledger, and not what comes from now on."""
        self.open_tail = open_tail
        self.receiver = receiver
        self.place = place
        self.arguments = arguments
        self.traces = traces
        self.from_start = from_start
        self.said = said
        self.stop = threading.Event()
        self.begun = threading.Event()  # from here on nothing is left out
        self.patient = True
        self.sent = 0
        self._trouble = ""
        self._last_said = ""

    def run(self) -> None:
        """Until `stop` is set. Never raises what is only wrong for a while."""
        tries = 0
        while not self.stop.is_set():
            try:
                with self.place.held():
                    self._follow(forever=True)
            except _Stopped:
                return
            except NothingYetError:
                self.from_start = True  # whatever will be in it is new
            except BusyError as error:
                self._say(str(error))
            except InterlockError as error:
                self._say(str(error))
                tries += 1
            self.begun.set()
            self.stop.wait(_WAITS[min(tries, len(_WAITS) - 1)])

    def once(self) -> int:
        """Sends what is new; how many were told. StoreError where something did not arrive."""
        self.patient = False
        with self.place.held():
            self._follow(forever=False)
        return self.sent

    def _follow(self, *, forever: bool) -> None:
        tail = self.open_tail()
        try:
            got = self._begin(tail)
            self.begun.set()
            while not self.stop.is_set():
                rows = tail.rows()
                if rows:
                    got = self._handed_over(tail, rows, got)
                elif not forever:
                    break
                self._beat(tail, now=False)
                if len(rows) < MOST and forever:  # what comes meanwhile goes together: fewer writes, fewer messages
                    self._wait(tail)
            self._beat(tail, now=True)
        finally:
            tail.close()

    def _wait(self, tail: Tail) -> None:
        if isinstance(tail.database, Database):  # nobody is in a hurry, so the file is looked at twice a second
            self.stop.wait(_LOOK)
        else:
            tail.wait(_LOOK, self.stop)

    # --- where to begin --------------------------------------------------------------------------------------------

    def _begin(self, tail: Tail) -> Got:
        """Where it was, if the ledger is still the one that it was in. What is strange about that is told."""
        got = self.place.read()
        tip = int((tail.database.row(sql.TIP) or (0,))[0])
        name = _name(tail)
        if got is None:
            first = 0 if self.from_start else tip
            got = Got(to=self.place.to, ledger=name, row=first, hash=_hash_at(tail, first), at=_now())
            self.place.write(got)
        self._trouble = got.trouble
        strange = _strange(tail, got, name, tip)
        if strange:
            row = 0 if got.ledger and name and got.ledger != name else min(got.row, tip)
            self._deliver([notice("rewritten", strange, row=row, at=_now(), severity="error")])
            self._say(strange)
            got = got.replace(ledger=name, row=row, hash=_hash_at(tail, row))
            self.place.write(got)
        tail.after = got.row
        return got

    # --- handing over ----------------------------------------------------------------------------------------------

    def _handed_over(self, tail: Tail, rows: list[Row], got: Got) -> Got:
        ledger = got.ledger or _name(tail)
        batch = self._told(tail, rows)
        if rows[0].seq > got.row + 1:
            text = f"rows {got.row + 1} to {rows[0].seq - 1} were pruned before they were sent"
            batch.insert(0, notice("missed", text, row=rows[0].seq - 1, at=rows[0].at))
        for part in _parts(batch):
            self._deliver(part)
            self.sent += len(part)
            got = self._moved(got, ledger, part[-1].row, part[-1].hash)
        return self._moved(got, ledger, rows[-1].seq, str(rows[-1].hash))

    def _told(self, tail: Tail, rows: list[Row]) -> list[LogEvent]:
        def asked_at(seq: int) -> int | None:
            row = tail.database.entry(sql.BY_SEQ, (seq,))
            return None if row is None or row.kind != "prompt" else row.at

        found = []
        for row in rows:
            told = told_of(row, arguments=self.arguments, asked_at=asked_at)
            if told is None:
                continue
            if self.traces is not None and told.is_decision and told.attributes.get("interlock.front") == "serve":
                told = told.replace(trace=self.traces.taken(row.key, row.at))
            found.append(told)
        return found

    def _deliver(self, batch: list[LogEvent]) -> None:
        tries = 0
        while True:
            try:
                complaint = self.receiver.send(batch)
                break
            except RejectedError as error:
                if len(batch) == 1:
                    self._say(f"{self.place.to}: row {batch[0].row} was left out: {error}")
                    return
                middle = len(batch) // 2
                self._deliver(batch[:middle])
                self._deliver(batch[middle:])
                return
            except StoreError as error:
                self._failed(str(error))
                if not self.patient:
                    raise
                if self.stop.wait(_WAITS[min(tries, len(_WAITS) - 1)]):
                    raise _Stopped from None
                tries += 1
        if complaint:
            self._say(f"{self.place.to}: {complaint}")
        if tries:
            self._say(f"{self.place.to}: it arrives again")

    def _moved(self, got: Got, ledger: str, row: int, hash: str) -> Got:
        if row <= got.row and not got.trouble:
            return got
        moved = got.replace(ledger=ledger, row=max(row, got.row), hash=hash or got.hash, at=_now(), trouble="", since=0)
        self.place.write(moved)
        self._trouble = ""
        return moved

    def _beat(self, tail: Tail, *, now: bool) -> None:
        def waiting() -> int:
            return int((tail.database.row(sql.COUNT_WAITING, (_now(),)) or (0,))[0])

        try:
            self.receiver.beat(waiting, now=now)
        except RejectedError as error:
            self._say(f"{self.place.to}: {error}")
        except StoreError as error:
            if not self.patient:
                raise
            self._say(f"{self.place.to}: {error}")

    # --- what is said ----------------------------------------------------------------------------------------------

    def _failed(self, why: str) -> None:
        """Said and kept once, not at every try."""
        self._say(f"{why}; it is tried again" if self.patient else why)
        if self._trouble != why:
            self._trouble = why
            got = self.place.read() or Got(to=self.place.to)
            self.place.write(got.replace(trouble=why[:1000], since=got.since if got.trouble else _now()))

    def _say(self, text: str) -> None:
        if text != self._last_said:
            self._last_said = text
            self.said(text)


def _strange(tail: Tail, got: Got, name: str, tip: int) -> str:
    if got.ledger and name and got.ledger != name:
        return "this is another ledger than the one that was sent before; it is sent from its first row on"
    if tip < got.row:
        return f"the ledger ends with row {tip}, and row {got.row} was sent: rows were taken away"
    found = _hash_at(tail, got.row)
    if found and got.hash and found != got.hash:
        return f"row {got.row} of the ledger is not the one that was sent: rows were rewritten"
    return ""


def _name(tail: Tail) -> str:
    try:
        return ledger_name(tail.database)
    except StoreError:  # its first row was changed: told when it is met, and no reason to fall silent
        return ""


def _hash_at(tail: Tail, seq: int) -> str:
    row = tail.database.entry(sql.BY_SEQ, (seq,)) if seq else None
    return "" if row is None else str(row.hash)


def _parts(batch: list[LogEvent]) -> Iterator[list[LogEvent]]:
    part: list[LogEvent] = []
    size = 0
    for told in batch:
        length = len(told.text) + sum([len(str(value)) for value in told.attributes.values()])
        if part and size + length > _BATCH:
            yield part
            part, size = [], 0
        part.append(told)
        size += length
    if part:
        yield part


def _now() -> int:
    return time.time_ns() // 1_000_000
