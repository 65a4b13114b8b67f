"""Connections to one ledger, lent to the threads of a process that stays: one to each event, and never more than a few.

The connection that was given back last is lent first, since it is the one that knows most. Who finds none free waits
for one, and is told so where that takes too long; a call for which there is none is a call that cannot be recorded.
"""

from __future__ import annotations

import os
from _queue import Empty, SimpleQueue
from collections.abc import Callable

from ..errors import StoreError
from .folders import Folders
from .ledger import Ledger

__all__ = ["Lending", "ledgers_in_postgres"]


def ledgers_in_postgres(url: str, folders: Folders) -> Callable[[str, float], Ledger]:
    """Makes ledgers in the database at this address, one for each connection. The password comes from the person's
    password file, as that of a team store does. Nothing is connected yet.
    """
    from .team import check_address, team_database

    check_address(url)

    def made(front: str, patience: float) -> Ledger:
        return Ledger.on(team_database(url, folders, wait=patience, work=patience), front=front)

    return made


class Lending:
    def __init__(self, make: Callable[[], Ledger], *, most: int, patience: float) -> None:
        """`most` connections at once; `patience` is for how many seconds one is waited for."""
        if most < 1:
            raise ValueError("at least one connection is needed")
        self._make = make
        self._most = most
        self._patience = patience
        self._left: list[list[Ledger]] = []
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._idle: list[Ledger] = []
        self._free: SimpleQueue[None] = SimpleQueue()
        for _ in range(self._most):
            self._free.put(None)

    def take(self) -> Ledger:
        """A ledger for the one who takes it, until it is given back. StoreError where none gets free."""
        if self._process != os.getpid():
            # INVARIANT: a connection is its process's own. Those of the parent are not even closed: a server would be
            # told that the parent is done.
            self._left.append(self._idle)
            self._begin()
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
            return self._make()
        except BaseException:
            self._free.put(None)
            raise

    def give_back(self, ledger: Ledger) -> None:
        if self._process == os.getpid():
            self._idle.append(ledger)
            self._free.put(None)

    def close(self) -> None:
        """Closes those that nobody uses."""
        while self._idle:
            self._idle.pop().close()
