"""Off for a while: everything but the floor passes, it is told with each answer, and it ends by itself."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from approvers import enrolled, later
from hook_process import ALLOW, ASK, DENY, Machine, Ran
from interlock.bytes.canon import canonical
from interlock.policy.merge import merge
from interlock.policy.model import Policy
from interlock.policy.parse import parse_policy
from interlock.store.home.folders import folders_for
from interlock.store.home.policies import default_file, load_policy
from interlock.store.ledger.ledger import Ledger
from interlock.store.people.switch import OFF, last_switch, off_now
from person import Answer, at_a_terminal
from ssh_keys import new_key

PUSH = "git push --force origin main"
MINUTE = 60_000


def bash(machine: Machine, command: str = PUSH, **changes: Any) -> Ran:
    return machine.run(machine.event("Bash", {"command": command}, **changes))


def off(machine: Machine, *options: str) -> Answer:
    return at_a_terminal(machine.home, "off", *(options or ("--for", "10m")), "--yes")


@pytest.mark.slow
def test_while_it_is_off_only_the_floor_refuses_and_every_answer_says_so(machine: Machine) -> None:
    assert bash(machine).taken == ASK
    assert off(machine, "--for", "10m", "--why", "a release").code == 0
    for command in (PUSH, "$TOOL made.txt", "ls"):
        ran = bash(machine, command)
        assert (ran.taken, "Interlock: off until" in json.loads(ran.out)["systemMessage"]) == (ALLOW, True), command
    assert bash(machine, "rm -rf / --no-preserve-root").taken == DENY
    assert bash(machine, "interlock on").taken == DENY
    shown = json.loads(at_a_terminal(machine.home, "posture", "show", "--json").out)
    assert list(shown["off"]) == ["every session"]
    (row,) = [row for row in machine.rows("override") if row["key"] == OFF]
    assert (row["body"]["strength"], "a release" in row["body"]["why"]) == ("weak", True)
    assert at_a_terminal(machine.home, "on").code == 0
    ran = bash(machine)
    assert (ran.taken, "systemMessage" in json.loads(ran.out)) == (ASK, False)
    decisions = [row["body"]["receipt"] for row in machine.rows()]
    assert [body["session"].get("off", False) for body in decisions] == [False, True, True, True, True, True, False]
    replay = at_a_terminal(machine.home, "replay")
    assert replay.code == 0, replay.out


def test_it_ends_by_the_clock_of_the_ledger(machine: Machine) -> None:
    off(machine)
    assert bash(machine).taken == ALLOW
    later(machine, 9 * MINUTE)
    assert bash(machine).taken == ALLOW
    later(machine, 11 * MINUTE)
    assert bash(machine).taken == ASK


def test_it_can_be_for_one_session(machine: Machine) -> None:
    assert off(machine, "--for", "10m", "--session", "s-1").code == 0
    assert [bash(machine, session_id=name).taken for name in ("s-1", "s-2")] == [ALLOW, ASK]
    at_a_terminal(machine.home, "on", "--session", "s-1")
    assert bash(machine, session_id="s-1").taken == ASK


@pytest.mark.parametrize("lasting", ["61m", "2h", "0m", "1d", "ever", "-5m", "٣m"])
def test_an_hour_is_the_most(machine: Machine, lasting: str) -> None:
    done = off(machine, "--for", lasting)
    assert (done.code, "is not a time that it can be off for" in done.out) == (64, True)


def test_policy_can_forbid_it(machine: Machine) -> None:
    off(machine)
    machine.user_policy.write_text("version = 1\n[approvals]\nallow_off = false\n")
    assert bash(machine).taken == ASK
    assert "the policy forbids it" in off(machine).out


def test_beside_managed_policy_only_that_can_allow_it() -> None:
    def policy(managed: str | None, user: str) -> Policy:
        def source(name: str, text: str) -> Any:
            return parse_policy(text.encode(), name=name, file=name)

        with open(default_file(), "rb") as file:
            default = parse_policy(file.read(), name="default", file="default")
        given = None if managed is None else source("managed", managed)
        return merge(default, managed=given, user=source("user", user))

    plain, allows = "version = 1\n", "version = 1\n[approvals]\nallow_off = true\n"
    assert policy(None, plain).allow_off
    assert not policy(plain, plain).allow_off
    assert not policy(plain, allows).allow_off
    assert policy(allows, plain).allow_off


def test_the_posture_stays(machine: Machine) -> None:
    at_a_terminal(machine.home, "posture", "set", "locked", "--root", str(machine.project))
    off(machine)
    assert bash(machine).taken == DENY


def test_no_program_can_switch_it_off_by_the_command(machine: Machine) -> None:
    for command in ("interlock off --for 10m --yes", "python -m interlock.cli off --for 10m --yes"):
        assert bash(machine, command).taken == DENY


def wrote(machine: Machine, **changes: Any) -> None:
    """A row as a program could write it."""
    ledger = Ledger(folders_for(str(machine.home)).ledger)
    with ledger.deciding() as turn:
        body = {"after": last_switch(turn), "at": turn.at, "session": "", "until": turn.at + 10 * MINUTE, "why": "x"}
        turn.append("override", canonical({**body, **changes}), key=OFF)
    ledger.close()


@pytest.mark.slow
def test_with_a_key_it_is_signed_and_what_was_ended_stays_ended(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrote(machine)  # control: without a key a row is all that it takes, and is weak
    assert bash(machine).taken == ALLOW
    at_a_terminal(machine.home, "on")
    key = new_key(machine.home / ".ssh/sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    enrolled(machine, key)
    later(machine)
    wrote(machine)
    assert bash(machine).taken == DENY
    assert off(machine).code == 0
    assert bash(machine).taken == ALLOW
    signed = next(row["body"] for row in machine.rows("override") if "signature" in row["body"])
    assert signed["strength"] == "strong"
    at_a_terminal(machine.home, "on")
    wrote(machine, **signed)  # the same once more
    assert bash(machine).taken == DENY
    wrote(machine, signature=signed["signature"])  # the signature on another row
    assert bash(machine).taken == DENY
    monkeypatch.setenv("INTERLOCK_TEST_UNTOUCHED", "1")
    assert "was not touched" in off(machine).out


def test_no_row_lasts_longer_than_an_hour_or_begins_later(machine: Machine) -> None:
    ledger = Ledger(folders_for(str(machine.home)).ledger)
    now = ledger.clock()
    for at, until in ((now, now + 61 * MINUTE), (now + 30 * MINUTE, now + 60 * MINUTE), (now, now - 1)):
        wrote(machine, at=at, until=until)
        assert bash(machine).taken == ASK, (at - now, until - now)
    wrote(machine, at="x")
    assert bash(machine).taken == ASK


def test_it_ends_by_the_machines_clock_where_that_of_the_ledger_stands_still(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One row that was written under a wrong clock holds the ledger's time until that moment has come."""
    later(machine, 30 * 24 * 60 * MINUTE)
    assert off(machine, "--for", "1m").code == 0
    folders = folders_for(str(machine.home))
    ledger = Ledger(folders.ledger, front="cli")
    policy = load_policy(folders, str(machine.project))
    with ledger.deciding() as turn:
        assert list(off_now(turn.database, policy, turn.at)) == [""]
        now = time.time_ns()
        monkeypatch.setattr("interlock.store.people.switch.time.time_ns", lambda: now + 2 * 60 * 10**9)
        assert off_now(turn.database, policy, turn.at) == {}
    ledger.close()


def test_what_was_ended_stays_ended_however_many_rows_follow(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    key = new_key(machine.home / ".ssh/sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    enrolled(machine, key)
    later(machine)
    assert off(machine).code == 0
    signed = next(row["body"] for row in machine.rows("override") if "signature" in row["body"])
    at_a_terminal(machine.home, "on")
    wrote(machine, **signed)
    for _ in range(39):
        wrote(machine, session="nobody", until=0)
    assert bash(machine).taken == DENY


def test_it_needs_what_the_action_needs_that_needs_most(machine: Machine) -> None:
    machine.user_policy.write_text('version = 1\n[approvals.actions]\n"git:push" = "strong"\n')
    off(machine)
    assert bash(machine, "git push origin main").taken == DENY
