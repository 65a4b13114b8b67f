"""How often the team has used its shared grants, as of this machine's last sync: for people who list grants here.

Decisions never look at it. What is left of a grant is known to the team store alone, which counts.
"""

from __future__ import annotations

from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...limits import MAX_STATE_BYTES
from ...model.errors import InputError, StoreError
from ...value import TYPE_CHECKING, FrozenMap, Value
from ..home.files import read_file, write_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..ledger.postgres import Database

__all__ = ["TeamUses", "note_uses", "noted_uses"]


class TeamUses(Value):
    """`store` is the address as it may be shown; `at` is when it was asked, 0 for never."""

    store: str
    at: int = 0
    used: Mapping[str, int] = FrozenMap({})


def _path(database: Database) -> str:
    return database.head + "-uses.json"


def note_uses(database: Database, at: int) -> None:
    used = dict(database.rows("SELECT id, used FROM grants WHERE uses > 0 AND ended = 0"))
    write_file(_path(database), canonical({"at": at, "used": used}) + b"\n")


def noted_uses(database: Database) -> TeamUses:
    """What was noted; the database need not be reached."""
    raw = read_file(_path(database), limit=MAX_STATE_BYTES)
    if raw is None:
        return TeamUses(store=database.path)
    try:
        wire: Any = parse_object(raw, limit=MAX_STATE_BYTES)
        used = {str(name): int(count) for name, count in wire["used"].items()}
        return TeamUses(store=database.path, at=int(wire["at"]), used=FrozenMap(used))
    except (InputError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"`{_path(database)}` cannot be read: {error}; the next sync writes it anew") from None
