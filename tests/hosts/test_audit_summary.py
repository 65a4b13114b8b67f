"""`interlock audit summary`: a week in numbers, through the real hook and the real command."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from hook_process import Machine
from person import at_a_terminal

OBSERVE = f"[hook]\nobserve = {{ until = {time.strftime('%Y-%m-%d', time.gmtime(time.time() + 86_400))} }}\n"
INSTALL = "npm install left-pad"  # asked once in a session
PUSH = "git push --force origin main"  # asked each time


def bash(machine: Machine, command: str, **changes: Any) -> None:
    machine.run(machine.event("Bash", {"command": command}, **changes))


def summary(machine: Machine, *options: str) -> Any:
    return json.loads(at_a_terminal(machine.home, "audit", "summary", "--json", *options).out)


@pytest.fixture
def week(machine: Machine) -> Machine:
    machine.user_policy.write_text(f"version = 1\n{OBSERVE}")
    for session in ("s-1", "s-2"):
        for command in (INSTALL, INSTALL, INSTALL, PUSH, PUSH, "ls", "git status"):
            bash(machine, command, session_id=session)
    bash(machine, "rm -rf /", session_id="s-1")
    return machine


def test_what_would_have_been_asked_is_counted_as_a_person_would_have_seen_it(week: Machine) -> None:
    told = summary(week)
    assert told["calls"] == 15
    assert told["observed"] == {"calls": 14, "allow": 4, "ask": 10, "deny": 0, "prompts": 6}
    assert told["enforced"] == {"calls": 1, "allow": 0, "ask": 0, "deny": 1, "prompts": 0}
    assert told["prompts_per_100"] == 40.0
    assert [(row["count"], row["enforced"], row["example"]) for row in told["asks"]] == [
        (6, False, f"Bash {INSTALL}"),
        (4, False, f"Bash {PUSH}"),
    ]
    (denied,) = told["denies"]
    assert (denied["count"], denied["rule"].split("/")[0], denied["enforced"]) == (1, "floor", True)


def test_it_names_the_grants_that_would_end_most_prompts_and_they_do(week: Machine) -> None:
    (one,) = summary(week)["grants"]["suggestions"]
    assert (one["saved"], one["command"].startswith("interlock grant ")) == (6, True)
    week.user_policy.write_text(f"version = 1\n{OBSERVE}\n{one['toml']}")
    for _ in range(3):
        bash(week, INSTALL, session_id="s-3")
    rows = [row["body"]["receipt"] for row in week.rows() if row["body"]["receipt"]["call"]["session"] == "s-3"]
    assert [row["decision"]["verdict"] for row in rows] == ["allow"] * 3


def test_a_person_is_shown_the_same(week: Machine) -> None:
    shown = at_a_terminal(week.home, "audit", "summary").out
    assert "40 prompts per 100" in shown
    assert "observed: 14 calls; 10 would have been asked (as 6 prompts), 0 denied" in shown
    assert "enforced: 1 call; 0 asked, 1 denied" in shown
    assert "these would end 6 of 10 questions" in shown


def test_what_was_enforced_counts_as_often_as_it_was_asked(machine: Machine) -> None:
    for _ in range(2):
        bash(machine, PUSH)
    told = summary(machine)
    assert (told["enforced"]["prompts"], told["observed"]["calls"], told["prompts_per_100"]) == (2, 0, 100.0)


def test_only_what_is_new_enough_is_counted(week: Machine) -> None:
    assert summary(week, "--since", "2099-01-01")["calls"] == 0


def test_without_a_ledger_it_says_so(machine: Machine) -> None:
    done = at_a_terminal(machine.home, "audit", "summary")
    assert (done.code, "nothing is recorded yet" in done.out) == (64, True)


def test_a_file_called_credentials_names_no_secret_in_our_own_sentence(machine: Machine) -> None:
    bash(machine, "cat ~/.aws/credentials")
    (asked,) = summary(machine)["asks"]
    assert asked["why"].endswith("/.aws/credentials`: passwords or keys are kept there.")
    assert f"asked once: {asked['why'][:20]}" in at_a_terminal(machine.home, "audit", "summary").out
