"""Waiting for what others write into the ledger: one thread follows it, and wakes whoever waits for a row of it.

It reads what somebody waits for: whole rows for listeners, what rows are about for waiters, nothing for nobody. Nobody
asks the ledger again and again. Whoever waits says so first and looks then, so that nothing that happens in between is
missed. A listener that does not keep up is cut off, and takes up again where it was.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from ..model.errors import InterlockError
from ..store.ledger.tail import Tail

if TYPE_CHECKING:
    from ..record.chain import Row

__all__ = ["Hub", "Listener", "Waiter"]

_T = TypeVar("_T")
_LISTENS = 1000  # rows that wait for one listener
_AGAIN = 1.0  # seconds until a ledger that could not be read is tried again
_LOOK = 0.5  # seconds that the thread waits at most before it sees that it should end


class Waiter:
    """Waits for rows about one id."""

    def __init__(self, hub: Hub, key: str) -> None:
        self.hub = hub
        self.key = key
        self.event = asyncio.Event()

    def __enter__(self) -> Waiter:
        self.hub.waiters.setdefault(self.key, set()).add(self)
        return self

    def __exit__(self, *_error: object) -> None:
        waiting = self.hub.waiters.get(self.key, set())
        waiting.discard(self)
        if not waiting:
            self.hub.waiters.pop(self.key, None)

    async def woken(self, seconds: float) -> bool:
        """Whether a row came within so many seconds."""
        try:
            await asyncio.wait_for(self.event.wait(), max(0.0, seconds))
        except TimeoutError:
            return False
        self.event.clear()
        return True


class Listener:
    """Gets every row.

    holder  the token that it is for
    lagged  it did not keep up, and has to begin again from the last row that it saw
    """

    def __init__(self, holder: str = "") -> None:
        self.holder = holder
        self.rows: asyncio.Queue[Row | None] = asyncio.Queue(_LISTENS)
        self.lagged = False


class Hub:
    def __init__(self, open_tail: Callable[[], Tail]) -> None:
        self.open_tail = open_tail
        self.waiters: dict[str, set[Waiter]] = {}
        self.listeners: set[Listener] = set()
        self.hears = True  # otherwise it looks now and then
        self.trouble: str | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._follow, name="interlock-tail", daemon=True)
        self._thread.start()
        await asyncio.to_thread(self._ready.wait, 10)

    async def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, 2)
        for listener in self.listeners:
            if not listener.rows.full():
                listener.rows.put_nowait(None)

    def waiting(self, key: str) -> Waiter:
        return Waiter(self, key)

    def _follow(self) -> None:
        after: int | None = None
        while not self._stop.is_set():
            try:
                tail = self.open_tail() if after is None else self._from(after)
                self.hears, self.trouble = tail.hears, None
                self._ready.set()
                try:
                    while not self._stop.is_set():
                        self._take(tail)
                        tail.wait(_LOOK, self._stop)
                finally:
                    after = tail.after
                    tail.close()
            except InterlockError as error:
                self.trouble = str(error)
                self._ready.set()
                self._stop.wait(_AGAIN)

    def _from(self, after: int) -> Tail:
        tail = self.open_tail()
        tail.after = after
        return tail

    def _take(self, tail: Tail) -> None:
        """INVARIANT: the end is looked up before who waits. Whoever comes later looks at the ledger later still, and
        sees all rows up to that end by itself.
        """
        end = tail.end()
        if self.listeners:
            while rows := tail.rows():
                self._hand_on(self._told, rows)
            return
        if self.waiters and (keys := tail.keys(end)):
            self._hand_on(self._woken, keys)
        tail.after = end

    def _hand_on(self, to: Callable[[list[_T]], None], found: list[_T]) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            try:
                loop.call_soon_threadsafe(to, found)
            except RuntimeError:
                self._stop.set()  # the loop has ended

    def _woken(self, keys: list[str]) -> None:
        for key in keys:
            for waiter in self.waiters.get(key, ()):
                waiter.event.set()

    def _told(self, rows: list[Row]) -> None:
        self._woken([row.key for row in rows])
        for row in rows:
            for listener in self.listeners:
                if listener.rows.full():
                    listener.lagged = True
                else:
                    listener.rows.put_nowait(row)
