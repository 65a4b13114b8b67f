"""Which ledger this is. What a person signs names it, so that a statement for one machine is none on another.

A ledger is named by the hash of its first row. Pruning takes that row away, so the stub carries the name on. A ledger
that was begun anew has a new name: what was signed for the old one (a grant, say, that was taken back in rows that are
lost now) is not signed for it. It only remembers the older names, by which its keys were enrolled.
"""

from __future__ import annotations

from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...model.errors import StoreError
from ...record.chain import row_hash
from ...value import TYPE_CHECKING
from .. import sql

if TYPE_CHECKING:
    from typing import Any

    from .ledger import AnyDatabase, Turn

__all__ = ["ledger_name", "ledger_names", "named"]

_FIRST = "ledger"  # the key of a first row that is there to have a name


def ledger_name(database: AnyDatabase) -> str:
    """The name of this ledger; empty while it has no rows."""
    return ledger_names(database)[0]


def ledger_names(database: AnyDatabase) -> tuple[str, ...]:
    """The name, and those of the ledgers that this one was begun in place of. StoreError where a row was changed."""
    first = database.entry(sql.BY_SEQ, (1,))
    if first is None:
        stub = database.row(sql.LAST_STUB)
        said: Any = {} if stub is None else parse_object(stub[0], limit=len(stub[0]) + 1)
        # Before 0.3.0 a stub named no ledger; then nothing was signed either, and any lasting name will do.
        return str(said.get("ledger") or said.get("last") or ""), *_texts(said.get("before"))
    if first.hash != row_hash(first):
        raise StoreError(f"row 1 of `{database.path}` was changed")
    if (first.kind, first.key) != ("override", "restart"):
        return (str(first.hash),)
    body = parse_object(first.body, limit=len(first.body) + 1)
    return str(first.hash), *_texts(body.get("before"))


def _texts(found: object) -> tuple[str, ...]:
    return tuple([one for one in found if type(one) is str]) if isinstance(found, tuple | list) else ()


def named(turn: Turn) -> str:
    """The name, for whoever is about to sign something: an empty ledger gets a first row."""
    found = ledger_name(turn.database)
    if found:
        return found
    from os import urandom

    turn.append("ledger", canonical({"nonce": urandom(16).hex()}), key=_FIRST, session="")
    return turn.hash
