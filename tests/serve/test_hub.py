"""Who waits gets what it waits for, and the ledger is read for nobody else."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from interlock.record.chain import Row
from interlock.serve.hub import Hub, Listener


class Rows:
    """A tail over rows in memory. `meanwhile` happens once, just before the end is looked up."""

    hears = True

    def __init__(self) -> None:
        self.keys_of: list[str] = []
        self.after = 0
        self.read: list[str] = []
        self.looks = 0
        self.meanwhile: Callable[[], None] | None = None

    def end(self) -> int:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        self.looks += 1
        return len(self.keys_of)

    def keys(self, end: int) -> list[str]:
        self.read.append("keys")
        return self.keys_of[self.after : end]

    def rows(self) -> list[Row]:
        self.read.append("rows")
        found = [_row(at, key) for at, key in enumerate(self.keys_of, start=1)][self.after :]
        self.after += len(found)
        return found

    def wait(self, _seconds: float, stop: threading.Event) -> bool:
        return stop.wait(0.002)

    def close(self) -> None: ...


def _row(seq: int, key: str) -> Row:
    return Row((seq, "answer", 1, "s", key, None, None, None, b"{}", "", ""))


async def _looked(tail: Rows, times: int = 3) -> None:
    """Until the thread has looked so many times more."""
    end = tail.looks + times
    while tail.looks < end:
        await asyncio.sleep(0.001)


def _with_hub(tail: Rows, test: Callable[[Hub], Any]) -> None:
    async def run() -> None:
        made: Any = tail
        hub = Hub(lambda: made)
        await hub.start()
        try:
            await test(hub)
        finally:
            await hub.stop()

    asyncio.run(run())


def test_nothing_is_read_where_nobody_waits() -> None:
    tail = Rows()

    async def test(_hub: Hub) -> None:
        tail.keys_of += ["ap_1", "ap_2"]
        await _looked(tail)
        assert (tail.read, tail.after) == ([], 2)

    _with_hub(tail, test)


def test_a_waiter_is_woken_by_what_rows_are_about() -> None:
    tail = Rows()

    async def test(hub: Hub) -> None:
        with hub.waiting("ap_2") as waiter, hub.waiting("ap_3") as other:
            tail.keys_of += ["ap_1", "ap_2"]
            assert await waiter.woken(5)
            assert not await other.woken(0.01)
        assert set(tail.read) == {"keys"}

    _with_hub(tail, test)


def test_a_row_that_came_with_its_waiter_is_not_passed_over() -> None:
    tail = Rows()

    async def test(hub: Hub) -> None:
        waiter = hub.waiting("ap_1")

        def comes() -> None:
            waiter.__enter__()
            tail.keys_of.append("ap_1")

        tail.meanwhile = comes
        assert await waiter.woken(5)

    _with_hub(tail, test)


def test_a_listener_gets_every_row_from_when_it_came() -> None:
    tail = Rows()

    async def test(hub: Hub) -> None:
        tail.keys_of += ["before"]
        await _looked(tail)
        listener = Listener()

        def comes() -> None:
            hub.listeners.add(listener)
            tail.keys_of += ["a", "b"]

        tail.meanwhile = comes
        with hub.waiting("b") as waiter:
            assert await waiter.woken(5)
        found = [await asyncio.wait_for(listener.rows.get(), 5) for _ in range(2)]
        assert [row.key for row in found if row is not None] == ["a", "b"]

    _with_hub(tail, test)
