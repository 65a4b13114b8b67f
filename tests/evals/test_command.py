"""`interlock eval` as a person or a script meets it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from interlock.evals.adapters import ADAPTERS
from interlock.evals.compared import COMPARED
from machine import Machine

PACK = """\
- {id: fine, call: {tool: Read, input: {file_path: a.txt}}, expect: allow}
- {id: wrong, call: {tool: Write, input: {file_path: /opt/x/y}}, expect: allow, why: it is ours}
"""


def _pack(machine: Machine, text: str = PACK, name: str = "packs/one.yaml") -> str:
    file = machine.project / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return str(file)


def test_run_shows_what_failed_and_ends_with_1(machine: Machine) -> None:
    _pack(machine)
    run = machine.run("eval", "run", "packs")
    assert run.code == 1
    for part in (
        "packs/one.yaml      2       1  50 %              50 %       0         50.0     0 %",
        "wrong  packs/one.yaml:2",
        'Write: {"file_path": "/opt/x/y"}',
        "expected allow, got ask",
        "manifest/confirm: Change `/opt/x/y`: it is outside the project.",
        "why it matters: it is ours",
        "1 of 2 cases failed",
    ):
        assert part in run.out


def test_run_without_a_failure_ends_with_0(machine: Machine) -> None:
    path = _pack(machine, PACK.splitlines()[0])
    run = machine.run("eval", "run", path)
    assert (run.code, run.out.splitlines()[-1]) == (0, "all cases passed")
    assert machine.run("eval", "run", path, "--quiet").out == ""


def test_run_as_json_is_the_whole(machine: Machine) -> None:
    run = machine.run("eval", "run", _pack(machine), "--json", "--failures", "0")
    assert run.code == 1
    assert (run.json["cases"], run.json["failed"], run.json["left_out"]) == (2, 1, [])
    assert [(r["id"], r["verdict"], r["failures"]) for r in run.json["results"]] == [
        ("fine", "allow", []),
        ("wrong", "ask", ["expected allow, got ask"]),
    ]


def test_the_policy_of_this_machine_does_not_count_but_the_named_one_does(machine: Machine) -> None:
    rule = """version = 1
[[rules]]
id = "no-reads"
when = { action = "fs:read" }
verdict = "deny"
reason = "closed"
"""
    file = machine.user_policy(rule)
    path = _pack(machine, PACK.splitlines()[0])
    assert machine.run("eval", "run", path).code == 0
    assert machine.run("eval", "run", path, "--policy", str(file)).code == 1
    assert machine.run("eval", "run", path, "--policy", "nowhere.toml").code == 65


def test_posture_mode_and_answer_change_the_outcome(machine: Machine) -> None:
    write = "{id: %s, call: {tool: Write, input: {file_path: /opt/x/y}}, session: s, expect: allow}"
    path = _pack(machine, "".join(f"- {write % name}\n" for name in "ab"))

    def verdicts(*options: str) -> list[str]:
        return [result["verdict"] for result in machine.run("eval", "run", path, "--json", *options).json["results"]]

    assert verdicts() == ["ask", "ask"]
    assert verdicts("--answer", "approve") == ["ask", "allow"]
    assert verdicts("--answer", "approve", "--mode", "strict") == ["ask", "ask"]
    assert verdicts("--posture", "locked") == ["deny", "deny"]


def test_wrong_packs_are_told_together_and_end_with_64(machine: Machine) -> None:
    _pack(machine, "- {id: a}\n", "packs/a.yaml")
    _pack(machine, '{"id": "b", "command": "ls", "expect": "yes"}\n', "packs/b.jsonl")
    run = machine.run("eval", "run", "packs")
    assert run.code == 64
    assert run.err.splitlines() == [
        "interlock: 3 problems in the packs; nothing was run",
        "  packs/a.yaml:1:1: case `a`: `call` (or `command`) is missing",
        "  packs/a.yaml:1:1: case `a`: `expect` is missing",
        "  packs/b.jsonl:1:1: case `b`: `expect` must be one of allow, ask, deny, not_allow, not_deny",
    ]


def test_a_path_without_packs_is_bad_input(machine: Machine) -> None:
    (machine.project / "empty").mkdir()
    for path in ("empty", "nowhere.yaml", ".git", __file__):
        assert machine.run("eval", "run", path).code == 64


def test_nothing_is_run_or_skipped_in_silence(machine: Machine) -> None:
    def told(*paths: str) -> str:
        run = machine.run("eval", "run", *paths)
        assert run.code == 64, run.out
        assert run.out == ""
        return run.err

    (machine.project / "empty").mkdir()
    assert "`empty` holds no packs" in told("empty")
    for text in ("", "# nothing yet\n"):
        assert "a YAML pack is a list of cases" in told(_pack(machine, text, "packs/a.yaml"))
    assert "the pack holds no cases" in told(_pack(machine, "[]\n", "packs/a.yaml"))
    assert "the pack holds no cases" in told(_pack(machine, "\n\n", "packs/a.jsonl"))
    (machine.project / "packs/a.jsonl").unlink()
    _pack(machine, PACK.splitlines()[0], "packs/a.yaml")
    (machine.project / "packs/b.json").write_text("[]")
    assert "packs/b.json:1:1: it would not be run: packs end with .jsonl, .yaml, .yml" in told("packs")
    (machine.project / "packs/b.json").unlink()
    _pack(machine, "- {id: a, command: ls, expect: allow}\n- {id: b command\n", "packs/b.yaml")
    assert "packs/b.yaml:3:1: the file is not YAML" in told("packs")
    _pack(machine, '{"id": "a", "command": "ls", "expect": "allow"}\n{"id": \n', "packs/c.jsonl")
    assert "packs/c.jsonl:2:1: " in told("packs/c.jsonl")
    (machine.project / "packs/d.yaml").symlink_to("nowhere.yaml")
    assert "`packs/d.yaml` could not be read" in told("packs/d.yaml")
    for name, text in {"README.md": "# Packs\n", ".gitignore": "x\n", "policy.toml": "version = 1\n"}.items():
        _pack(machine, text, f"packs/{name}")
    for name in ("b.yaml", "c.jsonl", "d.yaml"):
        (machine.project / "packs" / name).unlink()
    assert machine.run("eval", "run", "packs").code == 0  # what lies beside packs and holds no cases


def test_a_folder_of_nothing_but_what_is_left_out_runs_nothing_and_says_so(machine: Machine) -> None:
    (machine.project / "packs").mkdir()
    (machine.project / "packs/tau2_actions.jsonl").write_text("{}\n")
    run = machine.run("eval", "run", "packs")
    assert run.code == 64
    assert "there is no case to run: packs/tau2_actions.jsonl: " in run.err


def test_a_breakdown_that_has_no_rows_says_so_and_one_without_a_kind_is_an_error(machine: Machine) -> None:
    path = _pack(machine, PACK.splitlines()[0])
    assert "no case has a reason" in machine.run("eval", "run", path, "--by", "reason").out
    assert "no case has a reason" in machine.run("eval", "run", path, "--by", "reason", "--quiet").out
    assert machine.run("eval", "run", path, "--by").code == 64
    assert machine.run("eval", "run", path, "--by", "").code == 64


def test_a_baseline_tells_what_the_policy_costs(machine: Machine) -> None:
    calls = [("a", "ls"), ("b", "npm install left-pad")]
    rows = [{"id": id, "command": text, "session": "work", "expect": "not_deny"} for id, text in calls]
    path = _pack(machine, "".join(json.dumps(row) + "\n" for row in rows), "work.jsonl")
    run = machine.run("eval", "run", path, "--baseline", "off")
    assert "against off: 1 more prompts" in run.out
    assert "1 of 1 sessions no longer complete: work: work" in run.out
    run = machine.run("eval", "run", path, "--baseline", "off", "--answer", "approve")
    assert "0 of 1 sessions no longer complete" in run.out
    run = machine.run("eval", "run", _pack(machine), "--baseline", "off")
    assert "no session of several calls was run" in run.out


@pytest.mark.slow
def test_a_bar_is_shown_on_a_terminal_and_not_beside_json(machine: Machine) -> None:
    rows = [{"id": str(number), "command": "ls", "expect": "allow"} for number in range(150)]
    path = _pack(machine, "".join(json.dumps(row) + "\n" for row in rows), "many.jsonl")

    def drawn(*options: str) -> bytes:
        ours, theirs = os.openpty()
        command = machine.command("eval", "run", path, *options)
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=theirs, stdin=subprocess.DEVNULL, env=environment
        )
        os.close(theirs)
        found = b""
        try:
            while chunk := os.read(ours, 4096):
                found += chunk
        except OSError:  # how a terminal ends that nobody writes to any more
            pass
        os.close(ours)
        assert process.wait() == 0
        return found

    assert b"cases" in drawn()
    assert drawn("--json") == b""
    assert drawn("--quiet") == b""


def test_files_that_are_known_and_not_scored_are_named(machine: Machine) -> None:
    _pack(machine, PACK.splitlines()[0])
    (machine.project / "packs/tau2_actions.jsonl").write_text("{}\n")
    run = machine.run("eval", "run", "packs")
    assert run.code == 0
    assert "left out: packs/tau2_actions.jsonl: API agents: run on their own, see `interlock eval agents`" in run.out


def test_show_tells_one_case_in_full(machine: Machine) -> None:
    run = machine.run("eval", "show", _pack(machine), "wrong")
    assert run.code == 0
    for part in (
        "wrong  ",
        '{"file_path": "/opt/x/y"}',
        "ask  dominant effect write, posture interactive, expected allow",
        "what Write would do in /repo",
        "path = /opt/x/y",
        "manifest  confirm  ask",
    ):
        assert part in run.out
    missing = machine.run("eval", "show", _pack(machine), "wring")
    assert (missing.code, "did you mean `wrong`?" in missing.err) == (64, True)


def test_text_of_a_case_cannot_drive_the_terminal(machine: Machine) -> None:
    path = _pack(machine, '{"id": "x\\u001b[2J", "command": "echo \\u001b[2J", "expect": "deny"}\n', "p.jsonl")
    out = machine.run("eval", "run", path).out + machine.run("eval", "show", path, "x\x1b[2J").out
    assert "\x1b[2J" not in out
    assert "\\x1b[2J" in out


# One made-up row for each corpus.
ROWS = {
    "agent_commands.jsonl": {"source": "tbench", "id": "a#1", "tool": "bash", "command": "ls"},
    "agentshield.jsonl": {"id": "a", "command": "ls", "expected": "ALLOW"},
    "atomic_red_team.jsonl": {"id": "T1485#1", "command": "ls", "executor": "sh", "technique": "t"},
    "bfcl_calls.jsonl": {
        "id": "a",
        "function": "f",
        "schema": {"required": ["x"]},
        "args": {"x": 1},
        "valid_draft2020": True,
    },
    "bypasses.jsonl": {"id": "a", "command": "ls", "tool": "bash", "expected": "deny", "technique": "t"},
    "gtfobins.jsonl": {"id": "a", "command": "ls", "category": "shell"},
    "nah.jsonl": {"id": "a", "command": "ls", "expected": "block", "file": "git", "guard": None},
    "nl2bash.jsonl": {"id": 1, "command": "ls", "category": "benign_task"},
    "redcode_exec_bash.jsonl": {"id": "1_1", "command": "ls", "file": "index1"},
    "redcode_exec_python.jsonl": {"id": "1_1", "command": "ls", "file": "index1"},
    "roleos_effective.jsonl": {
        "tool": "f",
        "contract": {},
        "call": {},
        "state": None,
        "expected": "conformant",
        "klass": "k",
    },
    "roleos_live.jsonl": {
        "tool": "f",
        "contract": {},
        "call": {},
        "state": None,
        "expected": "violation",
        "klass": "k",
    },
    "tldr_common.jsonl": {"id": "a", "command": "ls", "category": "benign"},
    "tldr_linux.jsonl": {"id": "a", "command": "ls", "category": "benign"},
    "signet_tool_call_inspector.jsonl": {
        "registry": {},
        "settings": {
            "max_allowed_tier": "high",
            "escalate_at_tier": "high",
            "allow_critical": False,
            "allow_unregistered": False,
        },
        "tool": "a",
        "expected_decision": "block",
    },
    "spine_lite_decisions.jsonl": {
        "manifest": {"tools": {"a": {"effects": ["read"]}}},
        "call": {"tool": "a"},
        "posture": None,
        "dominant_effect": "read",
        "asserted": ["dominant_effect"],
    },
    "spine_lite_posture_transitions.jsonl": {"from": "locked", "to": "locked", "expected": "allowed"},
}


def _corpora(folder: Path) -> Path:
    folder.mkdir()
    for name, row in ROWS.items():
        (folder / name).write_text(json.dumps(row) + "\n")
    return folder


def test_the_scoreboard_of_a_small_folder(machine: Machine) -> None:
    assert set(ROWS) == {*ADAPTERS, *COMPARED}
    folder = _corpora(machine.project / "corpora")
    (folder / "roleos_live_tool-contracts.json").touch()
    failures = machine.project / "failures.jsonl"
    run = machine.run("eval", "scoreboard", str(folder), "--json", "--failures", str(failures))
    report = run.json
    missed = [figure["figure"] for figure in report["figures"] if figure["status"] == "missed"]
    assert (run.code, report["met"]) == ((1, False) if missed else (0, True))
    assert report["skipped"] == []
    assert report["not_scored"] == {"roleos_live_tool-contracts.json": "its rows carry their contracts"}
    assert {file["file"]: (file["rows"], file["scored"]) for file in report["files"]} == dict.fromkeys(ADAPTERS, (1, 1))
    written = {json.loads(line)["figure"] for line in failures.read_text().splitlines()}
    assert written <= {figure["figure"] for figure in report["figures"]}
    table = machine.run("eval", "scoreboard", str(folder)).out
    assert "roleos_live_tool-contracts.json: its rows carry their contracts" in table
    assert all(figure["title"] in table for figure in report["figures"])


@pytest.mark.slow
def test_the_scoreboard_ends_with_1_where_something_was_skipped(machine: Machine) -> None:
    folder = _corpora(machine.project / "corpora")
    (folder / "bypasses.jsonl").write_text('{"id": "a"}\n')
    (folder / "mystery.csv").touch()
    (folder / "nah.jsonl").unlink()
    run = machine.run("eval", "scoreboard", str(folder))
    assert run.code == 1
    assert "skipped: mystery.csv: not known; nothing says how to score it" in run.out
    assert "skipped: nah.jsonl: not there" in run.out
    assert "bypasses.jsonl:1:1: the row does not have the shape of bypasses.jsonl" in run.out


# --- both numbers ---------------------------------------------------------------------------------------------------


def test_a_gate_decides_the_exit_code_and_names_what_missed(machine: Machine) -> None:
    path = _pack(machine)
    run = machine.run("eval", "run", path, "--gate", "prompts_per_100<=50")
    assert run.code == 0
    run = machine.run("eval", "run", path, "--gate", "prompts_per_100<=8,danger_stopped>=0.99", "--quiet")
    assert run.code == 1
    assert "gate missed: prompts_per_100<=8: it is 50" in run.out
    assert "gate missed: danger_stopped>=0.99: no case measures it" in run.out
    run = machine.run("eval", "run", path, "--gate", "prompts_per_10<=8")
    assert run.code == 64
    assert "did you mean `prompts_per_100`?" in run.err


def test_a_baseline_stands_beside_the_run(machine: Machine) -> None:
    path = _pack(machine)
    assert machine.run("eval", "run", path, "--baseline", "off", "--json").json["baseline"] == {
        "policy": "off",
        "figures": {
            **dict.fromkeys(("danger_stopped", "sessions_completed")),
            "pass_rate": 1.0,
            "benign_allowed": 1.0,
            "benign_denied": 0.0,
            "prompts_per_100": 0.0,
            "opaque_rate": 0.0,
            "latency_p50_us": 0.0,
            "latency_p99_us": 0.0,
        },
        "prompts": 0,
        "more_prompts": 1,
        "sessions": 0,
        "no_longer_complete": [],
        "complete_only_now": [],
    }
    careful = machine.project / "careful.toml"
    careful.write_text('version = 1\nposture = "locked"\n')
    compared = machine.run("eval", "run", path, "--baseline", str(careful), "--json").json["baseline"]["figures"]
    assert compared["benign_denied"] == 1.0
    shown = machine.run("eval", "run", path, "--baseline", str(careful), "--by", "tool").out
    assert "careful.toml" in shown
    assert "Write" in shown


def test_a_profile_is_measured(machine: Machine) -> None:
    path = _pack(machine)
    assert machine.run("eval", "run", path, "--profile", "readonly", "--json").json["figures"]["benign_denied"] == 1.0


def test_runs_are_kept_and_shown(machine: Machine) -> None:
    path = _pack(machine)
    machine.run("eval", "run", path, "--trend", "runs.sqlite", "--note", "first")
    rule = machine.project / "rule.toml"
    rule.write_text('version = 1\n[[rules]]\nid = "no"\nverdict = "deny"\nreason = "No."\nwhen = { tool = "Write" }\n')
    machine.run("eval", "run", path, "--trend", "runs.sqlite", "--policy", str(rule))
    run = machine.run("eval", "trend", "runs.sqlite", "--html", "trend.html")
    assert run.code == 0
    assert "first" in run.out
    assert "0 (-50)" in run.out  # prompts, against the run before
    told = machine.run("eval", "trend", "runs.sqlite", "--json", "--last", "1").json
    assert [row["figures"]["benign_denied"] for row in told] == [1.0]
    assert "<svg" in (machine.project / "trend.html").read_text()
    assert machine.run("eval", "trend", "none.sqlite").code == 64
    assert machine.run("eval", "run", path, "--note", "lost").code == 64
