"""SQLite's log stays short, whoever writes and however they leave: a hook keeps one row and never closes."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import interlock
from hook_process import Machine, new_machine
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.sqlite import LOG_PAGES, LONG_LOG_PAGES, Database
from interlock.store.ledger.verify import verify
from residing import Residence

_PAGE = 4096
_SHORT = (LOG_PAGES + 100) * _PAGE  # with what one turn adds before it is looked at
_CALLS = 120


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return new_machine(tmp_path, warm=True)


def log_of(machine: Machine) -> int:
    log = Path(f"{machine.ledger}-wal")
    return log.stat().st_size if log.exists() else 0


def longest(machine: Machine, calls: int = _CALLS, before: str = "") -> int:
    """The longest that the log was after a hook."""
    found = []
    for number in range(calls):
        assert machine.call("Write", file_path=str(machine.project / f"{before}{number}.txt")).taken == "allow"
        found.append(log_of(machine))
    return max(found)


def test_cold_hooks_keep_it_short(machine: Machine) -> None:
    assert 0 < longest(machine) <= _SHORT
    assert verify(folders_for(str(machine.home))).damage is None


def test_a_log_that_was_long_already_is_emptied(machine: Machine) -> None:
    """An older version left it so."""
    machine.call("Write")
    _grown(machine, 12_000)
    assert log_of(machine) > 3 * _SHORT
    longest(machine, 60)
    assert log_of(machine) <= _SHORT
    assert verify(folders_for(str(machine.home))).damage is None


def _grown(machine: Machine, size: int) -> None:
    """Lets processes that are killed write rows, and none of them the log back."""
    code = (
        "import os, signal, sys\n"
        "from interlock.store.ledger.ledger import Ledger\n"
        "from interlock.store.ledger.sqlite import Database\n"
        "ledger = Ledger.on(Database(sys.argv[1], log_pages=1_000_000), front='cli')\n"
        "for number in range(300):\n"
        "    with ledger.deciding() as turn: turn.append('override', {'why': 'x' * int(sys.argv[2])}, key='k')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(machine.ledger), str(size)], check=False)
    assert done.returncode == -signal.SIGKILL


def test_a_reader_who_stays_costs_no_more_than_what_is_written_meanwhile(machine: Machine) -> None:
    machine.call("Write")
    reader = sqlite3.connect(machine.ledger, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT COUNT(*) FROM ledger").fetchone()
    assert longest(machine) > _SHORT
    reader.execute("ROLLBACK")
    reader.close()
    longest(machine, 60, "after")
    assert log_of(machine) <= _SHORT
    assert verify(folders_for(str(machine.home))).damage is None


@pytest.mark.slow
def test_beside_the_service_and_the_library_it_is_bounded_too(machine: Machine) -> None:
    with Residence(machine) as residence:
        residence.on()
        assert longest(machine) <= (LONG_LOG_PAGES + 100) * _PAGE
        os.kill(residence.pid, signal.SIGKILL)
        with interlock.Gate(home=machine.home, deadline=60) as gate:
            for number in range(_CALLS):
                given = {"file_path": str(machine.project / f"own-{number}.txt"), "content": "x"}
                assert gate.check("Write", given, session="gate", cwd=str(machine.project)).allowed
                if number % 10 == 0:
                    machine.call("Write", file_path=str(machine.project / f"beside-{number}.txt"))
            assert log_of(machine) <= (LONG_LOG_PAGES + 100) * _PAGE
    longest(machine, 60, "last")
    assert log_of(machine) <= _SHORT
    assert verify(folders_for(str(machine.home))).damage is None


def test_the_library_bounds_it_although_no_process_ends_well(machine: Machine) -> None:
    """Each program writes a little, and is killed: what it would have known is lost with it."""
    machine.call("Write")
    pages = 50
    for _ in range(40):
        ledger = Ledger.on(Database(str(machine.ledger), log_pages=pages), front="cli")
        child = os.fork()
        if child == 0:
            for number in range(3):
                with ledger.deciding() as turn:
                    turn.append("override", {"why": "x" * 6000, "number": number}, key="k")
            os._exit(0)
        os.waitpid(child, 0)
        assert log_of(machine) <= (pages + 20) * _PAGE
    assert verify(folders_for(str(machine.home))).damage is None
