"""Keys that `/etc/interlock/policy.toml` pins, seen by the real hook and the real commands where they really lie."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from approvers import enrolled, later
from hook_process import ALLOW, DENY, Machine, new_machine
from interlock.bytes.canon import canonical
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.people.switch import OFF
from managed import python_with_managed
from person import Answer, at_a_terminal
from ssh_keys import Key, new_key

PUSH = {"command": "git push --force origin main"}


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Key:
    key = new_key(tmp_path / "keys/pinned", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    return key


def pins(key: Key, more: str = "") -> str:
    return f"version = 1\n[approvals]\nkeys = [{json.dumps(key.line)}]\n{more}"


def managed(place: Path, policy: str) -> Machine:
    machine = new_machine(place)
    return replace(machine, python=python_with_managed(place, policy))


def does(machine: Machine, *arguments: str) -> Answer:
    return at_a_terminal(machine.home, *arguments, python=machine.python)


def push(machine: Machine) -> str:
    return machine.run(machine.event("Bash", PUSH)).taken


def listed(machine: Machine) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(does(machine, "approver", "list", "--json").out)
    return found


@pytest.mark.slow
def test_a_pinned_key_counts_at_once_and_signs(tmp_path: Path, key: Key) -> None:
    machine = managed(tmp_path / "one", pins(key))
    (one,) = listed(machine)["keys"]
    assert (one["pinned"], one["counts_as"], listed(machine)["tier_3_needs"]) == (True, "strong", "medium")
    assert push(machine) == DENY
    id = machine.rows("prompt")[-1]["key"]
    assert does(machine, "approvals", "approve", id, "--yes").code != 0  # its private half is not among the person's
    done = does(machine, "approvals", "approve", id, "--yes", "--key", str(key.public))
    assert done.code == 0, done.out
    assert [push(machine), push(machine)] == [ALLOW, DENY]
    done = does(machine, "approver", "remove", "pinned@test", "--yes")
    assert (done.code != 0, "is pinned by managed policy, and is removed there" in done.out) == (True, True)


@pytest.mark.slow
def test_a_pin_takes_the_place_of_a_key_that_is_lost_or_that_a_program_enrolled(tmp_path: Path, key: Key) -> None:
    machine = managed(tmp_path / "one", "version = 1\n")
    foreign = new_key(machine.home / ".ssh/foreign", hardware=True)
    enrolled(machine, foreign)
    later(machine)
    assert [one["name"] for one in listed(machine)["keys"]] == ["foreign@test"]
    (tmp_path / "one/etc/interlock/policy.toml").write_text(pins(key))
    found = listed(machine)
    assert [one["name"] for one in found["keys"]] == ["pinned@test"]
    assert "no key that counts has signed for it" in found["ignored"][0]
    assert push(machine) == DENY
    id = machine.rows("prompt")[-1]["key"]
    done = does(machine, "approvals", "approve", id, "--yes", "--key", str(foreign.public))
    assert (done.code != 0, push(machine)) == (True, DENY), done.out


def test_a_further_key_is_enrolled_with_the_signature_of_the_pinned_one(tmp_path: Path, key: Key) -> None:
    machine = managed(tmp_path / "one", pins(key))
    second = new_key(machine.home / ".ssh/second", hardware=True)
    assert does(machine, "approver", "enrol", "--key", str(second.public), "--yes").code != 0
    done = does(machine, "approver", "enrol", "--key", str(second.public), "--by", str(key.public), "--yes")
    assert done.code == 0, done.out
    counts = {one["name"]: one["counts_as"] for one in listed(machine)["keys"]}
    assert counts == {"pinned@test": "strong", "second@test": "strong"}
    assert machine.rows("ledger")[0]["seq"] == 1  # an empty ledger gets a first row, so that it has a name
    assert push(machine) == DENY
    assert does(machine, "approvals", "approve", machine.rows("prompt")[-1]["key"], "--yes").code == 0
    assert push(machine) == ALLOW


@pytest.mark.slow
def test_off_needs_leave_and_the_key_and_is_for_one_machine(tmp_path: Path, key: Key) -> None:
    one, other = [managed(tmp_path / name, pins(key)) for name in ("one", "other")]
    assert "the policy forbids it" in does(one, "off", "--for", "10m", "--yes").out
    for name in ("one", "other"):
        (tmp_path / name / "etc/interlock/policy.toml").write_text(pins(key, "allow_off = true\n"))
    assert does(one, "off", "--for", "10m", "--yes").code != 0  # nobody signs
    done = does(one, "off", "--for", "10m", "--yes", "--key", str(key.public))
    assert (done.code, push(one), push(other)) == (0, ALLOW, DENY), done.out
    body = next(row["body"] for row in one.rows("override") if row["key"] == OFF)
    ledger = Ledger(folders_for(str(other.home)).ledger)
    with ledger.deciding() as turn:
        turn.append("override", canonical(body), key=OFF)
    ledger.close()
    assert push(other) == DENY
