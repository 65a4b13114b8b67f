"""A copy of the enrolled keys, in a file beside the ledger: a database that cannot be read does not take them along.

The rows are the truth, and nothing but a new beginning looks at the copy. Without it, whoever damages the database
would have the next ledger begin without keys, and tier 3 would need no signature any more. For the same reason no hook
begins a ledger where a copy lies (`store/ledger/ledger.py`).
"""

from __future__ import annotations

from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.errors import InterlockError, StoreError
from ...value import TYPE_CHECKING, Value, lazy
from .. import sql
from ..home.files import read_file, write_file
from ..ledger.heads import keys_file
from .approvers import KEYS

if TYPE_CHECKING:
    from typing import Any

    from ..ledger.audit import open_for_reading
    from ..ledger.identity import ledger_names
    from ..ledger.ledger import AnyDatabase, Ledger
else:
    open_for_reading = lazy(globals(), "..ledger.audit", "open_for_reading")
    ledger_names = lazy(globals(), "..ledger.identity", "ledger_names")

__all__ = ["KeysLeft", "changes_of", "copy_keys", "keys_left", "trouble_with_copy"]


class KeysLeft(Value):
    """
    changes  the bodies of the rows that change the keys, oldest first
    names    of the ledger that they were made for, and of those before it
    known    whether this is all: the database or its copy could be read
    """

    changes: tuple[bytes, ...] = ()
    names: tuple[str, ...] = ()
    known: bool = True


def copy_keys(ledger: Ledger) -> None:
    """Writes the copy anew from the rows; nothing where there are none."""
    with ledger.deciding() as turn:
        found = _in_database(turn.database)
    if found.changes:
        changes: list[Any] = [parse_object(body, limit=len(body) + 1) for body in found.changes]
        write_file(keys_file(ledger.path), canonical({"changes": changes, "ledgers": found.names}) + b"\n")


def keys_left(path: str) -> KeysLeft:
    """What is left of the keys of a ledger that may be damaged: in what can be read of it, and in the copy beside it.

    Their signatures tell which changes hold; of two first ones the rows go before the copy, which has no chain.
    StoreError where there is a copy that is none.
    """
    copied = _copied(path)
    try:
        database = open_for_reading(path)
    except StoreError:
        return copied
    try:
        found = _in_database(database)
    except StoreError:
        return copied
    finally:
        database.close()
    changes = tuple(dict.fromkeys([*found.changes, *copied.changes]))
    return KeysLeft(changes=changes, names=tuple(dict.fromkeys([*found.names, *copied.names])))


def _in_database(database: AnyDatabase) -> KeysLeft:
    changes = changes_of(database)
    try:
        names = tuple([name for name in ledger_names(database) if name])
    except InterlockError:
        names = ()  # the copy has them
    return KeysLeft(changes=changes, names=names)


def changes_of(database: AnyDatabase) -> tuple[bytes, ...]:
    """Each change of the keys once, oldest first, as it may be written again from elsewhere."""
    found = [_without_front(row.body) for row in database.entries(sql.ALL_BY_KEY, (KEYS, "approver"))]
    return tuple(dict.fromkeys([change for change in found if change is not None]))


def _copied(path: str) -> KeysLeft:
    file = keys_file(path)
    raw = read_file(file, limit=MAX_STATE_BYTES)
    if raw is None:
        return KeysLeft(known=False)
    try:
        said: Any = parse_object(raw, limit=MAX_STATE_BYTES)
        changes = tuple([canonical(dict(change)) for change in said["changes"]])
        return KeysLeft(changes=changes, names=tuple([str(name) for name in said["ledgers"]]))
    except (InterlockError, KeyError, TypeError, ValueError):
        raise StoreError(f"`{file}` is damaged, so the enrolled keys cannot be told; put it back from a copy") from None


def trouble_with_copy(database: AnyDatabase) -> str | None:
    """Why the copy beside the database is not believed: it holds what no row says. One that lags behind is normal."""
    try:
        copied = _copied(database.path)
    except StoreError as error:
        return str(error)
    known = set(changes_of(database))
    if all(change in known for change in copied.changes):
        return None
    return f"`{keys_file(database.path)}` holds a change of the keys that no row tells of"


def _without_front(body: bytes) -> bytes | None:
    """None where it cannot be read, and so changes no key."""
    try:
        said = dict(parse_object(body, limit=len(body) + 1))
    except (InterlockError, TypeError):
        return None
    said.pop("front", None)
    return canonical(said)
