"""The log of a ledger is written back beside the turns, which do not wait for it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from interlock.store.home.folders import folders_for
from interlock.store.ledger import writing_back
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.sqlite import LONGEST_LOG_PAGES, Database
from interlock.store.ledger.verify import verify
from interlock.store.ledger.writing_back import WritingBack


def filled(folder: Path, rows: int) -> Ledger:
    path = folders_for(str(folder)).ledger
    ledger = Ledger.on(Database(path, log_pages=LONGEST_LOG_PAGES), front="serve", stays=True)
    for number in range(rows):
        with ledger.deciding(f"s{number % 5}") as turn:
            turn.append("override", b'{"why":"%s"}' % (b"x" * 6000), key=f"row {number}")
    return ledger


def kept(path: str) -> int:
    """Bytes of the database itself, without its log."""
    return os.stat(path).st_size


def test_a_long_log_is_written_back_and_nobody_is_locked_out(tmp_path: Path) -> None:
    ledger = filled(tmp_path, 600)
    path = ledger.path
    assert os.stat(path + "-wal").st_size > writing_back._LONG > kept(path)
    beside = WritingBack(Ledger(path, front="serve"))
    with ledger.deciding("s1") as turn:  # somebody writes meanwhile
        turn.append("override", b"{}", key="meanwhile")
        assert beside.look()
    before = os.stat(path + "-wal").st_size
    with ledger.deciding("s1") as turn:
        turn.append("override", b"{}", key="afterwards")
    assert beside.look()
    assert kept(path) > writing_back._LONG
    with ledger.deciding("s1") as turn:
        turn.append("override", b"{}", key="from the beginning")
    assert os.stat(path + "-wal").st_size <= before + 100_000
    beside.ledger.close()
    ledger.close()
    assert verify(folders_for(str(tmp_path))).damage is None


def test_a_short_log_is_left_alone(tmp_path: Path) -> None:
    ledger = filled(tmp_path, 3)
    beside = WritingBack(Ledger(ledger.path, front="serve"))
    assert not beside.look()
    ledger.close()


@pytest.mark.slow
def test_it_works_beside_and_ends(tmp_path: Path) -> None:
    ledger = filled(tmp_path, 600)
    beside = WritingBack(Ledger(ledger.path, front="serve"))
    beside.start()
    end = time.monotonic() + 30
    while kept(ledger.path) < writing_back._LONG and time.monotonic() < end:
        time.sleep(0.1)
    assert kept(ledger.path) > writing_back._LONG
    beside.stop()
    assert beside._thread is not None
    assert not beside._thread.is_alive()
    ledger.close()
    assert verify(folders_for(str(tmp_path))).damage is None


def test_a_ledger_that_is_gone_is_no_trouble_of_its_own(tmp_path: Path) -> None:
    beside = WritingBack(Ledger(str(tmp_path / "none.db"), front="serve"))
    assert not beside.look()
    assert not (tmp_path / "none.db").exists()
