"""Two writers, killed at any moment: what was acknowledged is there, and the chain is whole."""

from __future__ import annotations

import os
import random
import select
import signal
import time
from pathlib import Path

import pytest

from engines import ENGINES, Engine
from interlock.bytes.canon import canonical
from sizes import how_many

CYCLES = {
    "sqlite": how_many("INTERLOCK_KILLS", 60, quick=8),
    "postgres": how_many("INTERLOCK_KILLS", 20, quick=4),
}


def write_for_ever(engine: Engine, name: str, acknowledge: int) -> None:
    """Appends, and says so after each row: what a host was told is what must be there."""
    ledger = engine.ledger()
    n = 0
    while True:
        key = f"{name}-{n}"
        with ledger.deciding(name) as turn:
            turn.append("decision", canonical({"n": n}), key=key, state=canonical({"n": n}), durable=n % 16 == 0)
        os.write(acknowledge, f"{key}\n".encode())
        n += 1


def started(engine: Engine, name: str) -> tuple[int, int]:
    """A writer's process, and the pipe on which it acknowledges."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(ours)
            write_for_ever(engine, name, theirs)
        finally:
            os._exit(1)
    os.close(theirs)
    return child, ours


def said(pipe: int) -> list[str]:
    chunks = []
    while chunk := os.read(pipe, 1 << 16):
        chunks.append(chunk)
    os.close(pipe)
    *whole, _torn = b"".join(chunks).decode().split("\n")
    return whole


@pytest.mark.parametrize("name", ENGINES)
def test_no_acknowledged_row_is_lost_when_writers_are_killed(name: str, tmp_path: Path) -> None:
    engine, cycles = Engine(name, tmp_path), CYCLES[name]
    dice = random.Random(11)
    acknowledged: list[str] = []
    for cycle in range(cycles):
        writers = [started(engine, f"w{cycle}-{which}") for which in "ab"]
        select.select([pipe for _, pipe in writers], [], [], 10)  # one of them is at work
        time.sleep(dice.random() * 0.01)
        for child, _ in writers:
            os.kill(child, signal.SIGKILL)
        for child, pipe in writers:
            os.waitpid(child, 0)
            acknowledged += said(pipe)
        if cycle % 50 == 0:
            assert engine.verify().damage is None, cycle
    walked = engine.verify()
    assert walked.damage is None
    kept = [row["key"] for row in engine.rows()]
    assert len(acknowledged) >= cycles
    assert set(acknowledged) <= set(kept)
    assert len(kept) == len(set(kept)) == walked.count
    # At most one row of each writer was kept and not yet acknowledged.
    assert len(kept) - len(acknowledged) <= 2 * cycles
