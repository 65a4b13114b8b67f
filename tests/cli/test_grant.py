"""`interlock grant`, `revoke` and `compensators`, as a person uses them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from interlock.approve.gated import GATES
from interlock.errors import InputError
from interlock.policy.amend import with_grant, without_grant
from machine import Machine

ON = "version = 1  # mine\n[capability]\nenforce = true\n"


def remedy(machine: Machine, command: str) -> str:
    (found,) = [r for r in machine.decide("Bash", command=command).json["reasons"] if r["layer"] == "capability"]
    return str(found["remedy"].splitlines()[0])


def test_the_command_that_a_denial_gives_permits_the_call_until_it_is_revoked(machine: Machine) -> None:
    machine.user_policy(ON)
    command = "git push origin feature/x"
    line = remedy(machine, command)
    assert line == 'interlock grant "git push" --scope remote=origin --scope branch=feature/x --for 2h'
    words = ["grant", "git push", *line.split('"')[2].split()]
    granted = machine.run(*words)
    assert granted.code == 0
    assert "interlock revoke git-push" in granted.out
    assert machine.decide("Bash", command=command).json["verdict"] == "allow"
    assert machine.decide("Bash", command="git push origin main").json["verdict"] == "deny"
    assert machine.decide("Bash", command=f"{command} --force").json["verdict"] == "deny"
    assert machine.run("revoke", "git-push").code == 0
    assert machine.decide("Bash", command=command).json["verdict"] == "deny"


def test_what_stood_in_the_file_stays_as_it_was(machine: Machine) -> None:
    file = machine.user_policy(ON)
    for _ in range(2):
        assert machine.run("grant", "npm:publish", "--scope", "package=a", "--why", "release").code == 0
    assert [grant["id"] for grant in tomllib.loads(Path(file).read_text())["grants"]] == [
        "npm-publish",
        "npm-publish-2",
    ]
    assert machine.run("revoke", "npm-publish").code == 0
    assert machine.run("revoke", "npm-publish-2").code == 0
    assert Path(file).read_text().rstrip() == ON.rstrip()
    assert machine.run("revoke", "npm-publish-2").code == 64


@pytest.mark.parametrize(
    "words",
    [
        ["grant", "git push", "--scope", "branch"],
        ["grant", "git push", "--scope", "a=1", "--scope", "a=2"],
        ["grant", "git push", "--for", "2"],
        ["grant", "git push", "--for", "-2h"],
        ["grant", "git push && npm publish"],
        ["grant", "ls"],
    ],
)
def test_what_is_not_clear_grants_nothing(machine: Machine, words: list[str]) -> None:
    file = machine.user_policy(ON)
    assert machine.run(*words).code == 64
    assert Path(file).read_text() == ON


def test_an_agent_cannot_grant_itself_anything(machine: Machine) -> None:
    for command in (
        "interlock grant 'git push'",
        "interlock revoke git-push",
        "python3 -m interlock.cli grant 'git push'",
        ".venv/bin/interlock grant 'git push'",
    ):
        assert machine.decide("Bash", command=command).json["verdict"] == "deny"
    code = "python3 -c 'from interlock.cli.main import main; main()' grant git:push"
    assert machine.decide("Bash", command=code).json["verdict"] == "ask"
    assert machine.decide("Bash", command="interlock compensators").json["verdict"] == "allow"


def test_compensators_lists_every_gate(machine: Machine) -> None:
    rows = machine.run("compensators", "--json").json
    assert [(row["action"], row["compensator"]) for row in rows] == [(gate.action, gate.undo) for gate in GATES]
    assert "npm:publish" in machine.run("compensators").out


def test_a_file_that_writes_its_grants_otherwise_is_left_alone() -> None:
    inline = 'version = 1\ngrants = [{ id = "g", action = "git:push" }]\n'
    with pytest.raises(InputError):
        with_grant(inline, {"id": "h", "action": "a:b"})
    with pytest.raises(InputError):
        without_grant(inline, "g")
