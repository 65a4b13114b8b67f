"""Whoever changes a ledger's rows in its database is found out on every engine: which row, and what was done to it."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Thread

import pytest

from engines import Engine
from interlock.bytes.canon import canonical
from interlock.record.chain import COLUMNS, Fields
from interlock.store.home.folders import Folders, folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.upkeep import checkpoint
from interlock.store.team.sync import Syncing
from interlock.store.team.team import make_team_store, open_team, origins, team_database, verify_shipped
from interlock.store.team.witness import verify_origins
from postgres_server import started_server
from tampering import ONLY_SQLITE, SHAPES, rehashed


@pytest.fixture
def filled(engine: Engine) -> Engine:
    ledger = engine.ledger(lambda: 1_700_000_000_000)
    for n in range(10):
        with ledger.deciding("s1") as turn:
            turn.append("decision", canonical({"n": n}), key=f"sha256:{n:064d}", state=canonical({"calls": n}))
    with ledger.deciding() as turn:
        turn.grant("g1", canonical({"grant": "g1"}), key="git:push", uses=2)
        assert turn.redeem("g1", canonical({"for": "x"}))
    ledger.close()
    return engine


def found(engine: Engine) -> tuple[str, int] | None:
    damage = engine.verify().damage
    return None if damage is None else (damage.kind, damage.seq)


def test_a_ledger_that_nobody_touched_is_whole(filled: Engine) -> None:
    walked = filled.verify()
    assert (walked.damage, walked.count, walked.seq) == (None, 12, 12)


def test_a_ledger_is_whole_also_while_others_write_to_it(filled: Engine) -> None:
    def write() -> None:
        ledger = filled.ledger(lambda: 1_700_000_000_000)
        for n in range(60):
            with ledger.deciding() as turn:
                turn.append("override", canonical({"n": n}), key="x")
        ledger.close()

    writer = Thread(target=write)
    writer.start()
    told = [found(filled)]
    while writer.is_alive():
        told.append(found(filled))
    writer.join()
    assert set(told) == {None}


@pytest.mark.parametrize("shape", SHAPES)
def test_tampering_is_named_with_its_row(shape: str, filled: Engine) -> None:
    if filled.url is not None and shape in ONLY_SQLITE:
        pytest.skip("this engine's columns do not take it")
    tamper, expected = SHAPES[shape]
    filled.change("DELETE FROM ledger", many=tamper(filled.raw()))
    assert found(filled) == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE sessions SET seq = 3", ("state", 3)),
        ("INSERT INTO grants VALUES ('g9', 2, 'git:push', '', 0, 0, 0, 0)", ("state", 2)),
        ("UPDATE grants SET ended = 5", ("state", 11)),
        ("INSERT INTO approvals VALUES ('ap_1', 2, 's1', 'approved', NULL, 1, 0)", ("state", 2)),
        ("UPDATE grants SET used = 0", ("state", 11)),
        ("UPDATE grants SET id = 'g2'", ("state", 11)),
        ("UPDATE tip SET seq = 11", ("insertion", 12)),
        ("DROP INDEX ledger_attempt", ("schema", 0)),
        ("ALTER TABLE grants ADD COLUMN more TEXT", ("schema", 0)),
    ],
)
def test_what_is_kept_beside_the_rows_must_follow_from_them(
    statement: str, expected: tuple[str, int], filled: Engine
) -> None:
    filled.change(statement)
    assert found(filled) == expected


def test_a_head_that_is_ahead_means_that_an_older_ledger_was_put_back(filled: Engine) -> None:
    filled.head.write_text(f"{13:020d} {'a' * 64}\n")
    assert found(filled) == ("rollback", 13)
    ledger = filled.ledger()
    with pytest.raises(Exception, match="is not the ledger that its head describes"), ledger.deciding():
        pass
    ledger.close()


def test_a_state_that_was_changed_beside_its_row_is_found(filled: Engine) -> None:
    text = '{"calls":0}'
    filled.change(f"UPDATE sessions SET state = {filled.blob(text)}")
    assert found(filled) == ("state", 10)


def test_a_chain_rewritten_to_its_end_is_known_by_the_head(filled: Engine) -> None:
    rows = filled.raw()
    prev, new = rows[3][10], rows[:4]
    for row in rows[4:]:
        new.append(rehashed(row, prev=prev, at=5))
        prev = new[-1][10]
    filled.change("DELETE FROM ledger", f"UPDATE tip SET hash = '{prev}'", many=new)
    assert found(filled) == ("edit", 12)


def test_an_older_ledger_put_back_is_a_rollback(filled: Engine) -> None:
    old = filled.raw()
    ledger = filled.ledger()
    with ledger.deciding() as turn:
        turn.append("override", b"{}", key="x")
    ledger.close()
    filled.change("DELETE FROM ledger", f"UPDATE tip SET seq = 12, hash = '{old[-1][10]}'", many=old)
    assert found(filled) == ("rollback", 13)


def test_a_ledger_whose_tables_are_gone_is_missing_or_of_another_schema(filled: Engine) -> None:
    filled.change("DROP TABLE tip")
    assert found(filled) in (("schema", 0), ("missing", 12), ("unreadable", 0))
    assert found(filled) is not None


# --- rows of a machine in a team store ------------------------------------------------------------------------------


@pytest.fixture
def shipped(tmp_path: Path) -> tuple[str, Folders]:
    url = started_server().new_database()
    folders = folders_for(str(tmp_path / "home"))
    database = team_database(url, folders)
    make_team_store(database)
    database.close()
    ledger = Ledger(folders.ledger, clock=lambda: 1_700_000_000_000)
    for n in range(11):
        with ledger.deciding("s1") as turn:
            turn.append("decision", canonical({"n": n}), key=f"sha256:{n:064d}", state=canonical({"calls": n}))
    ledger.close()
    checkpoint(folders)
    syncing = Syncing(folders, url)
    assert syncing.once().shipped == 12
    syncing.close()
    return url, folders


def put_there(url: str, rows: list[Fields]) -> None:
    import psycopg

    with psycopg.connect(url, options="-c search_path=interlock") as connection:
        ((origin,),) = connection.execute("SELECT id FROM origins").fetchall()
        connection.execute("DELETE FROM shipped")
        with connection.cursor() as cursor:
            marks = ", ".join(["%s"] * (len(COLUMNS) + 1))
            cursor.executemany(f"INSERT INTO shipped VALUES ({marks})", [(origin, *row) for row in rows])


def rows_there(url: str) -> list[Fields]:
    import psycopg

    with psycopg.connect(url, options="-c search_path=interlock") as connection:
        return list(connection.execute(f"SELECT {', '.join(COLUMNS)} FROM shipped ORDER BY seq").fetchall())


def found_there(url: str, folders: Folders) -> tuple[str, int] | None:
    database = open_team(url, folders)
    try:
        (origin,) = origins(database)
        damage = verify_shipped(database, origin).damage
    finally:
        database.close()
    return None if damage is None else (damage.kind, damage.seq)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape not in ONLY_SQLITE])
def test_tampering_with_shipped_rows_is_named_with_its_row(shape: str, shipped: tuple[str, Folders]) -> None:
    url, folders = shipped
    assert found_there(url, folders) is None
    tamper, expected = SHAPES[shape]
    put_there(url, tamper(rows_there(url)))
    # a copy of the last row is a checkpoint about another place
    wanted = {"a row put at the end": ("signature", 13)}.get(shape, expected)
    assert found_there(url, folders) == wanted


def test_shipped_rows_that_were_rewritten_with_another_key_are_told_by_a_machine_that_knows_its_own(
    shipped: tuple[str, Folders],
) -> None:
    """Who may write to the store replaces rows, signature and keys alike: the chain agrees with itself there."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    url, folders = shipped
    rows = rows_there(url)
    forged = rehashed(rows[10], body=canonical({"n": "forged"}))
    private = Ed25519PrivateKey.generate()
    said = {key: value for key, value in json.loads(rows[11][8]).items() if key != "signature"}
    said = {**said, "hash": forged[10], "key": "feedfeedfeedfeed"}
    said["signature"] = private.sign(canonical(said)).hex()
    last = rehashed(rows[11], prev=forged[10], body=canonical(said), key="feedfeedfeedfeed")
    put_there(url, [*rows[:10], forged, last])
    keys = json.dumps({"feedfeedfeedfeed": private.public_key().public_bytes_raw().hex()})
    import psycopg

    with psycopg.connect(url, options="-c search_path=interlock") as connection:
        connection.execute("UPDATE origins SET hash = %s, keys = %s", (last[10], keys))
    assert found_there(url, folders) is None
    database = open_team(url, folders)
    ((_, walked),) = verify_origins(folders, database)
    database.close()
    assert walked.damage is not None
    assert (walked.damage.kind, walked.damage.seq) == ("unknown key", 12)


def test_another_machine_notices_rows_and_keys_that_changed_since_it_looked(
    shipped: tuple[str, Folders], tmp_path: Path
) -> None:
    url, _ = shipped
    other = folders_for(str(tmp_path / "other"))
    rows = rows_there(url)

    def looked() -> tuple[str, int] | None:
        database = open_team(url, other)
        ((_, walked),) = verify_origins(other, database)
        database.close()
        return None if walked.damage is None else (walked.damage.kind, walked.damage.seq)

    import psycopg

    def told(statement: str, *values: object) -> None:
        with psycopg.connect(url, options="-c search_path=interlock") as connection:
            connection.execute(statement, values)

    assert looked() is None
    assert looked() is None
    told("UPDATE origins SET seq = 11, hash = %s", rows[10][10])
    put_there(url, rows[:11])
    assert looked() == ("rollback", 12)
    forged = rehashed(rows[11], body=canonical({"n": "forged"}), kind="decision")
    told("UPDATE origins SET seq = 12, hash = %s", forged[10])
    put_there(url, [*rows[:11], forged])
    assert looked() == ("edit", 12)
    told("UPDATE origins SET hash = %s, keys = '{}'", rows[11][10])
    put_there(url, rows)
    assert looked() == ("unknown key", 12)
