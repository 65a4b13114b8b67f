"""Whoever changes the ledger behind our back is found out: which row, and what was done to it."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from interlock.bytes.canon import canonical
from interlock.record.chain import COLUMNS, DAMAGE, GENESIS, Fields, walk
from interlock.store.home.folders import Folders, folders_for
from interlock.store.ledger.heads import write_head
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.upkeep import checkpoint, prune, restart
from interlock.store.ledger.verify import checkpoints_file, verify
from ledger_rows import change, ledger_rows
from machine import Machine
from sizes import how_many
from tampering import SHAPES, rehashed

FLIPS = how_many("INTERLOCK_FLIPS", 150, quick=40)


def filled(home: Path, rows: int = 10, **changes: Any) -> Folders:
    """A ledger with a session and some grants, as calls leave it."""
    folders = folders_for(str(home))
    ledger = Ledger(folders.ledger, clock=changes.get("clock", lambda: 1_700_000_000_000))
    for n in range(rows):
        with ledger.deciding("s1") as turn:
            body = canonical({"receipt": {"n": n, "says": "x" * 20}})
            turn.append("decision", body, key=f"sha256:{n:064d}", state=canonical({"calls": n}))
    with ledger.deciding() as turn:
        turn.grant("g1", canonical({"grant": "g1"}), key="git:push", uses=2)
        assert turn.redeem("g1", canonical({"for": "x"}))
    ledger.close()
    return folders


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return filled(tmp_path)


def found(folders: Folders) -> tuple[str, int] | None:
    damage = verify(folders).damage
    if damage is not None:
        assert damage.kind in DAMAGE
    return None if damage is None else (damage.kind, damage.seq)


def rows_of(folders: Folders) -> list[Fields]:
    with closing(sqlite3.connect(folders.ledger)) as database:
        return list(database.execute(f"SELECT {', '.join(COLUMNS)} FROM ledger ORDER BY seq"))


def put(folders: Folders, rows: list[Fields]) -> None:
    """Writes these rows in place of those that are there."""
    with closing(sqlite3.connect(folders.ledger)) as database:
        database.execute("DELETE FROM ledger")
        database.executemany(f"INSERT INTO ledger VALUES ({', '.join('?' * len(COLUMNS))})", rows)
        database.commit()


def test_a_ledger_that_nobody_touched_is_whole(folders: Folders) -> None:
    walked = verify(folders)
    assert (walked.damage, walked.count, walked.seq) == (None, 12, 12)


@pytest.mark.parametrize("shape", SHAPES)
def test_tampering_is_named_with_its_row(shape: str, folders: Folders) -> None:
    tamper, expected = SHAPES[shape]
    put(folders, tamper(rows_of(folders)))
    assert found(folders) == expected


def test_a_chain_rewritten_to_its_end_is_known_by_the_head(folders: Folders) -> None:
    rows = rows_of(folders)
    prev, new = rows[3][10], rows[:4]
    for row in rows[4:]:
        new.append(rehashed(row, prev=prev, at=5))
        prev = new[-1][10]
    put(folders, new)
    change(Path(folders.ledger), f"UPDATE tip SET hash = '{prev}'")
    assert found(folders) == ("edit", 12)
    write_head(folders.ledger, 12, prev)
    assert found(folders) is None  # who rewrites the head as well leaves no trace but in a checkpoint


def test_a_chain_and_head_rewritten_are_known_by_a_checkpoint(folders: Folders) -> None:
    checkpoint(folders)
    rows = rows_of(folders)
    prev, new = rows[3][10], rows[:4]
    for row in rows[4:-1]:
        new.append(rehashed(row, prev=prev, at=5))
        prev = new[-1][10]
    put(folders, new)
    change(Path(folders.ledger), f"UPDATE tip SET seq = 12, hash = '{prev}'")
    write_head(folders.ledger, 12, prev)
    assert found(folders) == ("edit", 12)


def test_an_older_database_put_back_is_a_rollback(tmp_path: Path) -> None:
    folders = filled(tmp_path)
    old = Path(folders.ledger).read_bytes()
    ledger = Ledger(folders.ledger)
    with ledger.deciding() as turn:
        turn.append("override", b"{}", key="x")
    ledger.close()
    for ending in ("-wal", "-shm"):
        Path(folders.ledger + ending).unlink(missing_ok=True)
    Path(folders.ledger).write_bytes(old)
    assert found(folders) == ("rollback", 13)
    with pytest.raises(Exception, match="is not the ledger that its head describes"), Ledger(folders.ledger).deciding():
        pass


def test_a_database_that_is_gone_or_empty_is_missing(folders: Folders) -> None:
    Path(folders.ledger).write_bytes(b"")
    assert found(folders) == ("missing", 12)
    Path(folders.ledger).unlink()
    assert found(folders) == ("missing", 12)


def test_a_head_that_is_gone_or_no_head_is_told(folders: Folders) -> None:
    Path(folders.ledger + ".head").write_text("12\n")
    assert found(folders) == ("head", 12)
    Path(folders.ledger + ".head").unlink()
    assert found(folders) == ("head", 12)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE sessions SET state = CAST('{\"calls\":0}' AS BLOB)", ("state", 10)),
        ("UPDATE sessions SET seq = 3", ("state", 3)),
        ("UPDATE grants SET used = 0", ("state", 11)),
        ("UPDATE grants SET id = 'g2'", ("state", 11)),
        ("INSERT INTO grants VALUES ('g9', 2, 'git:push', '', 0, 0, 0, 0)", ("state", 2)),
        ("UPDATE tip SET seq = 11", ("insertion", 12)),
        ("CREATE TRIGGER t AFTER INSERT ON ledger BEGIN DELETE FROM grants; END", ("schema", 0)),
        ("DROP INDEX ledger_attempt", ("schema", 0)),
        ("CREATE TABLE more (a)", ("schema", 0)),
    ],
)
def test_what_is_kept_beside_the_rows_must_follow_from_them(
    statement: str, expected: tuple[str, int], folders: Folders
) -> None:
    change(Path(folders.ledger), statement)
    assert found(folders) == expected


# --- signed statements -------------------------------------------------------------------------------------


def test_a_checkpoint_holds_and_its_key_is_the_owners_alone(folders: Folders) -> None:
    said = checkpoint(folders)
    assert (said["seq"], found(folders)) == (12, None)
    key = Path(folders.config) / "ledger.key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.chmod(0o644)
    with pytest.raises(Exception, match="can be read by others"):
        checkpoint(folders)


def test_a_statement_of_an_unknown_key_is_told(folders: Folders) -> None:
    checkpoint(folders)
    keys = Path(folders.config) / "ledger-keys.json"
    keys.write_text(json.dumps({"0" * 16: "0" * 64}))
    assert found(folders) == ("unknown key", 13)


def test_a_statement_that_was_changed_does_not_have_its_signature(folders: Folders) -> None:
    checkpoint(folders)
    rows = rows_of(folders)
    body = json.loads(rows[-1][8])
    put(folders, [*rows[:-1], rehashed(rows[-1], body=canonical({**body, "at": 1}))])
    assert found(folders) == ("signature", 13)


def test_an_older_checkpoint_copied_to_the_end_is_about_another_place(folders: Folders) -> None:
    checkpoint(folders)
    rows = rows_of(folders)
    put(folders, [*rows, rehashed(rows[-1], seq=14, prev=rows[-1][10])])
    assert found(folders) == ("signature", 14)


def test_a_checkpoint_kept_outside_shows_what_was_taken_away(folders: Folders) -> None:
    checkpoint(folders)
    outside = Path(checkpoints_file(folders))
    outside.write_bytes(outside.read_bytes() + b"not a checkpoint\n")
    assert found(folders) == ("malformed", 0)


# --- pruning -----------------------------------------------------------------------------------------------


def test_pruning_leaves_a_stub_and_a_ledger_that_verifies(tmp_path: Path) -> None:
    folders = filled(tmp_path)
    assert (prune(folders, keep=2) or {})["to"] == 10  # the live grant's row stays
    assert found(folders) is None
    assert [row[0] for row in rows_of(folders)] == [11, 12, 13]
    with Ledger(folders.ledger).deciding("s2") as turn:
        turn.append("decision", b"{}", key="sha256:x", state=b"{}")
    assert found(folders) is None
    assert prune(folders, keep=100) is None


def test_pruning_twice_is_one_chain_still(tmp_path: Path) -> None:
    folders = filled(tmp_path, rows=20)
    first, second = prune(folders, before=0), prune(folders, keep=15)
    assert first is None
    assert (second or {})["to"] == 7
    third = prune(folders, keep=5)
    assert (third or {})["from"] == 8
    assert found(folders) is None


def test_rows_removed_without_a_stub_or_beyond_it_are_a_deletion(folders: Folders) -> None:
    prune(folders, keep=5)
    change(Path(folders.ledger), "DELETE FROM ledger WHERE seq = 9")
    kind, seq = found(folders) or ("", 0)
    assert (kind, seq) == ("deletion", 9)


def test_a_damaged_ledger_is_not_pruned(folders: Folders) -> None:
    change(Path(folders.ledger), "UPDATE ledger SET at = 1 WHERE seq = 3")
    with pytest.raises(Exception, match="nothing was removed: the ledger is damaged at row 3"):
        prune(folders, keep=2)


def test_starting_anew_keeps_the_old_one_and_says_so(folders: Folders) -> None:
    change(Path(folders.ledger), "UPDATE ledger SET at = 1 WHERE seq = 3")
    damage, aside, _ = restart(folders, "it was mended")
    assert damage is not None
    assert len(ledger_rows(Path(aside))) == 12
    (row,) = ledger_rows(Path(folders.ledger))
    assert (row["kind"], row["body"]["why"], row["body"]["damage"]["seq"]) == ("override", "it was mended", 3)
    assert found(folders) is None


# --- every bit ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_bit_of_a_ledgers_canonical_bytes_counts(tmp_path: Path) -> None:
    """The walk comes to each row as it would from the first one: those before it are whole."""
    rows = rows_of(filled(tmp_path, rows=int(os.environ.get("INTERLOCK_BIT_ROWS", "3"))))
    flips, prev = 0, GENESIS
    for index, row in enumerate(rows):
        for column in range(len(COLUMNS)):
            for changed in _flipped(row[column]):
                bad = (*row[:column], changed, *row[column + 1 :])
                damage = walk([bad, *rows[index + 1 :]], seq=index, prev=prev).damage
                assert damage is not None, (index, column)
                assert damage.kind in DAMAGE
                flips += 1
        prev = row[-1]
    assert walk(rows).damage is None
    assert flips > 2_000 * len(rows)


def _flipped(value: Any) -> list[Any]:
    if type(value) is int:
        return [value ^ (1 << bit) for bit in range(42)]
    if value is None:
        return ["", b"", 0]
    raw = value if type(value) is bytes else value.encode()
    flipped = [raw[:at] + bytes([raw[at] ^ (1 << bit)]) + raw[at + 1 :] for at in range(len(raw)) for bit in range(8)]
    return flipped if type(value) is bytes else [text.decode("utf-8", "surrogateescape") for text in flipped]


def test_a_flipped_bit_of_the_file_is_found_or_changes_nothing(tmp_path: Path) -> None:
    folders = filled(tmp_path, rows=60)
    checkpoint(folders)
    change(Path(folders.ledger), "PRAGMA wal_checkpoint(TRUNCATE)")
    whole, rows = Path(folders.ledger).read_bytes(), rows_of(folders)
    dice = random.Random(7)
    silent = 0
    for _ in range(FLIPS):
        for ending in ("-wal", "-shm"):
            Path(folders.ledger + ending).unlink(missing_ok=True)
        raw = bytearray(whole)
        at = dice.randrange(len(raw))
        raw[at] ^= 1 << dice.randrange(8)
        Path(folders.ledger).write_bytes(raw)
        if found(folders) is None:
            silent += 1
            assert rows_of(folders) == rows, at
    assert silent < FLIPS


# --- on the screen -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("tail",), ("show", "2"), ("search",), ("export",), ("verify",), ("replay",)])
def test_a_malformed_row_is_named_and_never_a_traceback(command: tuple[str, ...], tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    for name in ("a", "b", "c"):
        machine.decide("Read", "--record", file_path=name)
    change(machine.ledger, "UPDATE ledger SET body = CAST('{\"input\":{}}' AS BLOB) WHERE seq = 2")
    run = machine.run(*(command if command == ("replay",) else ("audit", *command)))
    assert run.code != 0
    words = (run.out + run.err).replace(str(tmp_path), "")  # commands that are advised name the home
    assert ("malformed" in words) is (command != ("verify",))
    assert "row 2" in words


def test_the_cold_hook_never_makes_a_signing_key(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.decide("Read", "--record", file_path="a")
    assert not (machine.home / ".config/interlock/ledger.key").exists()
    assert machine.run("audit", "checkpoint").code == 0
    assert (machine.home / ".config/interlock/ledger.key").exists()
