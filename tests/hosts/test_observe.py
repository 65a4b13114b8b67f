"""Observe mode: the floor holds, everything else is left to the host, and nothing is remembered, used up or counted."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, ASK, DENY, NO_OPINION, Machine, Ran
from host_process import Client
from interlock.follow.in_force import told_of_level
from interlock.hosts import HOSTS
from interlock.model.errors import PolicyError
from interlock.model.level import Level
from interlock.store.home.policies import compile_sources, default_file
from managed import python_with_managed
from person import at_a_terminal

PUSH = "git push --force origin main"
AWAY = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}


def day(days: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(time.time() + days * 86_400))


def observe(days: int = 7, more: str = "") -> str:
    return f"version = 1\n{more}\n[hook]\nobserve = {{ until = {day(days)} }}\n"


@pytest.fixture
def observed(machine: Machine) -> Machine:
    machine.user_policy.write_text(observe())
    return machine


def bash(machine: Machine, command: str = PUSH, *, away: bool = False, **changes: Any) -> Ran:
    event = machine.event("Bash", {"command": command}, **changes)
    return machine.run(event, environment=AWAY if away else None)


def follow(machine: Machine, event: dict[str, Any], name: str = "PostToolUse", **more: Any) -> Ran:
    return machine.run({**event, "hook_event_name": name, **more}, odd=True)


def verdicts(machine: Machine) -> list[tuple[str, bool]]:
    rows = machine.rows()
    return [(row["body"]["receipt"]["decision"]["verdict"], row["body"].get("enforced", True)) for row in rows]


# --- what the host is told ---------------------------------------------------------------------


def test_what_would_be_asked_or_denied_is_left_to_the_host_and_the_floor_holds(observed: Machine) -> None:
    observed.user_policy.write_text(observe(more='[risk]\nmax = "low"\n'))
    assert bash(observed, "$TOOL made.txt").out == b""  # not read
    assert bash(observed).out == b""  # above the ceiling
    assert bash(observed, away=True).out == b""  # nobody to ask
    assert bash(observed, "git status").taken == ALLOW
    assert bash(observed, "rm -rf /").taken == DENY
    assert observed.call("Write", file_path=str(observed.home / ".claude/settings.json")).taken == DENY
    expected = [("ask", False), ("deny", False), ("deny", False), ("allow", False), ("deny", True), ("deny", True)]
    assert verdicts(observed) == expected


@pytest.mark.sampled(5)
@pytest.mark.parametrize("host", HOSTS)
def test_on_every_host_an_observed_call_is_not_held_back(host: str, tmp_path: Path) -> None:
    client = Client(host, tmp_path)
    policy = client.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text(observe())
    cases = [case for case, row in client.payloads["proposed"].items() if row["answer"] == ASK]
    for case in cases:
        ran, taken = client.send(client.event(case))
        assert (ran.code, ran.err, b"Interlock" in ran.out, taken in (ASK, DENY)) == (0, b"", False, False), case
    assert cases


def test_a_lock_or_dry_run_that_a_person_set_holds(observed: Machine) -> None:
    assert at_a_terminal(observed.home, "posture", "set", "locked", "--root", str(observed.project)).code == 0
    assert observed.run(observed.event("Write", session_id="s-2")).taken == DENY
    assert verdicts(observed) == [("deny", True)]


def test_a_broken_policy_lets_only_reads_pass(observed: Machine) -> None:
    observed.project_policy.write_text("version = 1\nposture = 3\n")
    assert [observed.call("Write").taken, observed.call("Read").taken] == [DENY, ALLOW]


# --- nothing follows ---------------------------------------------------------------------------


def test_nothing_is_asked_redeemed_or_used_up(machine: Machine) -> None:
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    bash(machine, away=True)
    (waits,) = json.loads(at_a_terminal(machine.home, "approvals", "list", "--json").out)
    assert at_a_terminal(machine.home, "approvals", "approve", waits["id"], "--yes").code == 0
    machine.user_policy.write_text(observe(more='[approvals]\nby = ["terminal"]\n'))
    kinds = ("redemption", "prompt", "posture", "answer")
    before = {kind: len(machine.rows(kind)) for kind in kinds}
    for _ in range(8):
        assert bash(machine, away=True).taken == NO_OPINION
    assert {kind: len(machine.rows(kind)) for kind in kinds} == before


def test_a_grant_with_uses_keeps_them_and_lifts_no_prompt_of_the_host(machine: Machine) -> None:
    grant = '[[grants]]\nid = "one"\naction = "fs:delete"\nuses = 1\n'
    (machine.project / "old.txt").write_text("x")
    rm = f"rm {machine.project}/old.txt"
    machine.user_policy.write_text(f"{observe()}\n{grant}")
    assert [bash(machine, rm).taken for _ in range(3)] == [NO_OPINION] * 3
    assert {verdict for verdict, _ in verdicts(machine)} == {"allow"}
    machine.user_policy.write_text(f"version = 1\n[undo]\nlowers = false\n{grant}")
    assert [bash(machine, rm, session_id="s-2").taken for _ in range(2)] == [ALLOW, ASK]


def test_a_call_that_ran_is_no_yes(observed: Machine) -> None:
    event = observed.event("Bash", {"command": "npm install left-pad"})
    assert observed.run(event).taken == NO_OPINION
    ran = follow(observed, event, tool_response={"stdout": "added", "stderr": "", "interrupted": False})
    assert (ran.code, ran.out) == (0, b"")
    (outcome,) = observed.rows("outcome")
    assert (outcome["body"]["approved"], outcome["body"]["outcome"]) == ([], "ran")
    observed.user_policy.write_text("version = 1\n")
    assert bash(observed, "npm install left-pad").taken == ASK


def test_a_denied_call_that_ran_brings_no_warning(observed: Machine) -> None:
    event = observed.event("Bash", {"command": PUSH})
    observed.run(event, environment=AWAY)
    assert follow(observed, event, tool_response={"stdout": "", "stderr": "", "interrupted": False}).out == b""


def test_nothing_is_counted_or_locked(observed: Machine) -> None:
    observed.user_policy.write_text(observe(more="[budget]\nread = 1\n"))
    for _ in range(8):
        event = observed.event("Bash", {"command": "ls nothing-here"})
        assert observed.run(event).taken == ALLOW
        follow(observed, event, "PostToolUseFailure", error="ls: cannot access 'nothing-here'")
    assert observed.rows("posture") == []


def test_files_that_the_session_made_are_known_all_the_same(observed: Machine) -> None:
    """Otherwise the week would tell of prompts that nobody would have seen."""
    path = observed.project / "scratch.txt"
    event = observed.event("Write", {"file_path": str(path), "content": "x"})
    assert observed.run(event).taken == ALLOW
    path.write_text("x")
    follow(observed, event, tool_response={"filePath": str(path)})
    assert bash(observed, f"rm {path}").taken == ALLOW


def test_the_plan_is_no_gate_and_its_run_is_not_entered(observed: Machine) -> None:
    plan = "arms:\n  - arm_id: main\n    conditions:\n      - name: base\n        cmd: ls\n        output: out.log\n"
    (observed.project / "experiment_plan.yaml").write_text(plan)
    observed.user_policy.write_text(observe(more='[plan]\nenforcement = "strict"\n'))
    assert bash(observed, "git status").taken == NO_OPINION
    stop = observed.run(observed.event(hook_event_name="Stop", stop_hook_active=False))
    assert "decision" not in json.loads(stop.out or b"{}")
    assert sorted(path.name for path in observed.project.iterdir()) == ["experiment_plan.yaml"]


# --- how it begins and ends --------------------------------------------------------------------


def start(machine: Machine) -> str:
    ran = machine.run(machine.event(hook_event_name="SessionStart", source="startup"))
    return str(json.loads(ran.out or b"{}").get("systemMessage", ""))


def test_the_start_of_a_session_says_so(observed: Machine) -> None:
    assert start(observed) == (
        f"Interlock: observe mode until {day(7)}T23:59:59Z: only the floor refuses anything; what would have been "
        "asked or denied is recorded (interlock audit summary)\n" + "\n".join(told_of_level(Level.HOOK_ONLY))
    )


@pytest.mark.parametrize("days", [-1, 40])
def test_outside_of_its_30_days_everything_is_enforced(machine: Machine, days: int) -> None:
    machine.user_policy.write_text(observe(days))
    assert bash(machine).taken == ASK
    assert verdicts(machine) == [("ask", True)]
    said = start(machine)
    assert ("observe" in said) is (days > 0)
    assert ("more than 30 days" in said) is (days > 0)


def test_a_row_replays_and_says_that_it_was_not_enforced(observed: Machine) -> None:
    for command in (PUSH, "git status", "rm -rf /"):
        bash(observed, command)
    assert at_a_terminal(observed.home, "replay").code == 0
    assert at_a_terminal(observed.home, "audit", "verify").code == 0
    shown = at_a_terminal(observed.home, "audit", "tail").out
    assert shown.count("not enforced") == 2, shown


def test_an_attempt_that_comes_again_after_the_end_is_decided_anew(observed: Machine) -> None:
    event = observed.event("Bash", {"command": PUSH})
    assert observed.run(event).taken == NO_OPINION
    observed.user_policy.write_text("version = 1\n")
    assert observed.run(event).taken == ASK


def test_status_and_doctor_show_it(observed: Machine) -> None:
    told = json.loads(at_a_terminal(observed.home, "status", "--json").out)
    assert told["observe_until"] == f"{day(7)}T23:59:59Z"
    assert f"observe mode until {day(7)}" in at_a_terminal(observed.home, "status").out
    found = json.loads(at_a_terminal(observed.home, "doctor", "--json").out)
    assert "observe" in json.dumps(found)


def test_a_stream_marks_what_it_would_not_enforce(observed: Machine) -> None:
    import subprocess
    import sys

    calls = [{"tool": "Bash", "input": {"command": command}, "session": "s"} for command in (PUSH, "ls", "rm -rf /")]
    done = subprocess.run(
        [sys.executable, "-m", "interlock.cli", "--home", str(observed.home), "decide", "--jsonl"],
        cwd=observed.project, input="\n".join(map(json.dumps, calls)), capture_output=True, text=True, check=True,
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(a["verdict"], a.get("enforced")) for a in answers] == [("ask", False), ("allow", False), ("deny", None)]


# --- whose it is --------------------------------------------------------------------------------


def compiled(*sources: tuple[str, str]) -> Any:
    files = [("default", default_file(), Path(default_file()).read_bytes())]
    files += [(name, f"{name}.toml", f"version = 1\n{text}\n".encode()) for name, text in sources]
    return compile_sources(tuple(files), project_trusted=True)


OBSERVE = "[hook]\nobserve = { until = 2026-12-01 }"


def test_a_project_cannot_set_it_although_it_is_trusted() -> None:
    with pytest.raises(PolicyError, match="`observe` is for your own or managed policy only"):
        compiled(("project", OBSERVE))


@pytest.mark.parametrize(
    ("managed", "until"),
    [
        ("", ""),
        ("[hook]\nallow_observe = false", ""),
        ("[hook]\nallow_observe = true", "2026-12-01T23:59:59Z"),
        ("[hook]\nobserve = { until = 2026-11-01 }", "2026-11-01T23:59:59Z"),
    ],
)
def test_where_there_is_a_managed_policy_only_that_permits_it(managed: str, until: str) -> None:
    policy = compiled(("managed", managed), ("user", OBSERVE))
    assert policy.observe == until
    assert any("hook.observe" in notice for notice in policy.notices) is (until != "2026-12-01T23:59:59Z")


def test_only_managed_policy_says_who_may_observe() -> None:
    with pytest.raises(PolicyError, match="`allow_observe` is for managed policy only"):
        compiled(("user", "[hook]\nallow_observe = true"))


@pytest.mark.parametrize(
    "given", ["true", '"2026-12-01"', "{}", "{ till = 2026-12-01 }", "{ until = 2026-12-01T10:00:00 }"]
)
def test_it_has_an_end(given: str) -> None:
    with pytest.raises(PolicyError, match="observe"):
        compiled(("user", f"[hook]\nobserve = {given}"))


def test_a_real_managed_policy_holds_it_back(tmp_path: Path, machine: Machine) -> None:
    python = python_with_managed(tmp_path, "version = 1\n")
    machine.user_policy.write_text(observe())
    guarded = Machine(home=machine.home, project=machine.project, python=python)
    assert bash(guarded).taken == ASK


# --- install ------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "before",
    [
        "",
        "version = 1\n",
        'version = 1\n[hook]\non_allow = "always"\n',
        "version = 1\n[hook]\nobserve = { until = 2026-01-01 }\n",
    ],
    ids=["none", "a plain one", "a table", "an old date"],
)
def test_install_writes_seven_days_into_the_persons_policy(machine: Machine, before: str) -> None:
    if before:
        machine.user_policy.write_text(before)
    done = at_a_terminal(machine.home, "install", "claude-code", "--observe", "--yes")
    assert done.code == 0, done.out
    text = machine.user_policy.read_text()
    assert text.count("observe") == 1
    assert f"observe = {{ until = {day(7)} }}" in text
    for line in before.splitlines():
        assert line in text or "observe" in line
    assert bash(machine).taken == NO_OPINION


def test_install_leaves_a_policy_alone_that_it_does_not_understand(machine: Machine) -> None:
    machine.user_policy.write_text('version = 1\nhook.on_allow = "always"\n')
    done = at_a_terminal(machine.home, "install", "claude-code", "--observe", "--yes")
    assert (done.code, "put this into" in done.out) == (64, True), done.out
    assert machine.user_policy.read_text() == 'version = 1\nhook.on_allow = "always"\n'
