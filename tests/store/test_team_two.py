"""Two persons answer from elsewhere what a machine of the team asked: all is kept, and the machine says who counts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hook_process import ALLOW, DENY, Machine, new_machine
from interlock.store.home.folders import folders_for
from interlock.store.team.team import make_team_store, team_database
from machine import Machine as Commands
from managed import python_with_managed
from person import Answer, at_a_terminal
from postgres_server import started_server
from ssh_keys import Key, new_key

PUBLISH = {"command": "npm publish"}


@pytest.fixture
def url(tmp_path: Path) -> str:
    found = started_server().new_database()
    database = team_database(found, folders_for(str(tmp_path / "maker")))
    make_team_store(database)
    database.close()
    return found


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Key]:
    made = {name: new_key(tmp_path / "keys" / name, hardware=True) for name in ("ann", "bob")}
    monkeypatch.setenv("SSH_SK_PROVIDER", made["ann"].environment["SSH_SK_PROVIDER"])
    return made


@pytest.fixture
def asking(tmp_path: Path, url: str, keys: dict[str, Key]) -> Machine:
    machine = new_machine(tmp_path / "asking")
    pinned = json.dumps([key.line for key in keys.values()])
    people = "".join(f'[people.{name}]\nsigners = ["{name}@test"]\n' for name in keys)
    policy = f'version = 1\n[store]\nurl = "{url}"\n[approvals]\nkeys = {pinned}\ntwo_for = ["npm:publish"]\n{people}'
    return replace(machine, python=python_with_managed(tmp_path / "asking", policy))


def publish(machine: Machine) -> str:
    return machine.run(machine.event("Bash", PUBLISH)).taken


def sync(machine: Machine) -> None:
    done = at_a_terminal(machine.home, "store", "sync", python=machine.python)
    assert done.code == 0, done.out


@pytest.mark.sampled(3)
@pytest.mark.parametrize("between", [True, False], ids=["synced between them", "at once"])
def test_two_persons_elsewhere_let_it_through_and_one_twice_does_not(
    between: bool, asking: Machine, url: str, keys: dict[str, Key], tmp_path: Path
) -> None:
    assert publish(asking) == DENY
    sync(asking)
    person = Commands(tmp_path / "person")
    person.user_policy(f'version = 1\n[store]\nurl = "{url}"\n')

    def says_yes(key: Key) -> Answer:
        (asked,) = person.run("approvals", "list", "--team", "--json").json
        assert asked["needs_two"] is True
        return at_a_terminal(
            person.home, "approvals", "approve", asked["id"], "--team", "--yes", "--key", str(key.public)
        )

    for key in (keys["ann"], keys["ann"]):
        told = says_yes(key)
        assert (told.code, "one yes to ap_" in told.out) == (0, True), told.out
        if between:
            sync(asking)
            assert publish(asking) == DENY
            assert "one has said yes until" in person.run("approvals", "show", "ap_", "--team").out
    assert says_yes(keys["bob"]).code == 0
    sync(asking)
    assert [publish(asking), publish(asking)] == [ALLOW, DENY]
    answers = [row["body"] for row in asking.rows("answer")]
    assert [(one["answer"], one["person"]) for one in answers] == [("halfway", "ann"), ("approved", "bob")]
