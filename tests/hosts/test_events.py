"""A session over many hook processes: what each event leaves behind, and what the next call is answered."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hook_process import ALLOW, ASK, DENY, NO_OPINION, Machine, Ran, ended, made, wait_until_guarded
from interlock.follow.in_force import told_of_level
from interlock.model.level import Level
from interlock.store.home.folders import folders_for
from interlock.store.ledger.verify import verify
from wire import FIELDS

MADE_UP = "mcp__till__open"


def before(machine: Machine, command: str, attempt: str, **changes: Any) -> Ran:
    return machine.run(machine.event("Bash", {"command": command}, tool_use_id=attempt, **changes))


def after(machine: Machine, command: str, attempt: str | None, *, error: str | None = None, **changes: Any) -> Ran:
    told = {"tool_response": {"stdout": "same", "stderr": ""}} if error is None else {"error": error}
    name = "PostToolUse" if error is None else "PostToolUseFailure"
    event = machine.event("Bash", {"command": command}, **{**told, "hook_event_name": name, **changes})
    return machine.run({**event, "tool_use_id": attempt} if attempt else without(event, "tool_use_id"))


def without(event: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in names}


def shown(machine: Machine, command: str, **changes: Any) -> Ran:
    """The host puts a question of ours before the person."""
    return machine.run(
        machine.event("Bash", {"command": command}, hook_event_name="PermissionRequest", tool_use_id=None, **changes)
    )


def other(machine: Machine, name: str, *, environment: dict[str, str] | None = None, **fields: Any) -> Ran:
    return machine.run(machine.event(hook_event_name=name, **fields), environment=environment)


def outcomes(machine: Machine) -> list[tuple[str, int | None]]:
    return [(row["body"]["outcome"], row["body"]["decision"]) for row in machine.rows("outcome")]


def last_state(machine: Machine) -> dict[str, Any]:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(machine.ledger)) as database:
        (state,) = database.execute("SELECT state FROM sessions").fetchone()
    return dict(json.loads(state)["session"])


def test_an_outcome_is_joined_to_its_decision(machine: Machine) -> None:
    assert before(machine, "ls", "toolu_a").taken == ALLOW
    assert before(machine, "ls", "toolu_b").taken == ALLOW
    assert after(machine, "ls", "toolu_a", cwd=str(machine.home)) == Ran(0, b"", b"")
    first, second = [row["seq"] for row in machine.rows()]
    assert outcomes(machine) == [("ran", first)]
    assert after(machine, "ls", "toolu_b", error="Exit code 1").out == b""
    assert outcomes(machine) == [("ran", first), ("failed", second)]
    (row, _) = machine.rows("outcome")
    assert row["key"] == machine.rows()[0]["key"]
    assert row["body"].pop("result").startswith("hmac-sha256:")
    assert row["body"] == {
        "agent": "",
        "approved": [],
        "decision": first,
        "front": "hook:claude-code",
        "outcome": "ran",
        "tool": "Bash",
    }


def test_an_outcome_that_is_told_twice_counts_once(machine: Machine) -> None:
    before(machine, "ls", "toolu_a")
    after(machine, "ls", "toolu_a")
    after(machine, "ls", "toolu_a")
    assert len(outcomes(machine)) == 1


def test_without_an_id_the_outcome_is_that_of_the_newest_such_call(machine: Machine) -> None:
    for command in ("ls", "ls -l", "ls"):
        machine.run(without(machine.event("Bash", {"command": command}), "tool_use_id"))
    seqs = [row["seq"] for row in machine.rows()]
    for _ in range(3):
        after(machine, "ls", None)
    assert outcomes(machine) == [("ran", seqs[2]), ("ran", seqs[0]), ("ran", None)]


def test_an_outcome_of_a_call_that_nobody_decided_is_only_kept(machine: Machine) -> None:
    assert after(machine, "ls", "toolu_x").out == b""
    assert outcomes(machine) == [("ran", None)]


def test_the_same_failing_call_is_refused_the_third_time_and_then_locks(machine: Machine) -> None:
    for attempt, took in (("a", "0.12s"), ("b", "0.3s")):
        assert before(machine, "pytest -q", attempt).taken == NO_OPINION
        after(machine, "pytest -q", attempt, error=f"Exit code 1\n1 failed in {took}")
    third = before(machine, "pytest -q", "c")
    assert (third.taken, "the same result 2 times in a row" in third.reason) == (DENY, True)
    fourth = before(machine, "pytest -q", "d")
    assert fourth.answer["continue"] is False
    (moved,) = machine.rows("posture")
    said = {
        "by": "the loop guard",
        "from": "interactive",
        "front": "hook:claude-code",
        "receipt": machine.rows()[-1]["key"],
        "to": "locked",
    }
    assert (moved["body"], moved["key"]) == (said, moved["session"])


def test_another_result_is_progress(machine: Machine) -> None:
    for attempt, count in (("a", 3), ("b", 2), ("c", 1)):
        assert before(machine, "pytest -q", attempt).taken == NO_OPINION
        after(machine, "pytest -q", attempt, error=f"{count} failed in 0.12s")


UNATTENDED = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
NOTICE = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"


def test_a_message_in_an_attended_session_is_a_new_start_and_a_notice_is_none(machine: Machine) -> None:
    for attempt in ("a", "b"):
        before(machine, "make test", attempt)
        after(machine, "make test", attempt, error="Exit code 2")
    assert other(machine, "UserPromptSubmit", prompt=NOTICE) == Ran(0, b"", b"")
    assert other(machine, "UserPromptSubmit", prompt="go on", environment=UNATTENDED) == Ran(0, b"", b"")
    assert machine.rows("message") == []
    assert before(machine, "make test", "c").taken == DENY
    assert other(machine, "UserPromptSubmit", prompt="go on") == Ran(0, b"", b"")
    assert before(machine, "make test", "d").taken == NO_OPINION
    (row,) = machine.rows("message")
    assert row["body"].pop("digest").startswith("hmac-sha256:")
    assert row["body"] == {"characters": 5, "front": "hook:claude-code", "raised": None}


def test_the_phrase_is_not_heard_where_the_host_does_not_say_who_typed_it(machine: Machine) -> None:
    assert before(machine, "npm install left-pad", "a").taken == ASK
    assert other(machine, "UserPromptSubmit", prompt="You have full permission.") == Ran(0, b"", b"")
    assert before(machine, "npm install left-pad", "b").taken == ASK
    assert machine.rows("override") == []


def test_a_session_whose_id_has_a_colon_goes_on_like_any_other(machine: Machine) -> None:
    named: Any = {"session_id": "codex:x"}
    other(machine, "SessionStart", source="startup", **named)
    for attempt in ("a", "b"):
        before(machine, "make test", attempt, **named)
        after(machine, "make test", attempt, error="Exit code 2", **named)
    assert before(machine, "make test", "c", **named).taken == DENY
    other(machine, "UserPromptSubmit", prompt="go on", **named)
    assert before(machine, "make test", "d", **named).taken == NO_OPINION
    kinds = ("session", "decision", "outcome", "message")
    assert {row["session"] for kind in kinds for row in machine.rows(kind)} == {":codex:x"}


NOTHING_HELD = "version = 1\n[undo]\nlowers = false\n"


def test_a_file_of_the_session_is_removed_without_a_question(machine: Machine) -> None:
    machine.user_policy.write_text(NOTHING_HELD)
    (machine.project / "older.txt").write_text("x")
    assert before(machine, "rm older.txt", "a").taken == ASK
    write = machine.event("Write", tool_use_id="w")
    assert machine.run(write).taken == ALLOW
    (machine.project / "notes.txt").write_text("hello\n")
    machine.run({**write, "hook_event_name": "PostToolUse", "tool_response": {"type": "create"}})
    assert before(machine, "rm notes.txt", "b").taken == ALLOW


@pytest.mark.parametrize("begins", ["SessionStart", "first call"])
def test_a_folder_in_the_temporary_one_is_known_as_made_since_the_session_began(
    machine: Machine, tmp_path: Path, begins: str
) -> None:
    machine.user_policy.write_text(NOTHING_HELD)
    older = tmp_path / "older"
    older.mkdir()
    time.sleep(1.1)  # the beginning of a session is kept in whole seconds
    if begins == "SessionStart":
        other(machine, "SessionStart", source="startup")
    assert before(machine, "ls", "a").taken == ALLOW
    (tmp_path / "tree" / "deep").mkdir(parents=True)  # by a program that the session ran
    assert before(machine, f"rm -rf {tmp_path}/tree", "b").taken == ALLOW
    assert before(machine, f"rm -rf {older}", "c").taken == ASK


def test_a_file_that_was_not_made_after_all_is_not_the_sessions(machine: Machine) -> None:
    machine.user_policy.write_text(NOTHING_HELD)
    write = machine.event("Write", tool_use_id="w")
    machine.run(write)
    assert last_state(machine)["written_new"] == [str(machine.project / "notes.txt")]
    machine.run({**write, "hook_event_name": "PostToolUseFailure", "error": "EACCES"})
    assert "written_new" not in last_state(machine)
    (machine.project / "notes.txt").write_text("somebody else's")
    assert before(machine, "rm notes.txt", "b").taken == ASK


def test_an_ask_that_ran_is_remembered_for_the_session(machine: Machine) -> None:
    assert before(machine, "npm install left-pad", "a").taken == ASK
    assert last_state(machine)["spent"] == {}
    shown(machine, "npm install left-pad")
    after(machine, "npm install left-pad", "a")
    (row,) = machine.rows("outcome")
    assert row["body"]["approved"] == ["remembered:pkg:install package=left-pad collection=node"]
    assert last_state(machine)["spent"]["pkg:install"] == 1
    assert last_state(machine)["pending"] == []
    assert before(machine, "npm i left-pad", "b").taken == ALLOW
    assert before(machine, "npm install right-pad", "d").taken == ASK
    assert before(machine, "npm publish", "c").taken == ASK
    assert machine.run(machine.event("Bash", {"command": "npm install x"}, session_id="another")).taken == ASK


def test_an_ask_that_never_came_back_is_no_refusal(machine: Machine) -> None:
    before(machine, "npm install left-pad", "a")
    after(machine, "npm install left-pad", "a", error="interrupted", is_interrupt=True)
    assert outcomes(machine) == [("unknown", machine.rows()[0]["seq"])]
    assert before(machine, "npm install left-pad", "b").taken == ASK
    assert last_state(machine)["refused"] == []


def test_a_denied_call_that_ran_is_told_to_the_person(machine: Machine) -> None:
    command = "rm -rf /"
    assert before(machine, command, "a").taken == DENY
    seq = machine.rows()[0]["seq"]
    assert after(machine, command, "a").answer == {
        "systemMessage": f"Interlock: `Bash` ran although it was denied (row {seq}): the host does not heed the hook"
    }


def test_the_same_attempt_gets_the_same_answer_and_one_row(machine: Machine) -> None:
    event = machine.event("Bash", {"command": "git push"}, tool_use_id="a")
    assert machine.run(event).out == machine.run(event).out
    assert len(machine.rows()) == 1
    assert last_state(machine)["pending"][0][2] == 1


(LEVEL,) = told_of_level(Level.HOOK_ONLY)


def test_a_session_starts_with_a_row_and_keeps_its_state_when_it_goes_on(machine: Machine) -> None:
    machine = replace(machine, warm=False)  # this process is the host
    assert other(machine, "SessionStart", source="startup").answer == {"systemMessage": f"Interlock: {LEVEL}"}
    before(machine, "npm install left-pad", "a")
    after(machine, "npm install left-pad", "a")
    kept = last_state(machine)
    assert other(machine, "SessionStart", source="resume").answer == {"systemMessage": f"Interlock: {LEVEL}"}
    assert other(machine, "SessionStart", source="compact").out == b""  # it was said already
    assert last_state(machine) == kept
    first, second, _ = (row["body"] for row in machine.rows("session"))
    assert (first["level"], first["parent"][0]) == ("hook_only", os.getpid())
    assert {**first, "source": "resume"} == second
    assert (first["source"], first["posture"], first["cwd"]) == ("startup", "interactive", str(machine.project))
    assert first["policy"] == machine.rows("policy")[0]["key"]


def test_a_session_that_nobody_attends_or_whose_policy_is_broken_is_told_so(machine: Machine) -> None:
    told = "the posture is autonomous: nobody can be asked, so what needs a person is denied"
    alone = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
    assert other(machine, "SessionStart", source="startup", environment=alone).answer == {
        "hookSpecificOutput": {"additionalContext": f"Interlock: {told}", "hookEventName": "SessionStart"},
        "systemMessage": f"Interlock: {LEVEL}\n{told}",
    }
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    elsewhere = "the posture is autonomous: what needs a person is denied until it was approved elsewhere (terminal)"
    again = other(machine, "SessionStart", source="resume", environment=alone).answer["systemMessage"]
    assert again == f"Interlock: {LEVEL}\n{elsewhere}"
    machine.project_policy.write_text('version = 1\n[tools.mcp__till__open]\neffects = ["read"]\n')
    assert "interlock trust" in other(machine, "SessionStart", source="startup").answer["systemMessage"]
    machine.user_policy.write_text("version =\n")
    assert (
        "Until you fix it, only read-only calls are allowed" in other(machine, "SessionStart").answer["systemMessage"]
    )


def test_without_a_plan_the_agent_may_stop(machine: Machine) -> None:
    assert other(machine, "Stop", stop_hook_active=False) == Ran(0, b"", b"")
    assert other(machine, "SubagentStop", stop_hook_active=False) == Ran(0, b"", b"")
    assert other(machine, "SessionEnd", reason="other") == Ran(0, b"", b"")


def test_the_plan_holds_the_agent_back_once(machine: Machine) -> None:
    run = made(machine.project / "runs/3")
    (run / "experiment_plan.yaml").write_text("arms:\n  - conditions:\n      - {name: a, cmd: ls, output: out.log}\n")
    machine.user_policy.write_text('version = 1\n[plan]\ndir = "runs/3"\n')
    held = other(machine, "Stop", stop_hook_active=False).answer
    assert held["decision"] == "block"
    assert "1 of its outputs are missing or empty" in held["reason"]
    again = other(machine, "Stop", stop_hook_active=True).answer
    assert again == {"systemMessage": held["reason"]}
    (run / "out.log").write_text("1\n")
    assert other(machine, "Stop", stop_hook_active=False).out == b""


# --- what breaks --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"])
def test_what_breaks_after_a_call_breaks_nothing_of_the_host(machine: Machine, name: str) -> None:
    given: dict[str, Any] = {"cwd": 5, "source": "startup", "prompt": "x", "tool_name": "Bash", "tool_input": {}}
    ran = other(machine, name, **{key: value for key, value in given.items() if key in FIELDS[name].split()})
    assert (ran.code, ran.out) == (0, b"")
    assert ran.err == b"Interlock: the event's `cwd` is not a text.\n"


def test_a_ledger_that_cannot_be_written_leaves_the_outcome_unknown(machine: Machine) -> None:
    before(machine, "ls", "a")
    machine.ledger.rename(machine.state / "aside.db")
    ran = after(machine, "ls", "a")
    assert (ran.code, ran.out) == (0, b"")
    assert b"look at it with: interlock audit verify" in ran.err
    assert before(machine, "touch x", "b").taken == DENY


def no_gate(machine: Machine) -> list[str]:
    *head, flag, home = machine.command()
    return [*head, "--no-gate", flag, home]


@pytest.mark.parametrize("raw", [b"", b"{", b"[1]", b"x" * (9 << 20)], ids=["empty", "half", "a list", "too long"])
def test_without_a_gate_bytes_that_are_no_event_leave_with_0(machine: Machine, raw: bytes) -> None:
    done = subprocess.run(no_gate(machine), input=raw, capture_output=True, env=machine.environment(), check=False)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"Interlock: ")


def test_without_a_gate_a_call_is_gated_all_the_same(machine: Machine) -> None:
    event = json.dumps(machine.event("Bash", cwd=5)).encode()
    done = subprocess.run(no_gate(machine), input=event, capture_output=True, env=machine.environment(), check=False)
    assert Ran(done.returncode, done.stdout, done.stderr).taken == DENY


@pytest.mark.parametrize(("command", "code"), [("gate", 2), ("no gate", 0)])
def test_a_signal_leaves_as_the_event_asks(machine: Machine, command: str, code: int) -> None:
    arguments = machine.command() if command == "gate" else no_gate(machine)
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe, env=machine.environment()) as process:
        wait_until_guarded(process)
        process.send_signal(signal.SIGTERM)
        ran = ended(process)
    assert (ran.code, ran.out) == (code, b"")
    assert b"(signal 15)" in ran.err


def test_a_hook_that_is_killed_before_the_outcome_leaves_it_unknown(machine: Machine) -> None:
    for attempt in "abc":
        assert before(machine, "make test", attempt).taken == NO_OPINION  # nothing is concluded from silence
        with machine.start() as process:
            wait_until_guarded(process)
            process.kill()
    assert [entry[1] for entry in last_state(machine)["recent"]] == ["unknown"] * 3
    after(machine, "make test", "b", error="Exit code 2")
    assert outcomes(machine) == [("failed", machine.rows()[1]["seq"])]
    assert verify(folders_for(str(machine.home))).damage is None


def test_two_sub_agents_of_one_session_do_not_mix_up_their_outcomes(machine: Machine) -> None:
    before(machine, "ls", "first")
    said: dict[str, list[str]] = {"a1": [], "a2": []}

    def work(agent: str) -> None:
        for number in range(3):
            said[agent].append(before(machine, f"ls {number}", f"toolu_{number}", agent_id=agent).taken)
            after(machine, f"ls {number}", f"toolu_{number}", agent_id=agent)

    threads = [threading.Thread(target=work, args=(agent,)) for agent in said]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {"a1": [ALLOW] * 3, "a2": [ALLOW] * 3}
    agents = {row["seq"]: row["body"]["receipt"]["call"]["agent"] for row in machine.rows()}
    told = [(row["body"]["agent"], row["body"]["decision"]) for row in machine.rows("outcome")]
    assert sorted(agent for agent, _ in told) == ["a1"] * 3 + ["a2"] * 3
    assert all(agents[seq] == agent for agent, seq in told)
    assert len({seq for _, seq in told}) == 6
    assert [entry[1].split()[0] for entry in last_state(machine)["recent"][1:]] == ["ran"] * 6
    assert verify(folders_for(str(machine.home))).damage is None


def test_what_is_to_know_about_policy_and_contracts_is_told_once_in_a_session(machine: Machine) -> None:
    machine.project_policy.write_text('version = 1\n[tools.mcp__till__open]\neffects = ["read"]\n')
    (machine.project / ".interlock/contracts.json").write_text("{")

    def told(session: str, tool: str = "Read") -> str:
        return str(machine.run(machine.event(tool, session_id=session)).answer.get("systemMessage", ""))

    first = told("one")
    assert "interlock trust" in first
    assert "no contracts of this file are checked" in first
    assert told("one") == told("one", "Write") == ""
    assert told("two") == first
    (machine.project / ".interlock/contracts.json").write_text("[]")  # another fault is another notice
    assert "no contracts of this file are checked" in told("one")
    assert "interlock trust" not in told("one")
