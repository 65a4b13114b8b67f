"""Kinds of damage, done to a ledger of twelve rows by somebody with a database client at hand.

Each is told from what the chain holds, so it has to be found in the same words on every engine, and in the rows that
were shipped to a team store as well as at home.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interlock.record.chain import COLUMNS, Fields, row_hash

__all__ = ["ONLY_SQLITE", "SHAPES", "rehashed", "renumbered"]


def rehashed(row: Fields, **changes: Any) -> Fields:
    """The row with some fields changed and its own hash right again."""
    new = tuple(changes.get(name, value) for name, value in zip(COLUMNS, row, strict=True))
    return (*new[:-1], row_hash(new))


def renumbered(rows: list[Fields]) -> list[Fields]:
    return [(n, *row[1:]) for n, row in enumerate(rows, start=1)]


# what is done to the rows, and what is found where
SHAPES: dict[str, tuple[Callable[[list[Fields]], list[Fields]], tuple[str, int]]] = {
    "one character more in a body": (lambda r: [*r[:2], (*r[2][:8], r[2][8] + b" ", *r[2][9:]), *r[3:]], ("edit", 3)),
    "two rows swapped": (lambda r: renumbered([r[0], r[2], r[1], *r[3:]]), ("swap", 2)),
    "two distant rows swapped": (lambda r: renumbered([r[0], r[6], *r[2:6], r[1], *r[7:]]), ("swap", 2)),
    "a row removed": (lambda r: [*r[:4], *r[5:]], ("deletion", 5)),
    "three rows removed": (lambda r: [*r[:4], *r[7:]], ("deletion", 5)),
    "a row removed and the rest moved down": (lambda r: renumbered([*r[:4], *r[5:]]), ("deletion", 5)),
    "the first row removed": (lambda r: r[1:], ("deletion", 1)),
    "a row with a made-up hash inserted": (
        lambda r: renumbered([*r[:3], (*r[3][:8], b"{}", r[3][9], "0" * 64), *r[3:]]),
        ("insertion", 4),
    ),
    "a row with a right hash inserted": (
        lambda r: [*r[:3], rehashed(r[3], seq=4, body=b"{}"), *renumbered([*r[:3], r[0], *r[3:]])[4:]],
        ("insertion", 4),
    ),
    "a row twice": (lambda r: renumbered([*r[:4], r[3], *r[4:]]), ("insertion", 5)),
    "one digit of the link": (lambda r: [*r[:2], (*r[2][:9], "f" + r[2][9][1:], r[2][10]), *r[3:]], ("edit", 3)),
    "one digit of the hash": (lambda r: [*r[:2], (*r[2][:10], "g" + r[2][10][1:]), *r[3:]], ("edit", 3)),
    "a field taken out of a body": (lambda r: [*r[:1], (*r[1][:8], b"{}", *r[1][9:]), *r[2:]], ("edit", 2)),
    "a kind that there is not": (lambda r: [*r[:1], (r[1][0], "decisioS", *r[1][2:]), *r[2:]], ("edit", 2)),
    "a time of another type": (lambda r: [*r[:1], (*r[1][:2], "now", *r[1][3:]), *r[2:]], ("edit", 2)),
    "a body that is text": (lambda r: [*r[:1], (*r[1][:8], r[1][8].decode(), *r[1][9:]), *r[2:]], ("edit", 2)),
    "a body with a byte-order mark": (
        lambda r: [(*r[0][:8], b"\xef\xbb\xbf" + r[0][8], *r[0][9:]), *r[1:]],
        ("edit", 1),
    ),
    "a byte that is no text": (lambda r: [r[0], (*r[1][:8], b"\x80" + r[1][8], *r[1][9:]), *r[2:]], ("edit", 2)),
    "a last row cut short": (lambda r: [*r[:-1], (*r[-1][:8], r[-1][8][:3], *r[-1][9:])], ("edit", 12)),
    "the last row removed": (lambda r: r[:-1], ("truncation", 12)),
    "the last three rows removed": (lambda r: r[:-3], ("truncation", 10)),
    "every row removed": (lambda r: [], ("truncation", 1)),
    "a row rewritten with its own hash": (lambda r: [*r[:4], rehashed(r[4], body=b"{}"), *r[5:]], ("edit", 5)),
    "a row put at the end": (lambda r: [*r, rehashed(r[-1], seq=13, prev=r[-1][10])], ("insertion", 13)),
}

# PostgreSQL's columns take one type each.
ONLY_SQLITE = ("a time of another type", "a body that is text")
