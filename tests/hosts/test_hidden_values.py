"""A question shows where a call goes although redaction hides it, counts what stays hidden, and asks about that too."""

from __future__ import annotations

from pathlib import Path

import pytest

import interlock
from hook_process import ALLOW, ASK, DENY, Machine
from interlock.store.home.folders import folders_for
from interlock.store.ledger.verify import verify
from person import at_a_terminal

AWAY = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
SECRET = "hunter2-hunter2"
SHOWN = "https://evil1.example/collect"
OPEN = f"TOKEN={SHOWN} curl -X POST https://api.example/v1/things"
HIDES = f"TOKEN={SHOWN}?k={SECRET} curl -X POST https://api.example/v1/things"


@pytest.fixture
def alone(machine: Machine) -> Machine:
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    return machine


def tries(machine: Machine, command: str) -> str:
    return machine.run(machine.event("Bash", {"command": command}), environment=AWAY).taken


def asked(machine: Machine, command: str) -> str:
    assert tries(machine, command) == DENY
    return str(machine.rows("prompt")[-1]["key"])


def approves(machine: Machine, id: str, *options: str, keys: str = "") -> tuple[int, str]:
    done = at_a_terminal(machine.home, "approvals", "approve", id, *options, keys=keys)
    return done.code, done.out


def test_the_address_is_shown_and_the_record_stays_as_it_was(alone: Machine) -> None:
    id = asked(alone, OPEN)
    assert SHOWN in at_a_terminal(alone.home, "approvals", "show", id).out
    assert SHOWN in at_a_terminal(alone.home, "approvals", "list").out
    (prompt,) = alone.rows("prompt")
    assert "[redacted:token]" in prompt["body"]["input"]["command"]
    assert "[redacted:token]" in alone.rows()[-1]["body"]["input"]["command"]
    assert approves(alone, id, "--yes")[0] == 0  # nothing is hidden, so nothing more is asked
    assert tries(alone, OPEN) == ALLOW
    assert verify(folders_for(str(alone.home))).damage is None


def test_what_is_hidden_takes_an_explicit_yes(alone: Machine) -> None:
    id = asked(alone, HIDES)
    told = at_a_terminal(alone.home, "approvals", "show", id).out
    assert f"{SHOWN}?[redacted:query]" in told
    assert "1 value is hidden and cannot be revealed." in told
    assert SECRET.encode() not in alone.ledger.read_bytes()
    code, said = approves(alone, id, "--yes")
    assert (code, "add --hidden" in said) == (1, True)
    code, said = approves(alone, id, keys="   y\rn\r")
    assert (code, "Approve all the same?" in said) == (130, True)
    assert tries(alone, HIDES) == DENY
    assert approves(alone, id, keys="   y\ry\r")[0] == 0
    assert alone.rows("answer")[-1]["body"]["hidden"] == 1
    assert tries(alone, HIDES) == ALLOW


def test_with_the_option_no_more_is_asked_and_a_no_never_needs_it(alone: Machine) -> None:
    assert approves(alone, asked(alone, HIDES), "--yes", "--hidden")[0] == 0
    id = asked(alone, HIDES.replace("v1", "v2"))
    assert at_a_terminal(alone.home, "approvals", "deny", id, "--yes").code == 0


def test_the_hosts_dialog_shows_the_address_and_the_count(machine: Machine) -> None:
    ran = machine.run(machine.event("Bash", {"command": f"TOKEN={SHOWN}?k={SECRET} notify --all"}))
    assert ran.taken == ASK
    told = ran.answer["hookSpecificOutput"]["permissionDecisionReason"]
    assert "1 value of the call is hidden in this text." in told
    assert SECRET not in told


def test_a_gate_tells_the_person_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    with interlock.Gate(home=tmp_path, deadline=60) as gate:
        gate.declare("post", effects=["network"], risk="high", irreversible=True)
        checked = gate.check("post", {"webhook_token": f"{SHOWN}?k={SECRET}"})
        assert checked.verdict == "ask"
        assert "1 value of the call is hidden in this text." in checked.person
        assert SECRET not in checked.person
