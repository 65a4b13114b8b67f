"""`interlock plan`: status, check, release, and the gate as a Stop hook."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from machine import Machine

PLAN = """\
setup:
  - cmd: make -C engine
arms:
  - arm_id: h-main
    conditions:
      - name: baseline
        cmd: ./sim run --rate 1 | tee out/baseline.log
        output: out/baseline.log
      - name: faster
        cmd: ./sim run --rate 2
        output: out/faster.json
"""
POLICY = 'version = 1\n[plan]\nenforcement = "strict"\ndir = "runs/3"\n'
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def run(machine: Machine) -> Path:
    folder = machine.project / "runs/3"
    folder.mkdir(parents=True)
    (folder / "experiment_plan.yaml").write_text(PLAN)
    machine.user_policy(POLICY)
    return folder


def test_status_without_a_plan(machine: Machine) -> None:
    done = machine.run("plan", "status")
    assert (done.code, done.out) == (0, "no plan in force: neither the policy nor the environment asks for a plan\n")
    assert machine.run("plan", "check", "ls").out == "no plan in force: nothing asks for a plan\n"
    assert machine.run("plan", "gate").code == 0


def test_status_shows_the_plan(machine: Machine, run: Path) -> None:
    told = machine.run("plan", "status", "--json").json
    assert re.fullmatch("sha256:[0-9a-f]{64}", told.pop("digest"))
    assert told == {
        "plan": str(run / "experiment_plan.yaml"),
        "enforcement": "strict",
        "match": "program",
        "fault": "",
        "lines": 3,
        "programs": ["make", "sim", "tee"],
        "unread": [],
        "session": "",
        "markers": {"used": 0, "limit": None},
        "logged": {"unplanned": 0, "ad-hoc": 0},
        "missing_outputs": ["out/baseline.log", "out/faster.json"],
    }
    shown = machine.run("plan", "status").out
    assert "matching  program, 3 lines" in shown
    assert "missing   out/baseline.log, out/faster.json" in shown


def test_a_broken_plan_is_told_and_ends_with_65(machine: Machine, run: Path) -> None:
    (run / "experiment_plan.yaml").write_text("arms: [\n")
    done = machine.run("plan", "status")
    assert done.code == 65
    assert "experiment_plan.yaml: line 2, column 1: not YAML" in done.out
    assert machine.run("plan", "check", "ls").code == 64
    gate = machine.run("plan", "gate")
    assert gate.code == 2
    assert "the plan cannot be used" in gate.err


def test_check_says_what_is_not_planned_and_changes_nothing(machine: Machine, run: Path) -> None:
    done = machine.run("plan", "check", "./sim run --rate 3 && rm -r out")
    assert (done.code, done.out) == (1, "not planned: rm; closest to the arm h-main\n")
    assert machine.run("plan", "check", "make -C engine").code == 0
    marked = machine.run("plan", "check", "ls # nous: ad-hoc", "--json")
    assert (marked.code, marked.json) == (0, {"planned": False, "unplanned": ["ls"], "marker": True, "arm": ""})
    assert sorted(path.name for path in run.iterdir()) == ["experiment_plan.yaml"]


def test_decide_holds_a_call_against_the_plan_and_logs_only_what_it_records(machine: Machine, run: Path) -> None:
    done = machine.decide("Bash", command="ls")
    assert done.code == 1
    (reason,) = done.json["reasons"]
    assert (reason["layer"], reason["rule"], reason["verdict"]) == ("plan", "unplanned", "deny")
    assert not (run / "plan_violations.jsonl").exists()


def test_planned_lines_that_are_no_shell_are_listed(machine: Machine, run: Path) -> None:
    (run / "experiment_plan.yaml").write_text("- ./sim run\n- Run the (slow) baseline;; twice\n- $TOOL --all\n")
    told = machine.run("plan", "status", "--json").json
    assert (told["fault"], told["unread"]) == ("", ["Run the (slow) baseline;; twice", "$TOOL --all"])
    assert "  not read  $TOOL --all\n" in machine.run("plan", "status").out


def test_an_empty_output_is_none(machine: Machine, run: Path) -> None:
    def missing() -> list[str]:
        return list(machine.run("plan", "status", "--json").json["missing_outputs"])

    (run / "out").mkdir()
    (run / "out/baseline.log").touch()
    (run / "out/faster.json/part").mkdir(parents=True)
    (run / "out/faster.json/part/link").symlink_to("nowhere")
    (run / "out/faster.json/part/a").touch()
    assert missing() == ["out/baseline.log", "out/faster.json"]
    assert machine.run("plan", "gate").code == 2
    (run / "out/baseline.log").write_text("1\n")
    (run / "out/faster.json/part/a").write_text("{}")
    assert missing() == []


def test_release_lets_the_next_session_in(machine: Machine, run: Path) -> None:
    lock = run / ".interlock-run.json"
    lock.write_text('{"markers":2,"seen":99999999999,"session":"first"}')
    assert machine.run("plan", "release").out == f"released {run}\n"
    free = {"boot": "", "markers": 2, "process": [], "seen": 0, "session": ""}
    assert json.loads(lock.read_text()) == free


def test_the_gate_keeps_the_agent_until_the_outputs_are_there(machine: Machine, run: Path) -> None:
    stop = {"hook_event_name": "Stop", "session_id": "s", "stop_hook_active": False, "cwd": str(machine.project)}
    done = machine.run("plan", "gate", stdin=stop)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"Interlock: the plan {run}/experiment_plan.yaml is not done; 2 of its outputs are missing or empty:\n"
        "  out/baseline.log  (h-main / baseline)\n"
        "  out/faster.json  (h-main / faster)\n"
        "Run what produces them, or tell the person why that cannot be done.\n"
    )
    assert machine.run("plan", "gate", stdin={**stop, "stop_hook_active": True}).code == 0
    (run / "out").mkdir()
    (run / "out/baseline.log").write_text("1\n")
    (machine.project / "out").mkdir()
    (machine.project / "out/faster.json").write_text("{}\n")
    assert machine.run("plan", "gate", stdin=stop).code == 0
    assert machine.run("plan", "gate", stdin="not JSON").code == 2


def test_the_gate_can_be_switched_off(machine: Machine, run: Path) -> None:
    machine.user_policy(POLICY + "require_outputs = false\n")
    assert machine.run("plan", "gate").code == 0


def test_printed_settings_send_every_event_that_the_hook_follows(machine: Machine) -> None:
    hooks = machine.run("hook", "claude-code", "--print-settings").json["hooks"]
    assert list(hooks) == [
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PostToolUseFailure",
        "UserPromptSubmit",
        "UserPromptExpansion",
        "SessionStart",
        "Stop",
        "SessionEnd",
        "ConfigChange",
    ]
    (stop,) = hooks["Stop"][0]["hooks"]
    assert stop["args"][5:] == ["claude-code", "--no-gate", "--home", str(machine.home), "--wait", "540"]


def test_the_example_for_people_who_come_from_nous_works(machine: Machine) -> None:
    page = (DOCS / "coming-from-nous.md").read_text()
    plan = re.search(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert plan is not None
    folder = machine.project / "runs/3"
    folder.mkdir(parents=True)
    (folder / "experiment_plan.yaml").write_text(plan.group(1))
    machine.user_policy(POLICY)
    shown = re.findall(r"^\$ interlock plan check '([^\n]*)'\n(.*)$", page, re.MULTILINE)
    assert len(shown) >= 3
    for command, answer in shown:
        assert machine.run("plan", "check", command).out == answer + "\n"


def test_a_whole_plan_is_rehearsed(machine: Machine) -> None:
    folder = machine.project / "runs/3"
    folder.mkdir(parents=True)
    (folder / "plan.yaml").write_text("- ls\n- nobody-knows --this\n- git push\n")
    machine.user_policy("version = 1\n[plan]\ndir = 'runs/3'\nfile = 'plan.yaml'\n")
    done = machine.run("plan", "check", "--json")
    told = {row["line"]: row["verdict"] for row in done.json["lines"]}
    assert (done.code, told) == (1, {"ls": "runs", "nobody-knows --this": "asks", "git push": "asks"})
    shown = machine.run("plan", "check")
    assert "Interlock does not know this program." in shown.out
    assert shown.out.endswith("1 of 3 lines of the plan would run with nobody there\n")
    assert machine.run("plan", "check", "ls").code == 0


def test_the_plan_of_a_campaign_is_rehearsed_as_it_would_be_held(machine: Machine) -> None:
    folder = machine.project / "runs/3"
    folder.mkdir(parents=True)
    (folder / "plan.yaml").write_text("- ls\n- curl https://example.com\n")
    assert machine.run("campaign", "init", "runs/3", "--repo", ".", "--plan", "runs/3/plan.yaml").code == 2
    done = machine.run("plan", "check", "--campaign", "runs/3")
    assert (done.code, "refused  curl https://example.com" in done.out) == (1, True), done.out
    (folder / "plan.yaml").write_text("- ls\n")
    assert machine.run("plan", "check", "--campaign", "runs/3").code == 64
