"""Whatever loosens needs what tier 3 needs: with a key that counts, grants, postures, trust and releases are signed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from approvers import enrolled, later
from client_process import Client, client
from hook_process import ALLOW, DENY, NO_OPINION, Machine
from interlock.bytes.canon import canonical
from interlock.bytes.sshsig import signed_by
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from person import Answer, at_a_terminal
from ssh_keys import Key, new_key


@pytest.fixture
def key(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Key:
    key = new_key(machine.home / ".ssh/sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    monkeypatch.chdir(machine.project)
    return key


def counts(machine: Machine, key: Key) -> None:
    enrolled(machine, key)
    later(machine)


def grant(machine: Machine) -> Answer:
    scope = ("--scope", "destination=*", "--scope", "branch=main", "--scope", "force=true")
    what = ("git push", *scope, "--reach", "everywhere", "--for", "7d")
    return at_a_terminal(machine.home, "grant", *what, "--yes", "--json")


def push(machine: Machine, **changes: Any) -> str:
    return machine.run(machine.event("Bash", {"command": "git push --force origin main"}, **changes)).taken


def listed(machine: Machine) -> list[tuple[str, str, str | None]]:
    rows = json.loads(at_a_terminal(machine.home, "grants", "list", "--json").out)
    rows = rows["grants"] if isinstance(rows, dict) else rows
    return [(row["id"], row["strength"], row["signer"]) for row in rows if str(row["id"]).startswith("gr_")]


@pytest.mark.slow
def test_a_weak_grant_counts_until_a_key_does_and_a_signed_one_afterwards(machine: Machine, key: Key) -> None:
    assert grant(machine).code == 0
    assert push(machine) == ALLOW
    counts(machine, key)
    assert push(machine) == DENY
    done = grant(machine)
    assert done.code == 0, done.out
    assert push(machine) == ALLOW
    assert [row[1:] for row in listed(machine)] == [("weak", None), ("strong", "sk@test")]
    assert at_a_terminal(machine.home, "replay").code == 0


@pytest.mark.slow
def test_no_grant_is_strong_because_it_says_so(machine: Machine, key: Key) -> None:
    counts(machine, key)
    assert grant(machine).code == 0
    assert push(machine) == ALLOW
    (row,) = machine.rows("grant")
    id = row["key"]
    assert at_a_terminal(machine.home, "grants", "revoke", id, "--yes").code == 0
    assert push(machine) == DENY
    ledger = Ledger(folders_for(str(machine.home)).ledger)
    for number, body in enumerate(
        (
            {**row["body"], "grant": {**row["body"]["grant"], "id": "gr_1"}},  # the same under another id
            {**row["body"], "expires": 0, "grant": {**row["body"]["grant"], "id": "gr_2"}},
            {key: value for key, value in row["body"].items() if key not in ("signature", "signer", "nonce")}
            | {"grant": {**row["body"]["grant"], "id": "gr_3"}},
        ),
        1,
    ):
        with ledger.deciding() as turn:
            turn.grant(f"gr_{number}", canonical(body), key="git:push", holder=row["body"]["holder"])
        assert push(machine) == DENY, body
    with ledger.deciding() as turn:  # the very same, although it was taken back
        turn.database.run("DELETE FROM grants WHERE id = ?", (id,))
        turn.grant(id, canonical(row["body"]), key="git:push", holder=row["body"]["holder"])
    assert push(machine) == DENY
    ledger.close()


@pytest.mark.slow
def test_posture_and_trust_are_signed_and_tightening_is_not(
    machine: Machine, key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts(machine, key)
    root = ("--root", str(machine.project))
    machine.project_policy.write_text('version = 1\n[tiers.actions]\n"git:push" = 2\n')
    monkeypatch.setenv("INTERLOCK_TEST_UNTOUCHED", "1")
    assert at_a_terminal(machine.home, "posture", "set", "locked", *root).code == 0
    for command in (("posture", "set", "interactive", *root), ("trust", *root, "--yes")):
        done = at_a_terminal(machine.home, *command)
        assert (done.code != 0, "was not touched" in done.out) == (True, True), done.out
    monkeypatch.delenv("INTERLOCK_TEST_UNTOUCHED")
    assert at_a_terminal(machine.home, "posture", "set", "interactive", *root).code == 0
    assert at_a_terminal(machine.home, "trust", *root, "--yes").code == 0
    assert [row["body"].get("strength") for row in machine.rows("posture")] == [None, "strong"]
    trusted = [row["body"] for row in machine.rows("override") if row["key"] == "trust"]
    assert [(body["strength"], body["signer"]) for body in trusted] == [("strong", "sk@test")]


def test_a_release_is_signed(machine: Machine, key: Key, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = machine.project / "runs/3"
    folder.mkdir(parents=True)
    (folder / "experiment_plan.yaml").write_text("setup:\n  - cmd: make -C engine\n")
    machine.user_policy.write_text('version = 1\n[plan]\nenforcement = "strict"\ndir = "runs/3"\n')
    counts(machine, key)

    with client(machine) as first, client(machine) as second:

        def goes(by: Client) -> str:
            return by.bash("make -C engine", "s-1" if by is first else "s-2").taken

        assert [goes(first), goes(second)] == [NO_OPINION, DENY]
        monkeypatch.setenv("INTERLOCK_TEST_UNTOUCHED", "1")
        done = at_a_terminal(machine.home, "plan", "release")
        assert (done.code != 0, "was not touched" in done.out, goes(second)) == (True, True, DENY), done.out
        monkeypatch.delenv("INTERLOCK_TEST_UNTOUCHED")
        done = at_a_terminal(machine.home, "plan", "release")
        assert (done.code, goes(second)) == (0, NO_OPINION), done.out
    (row,) = [row["body"] for row in machine.rows("override") if row["key"] == "release"]
    said = json.loads(row["statement"])
    assert (row["strength"], row["signer"], said["folder"]) == ("strong", "sk@test", str(folder))
    assert is_signed_by(key, row)


def test_a_looser_posture_keeps_the_statement_that_was_signed(machine: Machine, key: Key) -> None:
    counts(machine, key)
    root = ("--root", str(machine.project), "--json")
    tight = json.loads(at_a_terminal(machine.home, "posture", "set", "locked", *root).out)
    assert (tight["posture"], tight["strength"], tight["recorded"]) == ("locked", None, True)
    loose = json.loads(at_a_terminal(machine.home, "posture", "set", "interactive", *root).out.splitlines()[-1])
    assert (loose["from"], loose["posture"], loose["signer"]) == ("locked", "interactive", "sk@test")
    row = machine.rows("posture")[-1]["body"]
    said = json.loads(row["statement"])
    first = machine.rows("ledger")[0]
    assert (said["interlock"], said["to"], said["ledger"]) == ("posture", "interactive", first["hash"])
    assert is_signed_by(key, row)


def is_signed_by(key: Key, row: dict[str, Any]) -> bool:
    return signed_by(row["statement"].encode(), row["signature"]).line == key.line.rpartition(" ")[0]


def test_a_held_question_is_shown_with_what_it_needs(machine: Machine, key: Key, tmp_path: Path) -> None:
    counts(machine, key)
    push(machine)
    id = machine.rows("prompt")[-1]["key"]
    assert "a signed yes, medium or more" in at_a_terminal(machine.home, "approvals", "show", id).out


@pytest.mark.parametrize(("kind", "how"), [("observe", ("--observe",)), ("profile", ("--profile", "autonomous"))])
def test_what_install_loosens_is_signed(
    machine: Machine, key: Key, monkeypatch: pytest.MonkeyPatch, kind: str, how: tuple[str, ...]
) -> None:
    counts(machine, key)
    monkeypatch.setenv("INTERLOCK_TEST_UNTOUCHED", "1")
    install = ("install", "claude-code", *how, "--yes")
    done = at_a_terminal(machine.home, *install)
    assert (done.code != 0, "was not touched" in done.out) == (True, True), done.out
    assert kind not in (machine.user_policy.read_text() if machine.user_policy.exists() else "")
    monkeypatch.delenv("INTERLOCK_TEST_UNTOUCHED")
    assert at_a_terminal(machine.home, *install).code == 0
    (row,) = [row["body"] for row in machine.rows("override") if row["key"] == kind]
    assert (row["strength"], row["signer"]) == ("strong", "sk@test")
    assert is_signed_by(key, row)
