"""The ledger's turns: all or nothing, one at a time, and the same bytes from the same rows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import interlock
from engines import Engine
from interlock.bytes.canon import canonical
from interlock.model.errors import StoreError
from interlock.record.chain import COLUMNS, DURABLE, GENESIS, KINDS, Row, row_hash
from interlock.store import sql
from interlock.store.home.folders import folders_for
from interlock.store.ledger.ledger import Ledger
from interlock.store.sql.schema import MIGRATIONS
from ledger_rows import ledger_rows


@pytest.fixture
def ledger(engine: Engine) -> Iterator[Ledger]:
    found = engine.ledger()
    yield found
    found.close()


def test_rows_are_chained_from_the_first_on(engine: Engine, ledger: Ledger) -> None:
    with ledger.deciding("s") as turn:
        assert turn.state is None
        assert turn.append("session", b"{}", key="s") == 1
        assert turn.append("decision", b'{"a":1}', key="r", state=b"state") == 2
    first, second = engine.rows()
    assert (first["prev"], second["prev"]) == (GENESIS, first["hash"])
    assert second["session"] == "s"
    assert engine.head.read_text() == f"{2:020d} {second['hash']}\n"
    with ledger.deciding("s") as turn:
        assert turn.state == b"state"
    assert len(engine.rows()) == 2


def test_a_turn_that_fails_leaves_nothing(engine: Engine, ledger: Ledger) -> None:
    with ledger.deciding("s") as turn:
        turn.append("decision", b"{}", key="kept", state=b"1")

    def fail() -> None:
        with ledger.deciding("s") as turn:
            turn.append("decision", b"{}", key="lost", state=b"2")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert [row["key"] for row in engine.rows()] == ["kept"]
    with ledger.deciding("s") as turn:
        assert turn.state == b"1"


def test_the_files_are_the_owners_alone(tmp_path: Path) -> None:
    ledger = Ledger(folders_for(str(tmp_path)).ledger)
    with ledger.deciding("s") as turn:
        turn.append("decision", b"{}", key="r")
    folder = Path(ledger.path).parent
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert modes == dict.fromkeys(("ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db.head"), 0o600)


def test_an_attempt_is_there_once(ledger: Ledger) -> None:
    with ledger.deciding() as turn:
        turn.append("decision", b"{}", key="r", attempt="a1")
    with ledger.deciding() as turn:
        row = turn.decided("a1")
        assert row is not None
        assert dict(zip(COLUMNS, row, strict=True))["key"] == "r"
    with pytest.raises(StoreError), ledger.deciding() as turn:
        turn.append("decision", b"{}", key="r", attempt="a1")


def test_a_grant_is_live_until_it_is_used_up_expired_or_revoked(engine: Engine, ledger: Ledger) -> None:
    now = 1_000
    ledger.clock = lambda: now
    with ledger.deciding() as turn:
        turn.grant("twice", b'{"n":1}', key="git:push", uses=2)
        turn.grant("soon over", b'{"n":2}', key="git:push", expires=2_000)
        turn.grant("taken back", b'{"n":3}', key="git:push")
        turn.grant("for another", b'{"n":4}', key="git:push", holder="s2")

    def live(*holders: str) -> list[str]:
        with ledger.deciding() as turn:
            return [row[4] for row in turn.live_grants(("git:push", "git:*"), ("", *holders))]

    assert live() == ["twice", "soon over", "taken back"]
    assert live("s2") == ["twice", "soon over", "taken back", "for another"]
    with ledger.deciding() as turn:
        assert [turn.redeem("twice", b"{}") for _ in range(3)] == [True, True, False]
        assert [turn.revoke("taken back", b"{}") for _ in range(2)] == [True, False]
        assert turn.redeem("nobody's", b"{}") is False
    now = 3_000
    assert live() == []
    with ledger.deciding() as turn:
        turn.append("override", b"{}", key="x")
    now = 500  # the clock is set back
    assert live() == []
    assert engine.verify().damage is None


def test_a_grants_row_that_was_changed_is_not_used(engine: Engine, ledger: Ledger) -> None:
    with ledger.deciding() as turn:
        turn.grant("g", b'{"action":"git:push"}', key="git:push")
    ledger.close()
    wider = engine.blob('{"action":"*"}')
    engine.change(f"UPDATE ledger SET body = {wider}")
    with pytest.raises(StoreError, match=r"row 1 of .* was changed"), ledger.deciding() as turn:
        turn.live_grants(("git:push",))


@pytest.mark.parametrize("what", ["ledger.db", "ledger.db-wal"])
@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_taken_away_under_a_running_process_is_noticed(
    what: str, replaced: bool, tmp_path: Path
) -> None:
    ledger = Ledger(folders_for(str(tmp_path)).ledger)
    with ledger.deciding() as turn:
        turn.append("decision", b"{}", key="r1")
    taken = Path(ledger.path).with_name(what)
    raw = taken.read_bytes()

    def decide_meanwhile() -> None:
        with ledger.deciding() as turn:
            turn.append("decision", b"{}", key="r2")
            taken.unlink()
            if replaced:
                taken.write_bytes(raw)

    with pytest.raises(StoreError, match="removed or replaced while it was in use"):
        decide_meanwhile()


def test_a_ledger_of_a_newer_version_is_left_alone(engine: Engine, ledger: Ledger) -> None:
    with ledger.deciding() as turn:
        turn.append("decision", b"{}", key="r")
    ledger.close()
    engine.change("UPDATE tip SET version = 99")
    with (
        pytest.raises(StoreError, match=r"made by a newer Interlock \(tables 99, this one knows 1\)"),
        ledger.deciding(),
    ):
        pass


def test_what_is_written_down_twice_agrees() -> None:
    assert len(MIGRATIONS) == sql.VERSION
    assert set(KINDS) >= DURABLE


SAME = """
import sys; sys.path.insert(0, sys.argv[1])
from interlock.store.ledger.ledger import Ledger
times = iter([5000, 4000, 6000, 1, 2, 3, 7000, 8000, 9000])
ledger = Ledger(sys.argv[2], clock=lambda: next(times))
for n in range(4):
    with ledger.deciding("s") as turn:
        turn.append("decision", b'{"n":%d}' % n, key=f"r{n}", attempt=f"a{n}", state=b"%d" % n)
print(turn.hash)
"""


def test_the_same_rows_have_the_same_hashes_on_any_seed_and_with_a_clock_that_goes_back(tmp_path: Path) -> None:
    source = str(Path(interlock.__file__).parents[1])
    said = {
        subprocess.run(
            [sys.executable, "-S", "-c", SAME, source, str(tmp_path / f"{seed}/ledger.db")],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in (0, 1, 2)
    }
    assert len(said) == 1
    rows = ledger_rows(tmp_path / "0/ledger.db")
    assert [row["at"] for row in rows] == [4000, 1, 3, 8000]
    fields = tuple(canonical(rows[0]["body"]) if name == "body" else rows[0][name] for name in COLUMNS)
    assert row_hash(fields) == rows[0]["hash"]


def test_a_row_names_its_columns_and_equals_the_plain_tuple() -> None:
    fields = (1, "grant", 5, "s", "gr_1", None, None, None, b"{}", GENESIS, "f" * 64)
    row = Row(fields)
    assert [getattr(row, name) for name in COLUMNS] == list(fields)
    with pytest.raises(AttributeError):
        row.seq = 2
    assert row == fields
