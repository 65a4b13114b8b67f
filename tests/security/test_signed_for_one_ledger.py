"""What is signed for one ledger is signed for no other, and nothing that is over comes back: not by another machine's
rows, not by pruning, not by a new beginning. The program that tries has the files and our code, but no key."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from approvers import enrolled, later
from hook_process import ALLOW, DENY, Machine, new_machine
from interlock.bytes.canon import canonical
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger, Turn
from interlock.store.ledger.upkeep import prune, restart
from interlock.store.ledger.verify import verify
from interlock.store.people.switch import OFF, last_switch
from person import Answer, at_a_terminal
from ssh_keys import Key, new_key

PUSH = "git push --force origin main"


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Key:
    key = new_key(tmp_path / "keys/sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    return key


def a_machine(place: Path, key: Key) -> Machine:
    """One person's machine, where the key counts."""
    machine = new_machine(place)
    enrolled(machine, key)
    later(machine)
    return machine


@pytest.fixture
def one(tmp_path: Path, key: Key, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = a_machine(tmp_path / "one", key)
    monkeypatch.chdir(machine.project)
    return machine


@pytest.fixture
def other(tmp_path: Path, key: Key) -> Machine:
    return a_machine(tmp_path / "other", key)


def push(machine: Machine, **changes: Any) -> str:
    return machine.run(machine.event("Bash", {"command": PUSH}, **changes)).taken


def does(machine: Machine, *arguments: str) -> Answer:
    done = at_a_terminal(machine.home, *arguments)
    assert done.code == 0, done.out
    return done


def off(machine: Machine) -> dict[str, Any]:
    does(machine, "off", "--for", "10m", "--yes")
    rows = [row["body"] for row in machine.rows("override") if row["key"] == OFF and "signature" in row["body"]]
    return dict(rows[-1])


def grant(machine: Machine) -> dict[str, Any]:
    scope = ("--scope", "branch=main", "--scope", "force=true", "--scope", "destination=*")
    does(machine, "grant", "git push", *scope, "--reach", "everywhere", "--for", "7d", "--yes")
    return dict(machine.rows("grant")[-1]["body"])


@contextmanager
def forging(machine: Machine) -> Iterator[Turn]:
    ledger = Ledger(folders_for(str(machine.home)).ledger)
    with ledger.deciding() as turn:
        yield turn
    ledger.close()


def forge_off(machine: Machine, body: dict[str, Any], *, chained: bool = True) -> None:
    with forging(machine) as turn:
        after = {"after": last_switch(turn)} if chained else {}
        turn.append("override", canonical({**body, **after}), key=OFF)


def forge_grant(machine: Machine, body: dict[str, Any]) -> None:
    with forging(machine) as turn:
        id = body["grant"]["id"]
        turn.database.run("DELETE FROM grants WHERE id = ?", (id,))
        turn.grant(id, canonical(body), key="git:push", holder=body["holder"], expires=body["expires"])


def names(machine: Machine) -> list[str]:
    return [found["name"] for found in json.loads(does(machine, "approver", "list", "--json").out)["keys"]]


# --- another machine --------------------------------------------------------------------------------------------------


def test_an_off_of_one_machine_is_none_on_another(one: Machine, other: Machine) -> None:
    body = off(one)
    assert push(one) == ALLOW
    forge_off(other, body)  # `after` is empty on both, so only the ledger's name tells them apart
    assert push(other) == DENY


def test_a_grant_of_one_machine_is_none_on_another(one: Machine, other: Machine) -> None:
    body = grant(one)
    assert push(one) == ALLOW
    forge_grant(other, body)
    assert push(other) == DENY


def test_a_key_that_was_enrolled_on_one_machine_is_not_on_another(
    one: Machine, other: Machine, tmp_path: Path, key: Key
) -> None:
    second = new_key(tmp_path / "keys/second", hardware=True)
    does(one, "approver", "enrol", "--key", str(second.public), "--by", str(key.public), "--yes")
    assert names(one) == ["sk@test", "second@test"]
    body = one.rows("approver")[-1]["body"]
    with forging(other) as turn:
        # The change before it is another one there, which alone would stop it. Pretend that it was the same.
        turn.append("approver", canonical({**body, "after": ""}), key="keys")
        turn.append("approver", canonical(body), key="keys")
    assert names(other) == ["sk@test"]


def test_an_answer_of_one_machine_is_none_on_another(one: Machine, other: Machine, monkeypatch: Any) -> None:
    """It names the row that asks by its hash, which follows from every row before it in its own ledger."""
    event = {"cwd": str(one.project)}
    for machine in (one, other):
        assert push(machine, **event) == DENY
    asked, there = one.rows("prompt")[-1], other.rows("prompt")[-1]
    does(one, "approvals", "approve", asked["key"], "--yes")
    (answer,) = one.rows("answer")
    with forging(other) as turn:
        body = {**answer["body"], "prompt": there["seq"]}
        turn.append("answer", canonical(body), key=there["key"], session=there["session"])
        status = "UPDATE approvals SET status = 'approved', expires = ? WHERE seq = ?"
        turn.database.run(status, (body["expires"], there["seq"]))
    assert [push(other, **event), push(one, **event)] == [DENY, ALLOW]


# --- pruning, and a new beginning -------------------------------------------------------------------------------------


def pruned(machine: Machine) -> None:
    for _ in range(3):
        assert machine.call("Read").taken == ALLOW
    assert prune(folders_for(str(machine.home)), keep=1) is not None
    assert verify(folders_for(str(machine.home))).damage is None


@pytest.mark.slow
def test_pruning_keeps_the_name_of_the_ledger(one: Machine) -> None:
    for _ in range(2):
        pruned(one)
        assert names(one) == ["sk@test"]
    grant(one)
    assert push(one) == ALLOW
    second = off(one)
    assert (push(one), names(one)) == (ALLOW, ["sk@test"])
    forge_off(one, second)
    pruned(one)
    assert names(one) == ["sk@test"]


@pytest.mark.slow
def test_a_grant_that_was_taken_back_stays_so_when_its_rows_are_pruned(one: Machine) -> None:
    body = grant(one)
    assert push(one) == ALLOW
    does(one, "grants", "revoke", body["grant"]["id"], "--yes")
    for number in range(3):
        pruned(one)
        assert "grant" not in {row["kind"] for row in one.rows("grant")}
        forge_grant(one, body)
        assert push(one, session_id=f"s-{number}") == DENY
        does(one, "approvals", "deny", one.rows("prompt")[-1]["key"], "--yes")  # what waits would hold its rows
        with forging(one) as turn:
            turn.revoke(body["grant"]["id"], b"{}")


@pytest.mark.slow
def test_what_was_on_again_stays_on_when_its_rows_are_pruned(one: Machine) -> None:
    body = off(one)
    does(one, "on")
    pruned(one)
    forge_off(one, body, chained=False)
    assert push(one) == DENY


@pytest.mark.slow
def test_pruning_ends_what_is_off(one: Machine) -> None:
    off(one)
    assert push(one) == ALLOW
    pruned(one)
    assert push(one) == DENY


@pytest.mark.slow
def test_a_new_ledger_has_its_keys_and_nothing_else_that_was_signed(one: Machine) -> None:
    switched, given = off(one), grant(one)
    restart(folders_for(str(one.home)), "a test")
    later(one)  # the clock of the tests was that of the old ledger
    assert names(one) == ["sk@test"]
    forge_off(one, switched)
    forge_grant(one, given)
    assert push(one) == DENY
    grant(one)
    assert push(one) == ALLOW
    later(one, 3600_000)
    pruned(one)
    restart(folders_for(str(one.home)), "once more")
    assert names(one) == ["sk@test"]


# --- a database that cannot be read -----------------------------------------------------------------------------------


def broken(machine: Machine) -> None:
    for ending in ("-wal", "-shm"):
        Path(f"{machine.ledger}{ending}").unlink(missing_ok=True)
    machine.ledger.write_bytes(b"not a database" * 500)


@pytest.mark.slow
def test_a_database_that_cannot_be_read_does_not_take_the_keys_along(one: Machine) -> None:
    broken(one)
    done = does(one, "audit", "restart", "--yes")
    assert "the enrolled keys came along" in done.out
    assert names(one) == ["sk@test"]
    later(one)
    assert push(one) == DENY


@pytest.mark.slow
def test_where_it_cannot_be_told_which_keys_there_were_a_person_has_to_say_so(one: Machine) -> None:
    broken(one)
    Path(f"{one.ledger}.keys").unlink()
    before = one.ledger.read_bytes()
    refused = at_a_terminal(one.home, "audit", "restart", "--yes")
    assert (refused.code, "it cannot be told which keys were enrolled" in refused.out) == (64, True), refused.out
    assert one.ledger.read_bytes() == before
    done = does(one, "audit", "restart", "--yes", "--without-keys", "--json")
    assert json.loads(done.out)["without_keys"] is True
    assert one.rows("override")[0]["body"]["keys"] == "left behind"
    assert names(one) == []


@pytest.mark.slow
def test_a_copy_that_is_damaged_is_not_taken_for_none(one: Machine) -> None:
    broken(one)
    Path(f"{one.ledger}.keys").write_text("{}")
    refused = at_a_terminal(one.home, "audit", "restart", "--yes")
    assert (refused.code != 0, "is damaged" in refused.out) == (True, True), refused.out


@pytest.mark.slow
def test_a_copy_that_holds_more_than_the_rows_is_damage_and_comes_after_them(one: Machine, tmp_path: Path) -> None:
    forged = a_machine(tmp_path / "forged", new_key(tmp_path / "keys/forged", hardware=True))
    copy = Path(f"{one.ledger}.keys")
    assert verify(folders_for(str(one.home))).damage is None
    planted = json.loads(Path(f"{forged.ledger}.keys").read_text())
    mine = json.loads(copy.read_text())
    body = {**planted["changes"][0], "ledger": mine["ledgers"][0]}
    copy.write_bytes(canonical({**mine, "changes": [body]}))
    damage = verify(folders_for(str(one.home))).damage
    assert damage is not None
    assert (damage.kind, "no row tells of" in damage.text) == ("state", True)
    restart(folders_for(str(one.home)), "a test")
    assert names(one) == ["sk@test"]


@pytest.mark.slow
def test_pruning_goes_past_a_grant_that_cannot_be_read(one: Machine) -> None:
    with forging(one) as turn:
        turn.append("revocation", b'{"carried": true}', key="gr_x")
    pruned(one)


def test_a_ledger_that_is_gone_is_not_begun_without_its_keys(one: Machine) -> None:
    for ending in ("", "-wal", "-shm", ".head"):
        Path(f"{one.ledger}{ending}").unlink(missing_ok=True)
    assert one.call("Write").taken == DENY
    assert one.call("Read").taken == ALLOW
    told = at_a_terminal(one.home, "audit", "verify")
    assert (told.code, "tells of keys that were enrolled" in told.out) == (2, True), told.out
    does(one, "audit", "restart", "--yes")
    assert names(one) == ["sk@test"]
    assert os.stat(f"{one.ledger}.keys").st_mode & 0o077 == 0
