"""Pruning forgets rows, and nothing that a session at work still needs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hook_process import new_machine
from interlock.bytes.canon import canonical
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.upkeep import prune
from interlock.store.ledger.verify import verify
from ledger_rows import ledger_rows


def test_a_session_at_work_keeps_its_refusals_and_budgets_when_its_rows_go(tmp_path: Path) -> None:
    hook = new_machine(tmp_path)
    hook.user_policy.write_text('version = 1\n[budget]\n"net:fetch" = 1\nover = "deny"\n')
    fetch = "curl -s https://docs.example/guide"
    assert hook.run(hook.event("Bash", {"command": fetch})).taken == "allow"
    before = hook.run(hook.event("Bash", {"command": fetch})).out
    assert b"budget" in before
    for n in range(6):
        hook.run(hook.event("Read", {"file_path": str(hook.project / str(n))}, session_id="other"))
    folders = folders_for(str(hook.home))
    stub = prune(folders, keep=1)
    assert stub is not None
    assert verify(folders).damage is None
    (row,) = [row for row in hook.rows("session") if "carried" in row["body"] and row["session"] != "other"]
    assert row["body"]["root"] == str(hook.project)
    again = hook.run(hook.event("Bash", {"command": fetch}))
    assert (again.taken, b"budget" in again.out) == ("deny", True)
    assert verify(folders).damage is None


def _at(moment: int) -> Callable[[], int]:
    return lambda: moment


def test_a_session_that_is_long_over_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = folders_for(str(tmp_path))
    day = 24 * 3600 * 1000
    for name, at in (("old", 1), ("young", 50 * day), ("now", 60 * day)):
        ledger = Ledger(folders.ledger, clock=_at(at))
        with ledger.deciding(name) as turn:
            turn.append("decision", canonical({}), key="k", state=canonical({"name": name}))
        ledger.close()

    class Later(Ledger):
        def __init__(self, path: str, *, front: str) -> None:
            super().__init__(path, front=front, clock=lambda: 60 * day)

    monkeypatch.setattr("interlock.store.ledger.upkeep.Ledger", Later)
    prune(folders, keep=1)
    ledger = Ledger(folders.ledger)
    assert [ledger.session(name) for name in ("old", "young", "now")] == [
        None,
        canonical({"name": "young"}),
        canonical({"name": "now"}),
    ]
    carried = [json.dumps(row["body"]) for row in ledger_rows(Path(folders.ledger), "session")]
    assert carried == ['{"carried": 2, "front": "cli:audit"}']
