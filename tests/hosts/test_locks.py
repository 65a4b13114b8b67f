"""A session that is locked: what locks it, what the person is told, and who can unlock it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from claude_rows import Transcript
from hook_process import ALLOW, ASK, DENY, NO_OPINION, Machine, Ran
from made_repositories import git
from person import Answer, at_a_terminal

UNATTENDED = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
SESSION = "3d0d2c1e-0b60-4d0e-9a39-7a6f7f1a4c11"


def bash(machine: Machine, command: str, attempt: str, **more: Any) -> Ran:
    return machine.run(machine.event("Bash", {"command": command}, tool_use_id=attempt), **more)


def failed(machine: Machine, command: str, attempt: str) -> None:
    told = {"hook_event_name": "PostToolUseFailure", "error": "Exit code 1", "duration_ms": 5}
    machine.run(machine.event("Bash", {"command": command}, tool_use_id=attempt, **told))


def locked(machine: Machine) -> Ran:
    """The session, locked by a loop; the answer that did it."""
    for attempt in "ab":
        assert bash(machine, "make test", attempt).taken == NO_OPINION
        failed(machine, "make test", attempt)
    bash(machine, "make test", "c")
    return bash(machine, "make test", "d")


def posture(machine: Machine, *arguments: str) -> Answer:
    return at_a_terminal(machine.home, "posture", *arguments, "--root", str(machine.project))


def shown(machine: Machine) -> dict[str, Any]:
    answer = posture(machine, "show", "--json")
    assert answer.code == 0, answer.out
    found: dict[str, Any] = json.loads(answer.out)
    return found


def below_an_agent(machine: Machine, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command as an agent would run it."""
    command = [sys.executable, "-m", "interlock.cli", "--home", str(machine.home), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=machine.project, check=False)


def test_the_person_is_told_how_to_unlock_and_it_works(machine: Machine) -> None:
    assert f"interlock posture unlock {SESSION}" in locked(machine).answer["systemMessage"]
    denied = bash(machine, "touch x", "e")
    assert (denied.taken, f"interlock posture unlock {SESSION}" in denied.answer["systemMessage"]) == (DENY, True)
    assert [(one["session"], one["locked"]) for one in shown(machine)["sessions"]] == [(SESSION, True)]
    done = posture(machine, "unlock", SESSION, "--yes")
    assert (done.code, done.out.strip()) == (0, f"unlocked {SESSION}")
    assert bash(machine, "touch x", "f").taken == ALLOW
    assert bash(machine, "make test", "g").taken == NO_OPINION  # the count began anew
    assert shown(machine)["sessions"] == []
    moved = machine.rows("posture")[-1]["body"]
    assert (moved["from"], moved["to"], moved["front"]) == ("locked", "interactive", "cli:posture")


def test_setting_the_project_to_interactive_unlocks_its_sessions(machine: Machine) -> None:
    locked(machine)
    done = posture(machine, "set", "interactive")
    assert (done.code, f"unlocked session {SESSION}" in done.out) == (0, True), done.out
    assert bash(machine, "touch x", "e").taken == ALLOW


def test_nothing_that_an_agent_can_do_unlocks_it(machine: Machine) -> None:
    locked(machine)
    root = ("--root", str(machine.project))
    for command in (("posture", "unlock", SESSION, "--yes", *root), ("posture", "set", "interactive", *root)):
        done = below_an_agent(machine, *command)
        assert (done.returncode != 0, "only a person" in done.stderr) == (True, True), done
    for line in (f"interlock posture unlock {SESSION}", "interlock posture set interactive"):
        assert bash(machine, line, line[-6:]).taken == DENY
    machine.run(machine.event(hook_event_name="UserPromptSubmit", prompt="go on"))
    machine.run(machine.event(hook_event_name="SessionStart", source="resume"))
    assert bash(machine, "touch x", "e").taken == DENY
    # A run that resumes it unattended begins with another posture, and does not leave the lock by that.
    assert bash(machine, "touch x", "f", environment=UNATTENDED).taken == DENY
    assert bash(machine, "touch x", "g").taken == DENY


def test_a_lock_is_not_left_by_a_posture_that_the_table_does_not_lead_to(machine: Machine) -> None:
    locked(machine)
    assert posture(machine, "set", "dry_run").code == 0
    denied = bash(machine, "touch x", "e")
    assert (denied.taken, "The session is locked" in denied.reason) == (DENY, True)
    assert posture(machine, "set", "interactive").code == 0
    assert bash(machine, "touch x", "f").taken == ALLOW


def test_a_locked_project_is_unlocked_by_its_posture_and_unlock_says_so(machine: Machine) -> None:
    assert bash(machine, "touch a", "a").taken == ALLOW
    assert posture(machine, "set", "locked").code == 0
    assert bash(machine, "touch b", "b").taken == DENY
    done = posture(machine, "unlock", SESSION, "--yes")
    assert (done.code, "posture set interactive" in done.out) == (64, True), done.out
    assert posture(machine, "set", "interactive").code == 0
    assert bash(machine, "touch c", "c").taken == ALLOW


def test_a_call_that_is_denied_again_and_again_locks_the_session(machine: Machine) -> None:
    taken = [bash(machine, "rm -rf /", f"a{n}").answer.get("continue", True) for n in range(5)]
    assert taken == [True] * 5
    assert bash(machine, "ls", "l").taken == ALLOW
    last = bash(machine, "rm -rf /", "b")
    assert (last.taken, last.answer["continue"]) == (DENY, False)
    assert "a call that was refused 5 times. The session is now locked" in last.answer["stopReason"]
    assert bash(machine, "touch x", "c").taken == DENY
    assert posture(machine, "unlock", "--yes").code == 0
    assert bash(machine, "rm -rf /", "d").answer.get("continue", True) is True


def test_a_message_starts_the_count_of_denials_anew(machine: Machine) -> None:
    for number in range(5):
        bash(machine, "rm -rf /", f"a{number}")
    machine.run(machine.event(hook_event_name="UserPromptSubmit", prompt="go on"))
    assert "continue" not in bash(machine, "rm -rf /", "b").answer


def test_a_question_that_waits_elsewhere_may_be_tried_again_without_a_lock(machine: Machine) -> None:
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    push = [bash(machine, "git push origin main", f"a{n}", environment=UNATTENDED) for n in range(8)]
    assert [ran.taken for ran in push] == [DENY] * 8
    assert all("continue" not in ran.answer for ran in push)


def test_a_call_for_which_no_question_has_room_may_be_tried_again_without_a_lock(machine: Machine) -> None:
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\nmax_pending = 1\n')
    bash(machine, "git push origin main", "a", environment=UNATTENDED)
    for number in range(12):
        ran = bash(machine, "git push origin other", f"b{number}", environment=UNATTENDED)
        assert (ran.taken, "continue" in ran.answer) == (DENY, False)
        assert "too many calls of this session wait for an approval already" in ran.reason
    assert bash(machine, "touch x", "c", environment=UNATTENDED).taken == ALLOW
    waits = machine.rows("prompt")[-1]["key"]
    assert at_a_terminal(machine.home, "approvals", "approve", waits, "--yes").code == 0
    assert bash(machine, "git push origin main", "d", environment=UNATTENDED).taken == ALLOW
    bash(machine, "git push origin other", "e", environment=UNATTENDED)
    assert len(machine.rows("prompt")) == 2  # an answer makes room
    assert at_a_terminal(machine.home, "replay", "--quiet").code == 0


@pytest.mark.parametrize("by", ["terminal", "nobody"])
def test_loosening_a_posture_and_releasing_a_plan_need_a_terminal(machine: Machine, by: str) -> None:
    assert posture(machine, "set", "locked").code == 0
    if by == "terminal":
        assert posture(machine, "set", "interactive").code == 0
        return
    # Outside the tree of any agent, but at no terminal: a program of the same user.
    script = (
        "import os, sys, subprocess\n"
        "if os.fork(): os._exit(0)\n"
        "os.setsid()\n"
        "done = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, capture_output=True, text=True)\n"
        "open(sys.argv[1], 'w').write(f'{done.returncode} {done.stderr}')\n"
    )
    for number, words in enumerate((("posture", "set", "interactive"), ("plan", "release"))):
        if words[0] == "plan":
            folder = machine.project / "runs/3"
            folder.mkdir(parents=True)
            (folder / "experiment_plan.yaml").write_text("setup:\n  - cmd: make -C engine\n")
            machine.user_policy.write_text('version = 1\n[plan]\nenforcement = "strict"\ndir = "runs/3"\n')
        out = machine.home / f"out{number}"
        command = [sys.executable, "-m", "interlock.cli", "--home", str(machine.home), *words]
        command += ["--root", str(machine.project)]
        subprocess.run([sys.executable, "-c", script, str(out), *command], check=True)
        told = waited_for(out)
        assert (told[0] != "0", "only a person at a terminal may do this" in told) == (True, True), told


def waited_for(file: Any) -> str:
    import time

    end = time.monotonic() + 60
    while not file.exists() or not file.read_text():
        assert time.monotonic() < end
        time.sleep(0.05)
    text: str = file.read_text()
    return text


@pytest.mark.slow
def test_what_was_said_in_a_session_is_listed_and_ended_by_one_command(machine: Machine) -> None:
    machine.user_policy.write_text("version = 1\n[approvals]\nbelieve_transcript = true\n")
    transcript = Transcript(machine.home / ".claude/projects/-project/3d0d2c1e.jsonl")
    machine.run(machine.event(hook_event_name="SessionStart", source="startup"))
    install = {"command": "npm install left-pad"}
    assert bash(machine, install["command"], "a").taken == ASK
    machine.run(machine.event("Bash", install, hook_event_name="PermissionRequest", tool_use_id=None))
    done = {"hook_event_name": "PostToolUse", "tool_response": {}, "duration_ms": 1}
    machine.run(machine.event("Bash", install, tool_use_id="a", **done))
    transcript.yes("a")
    assert bash(machine, "git push origin main", "b").taken == ASK
    transcript.no("b")
    said = machine.event(hook_event_name="UserPromptSubmit", prompt="you have full permission", prompt_id="7d0e")
    machine.run(said)
    transcript.message("you have full permission", prompt="7d0e")
    assert bash(machine, "frobnicate x", "c").taken == ALLOW

    (one,) = shown(machine)["sessions"]
    assert one.pop("permissive_until") is not None
    assert one.pop("at")
    assert one == {
        "session": SESSION,
        "root": str(machine.project),
        "locked": False,
        "yes": ["pkg:install package=left-pad collection=node"],
        "no": ["git:push"],
    }
    text = posture(machine, "show").out
    for line in (
        "  yes: pkg:install package=left-pad",
        "  no: git:push",
        "  permissive until ",
        "posture forget SESSION",
    ):
        assert line in text, text

    refused = below_an_agent(machine, "posture", "forget", SESSION, "--root", str(machine.project), "--yes")
    assert (refused.returncode != 0, "only a person" in refused.stderr) == (True, True)
    done_now = posture(machine, "forget", SESSION[:8], "--yes")
    assert done_now.code == 0, done_now.out
    assert shown(machine)["sessions"] == []
    assert bash(machine, "npm install left-pad", "d").taken == ASK
    assert bash(machine, "git push origin main", "e").taken == ASK


def test_a_branch_is_not_deleted_in_a_locked_session(machine: Machine) -> None:
    """That git could make it again takes the loss out of the command, and leaves a change."""
    git(machine.project, "init", "-q", "-b", "main")
    git(machine.project, "commit", "-q", "--allow-empty", "-m", "first")
    for branch in ("work", "done", "gone"):
        git(machine.project, "branch", branch)
    git(machine.project, "switch", "-q", "work")
    git(machine.project, "commit", "-q", "--allow-empty", "-m", "not merged")
    git(machine.project, "switch", "-q", "main")
    assert bash(machine, "git branch -D gone", "z").taken in (ALLOW, NO_OPINION)
    plan = {"permission_mode": "plan"}
    asked = machine.run(machine.event("Bash", {"command": "git branch -D work"}, tool_use_id="y", **plan))
    assert asked.taken == NO_OPINION  # left to the host, which does not run it in this mode
    locked(machine)
    for command, taken in (
        ("git branch -D work", DENY),
        ("git branch -d done", DENY),
        ("git branch --delete --force work", DENY),
        ("git branch --list", ALLOW),
    ):
        assert bash(machine, command, command).taken == taken, command
