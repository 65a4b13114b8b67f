"""Enrolling, listing and removing the keys that sign answers, at a terminal and with the real ssh-keygen."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from approvers import later
from hook_process import Machine, new_machine
from interlock.approve.statement import change_statement
from interlock.bytes.canon import canonical
from interlock.bytes.sshsig import public_key
from interlock.model.verdict import Strength
from interlock.policy.model import Policy
from interlock.record.approvers import DAY, approvers
from interlock.record.chain import Row
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.upkeep import prune, restart
from interlock.store.people.approvers import approvers_at
from person import at_a_terminal
from ssh_keys import PASSPHRASE, Key, ask_pass, new_key, signature_of


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return new_machine(tmp_path)


@pytest.fixture
def hardware(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Key:
    key = new_key(machine.home / ".ssh/id_ed25519_sk", hardware=True)
    monkeypatch.setenv("SSH_SK_PROVIDER", key.environment["SSH_SK_PROVIDER"])
    return key


def approver(machine: Machine, *arguments: str) -> tuple[int, str]:
    done = at_a_terminal(machine.home, "approver", *arguments)
    return done.code, done.out


def listed(machine: Machine) -> dict[str, Any]:
    code, out = approver(machine, "list", "--json")
    assert code == 0, out
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.mark.slow
def test_a_first_key_is_weak_for_a_day_and_strong_afterwards(machine: Machine, hardware: Key) -> None:
    code, out = approver(machine, "enrol", "--key", str(hardware.public), "--yes")
    assert code == 0, out
    assert "it counts from" in out
    (key,) = listed(machine)["keys"]
    assert (key["kind"], key["counts_as"], key["pinned"]) == ("strong", "weak", False)
    assert listed(machine)["tier_3_needs"] == "weak"
    later(machine)
    (key,) = listed(machine)["keys"]
    assert (key["counts_as"], listed(machine)["tier_3_needs"]) == ("strong", "medium")
    assert [row["body"]["change"] for row in machine.rows("approver")] == ["enrol"]


@pytest.mark.slow
def test_a_new_key_in_hardware_is_made_and_enrolled(machine: Machine, hardware: Key) -> None:
    code, out = approver(machine, "enroll", "--new", "--yes", "--json")
    assert code == 0, out
    told = json.loads(out.splitlines()[-1])
    made = machine.home / ".ssh/interlock_ed25519_sk"
    assert (told["kind"], told["counts_as"]) == ("strong", "weak")
    assert told["key"] == Key(made).line.rpartition(" ")[0]
    assert made.stat().st_mode & 0o077 == 0
    code, out = approver(machine, "enrol", "--new", "--yes")
    assert (code != 0, "is there already; enrol it with --key" in out) == (True, True), out
    later(machine)
    done = at_a_terminal(machine.home, "off", "--for", "1m", "--yes", "--json")
    assert json.loads(done.out.splitlines()[-1])["strength"] == "strong", done.out
    assert json.loads(at_a_terminal(machine.home, "on", "--json").out) == {"off": False, "session": None}


@pytest.mark.slow
def test_a_new_key_with_a_passphrase_is_made_and_enrolled(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in ask_pass(tmp_path).items():
        monkeypatch.setenv(name, value)
    code, out = approver(machine, "enrol", "--new", "--passphrase", "--yes")
    assert (code, "a key with a passphrase" in out, "medium" in out) == (0, True, True), out
    later(machine)
    assert listed(machine)["keys"][0]["counts_as"] == "medium"
    done = at_a_terminal(machine.home, "off", "--for", "1m", "--yes", "--json")
    assert json.loads(done.out.splitlines()[-1])["strength"] == "medium", done.out


def test_a_new_key_that_is_given_no_passphrase_is_not_enrolled(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in ask_pass(tmp_path, "").items():
        monkeypatch.setenv(name, value)
    code, out = approver(machine, "enrol", "--new", "--passphrase", "--yes")
    assert (code != 0, "has no passphrase" in out) == (True, True), out
    assert listed(machine)["keys"] == []


@pytest.mark.slow
def test_the_key_is_shown_before_anything_is_asked(machine: Machine, hardware: Key) -> None:
    done = at_a_terminal(machine.home, "approver", "enrol", "--key", str(hardware.public), keys="n\n")
    shown, _, asked = done.out.partition("Enrol this key?")
    assert (done.code != 0, bool(asked)) == (True, True), done.out
    assert public_key(hardware.line).fingerprint in shown
    assert "comment `id_ed25519_sk@test`" in shown
    assert listed(machine)["keys"] == []


@pytest.mark.slow
def test_commands_that_are_advised_keep_the_home(machine: Machine, hardware: Key) -> None:
    assert f"see: interlock --home {machine.home} approver enrol --help" in approver(machine, "list")[1]
    assert f"see: interlock --home {machine.home} approver list" in approver(machine, "remove", "nobody")[1]
    done = at_a_terminal(machine.home, "off", "--for", "1m", "--yes")
    assert f"To end it: interlock --home {machine.home} on" in done.out


@pytest.mark.slow
def test_a_second_key_needs_the_signature_of_one_that_counts(
    machine: Machine, hardware: Key, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    second = new_key(machine.home / ".ssh/second", passphrase=PASSPHRASE)
    for name, value in ask_pass(tmp_path).items():
        monkeypatch.setenv(name, value)
    assert approver(machine, "enrol", "--key", str(hardware.public), "--yes")[0] == 0
    code, out = approver(machine, "enrol", "--key", str(second.public), "--yes")
    assert (code != 0, "no key here makes one" in out) == (True, True), out
    later(machine)
    assert approver(machine, "enrol", "--key", str(second.public), "--yes")[0] == 0
    counts = {key["name"]: key["counts_as"] for key in listed(machine)["keys"]}
    assert counts == {"id_ed25519_sk@test": "strong", "second@test": "medium"}
    assert approver(machine, "remove", "id_ed25519_sk@test", "--by", str(second.public), "--yes")[0] == 0
    assert [key["name"] for key in listed(machine)["keys"]] == ["second@test"]


@pytest.mark.slow
def test_a_key_without_a_passphrase_is_refused_and_so_is_one_of_another_kind(machine: Machine) -> None:
    bare = new_key(machine.home / ".ssh/bare")
    code, out = approver(machine, "enrol", "--key", str(bare.public), "--yes")
    assert (code != 0, "has no passphrase" in out) == (True, True), out
    bare.file.unlink()
    assert "is not there" in approver(machine, "enrol", "--key", str(bare.public), "--yes")[1]
    bare.public.write_text("ecdsa-sha2-nistp256 AAAA x\n")
    assert "is not taken" in approver(machine, "enrol", "--key", str(bare.public), "--yes")[1]
    assert listed(machine)["keys"] == []


@pytest.mark.slow
def test_while_the_first_key_is_weak_only_its_own_signature_removes_it(machine: Machine, hardware: Key) -> None:
    assert approver(machine, "enrol", "--key", str(hardware.public), "--yes")[0] == 0
    private, public = hardware.file.read_bytes(), hardware.public.read_bytes()
    for file in (hardware.file, hardware.public):
        file.unlink()
    code, out = approver(machine, "remove", "id_ed25519_sk@test", "--yes")
    assert (code != 0, "pin another one in /etc/interlock/policy.toml" in out) == (True, True), out
    assert [key["name"] for key in listed(machine)["keys"]] == ["id_ed25519_sk@test"]
    hardware.file.write_bytes(private)
    hardware.file.chmod(0o600)
    hardware.public.write_bytes(public)
    code, out = approver(machine, "remove", "id_ed25519_sk@test", "--yes", "--json")
    assert (code, json.loads(out.splitlines()[-1])["signer"]) == (0, "id_ed25519_sk@test"), out
    assert listed(machine)["keys"] == []


@pytest.mark.slow
def test_pruning_and_restarting_keep_the_keys(machine: Machine, hardware: Key) -> None:
    assert approver(machine, "enrol", "--key", str(hardware.public), "--yes")[0] == 0
    later(machine)
    before = listed(machine)["keys"]
    folders = folders_for(str(machine.home))
    for _ in range(5):
        assert machine.call("Read").taken == "allow"
    assert prune(folders, keep=1) is not None
    assert listed(machine)["keys"] == before
    restart(folders, "a test")
    assert [key["key"] for key in listed(machine)["keys"]] == [key["key"] for key in before]


class Rows:
    """Rows as a program could write them into the ledger, without any of our commands."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def add(self, body: dict[str, Any], at: int) -> None:
        fields = (len(self.rows) + 1, "approver", at, "", "keys", None, None, None, canonical(body), "", "")
        self.rows.append(Row(fields))


LEDGERS = ("the name of a ledger",)


def change(
    key: Key,
    change: str,
    at: int,
    after: str,
    *,
    name: str = "k",
    signed: Key | None = None,
    ledger: str = LEDGERS[0],
) -> dict[str, Any]:
    line = key.line.rpartition(" ")[0]
    said = change_statement(ledger=ledger, change=change, key=line, name=name, at=at, after=after)
    body: dict[str, Any] = {"after": after, "at": at, "change": change, "file": "", "key": line, "name": name}
    body["ledger"] = ledger
    body["own"] = signature_of(key, said)
    if signed is not None:
        body["signature"] = signature_of(signed, said)
    return body


def test_rows_that_no_counting_key_signed_change_nothing(tmp_path: Path) -> None:
    old, forged = new_key(tmp_path / "old"), new_key(tmp_path / "forged")
    rows = Rows()
    rows.add(change(old, "enrol", 1000, ""), 1000)
    first = approvers((), rows.rows, 1000, ledgers=LEDGERS)
    last, late = first.last, 1000 + DAY
    for body in (
        change(forged, "enrol", late, last),
        change(forged, "enrol", late, last, signed=forged),
        {**change(forged, "enrol", late, last, signed=old), "name": "edited"},
        {**change(forged, "enrol", late, last, signed=old), "after": ""},
        change(forged, "enrol", 1500, last, signed=old),  # before it counted
        change(old, "remove", late, last),
        change(old, "remove", 1500, last),  # in its first day, or so it says
        change(old, "remove", 1500, last, signed=forged),
        change(forged, "enrol", late, last, signed=old, ledger="another"),
        {**change(forged, "enrol", late, last, signed=old, ledger="another"), "ledger": LEDGERS[0]},
        change(old, "remove", late, last, signed=old, ledger="another"),
        change(old, "remove", late, last, signed=forged),
        {"change": "enrol"},
    ):
        tried = Rows()
        tried.rows = list(rows.rows)
        tried.add(body, late)
        found = approvers((), tried.rows, late, ledgers=LEDGERS)
        assert [key.name for key in found.keys] == ["k"], body
        assert len(found.ignored) == 1
    rows.add(change(forged, "enrol", late, last, name="new", signed=old), late)
    assert [key.name for key in approvers((), rows.rows, late, ledgers=LEDGERS).keys] == ["k", "new"]
    removed = change(old, "remove", late, approvers((), rows.rows, late, ledgers=LEDGERS).last, signed=forged)
    rows.add(removed, late)
    assert [key.name for key in approvers((), rows.rows, late, ledgers=LEDGERS).keys] == ["new"]
    again = change(old, "enrol", late, approvers((), rows.rows, late, ledgers=LEDGERS).last, signed=forged)
    rows.add(again, late)
    rows.add({**removed, "terminal": "the same signature once more"}, late)
    assert [key.name for key in approvers((), rows.rows, late, ledgers=LEDGERS).keys] == ["new", "k"]


def test_pinned_keys_are_the_first_and_enrolments_without_them_do_not_count(tmp_path: Path) -> None:
    pinned, local = new_key(tmp_path / "pinned"), new_key(tmp_path / "local")
    rows = Rows()
    rows.add(change(local, "enrol", 1000, ""), 1000)
    assert [key.line for key in approvers((), rows.rows, 1000 + DAY, ledgers=LEDGERS).keys] == [
        local.line.rpartition(" ")[0]
    ]
    found = approvers((pinned.line,), rows.rows, 1000 + DAY, ledgers=LEDGERS)
    assert [(key.name, key.pinned, key.strength(0)) for key in found.keys] == [("pinned@test", True, Strength.MEDIUM)]
    rows = Rows()
    rows.add(change(local, "enrol", 1000, "", signed=pinned), 1000)
    assert [key.strength(1000) for key in approvers((pinned.line,), rows.rows, 1000, ledgers=LEDGERS).keys] == [
        Strength.MEDIUM
    ] * 2


def test_a_changed_row_is_an_error(machine: Machine, hardware: Key) -> None:
    assert approver(machine, "enrol", "--key", str(hardware.public), "--yes")[0] == 0
    with sqlite3.connect(machine.ledger) as database:
        database.execute("UPDATE ledger SET at = 1 WHERE kind = 'approver'")
    ledger = Ledger(str(machine.ledger))
    with pytest.raises(Exception, match="was changed"), ledger.deciding() as turn:
        approvers_at(turn.database, Policy(), turn.at)


def test_rows_that_pruning_wrote_once_more_from_another_place_count_the_same(tmp_path: Path) -> None:
    first, second = new_key(tmp_path / "first"), new_key(tmp_path / "second")
    rows = Rows()
    one = change(first, "enrol", 1000, "")
    rows.add({**one, "front": "cli:approver"}, 1000)
    two = change(
        second, "enrol", 1000 + DAY, approvers((), rows.rows, 1000, ledgers=LEDGERS).last, name="two", signed=first
    )
    rows.add({**two, "front": "cli:approver"}, 1000 + DAY)
    before = approvers((), rows.rows, 2000 + DAY, ledgers=LEDGERS)
    for body in (one, two):
        rows.add({**body, "front": "cli:audit"}, 1500 + DAY)
    for kept in (rows.rows, rows.rows[1:], rows.rows[2:]):
        after = approvers((), kept, 2000 + DAY, ledgers=LEDGERS)
        assert (after.keys, after.last, after.ignored) == (before.keys, before.last, ())
