"""A host may ask about the same attempt again. What let it through the first time must still stand the second time."""

from __future__ import annotations

from typing import Any

import pytest

from approvers import enrolled, later
from hook_process import ALLOW, ASK, DENY, Machine
from person import at_a_terminal
from ssh_keys import new_key

PUSH = "git push --force origin main"
MINUTE = 60_000


def attempt(machine: Machine, name: str = "toolu_again") -> str:
    return machine.run(machine.event("Bash", {"command": PUSH}, tool_use_id=name)).taken


def does(machine: Machine, *arguments: str) -> None:
    done = at_a_terminal(machine.home, *arguments)
    assert done.code == 0, done.out


def given(machine: Machine, lasting: str = "2h") -> str:
    scope = ("--scope", "branch=main", "--scope", "force=true", "--scope", "destination=*")
    does(machine, "grant", "git push", *scope, "--reach", "everywhere", "--for", lasting, "--yes")
    return str(machine.rows("grant")[-1]["key"])


def test_while_nothing_has_changed_the_answer_is_the_recorded_one(machine: Machine) -> None:
    given(machine)
    assert [attempt(machine), attempt(machine)] == [ALLOW, ALLOW]
    assert len(machine.rows()) == 1


def test_what_passed_while_it_was_off_is_judged_anew_when_it_is_on(machine: Machine) -> None:
    does(machine, "off", "--for", "10m", "--yes")
    assert [attempt(machine), attempt(machine)] == [ALLOW, ALLOW]
    assert len(machine.rows()) == 1
    does(machine, "on")
    assert [attempt(machine), attempt(machine)] == [ASK, ASK]


def test_the_same_where_its_time_is_over(machine: Machine) -> None:
    does(machine, "off", "--for", "10m", "--yes")
    assert attempt(machine) == ALLOW
    later(machine, 11 * MINUTE)
    assert attempt(machine) == ASK


def test_what_was_asked_about_before_it_was_off_passes_then(machine: Machine) -> None:
    assert attempt(machine) == ASK
    does(machine, "off", "--for", "10m", "--yes")
    assert attempt(machine) == ALLOW
    does(machine, "on")
    assert attempt(machine) == ASK


@pytest.mark.slow
def test_what_a_grant_let_through_is_judged_anew_when_it_is_taken_back_or_over(machine: Machine) -> None:
    name = given(machine)
    assert attempt(machine) == ALLOW
    does(machine, "grants", "revoke", name, "--yes")
    assert attempt(machine) == ASK
    given(machine, "30m")
    assert attempt(machine, "toolu_other") == ALLOW
    later(machine, 31 * MINUTE)
    assert attempt(machine, "toolu_other") == ASK


def test_what_passed_before_a_key_counted_is_judged_by_what_is_needed_now(machine: Machine, monkeypatch: Any) -> None:
    key = new_key(machine.home / ".ssh/sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    given(machine, "7d")
    assert [attempt(machine), attempt(machine, "toolu_asked")] == [ALLOW, ALLOW]
    enrolled(machine, key)
    assert attempt(machine) == ALLOW
    later(machine)
    assert attempt(machine) == DENY
