"""Whoever changes a ledger's rows in its database is found out on every engine: which row, and what was done to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engines import Engine
from interlock.record.canon import canonical
from interlock.record.chain import COLUMNS, Row, row_hash


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


def rehashed(row: Row, **changes: Any) -> Row:
    new = tuple(changes.get(name, value) for name, value in zip(COLUMNS, row, strict=True))
    return (*new[:-1], row_hash(new))


def renumbered(rows: list[Row]) -> list[Row]:
    return [(n, *row[1:]) for n, row in enumerate(rows, start=1)]


SHAPES: dict[str, tuple[Callable[[list[Row]], list[Row]], tuple[str, int]]] = {
    "one byte more in a body": (lambda r: [*r[:2], (*r[2][:8], r[2][8] + b" ", *r[2][9:]), *r[3:]], ("edit", 3)),
    "two rows swapped": (lambda r: renumbered([r[0], r[2], r[1], *r[3:]]), ("swap", 2)),
    "a row removed": (lambda r: [*r[:4], *r[5:]], ("deletion", 5)),
    "a row removed and the rest moved down": (lambda r: renumbered([*r[:4], *r[5:]]), ("deletion", 5)),
    "the last row removed": (lambda r: r[:-1], ("truncation", 12)),
    "every row removed": (lambda r: [], ("truncation", 1)),
    "a row twice": (lambda r: renumbered([*r[:4], r[3], *r[4:]]), ("insertion", 5)),
    "a row rewritten with its own hash": (lambda r: [*r[:4], rehashed(r[4], body=b"{}"), *r[5:]], ("edit", 5)),
    "a row put at the end": (lambda r: [*r, rehashed(r[-1], seq=13, prev=r[-1][10])], ("insertion", 13)),
}


def test_a_ledger_that_nobody_touched_is_whole(filled: Engine) -> None:
    walked = filled.verify()
    assert (walked.damage, walked.count, walked.seq) == (None, 12, 12)


@pytest.mark.parametrize("shape", SHAPES)
def test_tampering_is_named_with_its_row(shape: str, filled: Engine) -> None:
    tamper, expected = SHAPES[shape]
    filled.change("DELETE FROM ledger", many=tamper(filled.raw()))
    assert found(filled) == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE sessions SET seq = 3", ("state", 3)),
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
