"""Calls that are decided together: each as it would be by itself, kept at once, and none for the fault of another."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from interlock.calls.commit import committed
from interlock.calls.world import Outcome
from interlock.engine import Engine
from interlock.model.call import Call
from interlock.model.errors import StoreError
from interlock.model.events import Place, Proposed
from interlock.store.home.folders import Folders, folders_for
from interlock.store.ledger.ledger import Ledger, LeftError
from interlock.store.ledger.together import Together
from interlock.store.ledger.verify import verify
from interlock.store.people.answering import answered, one_question
from interlock.value import FrozenMap
from ledger_rows import ledger_rows

POLICY = """version = 1
[tools.lookup]
effects = ["read"]
[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true
"""


class Desk:
    def __init__(self, folder: Path, name: str = "home") -> None:
        self.folders: Folders = folders_for(str(folder / name))
        self.project = folder / "project"
        (self.project / ".git").mkdir(parents=True, exist_ok=True)
        Path(self.folders.config).mkdir(parents=True)
        Path(self.folders.user_policy).write_text(POLICY)
        self.engine = Engine(self.folders, front="serve", watches=False, resident=True, elsewhere=True)

    def event(self, tool: str, given: dict[str, Any], session: str = "s", **more: Any) -> Proposed:
        cwd = str(self.project)
        call = Call(tool=tool, input=FrozenMap(given), cwd=cwd, session=session, **more)
        return Proposed(place=Place(session=session, cwd=cwd), call=call)

    def lookups(self, count: int, sessions: int = 1) -> list[Proposed]:
        return [self.event("lookup", {"id": n}, f"s{n % sessions}") for n in range(count)]

    def rows(self, kind: str) -> list[dict[str, Any]]:
        return [row for row in ledger_rows(Path(self.folders.ledger)) if row["kind"] == kind]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    found = Desk(tmp_path)
    yield found
    found.engine.close()


def decided(outcomes: list[Outcome | None]) -> list[Outcome]:
    assert None not in outcomes
    return [outcome for outcome in outcomes if outcome is not None]


def test_together_and_one_by_one_give_the_same_receipts(tmp_path: Path) -> None:
    one, many = Desk(tmp_path, "one"), Desk(tmp_path, "many")
    for desk in (one, many):  # how a session begins says when
        for session in range(3):
            desk.engine.propose(desk.event("lookup", {"id": "first"}, f"s{session}"))
    calls = [*one.lookups(9, 3), one.event("refund", {"amount": 5}, "s1"), one.event("Write", {"file_path": "x"}, "s2")]
    by_itself = [one.engine.propose(event) for event in calls]
    at_once = decided(many.engine.propose_together(calls))
    assert [found.receipt for found in at_once] == [found.receipt for found in by_itself]
    assert [found.decision.verdict.name for found in at_once].count("allow") == 10
    bodies = [[row["body"] for row in desk.rows("decision")] for desk in (one, many)]
    assert bodies[0] == bodies[1]
    for desk in (one, many):
        desk.engine.close()
        assert verify(desk.folders).damage is None


def test_calls_of_one_session_follow_each_other(desk: Desk) -> None:
    """An approval of the call is used up by the first of them."""
    same = [desk.event("refund", {"amount": 1}, "loop") for _ in range(3)]
    first = desk.engine.propose(same[0])
    with desk.engine.lent() as ledger:
        asked = one_question(ledger, str(first.decision.approval))
        answered(ledger, asked, yes=True, by="ann", why="")
    outcomes = decided(desk.engine.propose_together(same))
    assert [found.decision.verdict.name for found in outcomes] == ["allow", "ask", "ask"]
    assert len(desk.rows("redemption")) == 1
    assert verify(desk.folders).damage is None


def test_one_transaction_keeps_them_all(desk: Desk) -> None:
    desk.engine.propose(desk.lookups(1)[0])
    with closing(sqlite3.connect(desk.folders.ledger)) as other:
        before = other.execute("PRAGMA data_version").fetchone()[0]
        decided(desk.engine.propose_together(desk.lookups(8)))
        assert other.execute("PRAGMA data_version").fetchone()[0] == before + 1
    assert len(desk.rows("decision")) == 9


def test_a_call_that_is_wrong_leaves_the_others_alone(desk: Desk) -> None:
    good = desk.lookups(2)
    bad = good[0].replace(place=Place(session="s", cwd="not/absolute"))
    found = desk.engine.propose_together([good[0], bad, good[1]])
    assert [outcome is None for outcome in found] == [False, True, False]
    assert len(desk.rows("decision")) == 2


def test_what_could_not_be_kept_is_not_told_and_goes_alone(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The third of four fails after it has written: none of them is kept, and none is told anything."""
    from interlock.calls import together

    desk.engine.propose(desk.lookups(1)[0])
    seen = []

    def fails(read: Any, run: Any, reserved: Any, proposal: Any, ledger: Ledger) -> Any:
        seen.append(read)
        if len(seen) == 3:
            with ledger.deciding("s0") as turn:
                turn.append("override", b"{}", key="half")
                raise StoreError("the disk is full")
        return committed(read, run, reserved, proposal, ledger)

    monkeypatch.setattr(together, "committed", fails)
    assert desk.engine.propose_together(desk.lookups(4)) == [None] * 4
    assert (len(desk.rows("decision")), desk.rows("override")) == (1, [])
    monkeypatch.undo()
    assert len(decided(desk.engine.propose_together(desk.lookups(4)))) == 4
    assert verify(desk.folders).damage is None


def test_a_turn_that_is_left_before_it_wrote_leaves_the_others_alone(desk: Desk) -> None:
    desk.engine.propose(desk.lookups(1)[0])
    with desk.engine.lent() as ledger, Together(ledger):
        with ledger.deciding("a") as turn:
            turn.append("override", b"{}", key="one")
        with pytest.raises(LeftError), ledger.deciding("b"):
            raise LeftError
        with ledger.deciding("c") as turn:
            turn.append("override", b"{}", key="two")
    assert [row["key"] for row in desk.rows("override")] == ["one", "two"]
    assert verify(desk.folders).damage is None


def test_a_policy_that_was_changed_before_they_came_holds_for_all(desk: Desk) -> None:
    decided(desk.engine.propose_together(desk.lookups(4)))
    Path(desk.folders.user_policy).write_text(POLICY.replace("[tools.lookup]", "[tools.other]"))
    outcomes = decided(desk.engine.propose_together(desk.lookups(4)))
    assert {found.decision.verdict.name for found in outcomes} == {"ask"}


def test_a_session_that_is_gone_begins_anew(desk: Desk) -> None:
    """What a process remembers of a session counts only while the ledger has it."""
    desk.engine.propose(desk.lookups(1)[0])
    with closing(sqlite3.connect(desk.folders.ledger)) as database:
        database.execute("DELETE FROM sessions")
        database.commit()
    for outcome in [desk.engine.propose(desk.lookups(1)[0]), *decided(desk.engine.propose_together(desk.lookups(2)))]:
        assert outcome.trouble is None
    begun = desk.rows("session")
    assert len(begun) == 2


def test_a_head_that_is_replaced_is_read_anew(desk: Desk) -> None:
    """The file stays open; the one at the path counts."""
    desk.engine.propose(desk.lookups(1)[0])
    head = Path(desk.folders.ledger + ".head")
    kept = head.read_bytes()
    head.unlink()
    head.write_bytes(b"%020d %s\n" % (10**6, b"0" * 64))
    outcome = desk.engine.propose(desk.event("refund", {"amount": 1}))
    assert "is not the ledger that its head describes" in str(outcome.trouble)
    os.replace(_written(head.with_suffix(".new"), kept), head)
    assert desk.engine.propose(desk.lookups(1)[0]).trouble is None
    assert verify(desk.folders).damage is None


def _written(path: Path, raw: bytes) -> Path:
    path.write_bytes(raw)
    return path


@pytest.mark.parametrize("together", [False, True])
def test_what_another_process_changed_counts_although_this_one_remembers(tmp_path: Path, together: bool) -> None:
    """The second home forgets the last call of the session, as a process that did not decide it. Each receipt is as it
    is where one process decides all.
    """
    from interlock.store.ledger import ledger as kept

    receipts: dict[str, list[str]] = {}
    for name in ("all", "some"):
        desk = Desk(tmp_path, name)
        desk.engine.propose(desk.lookups(1)[0].replace(call=desk.event("lookup", {"id": 1}, "w").call))
        found = []
        for command in ("touch new.txt", "rm new.txt", "touch other.txt", "rm other.txt new.txt"):
            before = kept._KNOWN.get((desk.folders.ledger, "w"))
            event = desk.event("Bash", {"command": command}, "w")
            outcomes = desk.engine.propose_together([event]) if together else [None]
            found.append(outcomes[0] or desk.engine.propose(event))
            if name == "some":
                kept._KNOWN.keep((desk.folders.ledger, "w"), 0, before)
        receipts[name] = [outcome.receipt for outcome in found]
        assert [outcome.decision.verdict.name for outcome in found][:2] == ["allow", "allow"]
        desk.engine.close()
        assert verify(desk.folders).damage is None
    assert receipts["all"] == receipts["some"]


def test_what_a_checkpoint_could_lower_is_decided_alone(desk: Desk) -> None:
    """Something is done for such a call before it is kept, which others should not wait for."""
    holds = Engine(desk.folders, front="serve", watches=False, resident=True, elsewhere=True, undo="holds")
    found = holds.propose_together([*desk.lookups(1), desk.event("refund", {"amount": 1})])
    holds.close()
    assert [outcome is None for outcome in found] == [False, True]
