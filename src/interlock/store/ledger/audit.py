"""Reading the ledger for people: the newest rows, one row, rows that match, rows of an export.

Nothing here writes. A row that cannot be read as what it says it is, is an error with its number:
an audit that skips what it does not understand shows a false picture.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.errors import InputError, InterlockError, StoreError
from ...record.chain import COLUMNS, KINDS, Row, row_hash
from ...value import FrozenMap
from .sqlite import Database, nothing_yet

if TYPE_CHECKING:
    from .ledger import AnyDatabase

__all__ = ["SELECT", "entry", "find", "line_of", "open_for_reading", "row_of_line", "select", "tail"]

SELECT = "SELECT " + ", ".join(COLUMNS) + " FROM ledger"  # noqa: S608 - our own names
_DIGITS = 19  # of a number that is too large for a row
_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("seq", "at"), (int,)),
    **dict.fromkeys(("kind", "session", "key", "prev", "hash"), (str,)),
    **dict.fromkeys(("attempt", "state", "proof"), (str, type(None))),
    "body": (bytes,),
}


def open_for_reading(path: str) -> Database:
    """The ledger at the path, which must be there."""
    database = Database(path)
    database.open(create=False)
    database.tolerate_bad_text()
    if database.fresh:
        database.close()
        raise nothing_yet(path)
    return database


def tail(database: Database, count: int) -> list[Row]:
    """The newest rows, oldest first."""
    return list(database.entries(f"{SELECT} ORDER BY seq DESC LIMIT ?", (count,)))[::-1]


def find(database: AnyDatabase, name: str) -> list[Row]:
    """The rows that a number, or an id or its beginning, names; newest first."""
    if not name.isprintable() or name == "":  # no id of ours, and no text that a database takes
        return []
    if name.isascii() and name.isdigit():
        return list(database.entries(f"{SELECT} WHERE seq = ?", (int(name),))) if len(name) < _DIGITS else []
    for start in (name, f"sha256:{name}"):
        beyond = start[:-1] + chr(ord(start[-1]) + 1)
        found = list(database.entries(f"{SELECT} WHERE key >= ? AND key < ? ORDER BY seq DESC", (start, beyond)))
        if found:
            return found
    return []


def select(
    database: Database,
    *,
    kind: str | None = None,
    session: str | None = None,
    since: int | None = None,
    until: int | None = None,
    verdict: str | None = None,
    text: str | None = None,
) -> Iterator[Row]:
    """Rows in their order that fit everything given. Times are milliseconds since 1970."""
    wanted = [
        (words, value)
        for words, value in (("kind = ?", kind), ("session = ?", session), ("at >= ?", since), ("at < ?", until))
        if value is not None
    ]
    where = " WHERE " + " AND ".join(words for words, _ in wanted) if wanted else ""
    needle = None if text is None else text.casefold()
    for row in database.entries(f"{SELECT}{where} ORDER BY seq", tuple(value for _, value in wanted)):
        if needle is not None and not _mentions(row, needle):
            continue
        if verdict is not None and _verdict(row) != verdict:
            continue
        yield row


def _mentions(row: Row, needle: str) -> bool:
    if needle in f"{row.session}\n{row.key}".casefold():
        return True
    return type(row.body) is bytes and needle in row.body.decode("utf-8", "replace").casefold()


def _verdict(row: Row) -> str | None:
    if row.kind != "decision":
        return None
    try:
        return str(entry(row)["body"]["receipt"]["decision"]["verdict"])
    except (KeyError, TypeError):
        return None


def entry(row: Row) -> dict[str, Any]:
    """A row as plain data. StoreError where it is malformed, or its hash is not its own."""
    for name, value in zip(COLUMNS, row, strict=True):
        if type(value) not in _TYPES[name]:
            raise StoreError(f"row {row.seq} is malformed: `{name}` is not what it should be")
    if row.kind not in KINDS:
        raise StoreError(f"row {row.seq} is malformed: `{str(row.kind)[:40]}` is not a kind of row")
    try:
        own = row.hash == row_hash(row)
    except ValueError:
        own = False
    if not own:
        raise StoreError(f"row {row.seq} is malformed: its content does not have its hash")
    found = dict(zip(COLUMNS, row, strict=True))
    try:
        found["body"] = json.loads(row.body)
    except ValueError as error:
        raise StoreError(f"row {row.seq} is malformed: {error}") from None
    return found


def line_of(row: Row) -> bytes:
    """A row as one line of an export: canonical, so that its hash can be computed from it again."""
    checked = entry(row)
    fixed = {name: value for name, value in checked.items() if name != "body"}
    raw = canonical(fixed)
    body: bytes = row.body
    return b'{"body":' + body + b"," + raw[1:] + b"\n"


def row_of_line(line: bytes, number: int) -> Row:
    """A row from a line of an export; InputError where it is not one."""
    try:
        data = parse_object(line, limit=MAX_STATE_BYTES)
    except InputError as error:
        raise InputError(f"line {number} is malformed: {error}") from None
    if set(data) != set(COLUMNS) or type(data["body"]) is not FrozenMap:
        raise InputError(f"line {number} is malformed: it is not a row of a ledger")
    row = Row([canonical(data[name]) if name == "body" else data[name] for name in COLUMNS])
    try:
        entry(row)
    except InterlockError as error:
        raise InputError(f"line {number}: {error}") from None
    return row
