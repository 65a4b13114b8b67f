"""Connections to one ledger, lent to the threads of a process that stays: one to each event, and never more than a few.

The connection that was given back last is lent first, since it is the one that knows most. Who finds none free waits
for one, and is told so where that takes too long; a call for which there is none is a call that cannot be recorded.

None is carried over a fork (`forks.py`): the fork waits until all are given back, and what SQLite has open is closed.
"""

from __future__ import annotations

import time
from _queue import Empty, SimpleQueue
from collections.abc import Callable

from ...model.errors import StoreError
from ...value import TYPE_CHECKING, lazy
from ..home.folders import Folders
from .ledger import Ledger
from .sqlite import Database

if TYPE_CHECKING:
    from ..team.team import check_address, team_database
else:
    check_address = lazy(globals(), "..team.team", "check_address")
    team_database = lazy(globals(), "..team.team", "team_database")

__all__ = ["Lending", "ledgers_in_postgres"]


def ledgers_in_postgres(url: str, folders: Folders) -> Callable[[str, float], Ledger]:
    """Makes ledgers in the database at this address, one for each connection. The password comes from the person's
    password file, as that of a team store does. Nothing is connected yet.
    """
    check_address(url)

    def made(front: str, patience: float) -> Ledger:
        return Ledger.on(team_database(url, folders, wait=patience, work=patience), front=front, stays=True)

    return made


class Lending:
    def __init__(self, make: Callable[[], Ledger], *, most: int, patience: float) -> None:
        """`most` connections at once; `patience` is for how many seconds one is waited for."""
        if most < 1:
            raise ValueError("at least one connection is needed")
        self._make = make
        self._most = most
        self._patience = patience
        self._left: list[object] = []
        self._spoiled = False
        self._begin()

    def _begin(self) -> None:
        self._idle: list[Ledger] = []
        self._all: set[Ledger] = set()
        self._held = 0
        self._free: SimpleQueue[None] = SimpleQueue()
        self._free_again(self._most)

    def _free_again(self, count: int) -> None:
        for _ in range(count):
            self._free.put(None)

    def take(self) -> Ledger:
        """A ledger for the one who takes it, until it is given back. StoreError where none gets free."""
        if self._spoiled:
            raise StoreError(
                "this process was forked in the middle of a call, so it cannot use the ledger; start it again"
            )
        try:
            self._free.get(timeout=self._patience)
        except Empty:
            raise StoreError(
                f"all {self._most} connections to the ledger were in use for {self._patience:g} s"
            ) from None
        try:
            return self._idle.pop()
        except IndexError:
            pass
        try:
            ledger = self._make()
        except BaseException:
            self._free.put(None)
            raise
        self._all.add(ledger)
        return ledger

    def give_back(self, ledger: Ledger) -> None:
        if ledger in self._all:  # else it is the parent's
            self._idle.append(ledger)
            self._free.put(None)

    def before_fork(self, end: float) -> None:
        """Waits until all are given back."""
        while self._held < self._most:
            try:
                self._free.get(timeout=max(0.0, end - time.monotonic()))
            except Empty:
                break
            self._held += 1
        for ledger in self._idle:
            if isinstance(ledger.database, Database):
                ledger.close()

    def after_fork(self, *, child: bool) -> None:
        if not child:
            held, self._held = self._held, 0
            self._free_again(held)
            return
        # INVARIANT: a connection is its process's own. Those of the parent are not even closed: a server would be told
        # that the parent is done. Where SQLite had a file open, this process must not open it once more.
        self._spoiled = self._spoiled or any(
            isinstance(each.database, Database) and each.database.connection is not None for each in self._all
        )
        self._left.append(self._all)
        self._begin()

    def close(self) -> None:
        """Closes those that nobody uses."""
        while self._idle:
            ledger = self._idle.pop()
            ledger.close()
            self._all.discard(ledger)
