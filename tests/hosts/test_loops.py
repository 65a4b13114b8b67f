"""The loop guard through the real hook: a process for each event, and a session that the ledger keeps between them."""

from __future__ import annotations

import time

import pytest

from hook_process import ALLOW, DENY, NO_OPINION, Machine, Ran
from interlock.record.receipt import replay_inputs
from interlock.value import FrozenMap
from person import at_a_terminal

UNATTENDED = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
AGAIN = "You have this result already: nothing was changed since it came."


def tried(machine: Machine, command: str, came: str, *, fails: bool = False, agent: str = "") -> Ran:
    """The call, as a headless run makes it, and its outcome where it was let through."""
    more = {"agent_id": agent, "agent_type": "worker"} if agent else {}
    event = machine.event("Bash", {"command": command}, **more)
    ran = machine.run(event, environment=UNATTENDED)
    if ran.taken in (ALLOW, NO_OPINION):
        told = {"error": came} if fails else {"tool_response": {"stdout": came, "stderr": "", "interrupted": False}}
        name = "PostToolUseFailure" if fails else "PostToolUse"
        machine.run({**event, "hook_event_name": name, **told, "duration_ms": 5}, environment=UNATTENDED)
    return ran


def replayed(machine: Machine) -> None:
    found = at_a_terminal(machine.home, "replay", "--quiet")
    assert (found.code, "receipts hold" in found.out) == (0, True), found.out


@pytest.mark.parametrize("command", ["git status", "gh run view 7", "curl -sf http://localhost:8080/health"])
def test_a_read_that_brings_nothing_new_is_refused_and_the_run_goes_on(machine: Machine, command: str) -> None:
    took = [tried(machine, command, "queued") for _ in range(7)]
    assert [ran.taken for ran in took] == [ALLOW, ALLOW] + [DENY] * 5
    assert all(AGAIN in ran.reason and "continue" not in ran.answer for ran in took[2:])
    assert tried(machine, "touch x", "").taken == ALLOW
    assert tried(machine, command, "queued").taken == ALLOW
    replayed(machine)


def test_the_same_read_after_some_time_is_polling_and_the_receipt_says_so(machine: Machine) -> None:
    machine.user_policy.write_text("version = 1\n[loop]\npace = 1\npolls = 2\n")
    took = []
    for _ in range(5):
        took.append(tried(machine, "gh run view 7", "queued").taken)
        time.sleep(2.1)
    assert took == [ALLOW] * 4 + [DENY]
    seen = [row["body"]["receipt"]["session"].get("repeated") for row in machine.rows()]
    plain = {"calls": 1, "reads": True, "paced": True}
    assert seen == [
        None,
        {**plain, "times": 2},
        {**plain, "times": 3},
        {**plain, "times": 4, "polls": 1},
        {**plain, "times": 5, "polls": 2},
    ]
    _, _, session, _ = replay_inputs(FrozenMap(machine.rows()[-1]["body"]["receipt"]))
    assert session.repeated is not None
    assert session.repeated.polls == 2
    replayed(machine)


def test_a_cycle_of_eight_acts_is_refused_the_third_time_and_locks(machine: Machine) -> None:
    machine.user_policy.write_text("version = 1\n[tiers.effects]\nspawn = 1\n")
    cycle = [f"docker compose -f c{number}.yaml up -d" for number in range(7)]
    for number in range(2):
        assert [tried(machine, one, "gone", fails=True).taken for one in cycle] == [NO_OPINION] * 7
        tried(machine, f"echo {number}", str(number))  # a no-op that varies
    assert tried(machine, cycle[0], "gone", fails=True).taken == DENY
    last = tried(machine, cycle[0], "gone", fails=True)
    assert (last.taken, last.answer["continue"]) == (DENY, False)
    assert "7 calls that have given the same result 3 times" in last.answer["stopReason"]
    replayed(machine)


def test_a_test_run_whose_failures_differ_is_progress(machine: Machine) -> None:
    for number in range(5):
        text = f"Exit code 1\ntest_a failed\ntest_{number} failed\n2 failed in 0.1{number}s"
        assert tried(machine, "make test", text, fails=True).taken == NO_OPINION
    same = "Exit code 1\ntest_a failed\n1 failed in 0.{}s"
    took = [tried(machine, "make test", same.format(number), fails=True).taken for number in range(4)]
    assert took == [NO_OPINION, NO_OPINION, DENY, DENY]  # only how long it took differs


def test_agents_of_one_session_are_judged_by_themselves(machine: Machine) -> None:
    for number in range(5):
        assert tried(machine, "git status", "clean", agent=f"a{number}").taken == ALLOW
    took = []
    for number in range(3):
        took.append(tried(machine, "git status", "clean", agent="loops").taken)
        tried(machine, f"git show HEAD~{number}", str(number), agent="works")
    assert took == [ALLOW, ALLOW, DENY]


def test_what_a_person_says_begins_it_anew(machine: Machine) -> None:
    assert [tried(machine, "git status", "clean").taken for _ in range(3)] == [ALLOW, ALLOW, DENY]
    machine.run(machine.event(hook_event_name="UserPromptSubmit", prompt="look again"))
    assert tried(machine, "git status", "clean").taken == ALLOW
