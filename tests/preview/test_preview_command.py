"""`interlock preview` at a person's terminal: shown, applied through the engine, recorded, and bound to a question."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hook_process import DENY, Machine, Ran, new_machine
from interlock.store.home.folders import folders_for
from interlock.store.ledger.verify import verify
from person import Answer, at_a_terminal
from previewing import needs_views, tree_of

pytestmark = needs_views
ALONE = 'version = 1\n[approvals]\nby = ["terminal"]\n[undo]\nlowers = false\n'  # otherwise removing src needs no yes


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = new_machine(tmp_path)
    (made.project / "a.txt").write_text("one\n")
    (made.project / "b.txt").write_text("two\n")
    return made


def preview(machine: Machine, *arguments: str, keys: str = "") -> Answer:
    return at_a_terminal(machine.home, "preview", *arguments, keys=keys, folder=machine.project)


def told(answer: Answer) -> dict[str, Any]:
    line = next(line for line in answer.out.splitlines() if line.startswith("{"))
    found: dict[str, Any] = json.loads(line)
    return found


def says(machine: Machine) -> list[str]:
    return [row["body"]["says"] for row in machine.rows("preview")]


@pytest.mark.slow
def test_what_changed_is_shown_and_thrown_away(machine: Machine) -> None:
    before = tree_of(machine.project)
    done = preview(machine, "rm a.txt; echo new > c.txt; echo said", keys="d\n")
    assert done.code == 0
    for part in ("exit code 0", "it printed:", "  said", "  - a.txt", "  + c.txt", "  +new", "discarded"):
        assert part in done.out
    assert tree_of(machine.project) == before
    assert says(machine) == ["ran", "discarded"]
    assert os.listdir(machine.home / ".local/state/interlock/previews") == []


def test_applying_asks_the_engine_and_leaves_receipts_with_the_digest(machine: Machine) -> None:
    done = preview(machine, "rm a.txt; echo more >> b.txt", "--apply", "--yes", "--json")
    found = told(done)
    assert (done.code, found["became"]) == (0, "applied")
    assert not (machine.project / "a.txt").exists()
    assert (machine.project / "b.txt").read_text() == "two\nmore\n"
    decisions = [row["body"]["receipt"] for row in machine.rows("decision")]
    assert [receipt["decision"]["verdict"] for receipt in decisions] == ["ask", "allow"]
    assert {receipt["call"]["preview"] for receipt in decisions} == {found["digest"]}
    assert [action["name"] for action in decisions[1]["reading"]["actions"]] == ["fs:delete", "fs:write"]
    assert len(machine.rows("redemption")) == 1
    row = machine.rows("preview")[-1]["body"]
    assert (row["says"], row["digest"], row["receipts"]) == ("applied", found["digest"], found["receipts"])
    assert verify(folders_for(str(machine.home))).damage is None
    replayed = subprocess.run(machine_cli(machine, "replay", "--quiet"), capture_output=True, check=False)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


def machine_cli(machine: Machine, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "interlock.cli", "--home", str(machine.home), *arguments]


GUARDED = (".claude/settings.json", ".interlock/policy.toml")


@pytest.mark.parametrize("path", GUARDED)
def test_one_guarded_path_and_nothing_is_applied(machine: Machine, path: str) -> None:
    before = tree_of(machine.project)
    command = f"echo x > harmless.txt; mkdir -p {os.path.dirname(path)}; echo '{{}}' > {path}"
    done = preview(machine, command, "--apply", "--yes")
    assert done.code != 0
    assert "nothing was applied" in done.out
    assert tree_of(machine.project) == before
    assert says(machine) == ["ran", "denied"]


def test_a_locked_session_applies_nothing(machine: Machine) -> None:
    at_a_terminal(machine.home, "posture", "set", "locked", folder=machine.project)
    done = preview(machine, "echo x > c", "--apply", "--yes")
    assert "nothing was applied" in done.out
    assert not (machine.project / "c").exists()


@pytest.mark.slow
def test_what_is_kept_is_applied_later(machine: Machine) -> None:
    kept = told(preview(machine, "echo x > c", "--keep", "--json"))
    listed = at_a_terminal(machine.home, "preview", "--list", folder=machine.project)
    assert kept["id"] in listed.out
    done = preview(machine, "--of", kept["id"][:8], "--apply", keys="y\n")
    assert done.code == 0, done.out
    assert (machine.project / "c").read_text() == "x\n"
    assert "no previews are kept" in at_a_terminal(machine.home, "preview", "--list").out


def test_where_the_project_has_moved_on_it_says_so(machine: Machine) -> None:
    kept = told(preview(machine, "echo x > c", "--keep", "--json"))
    (machine.project / "b.txt").write_text("moved on")
    done = preview(machine, "--of", kept["id"], "--apply", "--yes")
    assert "the project has changed since the command ran: `b.txt`" in done.out
    assert not (machine.project / "c").exists()


def test_only_a_person_starts_one(machine: Machine) -> None:
    asked = machine_cli(machine, "preview", "echo x > c")
    piped = subprocess.run(asked, capture_output=True, check=False, cwd=machine.project, stdin=subprocess.DEVNULL)
    assert (piped.returncode, b"only a person at a terminal" in piped.stderr) == (64, True)
    assert machine.rows("preview") == []


def test_an_agent_at_a_terminal_of_its_own_starts_none(machine: Machine) -> None:
    command = ["env", "CLAUDECODE=1", *machine_cli(machine, "preview", "echo x > c", "--discard")]
    terminal = Path(__file__).parents[2] / "scripts/terminal.py"
    done = subprocess.run([sys.executable, str(terminal), "", *command], capture_output=True, check=False)
    assert done.returncode != 0
    assert b"only a person may do this" in done.stdout


@pytest.mark.parametrize("wrong", [("--seconds", "0"), ("--seconds", "100000"), ("--bytes", "1T"), ("--bytes", "99G")])
def test_limits_have_limits(machine: Machine, wrong: tuple[str, str]) -> None:
    done = preview(machine, "true", *wrong)
    assert done.code == 64


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("true", "--json"), "--json goes with --apply, --discard or --keep"),
        (("--of", "pv_1", "--seconds", "5"), "--seconds does not go with --of"),
        (("--of", "pv_1", "--show", "/srv"), "--show does not go with --of"),
        (("--approval", "ap_1", "--cwd", "/srv"), "--cwd does not go with --approval"),
        (("true", "--of", "pv_1"), "write the command to preview, or --of or --approval"),
    ],
)
def test_what_does_not_go_together_is_refused(machine: Machine, arguments: tuple[str, ...], said: str) -> None:
    done = preview(machine, *arguments)
    assert (done.code, said in done.out) == (64, True)


# --- for a call that waits ---------------------------------------------------------------------------------------


def tries(machine: Machine, command: str) -> Ran:
    environment = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
    return machine.run(machine.event("Bash", {"command": command}), environment=environment)


def pending(machine: Machine) -> list[dict[str, Any]]:
    done = subprocess.run(machine_cli(machine, "approvals", "list", "--json"), capture_output=True, check=False)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


REMOVES = "rm -rf src && echo gone"


@pytest.fixture
def waiting(machine: Machine) -> Machine:
    machine.user_policy.write_text(ALONE)
    (machine.project / "src").mkdir()
    (machine.project / "src/app.py").write_text("app\n")
    assert tries(machine, REMOVES).taken == DENY
    assert len(pending(machine)) == 1
    return machine


@pytest.mark.slow
def test_a_preview_that_is_applied_answers_the_agent_once(waiting: Machine) -> None:
    id = pending(waiting)[0]["id"]
    done = preview(waiting, "--approval", id, "--apply", "--yes")
    assert done.code == 0, done.out
    assert not (waiting.project / "src").exists()
    again = tries(waiting, REMOVES)
    assert again.taken == DENY
    assert "Do not run it again. Exit code 0. It printed: gone" in again.out.decode()
    assert pending(waiting) == []
    (waiting.project / "src").mkdir()
    third = tries(waiting, REMOVES)
    assert third.taken == DENY
    assert [one["id"] != id for one in pending(waiting)] == [True]  # made once more, it is asked about anew
    assert verify(folders_for(str(waiting.home))).damage is None
    replayed = subprocess.run(machine_cli(waiting, "replay", "--quiet"), capture_output=True, check=False)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


@pytest.mark.slow
def test_a_preview_that_is_discarded_leaves_the_question_open(waiting: Machine) -> None:
    id = pending(waiting)[0]["id"]
    assert preview(waiting, "--approval", id, "--discard").code == 0
    assert [one["id"] for one in pending(waiting)] == [id]


def test_a_call_that_was_approved_meanwhile_is_not_applied_as_well(waiting: Machine) -> None:
    id = pending(waiting)[0]["id"]
    kept = told(preview(waiting, "--approval", id, "--keep", "--json"))
    assert at_a_terminal(waiting.home, "approvals", "approve", id, "--yes").code == 0
    done = preview(waiting, "--of", kept["id"], "--apply", "--yes")
    assert f"{id} is approved already" in done.out
    assert (waiting.project / "src/app.py").exists()


@pytest.mark.slow
def test_p_in_watch_previews_and_applies(waiting: Machine) -> None:
    done = at_a_terminal(waiting.home, "approvals", "watch", "--every", "0.2", keys="pa\nq")
    assert "it changed 2 paths" in done.out
    assert not (waiting.project / "src").exists()
    assert "Do not run it again" in tries(waiting, REMOVES).out.decode()


def test_a_call_that_is_no_command_is_not_previewed(machine: Machine) -> None:
    machine.user_policy.write_text(ALONE)
    event = machine.event("Write", {"file_path": "/etc/hosts", "content": ""})
    machine.run(event, environment={"CLAUDE_CODE_SESSION_ATTENDED": "0"})
    done = preview(machine, "--approval", pending(machine)[0]["id"])
    assert "is not about a command" in done.out
