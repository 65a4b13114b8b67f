"""Is an export whole? The chain of its lines, followed on any machine, without the database that they come from.

An export may begin after rows that were pruned or left out: its first row is taken as it is, and every later one must
continue the chain. What was cut off at either end shows only against the ledger itself, its head or a checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.errors import InputError
from ...record.chain import COLUMNS, GENESIS, Damage, Row, Walked, walk
from ...value import FrozenMap
from .verify import statement_trouble

__all__ = ["lines_of", "verify_export"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def lines_of(stream: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines with their numbers. A mark that some programs put before a text is not part of it."""
    for number, line in enumerate(stream, start=1):
        yield number, (line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line).rstrip(b"\r\n")


def verify_export(stream: Iterable[bytes], known: dict[str, bytes]) -> tuple[int, Walked]:
    """The number of the first row, and how far the chain is whole. `known` are the keys that may sign statements."""
    bad: list[Damage] = []
    rows = _rows(stream, bad)
    first = next(rows, None)
    if first is None:
        return 0, Walked(seq=0, hash=GENESIS, count=0, damage=bad[0] if bad else None)
    before, prev = (0, GENESIS) if first.seq <= 1 else (first.seq - 1, str(first.prev))

    def all_rows() -> Iterator[Row]:
        yield first
        yield from rows

    walked = walk(all_rows(), seq=before, prev=prev, look=lambda row: statement_trouble(row, known))
    if bad and walked.damage is None:  # the walk came to its end where a line could not be read
        walked = walked.replace(damage=bad[0].replace(seq=walked.seq + 1))
    return int(first.seq), walked


def _rows(stream: Iterable[bytes], bad: list[Damage]) -> Iterator[Row]:
    """Rows up to the first line that is none."""
    for number, line in lines_of(stream):
        try:
            data: Any = parse_object(line, limit=MAX_STATE_BYTES)
        except InputError as error:
            bad.append(Damage(kind="malformed", seq=0, text=f"line {number} cannot be read: {error}"))
            return
        if set(data) != set(COLUMNS) or type(data["body"]) is not FrozenMap or type(data["seq"]) is not int:
            bad.append(Damage(kind="malformed", seq=0, text=f"line {number} is not a row of a ledger"))
            return
        yield Row([canonical(data[name]) if name == "body" else data[name] for name in COLUMNS])
