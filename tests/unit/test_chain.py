"""The chain alone: what a row's hash binds, and what a walk says of rows that were tampered with."""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise
from typing import Any

import pytest

from interlock.record.chain import (
    ANNOUNCED,
    COLUMNS,
    DAMAGE,
    DURABLE,
    FRONTS,
    GENESIS,
    KINDS,
    Damage,
    Fields,
    Row,
    Walked,
    row_hash,
    walk,
)


def row(seq: int, prev: str, **other: Any) -> Fields:
    """A whole row: its hash is that of its fields."""
    fields = {
        "seq": seq,
        "kind": "decision",
        "at": 1_700_000_000_000 + seq,
        "session": "s",
        "key": f"k{seq}",
        "attempt": None,
        "state": None,
        "proof": None,
        "body": b"{}",
        "prev": prev,
        **other,
    }
    return (*fields.values(), row_hash((*fields.values(), "")))


def chain(count: int, first: int = 1, prev: str = GENESIS) -> list[Fields]:
    rows: list[Fields] = []
    for seq in range(first, first + count):
        rows.append(row(seq, prev))
        prev = rows[-1][-1]
    return rows


def changed(fields: Fields, **other: Any) -> Fields:
    """The row with some columns set to something else, and nothing done about its hash."""
    return tuple(other.get(name, value) for name, value in zip(COLUMNS, fields, strict=True))


def damage_of(rows: list[Fields]) -> Damage | None:
    return walk(rows).damage


def test_a_hash_is_that_of_the_canonical_fields_and_the_digest_of_the_body() -> None:
    fields = (7, "grant", 5, "s", "k", "a", "t", "p", b"body", "q" * 64, "")
    body = sha256(b"body").hexdigest()
    text = f'[1,7,"grant",5,"s","k","a","t","p","{body}","{"q" * 64}"]'
    assert row_hash(fields) == sha256(text.encode()).hexdigest()
    assert row_hash(fields, 8) == sha256(text.replace("[1,7,", "[1,8,").encode()).hexdigest()


@pytest.mark.parametrize("column", COLUMNS[:-1])
def test_a_hash_binds_every_column(column: str) -> None:
    fields = row(3, GENESIS, attempt="a", state="t", proof="p")
    old = fields[COLUMNS.index(column)]
    new = old + 1 if isinstance(old, int) else old + (b"x" if isinstance(old, bytes) else "x")
    assert row_hash(changed(fields, **{column: new})) != fields[-1]


def test_columns_are_read_by_name() -> None:
    fields = chain(1)[0]
    assert {name: getattr(Row(fields), name) for name in COLUMNS} == dict(zip(COLUMNS, fields, strict=True))
    assert COLUMNS == ("seq", "kind", "at", "session", "key", "attempt", "state", "proof", "body", "prev", "hash")


def test_a_whole_chain_is_walked_to_its_end() -> None:
    rows = chain(5)
    assert walk(rows) == Walked(seq=5, hash=rows[4][-1], count=5)
    assert walk([]) == Walked(seq=0, hash=GENESIS, count=0)


def test_a_walk_goes_on_where_another_ended() -> None:
    rows = chain(5)
    assert walk(rows[2:], seq=2, prev=rows[1][-1]) == Walked(seq=5, hash=rows[4][-1], count=3)
    assert damage_of(rows[2:]) == Damage(kind="deletion", seq=1, text="rows 1 to 2 are missing")


def test_what_looks_at_each_row_may_stop_the_walk() -> None:
    rows = chain(4)
    found = Damage(kind="signature", seq=3, text="forged")
    seen: list[int] = []

    def look(row: Row) -> Damage | None:
        seen.append(row.seq)
        return found if row.seq == 3 else None

    assert walk(rows, look=look) == Walked(seq=2, hash=rows[1][-1], count=2, damage=found)
    assert seen == [1, 2, 3]


@pytest.mark.parametrize(("gone", "text"), [((3,), "it is missing"), ((3, 4), "rows 3 to 4 are missing")])
def test_rows_that_are_missing(gone: tuple[int, ...], text: str) -> None:
    left = [fields for fields in chain(6) if fields[0] not in gone]
    assert damage_of(left) == Damage(kind="deletion", seq=3, text=text)


def test_a_row_that_is_chained_well_under_a_number_that_is_too_high() -> None:
    """Somebody has left out a number and chained on: each hash is right, and still a row is missing."""
    first = chain(1)[0]
    assert damage_of([first, row(3, first[-1])]) == Damage(kind="deletion", seq=2, text="it is missing")


def test_a_row_whose_content_was_changed() -> None:
    rows = chain(5)
    rows[2] = changed(rows[2], body=b"[]")
    assert walk(rows) == Walked(
        seq=2,
        hash=rows[1][-1],
        count=2,
        damage=Damage(kind="edit", seq=3, text="its content does not have its hash"),
    )


@pytest.mark.parametrize("wrong", [{"body": 5}, {"at": "x"}, {"key": "\ud800"}, {"body": None}, {"hash": 5}])
def test_what_is_no_row_of_ours_is_an_edit(wrong: dict[str, Any]) -> None:
    rows = chain(3)
    rows[1] = changed(rows[1], **wrong)
    found = damage_of(rows)
    assert found is not None
    assert (found.kind, found.seq) == ("edit", 2)


def test_a_row_that_was_rewritten_with_a_hash_of_its_own() -> None:
    rows = chain(5)
    rows[2] = row(3, rows[1][-1], body=b"[]")
    told = "it was rewritten: row 4 is chained to what it was"
    assert damage_of(rows) == Damage(kind="edit", seq=3, text=told)


@pytest.mark.parametrize("count", [4, 5])
def test_a_row_that_neither_neighbour_is_chained_to(count: int) -> None:
    rows = chain(count)
    rows[2] = row(3, "f" * 64)
    told = "it was rewritten: neither neighbour is chained to it"
    assert damage_of(rows) == Damage(kind="edit", seq=3, text=told)


def test_the_last_row_chained_to_something_else() -> None:
    rows = chain(3)
    rows[2] = row(3, "f" * 64)
    told = "it was rewritten: row 3 is chained to what it was"
    assert damage_of(rows) == Damage(kind="edit", seq=2, text=told)


def test_a_number_that_occurs_twice() -> None:
    rows = chain(4)
    assert damage_of([*rows[:3], rows[2], rows[3]]) == Damage(kind="insertion", seq=3, text="its number occurs twice")


def test_a_copy_of_the_row_before_it() -> None:
    rows = chain(4)
    copy = changed(rows[1], seq=3)
    assert damage_of([*rows[:2], copy, rows[3]]) == Damage(kind="insertion", seq=3, text="it is a copy of row 2")


def test_a_copy_of_an_earlier_row() -> None:
    rows = chain(6)
    copy = changed(rows[1], seq=5)
    assert damage_of([*rows[:4], copy, rows[5]]) == Damage(kind="insertion", seq=5, text="it is a copy of row 2")


@pytest.mark.parametrize("count", [2, 4])
def test_a_foreign_row_for_which_others_were_moved_up(count: int) -> None:
    """Both the last of them and one with others behind it."""
    rows = chain(3 + count)
    moved = [changed(fields, seq=fields[0] + 1) for fields in rows[3:]]
    foreign = changed(rows[0], seq=4, key="foreign")
    told = "the rows after it were moved up to make room"
    assert damage_of([*rows[:3], foreign, *moved]) == Damage(kind="insertion", seq=4, text=told)


def test_a_whole_row_put_in_for_which_others_were_moved_up() -> None:
    """The new row is chained as it must be; the one behind it is at home a number before."""
    rows = chain(5)
    put_in = row(4, rows[2][-1], key="new")
    moved = [changed(fields, seq=fields[0] + 1) for fields in rows[3:]]
    told = "the rows after it were moved up to make room"
    assert damage_of([*rows[:3], put_in, *moved]) == Damage(kind="insertion", seq=4, text=told)


@pytest.mark.parametrize("apart", [1, 2, 40])
def test_rows_in_each_others_place(apart: int) -> None:
    rows = chain(50)
    one, other = 3, 3 + apart
    rows[one - 1], rows[other - 1] = changed(rows[other - 1], seq=one), changed(rows[one - 1], seq=other)
    told = f"it and row {other} stand in each other's place"
    assert damage_of(rows) == Damage(kind="swap", seq=one, text=told)


def test_a_row_whose_place_holds_something_else_was_not_swapped() -> None:
    rows = chain(6)
    rows[2], rows[4] = changed(rows[4], seq=3), changed(rows[4], body=b"[]")
    assert damage_of(rows) == Damage(kind="deletion", seq=3, text="what was row 5 was moved here")


def test_a_foreign_row_before_one_that_was_edited_too_is_an_edit() -> None:
    """The row behind it follows the right one, but is not whole a number lower: nothing was moved up."""
    rows = chain(5)
    foreign = changed(rows[0], seq=4, key="foreign")
    behind = changed(rows[3], seq=5, key="edited")
    told = "its content does not have its hash"
    assert damage_of([*rows[:3], foreign, behind]) == Damage(kind="edit", seq=4, text=told)


def test_a_row_behind_a_foreign_one_that_followed_another_was_not_moved_up() -> None:
    rows = chain(6)
    foreign = changed(rows[0], seq=4, key="foreign")
    told = "its content does not have its hash"
    assert damage_of([*rows[:3], foreign, changed(rows[4], seq=6)]) == Damage(kind="edit", seq=4, text=told)


def test_a_row_made_for_the_place_before_is_told_by_its_number() -> None:
    rows = chain(4)
    made = changed(row(2, "f" * 64, key="x"), seq=3)
    assert damage_of([*rows[:2], made, rows[3]]) == Damage(kind="insertion", seq=3, text="it is a copy of row 2")


def test_a_row_made_for_a_later_place_was_moved_whatever_it_follows() -> None:
    rows = chain(4)
    made = changed(row(5, rows[0][-1], key="x"), seq=3)
    assert damage_of([*rows[:2], made]) == Damage(kind="deletion", seq=3, text="what was row 5 was moved here")


def test_the_first_row_put_into_the_second_place_is_a_copy() -> None:
    rows = chain(4)
    again = changed(rows[0], seq=3)
    assert damage_of([*rows[:2], again, rows[3]]) == Damage(kind="insertion", seq=3, text="it is a copy of row 1")


def test_a_row_that_was_moved_down() -> None:
    rows = chain(6)
    left = [*rows[:2], changed(rows[4], seq=3)]
    assert damage_of(left) == Damage(kind="deletion", seq=3, text="what was row 5 was moved here")


@pytest.mark.parametrize(("home", "kind"), [(66, "deletion"), (67, "edit")])
def test_a_home_is_looked_for_sixty_four_rows_around(home: int, kind: str) -> None:
    rows = chain(70)
    found = damage_of([rows[0], changed(rows[home - 1], seq=2)])
    assert found is not None
    assert (found.kind, found.seq) == (kind, 2)


@pytest.mark.parametrize(("other", "kind"), [(67, "swap"), (68, "edit")])
def test_the_other_place_is_looked_for_in_the_rows_that_follow(other: int, kind: str) -> None:
    rows = chain(80)
    rows[2], rows[other - 1] = changed(rows[other - 1], seq=3), changed(rows[2], seq=other)
    found = damage_of(rows)
    assert found is not None
    assert (found.kind, found.seq) == (kind, 3)


def test_no_row_has_its_home_before_the_first() -> None:
    rows = chain(3)
    early = row(0, GENESIS)
    assert damage_of([rows[0], changed(early, seq=2), rows[2]]) == Damage(
        kind="edit", seq=2, text="its content does not have its hash"
    )


def test_each_row_holds_the_hash_of_the_one_before_it() -> None:
    assert all(later[-2] == earlier[-1] for earlier, later in pairwise(chain(5)))
    assert GENESIS == "0" * 64


def test_what_is_on_disk_keeps_its_name() -> None:
    """Kinds, fronts and damages stand in ledgers and in what people match on: one that is renamed is another."""
    assert set(KINDS) == set(
        "answer approver checkpoint decision dialog gap grant ledger message outcome override owner policy posture "
        "preview prompt pruned redemption reminder revocation session token undo watch".split()
    )
    assert set(KINDS) - DURABLE == set("decision dialog gap message outcome owner posture session watch".split())
    assert {"answer", "grant", "prompt", "reminder", "revocation"} == ANNOUNCED
    hosts = "claude-code gemini-cli qwen-code codex copilot-cli opencode cursor vscode goose windsurf".split()
    commands = "approvals approver audit decide grants off posture preview store token trust undo".split()
    assert set(FRONTS) == {
        *(f"hook:{host}" for host in (*hosts, "cline", "kiro", "amp")),
        *(f"cli:{command}" for command in commands),
        *("cli", "library", "mcp", "proxy", "serve"),
    }
    assert set(DAMAGE) == {
        *"edit deletion swap insertion truncation rollback missing head signature state schema malformed".split(),
        *("unknown key", "unreadable", "unavailable"),
    }
