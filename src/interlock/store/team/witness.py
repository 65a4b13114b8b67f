"""What this machine remembers of the ledgers in a team store, so that rewriting them there is noticed here.

Whoever may write to the store can replace rows, signatures and the keys beside them so that each chain agrees with
itself. Two things they cannot reach: this machine's own ledger, which its shipped rows must equal, and the note that
is kept here of how far every other chain was, and with which keys, when it was last looked at.
"""

from __future__ import annotations

import os
from typing import Any

from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.errors import InputError, StoreError
from ...record.chain import Damage, Walked
from .. import sql as own
from ..home.files import read_file, write_file
from ..home.folders import Folders
from ..ledger.audit import SELECT, open_for_reading
from ..ledger.heads import read_head
from ..ledger.postgres import Database
from ..people.signing import known_keys
from ..sql import team as sql
from .team import keys_of, origins, verify_shipped

__all__ = ["verify_origins"]


def verify_origins(folders: Folders, database: Database) -> list[tuple[str, Walked]]:
    """Every chain that was shipped: whole in itself, as it was seen before, and for this machine's as it is at home."""
    noted = _noted(database)
    local = _Local(folders)
    found = []
    for origin in origins(database):
        name = str(origin["id"])
        is_own = local.is_own(origin)
        walked = verify_shipped(database, origin, known_keys(folders) if is_own else None)
        if walked.damage is None:
            damage = local.differs(origin, database) if is_own else _differs(noted.get(name), origin, database)
            walked = walked.replace(damage=damage)
        if walked.damage is None:
            keys = {key: value.hex() for key, value in keys_of(str(origin["keys"])).items()}
            noted[name] = {"hash": walked.hash, "keys": keys, "seq": walked.seq}
        found.append((name, walked))
    local.close()
    write_file(_path(database), canonical(noted) + b"\n")
    return found


def _path(database: Database) -> str:
    return database.head + "-origins.json"


def _noted(database: Database) -> dict[str, Any]:
    raw = read_file(_path(database), limit=MAX_STATE_BYTES)
    try:
        return {} if raw is None else dict(parse_object(raw, limit=MAX_STATE_BYTES))
    except InputError as error:
        raise StoreError(f"`{_path(database)}` cannot be read: {error}") from None


def _differs(noted: Any, origin: dict[str, Any], database: Database) -> Damage | None:
    if noted is None:
        return None
    row = database.row(sql.SHIPPED_HASH, (origin["id"], noted["seq"]))
    if row is None:
        text = f"it had {noted['seq']} rows when this machine looked last"
        return Damage(kind="rollback", seq=int(origin["seq"]) + 1, text=text)
    if row[0] != noted["hash"]:
        return Damage(kind="edit", seq=noted["seq"], text="this machine has seen another row here")
    keys = keys_of(str(origin["keys"]))
    for name, public in noted["keys"].items():
        if keys.get(name, b"").hex() != public:
            return Damage(kind="unknown key", seq=noted["seq"], text=f"the key `{name}` that it had is gone or another")
    return None


class _Local:
    """This machine's own ledger, if it has one."""

    def __init__(self, folders: Folders) -> None:
        self.database = open_for_reading(folders.ledger) if os.path.lexists(folders.ledger) else None
        first = None if self.database is None else self.database.entry(f"{SELECT} ORDER BY seq LIMIT 1")
        self.name = "" if first is None else f"{os.uname().nodename}:{first.hash[:16]}"

    def close(self) -> None:
        if self.database is not None:
            self.database.close()

    def is_own(self, origin: dict[str, Any]) -> bool:
        row = None if self.database is None else self.database.entry(own.BY_SEQ, (origin["seq"],))
        return origin["id"] == self.name or (row is not None and row.hash == origin["hash"])

    def differs(self, origin: dict[str, Any], database: Database) -> Damage | None:
        """INVARIANT: the chain there leads to the hash of its origin, so where that is ours all rows are."""
        row = None if self.database is None else self.database.entry(own.BY_SEQ, (origin["seq"],))
        if row is not None and row.hash != origin["hash"]:
            return Damage(kind="edit", seq=origin["seq"], text="this machine's own ledger has another row here")
        shipped = read_head(database.head + "-shipped")
        if shipped is not None and shipped[0] > origin["seq"]:
            text = f"this machine has shipped {shipped[0]} rows"
            return Damage(kind="rollback", seq=int(origin["seq"]) + 1, text=text)
        return None
