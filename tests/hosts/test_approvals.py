"""An ask with nobody there: it waits, a person answers in a terminal of their own, and the call fires once."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import warm
from hook_process import ALLOW, ASK, DENY, Machine, Ran
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify
from person import at_a_terminal

PUSH = "git push --force origin main"
POLICY = 'version = 1\n[approvals]\nby = ["terminal"]\n'


@pytest.fixture
def alone(machine: Machine) -> Machine:
    """Nobody sits in front of the host, and a person can answer in a terminal."""
    machine.user_policy.write_text(POLICY)
    return machine


def tries(machine: Machine, command: str = PUSH, *, run: str = "", attended: bool = False, **changes: Any) -> Ran:
    environment = {"CLAUDE_CODE_SESSION_ATTENDED": "1" if attended else "0", "INTERLOCK_RUN": run}
    return machine.run(machine.event("Bash", {"command": command}, **changes), environment=environment)


def cli(machine: Machine, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return warm.command(("--home", str(machine.home), *arguments), cwd=machine.project)


def listed(machine: Machine, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(cli(machine, "approvals", "list", "--json", *arguments).stdout)
    return found


def id_of(machine: Machine) -> str:
    (one,) = listed(machine)
    return str(one["id"])


def approve(machine: Machine, *options: str, id: str | None = None) -> None:
    done = at_a_terminal(machine.home, "approvals", "approve", id or id_of(machine), "--yes", *options)
    assert done.code == 0, done.out


def reason(ran: Ran) -> str:
    return str(json.loads(ran.out)["hookSpecificOutput"]["permissionDecisionReason"])


def whole(machine: Machine) -> bool:
    return verify(folders_for(str(machine.home))).damage is None


def test_an_approved_call_fires_once_and_is_asked_about_again(alone: Machine) -> None:
    first = tries(alone)
    assert first.taken == DENY
    id = id_of(alone)
    assert f"report {id}" in reason(first)
    assert f"interlock approvals approve {id}" in json.loads(first.out)["systemMessage"]
    assert "no approver is configured" not in first.out.decode()

    approve(alone)

    assert [tries(alone).taken, tries(alone).taken] == [ALLOW, DENY]
    (again,) = listed(alone)
    assert (again["id"] != id, again["status"], again["closed_before"]) == (True, "pending", 1)
    assert [row["key"] for row in alone.rows("redemption")] == [id]
    assert whole(alone)


def test_without_an_approver_an_ask_is_a_deny_and_nothing_waits(machine: Machine) -> None:
    ran = tries(machine)
    assert (ran.taken, listed(machine, "--all")) == (DENY, [])
    assert "Nobody can be asked about this now: no approver is configured." in reason(ran)


def test_the_same_attempt_sent_again_fires_once_too(alone: Machine) -> None:
    assert tries(alone, tool_use_id="toolu_same").taken == DENY
    approve(alone)
    assert [tries(alone, tool_use_id="toolu_same").taken for _ in range(3)] == [ALLOW, DENY, DENY]


def test_asking_twice_is_one_question(alone: Machine) -> None:
    for _ in range(3):
        tries(alone)
    assert len(listed(alone, "--all")) == len(alone.rows("prompt")) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"command": PUSH + " "},
        {"command": "git push --force origin next"},
        {"cwd": "elsewhere"},
        {"session_id": "another"},
        {"agent_id": "a1b2", "agent_type": "general-purpose"},
    ],
    ids=str,
)
def test_an_approval_is_for_nothing_else(alone: Machine, changed: dict[str, Any]) -> None:
    tries(alone)
    approve(alone)
    if "cwd" in changed:
        (alone.project / "elsewhere").mkdir()
        changed = {"cwd": str(alone.project / "elsewhere")}
    assert tries(alone, **changed).taken == DENY
    assert not alone.rows("redemption")


def test_a_run_label_carries_an_approval_over_to_the_next_session(alone: Machine) -> None:
    tries(alone, run="nightly", session_id="monday")
    approve(alone)
    assert tries(alone, run="weekly", session_id="tuesday").taken == DENY
    assert tries(alone, run="nightly", session_id="tuesday").taken == ALLOW


def test_an_approval_in_a_sub_agent_is_for_its_type_and_not_for_its_id(alone: Machine) -> None:
    """The id of a sub-agent is another on each run."""
    assert tries(alone, agent_id="a1", agent_type="general-purpose").taken == DENY
    approve(alone)
    assert tries(alone, agent_id="a2", agent_type="Explore").taken == DENY
    assert tries(alone).taken == DENY  # the main agent
    assert tries(alone, agent_id="a3", agent_type="general-purpose").taken == ALLOW
    (used,) = alone.rows("redemption")
    fired = next(row for row in alone.rows() if row["key"] == used["body"]["receipt"])["body"]["receipt"]
    assert (fired["call"]["agent"], fired["call"]["agent_type"]) == ("a3", "general-purpose")


def git(machine: Machine, *words: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    env = {"PATH": os.environ["PATH"], "HOME": str(machine.home), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *who, *words], cwd=machine.project, env=env, check=True, capture_output=True)
    return done.stdout.decode().strip()


def test_an_approval_of_a_push_is_for_the_commits_that_it_sends(alone: Machine) -> None:
    git(alone, "init", "-q", "-b", "main")
    git(alone, "commit", "-q", "--allow-empty", "-m", "one")
    one = git(alone, "rev-parse", "HEAD")
    assert tries(alone).taken == DENY
    first = id_of(alone)
    (asked,) = listed(alone)
    assert asked["sends"] == [f"refs/heads/main {one}"]
    assert f"sends    refs/heads/main {one}" in cli(alone, "approvals", "show", first).stdout.decode()
    approve(alone)

    git(alone, "commit", "-q", "--allow-empty", "-m", "two")
    two = git(alone, "rev-parse", "HEAD")
    again = tries(alone)
    assert again.taken == DENY
    (asked,) = listed(alone)
    assert (asked["id"] != first, asked["sends"]) == (True, [f"refs/heads/main {two}"])
    assert asked["id"] in reason(again)

    git(alone, "reset", "-q", "--hard", one)  # what was approved is what would be sent again
    assert [tries(alone).taken, tries(alone).taken] == [ALLOW, DENY]
    assert cli(alone, "replay", "--all").returncode == 0
    assert whole(alone)


def test_commits_that_cannot_be_determined_are_said_to_be_so(alone: Machine) -> None:
    assert tries(alone).taken == DENY
    shown = cli(alone, "approvals", "show", id_of(alone)).stdout.decode()
    assert "sends    unknown: there is no repository" in shown
    assert "some commits could not be determined and are not bound" in shown
    approve(alone)
    assert tries(alone).taken == ALLOW


@pytest.mark.slow
def test_each_question_has_an_id_of_its_own_and_replays(alone: Machine) -> None:
    """Derived from what is bound and from how many were closed before, which the receipt holds."""
    ids = []
    for _ in range(4):
        tries(alone)
        ids.append(id_of(alone))
        assert tries(alone).taken == DENY
        assert id_of(alone) == ids[-1]  # it is still the same question
        approve(alone)
        assert tries(alone).taken == ALLOW
    assert len(set(ids)) == 4
    assert [row["body"]["closed"] for row in alone.rows("prompt")] == [0, 1, 2, 3]
    told = cli(alone, "replay", "--all")
    assert (told.returncode, told.stdout.decode().splitlines()[-1]) == (0, "12 of 12 receipts hold")
    old = at_a_terminal(alone.home, "approvals", "approve", ids[0], "--yes")
    assert (old.code, "is redeemed already" in old.out) == (1, True)
    assert whole(alone)


@pytest.mark.slow
def test_a_question_is_found_again_after_older_ones_were_pruned(alone: Machine) -> None:
    for _ in range(2):
        tries(alone)
        approve(alone)
        assert tries(alone).taken == ALLOW
    tries(alone)
    id = id_of(alone)
    done = at_a_terminal(alone.home, "audit", "prune", "--keep", "2", "--yes")
    assert done.code == 0, done.out
    assert [one["id"] for one in listed(alone, "--all")] == [id]
    approve(alone)
    assert tries(alone).taken == ALLOW
    assert whole(alone)


@pytest.mark.slow
def test_a_rule_that_was_added_is_asked_about_in_spite_of_a_yes(alone: Machine) -> None:
    tries(alone)
    approve(alone)
    (given,) = listed(alone, "--all")
    rule = {"id": "look", "when": '{ action = "git:push" }', "verdict": '"ask"', "reason": '"Look at the log first."'}
    lines = [f"{name} = {value}" for name, value in {**rule, "id": '"look"'}.items()]
    alone.user_policy.write_text(POLICY + "[[rules]]\n" + "\n".join(lines) + "\n")
    assert tries(alone).taken == DENY
    (new,) = listed(alone)
    assert new["id"] != given["id"]
    assert "Look at the log first." in new["reasons"]
    assert not alone.rows("redemption")
    approve(alone)
    assert tries(alone).taken == ALLOW


def test_what_was_answered_in_the_host_waits_nowhere_else(alone: Machine) -> None:
    def asked_and_ran(use: str) -> None:
        assert tries(alone, attended=True, tool_use_id=use).taken == ASK
        told = alone.event("Bash", {"command": PUSH}, tool_use_id=use)
        told |= {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "", "stderr": "", "interrupted": False}}
        assert alone.run(told, environment={"CLAUDE_CODE_SESSION_ATTENDED": "1"}).code == 0

    asked_and_ran("toolu_1")
    (one,) = listed(alone, "--all")
    assert (one["status"], one["answer"]["by"]) == ("closed", "host")
    assert listed(alone) == []
    late = at_a_terminal(alone.home, "approvals", "approve", one["id"], "--yes")
    assert (late.code, "is closed already" in late.out) == (1, True)
    asked_and_ran("toolu_2")
    assert len({one["id"] for one in listed(alone, "--all")}) == 2
    assert whole(alone)


def test_explain_tells_what_was_said_to_the_last_prompt(alone: Machine) -> None:
    assert tries(alone).taken == DENY
    (question,) = listed(alone)
    waits = at_a_terminal(alone.home, "explain", "--last")
    assert (waits.code, "approved by " in waits.out) == (0, False)
    approve(alone)
    for words in (("--last",), ("--row", question["id"])):
        said = at_a_terminal(alone.home, "explain", *words)
        assert ": held until a person answers" in said.out
        assert f"Bash {PUSH}" in said.out
        assert "  approved by " in said.out


def test_a_changed_script_ends_an_approval(alone: Machine) -> None:
    script = alone.project / "release.sh"
    script.write_text("git push --force origin main\n")
    assert tries(alone, "sh release.sh").taken == DENY
    approve(alone)
    script.write_text("git push --force origin main\n# and a word\n")
    assert tries(alone, "sh release.sh").taken == DENY
    script.write_text("git push --force origin main\n")
    assert tries(alone, "sh release.sh").taken == ALLOW


def test_another_secret_in_the_same_call_is_not_approved(alone: Machine) -> None:
    line = "curl -X DELETE -H 'Authorization: Bearer {}' https://api.example/v1/things/7"
    one, other = line.format("abcdefgh12345678abcd"), line.format("zyxwvuts87654321zyxw")
    assert tries(alone, one).taken == DENY
    approve(alone, "--hidden")
    refused = tries(alone, other)
    assert refused.taken == DENY
    assert "another secret" in reason(refused)
    assert tries(alone, one).taken == ALLOW


@pytest.mark.slow
def test_a_no_is_kept_for_the_session_and_its_variants(alone: Machine) -> None:
    tries(alone)
    assert at_a_terminal(alone.home, "approvals", "deny", id_of(alone), "--why", "not on Fridays", keys="y\r").code == 0
    for command in (PUSH, "git push -f origin next"):
        assert "The person said no to this, or to a call like it." in reason(tries(alone, command))
    assert listed(alone) == []
    assert whole(alone)


def test_an_attended_host_asks_as_ever_and_the_terminal_may_answer_too(alone: Machine) -> None:
    assert tries(alone, attended=True).taken == ASK
    approve(alone)
    assert [tries(alone, attended=True).taken, tries(alone, attended=True).taken] == [ALLOW, ASK]


def test_so_many_questions_wait_and_no_more(alone: Machine) -> None:
    alone.user_policy.write_text(POLICY + "max_pending = 2\n")
    said = [reason(tries(alone, f"git push --force origin b{number}")) for number in range(3)]
    assert len(listed(alone)) == 2
    assert "too many calls of this session wait" in said[2]
    assert "ap_" not in said[2]


def late(machine: Machine, minutes: int) -> None:
    """Everything so far happened so many minutes ago."""
    ledger = Ledger(str(machine.ledger), clock=lambda: Ledger("").clock() + minutes * 60_000)
    with ledger.deciding() as turn:
        turn.append("override", b"{}", key="time goes by")


def test_an_unanswered_question_is_over_and_a_late_answer_is_told_so(alone: Machine) -> None:
    tries(alone)
    id = id_of(alone)
    late(alone, 61)
    done = at_a_terminal(alone.home, "approvals", "approve", id, "--yes")
    assert (done.code, "came too late and changes nothing" in done.out) == (1, True)
    assert "nobody answered in time" in reason(tries(alone))
    assert tries(alone, session_id="another").taken == DENY
    assert whole(alone)


@pytest.mark.parametrize(("what", "reminders"), [("hold", 0), ("remind", 2)])
def test_a_question_that_is_held_waits_on(alone: Machine, what: str, reminders: int) -> None:
    alone.user_policy.write_text(POLICY + f'on_timeout = "{what}"\n')
    tries(alone)
    late(alone, 150)
    (one,) = listed(alone)
    assert (one["status"], one["reminders"]) == ("pending", reminders)
    approve(alone)
    late(alone, 140)  # the clock of the first answer is 150 minutes ahead already
    assert tries(alone).taken == ALLOW


def test_a_yes_counts_for_its_time_only(alone: Machine) -> None:
    tries(alone)
    approve(alone)
    late(alone, 61)
    assert tries(alone).taken == DENY
    assert not alone.rows("redemption")


def test_a_second_answer_and_one_to_nothing_do_nothing(alone: Machine) -> None:
    tries(alone)
    id = id_of(alone)
    approve(alone, id=id)
    second = at_a_terminal(alone.home, "approvals", "deny", id, "--yes")
    assert (second.code, "is approved already" in second.out) == (1, True)
    unknown = at_a_terminal(alone.home, "approvals", "approve", "ap_0000", "--yes")
    assert (unknown.code, "nobody has asked for an approval" in unknown.out) == (1, True)
    assert len(alone.rows("answer")) == 1


def test_a_program_is_not_a_person(alone: Machine) -> None:
    tries(alone)
    done = cli(alone, "approvals", "approve", id_of(alone), "--yes")
    assert done.returncode == 1
    assert b"it was not given at a terminal" in done.stderr
    assert not alone.rows("answer")


def in_a_terminal_below(command: list[str], **environment: str) -> str:
    """A terminal that this very process opens, as an agent can."""
    child, screen = pty.fork()
    if child == 0:
        os.execve(command[0], command, {"PATH": os.defpath, **environment})
    shown = b""
    try:
        while piece := os.read(screen, 1 << 16):
            shown += piece
    except OSError:
        pass
    os.waitpid(child, 0)
    return shown.decode()


def test_a_terminal_that_the_agent_opens_is_not_a_persons(alone: Machine) -> None:
    tries(replace(alone, warm=False))  # the hook was started by this process
    command = [sys.executable, "-m", "interlock.cli", "--home", str(alone.home), "approvals", "approve"]
    shown = in_a_terminal_below([*command, id_of(alone), "--yes"])
    assert f"below process {os.getpid()}, which runs an agent" in shown
    assert "`CLAUDECODE` is set" in in_a_terminal_below([*command, id_of(alone), "--yes"], CLAUDECODE="1")
    assert not alone.rows("answer")


def test_a_terminal_below_a_known_host_is_not_a_persons(alone: Machine, tmp_path: Path) -> None:
    tries(alone)
    host = tmp_path / "claude"
    host.write_text('#!/bin/sh\n"$@"\nexit $?\n')
    host.chmod(0o755)
    command = [sys.executable, "-m", "interlock.cli", "--home", str(alone.home), "approvals", "approve", id_of(alone)]
    terminal = [sys.executable, str(Path(__file__).parents[2] / "scripts/terminal.py"), ""]
    done = subprocess.run([*terminal, str(host), *command, "--yes"], stdout=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"below an agent's host" in done.stdout
    assert not alone.rows("answer")


def test_a_table_that_says_approved_without_a_row_lets_nothing_through(alone: Machine) -> None:
    tries(alone)
    database = Ledger(str(alone.ledger)).connect()
    database.run("UPDATE approvals SET status = 'approved', expires = expires * 2")
    database.close()
    assert tries(alone).taken == DENY
    damage = verify(folders_for(str(alone.home))).damage
    assert damage is not None
    assert "is pending by its rows, approved by its table" in damage.text


def test_show_tells_what_would_happen_and_what_is_bound(alone: Machine) -> None:
    tries(alone, run="nightly")
    shown = cli(alone, "approvals", "show", id_of(alone)[:9]).stdout.decode()
    for part in ("git:push", "force = True", "it binds:", "for      run nightly", str(alone.project), "uses     once"):
        assert part in shown


@pytest.mark.slow
def test_watch_answers_with_a_key(alone: Machine) -> None:
    tries(alone)
    done = at_a_terminal(alone.home, "approvals", "watch", "--every", "0.2", keys="ayq")
    assert done.code == 0
    assert "approved until" in done.out
    assert tries(alone).taken == ALLOW


@pytest.mark.slow
def test_a_call_decided_in_one_terminal_is_answered_in_another(alone: Machine) -> None:
    call = json.dumps({"tool": "Bash", "input": {"command": PUSH}, "cwd": str(alone.project), "session": "s"}).encode()
    command = [sys.executable, "-m", "interlock.cli", "--home", str(alone.home), "decide", "--record"]

    def decided() -> str:
        done = subprocess.run(command, input=call, stdout=subprocess.PIPE, check=False)
        return str(json.loads(done.stdout)["verdict"])

    assert decided() == "ask"
    once = cli(alone, "approvals", "watch", "--once").stdout.decode()
    assert PUSH in once
    assert at_a_terminal(alone.home, "approvals", "watch", "--every", "0.2", keys="ayq").code == 0
    assert [decided(), decided()] == ["allow", "ask"]


def test_the_guide_shows_a_policy_that_works_and_what_is_said_under_it(machine: Machine) -> None:
    guide = (Path(__file__).parents[2] / "docs/approvals.md").read_text()
    machine.user_policy.write_text(guide.partition("```toml\n")[2].partition("```")[0])
    told = guide.partition("```\nInterlock: ")[2].partition("```")[0].strip()
    said = reason(tries(machine))
    shown_id = told.partition("ap_")[2].partition(".")[0]
    assert said.startswith("Interlock: " + told.replace("ap_" + shown_id, id_of(machine)))


def test_a_terminal_approves_only_where_the_policy_names_it(machine: Machine) -> None:
    machine.user_policy.write_text(POLICY.replace("terminal", "slack"))
    tries(machine)
    done = at_a_terminal(machine.home, "approvals", "approve", id_of(machine), "--yes")
    assert done.code != 0
    assert "is approved by slack only, as the policy says" in " ".join(done.out.split())
    assert tries(machine).taken == DENY
