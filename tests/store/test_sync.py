"""Between a machine's ledger and the team store: rows there once, grants and answers here, whatever happens between."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from engines import team_rows
from interlock.approve.grant import Grant
from interlock.bytes.canon import canonical
from interlock.model.errors import InputError, StoreError
from interlock.store.home.folders import Folders, folders_for
from interlock.store.ledger.ledger import Ledger, uses_of
from interlock.store.ledger.upkeep import checkpoint, prune
from interlock.store.ledger.verify import verify
from interlock.store.team.shared import redeem_shared, share
from interlock.store.team.sync import BATCH, Synced, Syncing
from interlock.store.team.team import (
    make_team_store,
    open_team,
    origins,
    team_database,
    verify_shipped,
    verify_team_ledger,
)
from interlock.store.team.team_ledger import TeamLedger
from ledger_rows import change, ledger_rows
from machine import Machine
from postgres_server import started_server
from racing import RACERS, raced

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3
PUSH = Grant(id="", kind="capability", action="git:push", reach="everywhere", by="ann")


@pytest.fixture
def url(tmp_path: Path) -> str:
    found = started_server().new_database()
    database = team_database(found, folders_for(str(tmp_path / "maker")))
    assert make_team_store(database)
    assert not make_team_store(database)
    database.close()
    return found


def machine_with(rows: int, home: Path) -> Folders:
    folders = folders_for(str(home))
    append(folders, rows)
    return folders


def append(folders: Folders, rows: int, kind: str = "decision", key: str = "r") -> None:
    ledger = Ledger(folders.ledger)
    with ledger.deciding("s\0\\0") as turn:  # a name that PostgreSQL's text cannot hold
        for n in range(rows):
            turn.append(kind, canonical({"n": n}), key=f"{key}{n}", state=canonical({"n": n}))
    ledger.close()


def synced(folders: Folders, url: str) -> Synced:
    syncing = Syncing(folders, url)
    try:
        return syncing.once()
    finally:
        syncing.close()


def given(url: str, folders: Folders, uses: int = 1, expires: int = 0) -> str:
    """A shared grant, given by whoever."""
    database = open_team(url, folders)
    try:
        return share(TeamLedger(database), PUSH, uses=uses, expires=expires).id
    finally:
        database.close()


def chains(url: str, folders: Folders) -> dict[str, tuple[str, int] | int]:
    """Each chain in the team store: how many rows are whole, or what is wrong where."""
    database = open_team(url, folders)
    try:
        found = {origin["id"].partition(":")[0]: verify_shipped(database, origin) for origin in origins(database)}
    finally:
        database.close()
    return {name: w.count if w.damage is None else (w.damage.kind, w.damage.seq) for name, w in found.items()}


HERE = os.uname().nodename


def test_rows_are_shipped_once_and_verify_there(tmp_path: Path, url: str) -> None:
    folders = machine_with(BATCH + 20, tmp_path / "a")
    first = synced(folders, url)
    assert (first.shipped, first.seq) == (BATCH + 20, BATCH + 20)
    assert first.origin.startswith(f"{HERE}:")
    assert synced(folders, url).shipped == 0
    append(folders, 3, key="more")
    assert synced(folders, url) == first.replace(shipped=3, seq=BATCH + 23)
    assert chains(url, folders) == {HERE: BATCH + 23}
    local = [(row["seq"], row["hash"]) for row in ledger_rows(Path(folders.ledger))]
    assert [(row["seq"], row["hash"]) for row in team_rows(url, "shipped")] == local


def test_ledgers_of_many_machines_lie_side_by_side(tmp_path: Path, url: str) -> None:
    names = []
    for number, rows in enumerate((3, 5)):
        folders = machine_with(rows, tmp_path / str(number))
        names.append(synced(folders, url).origin)
    database = open_team(url, folders)
    found = [(origin["id"], verify_shipped(database, origin)) for origin in origins(database)]
    database.close()
    assert sorted((name, walked.count, walked.damage) for name, walked in found) == sorted(
        zip(names, (3, 5), (None, None), strict=True)
    )


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE shipped SET at = 5 WHERE seq = 3", ("edit", 3)),
        ("DELETE FROM shipped WHERE seq = 3", ("deletion", 3)),
        ("DELETE FROM shipped WHERE seq = 6", ("truncation", 6)),
        ("UPDATE origins SET seq = 5", ("insertion", 6)),
    ],
)
def test_what_is_changed_in_the_team_store_is_found_there(
    statement: str, expected: tuple[str, int], tmp_path: Path, url: str
) -> None:
    import psycopg

    folders = machine_with(6, tmp_path / "a")
    synced(folders, url)
    with psycopg.connect(url, options="-c search_path=interlock") as connection:
        connection.execute(statement)
    assert chains(url, folders) == {HERE: expected}


def test_a_damaged_ledger_is_not_shipped(tmp_path: Path, url: str) -> None:
    folders = machine_with(4, tmp_path / "a")
    change(Path(folders.ledger), "UPDATE ledger SET at = 1 WHERE seq = 3")
    with pytest.raises(StoreError, match=r"damaged \(edit at row 3: .*; nothing was shipped"):
        synced(folders, url)
    assert team_rows(url, "shipped") == []


def test_rows_pruned_before_and_after_they_were_shipped_leave_chains_that_verify(tmp_path: Path, url: str) -> None:
    folders = machine_with(6, tmp_path / "a")
    synced(folders, url)
    checkpoint(folders)
    append(folders, 6, key="later")
    assert (prune(folders, keep=3) or {})["to"] == 10  # three of them were never shipped
    append(folders, 1, key="last")
    synced(folders, url)
    assert verify(folders).damage is None
    assert chains(url, folders) == {HERE: 6 + 5}  # the first six, and 11 to 15
    other = machine_with(8, tmp_path / "b")
    prune(other, keep=3)
    again = synced(other, url)
    assert (again.shipped, again.seq) == (4, 9)
    database = open_team(url, other)
    assert [verify_shipped(database, origin).damage for origin in origins(database)] == [None, None]
    database.close()


def test_the_server_may_be_away_and_come_back(tmp_path: Path, url: str) -> None:
    folders = machine_with(3, tmp_path / "a")
    syncing = Syncing(folders, url)
    syncing.once()
    started_server().stop()
    append(folders, 2, key="meanwhile")
    with pytest.raises(StoreError, match=r"went away|cannot be reached"):
        syncing.once()
    with pytest.raises(StoreError, match="cannot be reached"):
        syncing.once()
    started_server()
    assert syncing.once().shipped == 2
    syncing.close()
    assert chains(url, folders) == {HERE: 5}


def test_a_team_store_that_was_set_back_is_noticed(tmp_path: Path, url: str) -> None:
    import psycopg

    folders = machine_with(1, tmp_path / "a")
    given(url, folders)
    synced(folders, url)
    with psycopg.connect(url, options="-c search_path=interlock") as connection:
        connection.execute("DELETE FROM ledger")
        connection.execute("DELETE FROM grants")
        connection.execute("UPDATE tip SET seq = 0, hash = repeat('0', 64)")
    with pytest.raises(StoreError, match="is not the team store that was used before"):
        synced(folders, url)
    walked = verify_team_ledger(folders, team_database(url, folders))
    assert walked.damage is not None
    assert (walked.damage.kind, walked.damage.seq) == ("rollback", 1)


def test_grants_and_revocations_come_to_every_ledger_once(tmp_path: Path, url: str) -> None:
    one, two = machine_with(1, tmp_path / "a"), machine_with(1, tmp_path / "b")
    name = given(url, one, uses=0)
    for folders in (one, two):
        assert [synced(folders, url).grants for _ in range(2)] == [1, 0]
        with Ledger(folders.ledger).deciding() as turn:
            (row,) = turn.live_grants(("git:push",)) or turn.live_grants(("git", "git:push", "git:push *"))
            assert row[4] == name
    database = open_team(url, one)
    with Ledger.on(database).deciding() as turn:
        assert turn.revoke(name, b"{}")
    database.close()
    assert synced(two, url).revoked == 1
    assert [row["kind"] for row in ledger_rows(Path(two.ledger))] == ["decision", "grant", "revocation"]
    assert verify(two).damage is None


def test_prompts_and_answers_are_announced(tmp_path: Path, url: str) -> None:
    asking = machine_with(1, tmp_path / "a")
    append(asking, 1, kind="prompt", key="ap")
    listening = open_team(url, asking)
    listening.listen()
    synced(asking, url)
    assert listening.heard(10) == ["prompt ap0"]
    with Ledger.on(listening).deciding() as turn:
        turn.append("answer", canonical({"yes": True}), key="ap0")
    assert listening.heard(10) == ["answer ap0"]
    listening.close()
    assert synced(asking, url).answers == 0  # it answers nothing that was asked


def redeemed(folders: Folders, url: str, name: str, ask: Any = redeem_shared) -> tuple[bool, str | None]:
    """As a decision does it: wanted in a turn of the local ledger, redeemed in the team store, then kept here."""
    ledger = Ledger(folders.ledger)
    try:
        with ledger.deciding() as turn:
            assert not turn.redeem(name, b"{}")
            kept = uses_of(turn.database, name)
            is_live = kept is not None and kept.used < kept.uses and not kept.is_over(turn.at)
        why = ask(name, b"{}", url, folders) if is_live else "it is not live here"
        if why is not None:
            return False, why
        with ledger.deciding() as turn:
            return turn.redeem(name, b"{}", won={name}), None
    finally:
        ledger.close()


def at_once(grant: str, body: bytes, url: str, folders: Folders) -> str | None:
    """In this process: fifty more interpreters would only wait for each other."""
    try:
        database = open_team(url, folders)
    except StoreError as error:
        return str(error)
    try:
        return None if TeamLedger(database).redeem(grant, body) else "it was used up"
    finally:
        database.close()


@pytest.mark.slow
def test_a_shared_single_use_grant_is_won_by_one_machine(tmp_path: Path, url: str) -> None:
    homes = [machine_with(1, tmp_path / str(n)) for n in range(RACERS)]
    name = given(url, homes[0])
    for folders in homes:
        assert synced(folders, url).grants == 1

    def wins(number: int) -> bool:
        for _ in range(30):  # a server that is slow to take in fifty at once lets none of them win
            won, why = redeemed(homes[number], url, name, at_once)
            if won or "used up" in (why or ""):
                return won
        return False

    won = raced(wins)
    assert sum(won) == 1
    assert len(team_rows(url, "ledger", "redemption")) == 1
    assert sum(len(ledger_rows(Path(folders.ledger), "redemption")) for folders in homes) == 1
    loser = homes[won.index(False)]
    assert synced(loser, url).revoked == 1  # nobody is offered what cannot be had any more
    assert verify(loser).damage is None


@pytest.mark.slow
def test_where_the_team_store_cannot_be_reached_a_shared_grant_does_not_count(tmp_path: Path, url: str) -> None:
    folders = machine_with(1, tmp_path / "a")
    name = given(url, folders)
    synced(folders, url)
    started_server().stop()
    won, why = redeemed(folders, url, name)
    assert not won
    assert "cannot be reached" in (why or "")
    assert redeemed(folders, "", name) == (False, "the policy names no team store to redeem it in")
    started_server()
    assert redeemed(folders, url, name) == (True, None)


def test_the_environment_does_not_choose_the_server_that_says_yes(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = machine_with(1, tmp_path / "a")
    name = given(url, folders)
    synced(folders, url)
    server, _, options = url.partition("?host=")
    monkeypatch.setenv("PGHOST", options)
    before = dict(os.environ)
    won, why = redeemed(folders, server, name)  # the address names no host: PGHOST would
    assert dict(os.environ) == before
    assert not won
    assert "cannot be reached" in (why or "")


# --- the command -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_from_start_to_verified(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    url = started_server().new_database()
    policy = machine.home / ".config/interlock/policy.toml"
    policy.parent.mkdir(parents=True)
    policy.write_text(f'version = 1\n[store]\nurl = "{url}"\n')
    assert "there is no" in machine.run("store", "status").err
    assert machine.run("store", "init").out.startswith("made: postgresql://")
    machine.decide("Read", "--record", file_path="a")
    made = machine.run(
        "store", "grant", "git:push", "--scope", "destination=*", "--why", f"for {SECRET}", "--json"
    ).json
    assert made["id"].startswith("team:")
    (row,) = team_rows(url, "ledger", "grant")
    assert (b"for [redacted:" in row["body"], SECRET.encode() in row["body"]) == (True, False)
    assert (
        machine.run("store", "sync").out
        == "2 rows shipped, up to row 2; 1 grant, 0 revocations and 0 answers fetched\n"
    )
    assert machine.run("store", "sync", "--json").json["shipped"] == 1  # the grant's row
    assert [origin["seq"] for origin in machine.run("store", "status", "--json").json["origins"]] == [3]
    assert machine.run("store", "revoke", made["id"]).code == 0
    assert machine.run("store", "revoke", made["id"]).code == InputError.exit_code
    whole = machine.run("audit", "verify", "--store", url)
    assert (whole.code, [line.split(":")[0] for line in whole.out.splitlines()]) == (0, ["whole", "whole"])


@pytest.mark.slow
def test_following_ships_what_comes_and_ends_when_told(tmp_path: Path, url: str) -> None:
    machine = Machine(tmp_path)
    machine.decide("Read", "--record", file_path="a")
    following = subprocess.Popen(
        machine.command("store", "sync", "--follow", "--every", "0.2", "--to", url, "--json"), stdout=subprocess.PIPE
    )
    assert following.stdout is not None
    assert b'"shipped": 2' in following.stdout.readline()
    machine.decide("Read", "--record", file_path="b")
    assert b'"shipped": 1' in following.stdout.readline()
    started_server().stop()
    time.sleep(0.5)
    started_server()
    machine.decide("Read", "--record", file_path="c")
    assert b'"shipped": 1' in following.stdout.readline()
    following.send_signal(signal.SIGTERM)
    assert following.wait(30) == 0
    following.stdout.close()


@pytest.mark.parametrize("address", ["postgresql://me:secret@h/d", "postgresql://h/d?password=secret", "mysql://h/d"])
def test_an_address_with_a_password_is_not_taken_and_not_told(address: str, tmp_path: Path) -> None:
    run = Machine(tmp_path).run("store", "status", "--to", address)
    assert run.code != 0
    assert "secret" not in run.out + run.err


def test_a_password_file_that_others_can_read_is_not_used(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    secret = machine.home / ".config/interlock/store.pgpass"
    secret.parent.mkdir(parents=True)
    secret.write_text("*:*:*:*:word\n")
    secret.chmod(0o644)
    run = machine.run("store", "status", "--to", "postgresql://127.0.0.1:1/d")
    assert "can be read by others" in run.err
    secret.chmod(0o600)
    run = machine.run("store", "status", "--to", "postgresql://127.0.0.1:1/d")
    assert "`postgresql://127.0.0.1:1/d` cannot be reached" in run.err
    assert "word" not in run.err
