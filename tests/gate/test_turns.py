"""What adapters of agent SDKs share: a decision whatever happens, and a turn that is held as a whole."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import interlock
from interlock.gate import Checked
from interlock.model.call import Call
from interlock.sdks.common import arguments, check, reason, settled
from interlock.sdks.turns import Turns, Wanted, is_all
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.people.answering import answered, every_question, one_question
from interlock.store.undo.holding import shelf_of
from interlock.value import FrozenMap


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[interlock.Gate]:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    with interlock.Gate(home=tmp_path, deadline=60) as made:
        made.declare("look", effects=["read"])
        made.declare("refund", effects=["network"], risk="high", irreversible=True)
        yield made


def answer(home: Path, *, most: int | None = None) -> int:
    folders = folders_for(str(home))
    ledger = Ledger(folders.ledger, front="cli:approvals")
    found = [one.question.id for one in every_question(ledger) if one.is_open][:most]
    for id in found:
        answered(ledger, one_question(ledger, id), yes=True, by="ann", why="")
    ledger.close()
    return len(found)


def wanted(id: str, tool: str = "refund", **given: Any) -> Wanted:
    return Wanted(tool=tool, given=given, call_id=id)


TURN = (wanted("a", "look", order=1), wanted("b", amount=1), wanted("c", amount=2))


def verdicts(turns: Turns) -> list[str]:
    return [turns.decide(own, TURN, session="s1").verdict for own in TURN]


def test_nothing_of_a_turn_passes_while_one_call_waits(gate: interlock.Gate, tmp_path: Path) -> None:
    turns = Turns(gate)
    assert verdicts(turns) == ["ask", "ask", "ask"]
    assert answer(tmp_path) == 2
    assert verdicts(turns) == ["allow", "allow", "allow"]
    assert verdicts(turns) == ["ask", "ask", "ask"]  # the turn is played again: an approval is for one run


def test_an_answer_is_not_used_before_the_others_are_there(gate: interlock.Gate, tmp_path: Path) -> None:
    """A new one each time, as in a new process."""
    assert verdicts(Turns(gate)) == ["ask", "ask", "ask"]
    assert answer(tmp_path, most=1) == 1
    assert verdicts(Turns(gate)) == ["ask", "ask", "ask"]
    assert answer(tmp_path) == 1
    assert verdicts(Turns(gate)) == ["allow", "allow", "allow"]


def test_calls_of_a_turn_that_come_at_once_use_each_approval_once(gate: interlock.Gate, tmp_path: Path) -> None:
    turns, found = Turns(gate), []
    verdicts(turns)
    answer(tmp_path)
    threads = [
        threading.Thread(target=lambda own=own: found.append(turns.decide(own, TURN, session="s1").verdict))
        for own in TURN
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["allow", "allow", "allow"]


def test_looking_ahead_uses_nothing(gate: interlock.Gate, tmp_path: Path) -> None:
    call = gate.call("refund", {"amount": 1}, session="s1", call_id="c1")
    assert gate.backend.asks(call) is True
    gate.check("refund", {"amount": 1}, session="s1", call_id="c1")
    assert gate.backend.asks(call) is True
    answer(tmp_path)
    assert [gate.backend.asks(call) for _ in range(3)] == [False, False, False]
    assert gate.check("refund", {"amount": 1}, session="s1", call_id="c1").allowed
    assert gate.backend.asks(call) is True


def test_what_is_found_ahead_is_kept_for_the_call_itself(gate: interlock.Gate, tmp_path: Path) -> None:
    turns, own = Turns(gate), wanted("b", amount=1)
    assert turns.ahead(own, session="s1").verdict == "ask"
    answer(tmp_path)
    assert turns.ahead(own, session="s1").verdict == "allow"
    other = wanted("b", amount=9)
    assert turns.decide(other, (), session="s1").verdict == "ask"  # other arguments are another call
    assert turns.decide(own, (), session="s1").verdict == "allow"
    assert turns.decide(own, (), session="s1").verdict == "ask"


@pytest.mark.parametrize("given", ["{", "[]", 3, None, {"a": object()}])
def test_arguments_that_are_no_data_are_a_deny(gate: interlock.Gate, given: Any) -> None:
    found = check(gate, "look", given, session="s1", call_id="c1")
    assert found.verdict == "deny"
    assert reason(found).startswith("Interlock: Refused: ")


@pytest.mark.parametrize("back", [None, "allow", {"verdict": "allow"}, Checked(verdict="yes")])
def test_what_is_no_decision_is_a_deny(gate: interlock.Gate, monkeypatch: pytest.MonkeyPatch, back: Any) -> None:
    monkeypatch.setattr(gate, "check", lambda *_given, **_more: back)
    assert check(gate, "look", {}, session=None, call_id=None).verdict == "deny"


def test_an_outcome_that_cannot_be_told_is_logged(
    gate: interlock.Gate, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def breaks(*_given: Any) -> Any:
        raise RuntimeError("boom")

    checked = gate.check("look", {}, session="s1", call_id="c1")
    monkeypatch.setattr(gate, "settled", breaks)
    assert settled(gate, checked, "ran") == ("what became of the call was not recorded: boom",)
    assert [record.name for record in caplog.records] == ["interlock"]


def test_json_text_is_taken_as_arguments() -> None:
    assert arguments('{"a": 1}') == {"a": 1}
    assert arguments("") == {}


def test_turn_is_each_or_all() -> None:
    assert (is_all("each"), is_all("all")) == (False, True)
    with pytest.raises(interlock.InputError, match="'some'"):
        is_all("some")


def test_a_loss_that_a_checkpoint_would_hold_is_foreseen_and_none_is_made(gate: interlock.Gate, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True, exist_ok=True)
    (project / "notes.txt").write_text("mine")
    (project / ".env").write_text("PASSWORD=hunter2hunter2\n")

    def asks(command: str) -> bool | None:
        given = FrozenMap({"command": command})
        return gate.backend.asks(Call(tool="Bash", input=given, cwd=str(project), session="s"))

    assert asks("rm notes.txt") is False
    assert asks("rm .env") is True
    assert asks("make && rm notes.txt") is True
    assert shelf_of(folders_for(str(tmp_path))).kept() == []
