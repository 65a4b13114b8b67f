"""Many calls of one session at once: each is read for the session as it is when it is recorded, and none is lost."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from hook_process import ALLOW, new_machine
from interlock.record.resume import opened
from interlock.store.home.folders import folders_for
from interlock.store.ledger.verify import verify

CALLS = 12


def test_calls_that_write_in_one_session_at_once_are_all_kept(tmp_path: Path) -> None:
    machine = new_machine(tmp_path)
    machine.call("Read")
    paths = [str(machine.project / f"{number}.txt") for number in range(CALLS)]
    events = [machine.event("Write", {"file_path": path, "content": "x\n"}) for path in paths]
    with ThreadPoolExecutor(CALLS) as pool:
        taken = [ran.taken for ran in pool.map(machine.run, events)]
    assert taken == [ALLOW] * CALLS
    with closing(sqlite3.connect(machine.ledger)) as database:
        (state,) = database.execute("SELECT state FROM sessions").fetchone()
    assert opened(state)[0].written == {*paths}
    assert len(machine.rows()) == CALLS + 1
    assert verify(folders_for(str(machine.home))).damage is None
