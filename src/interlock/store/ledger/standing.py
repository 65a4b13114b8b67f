"""What stands in sessions because of a person or the loop guard: locks, phrases, remembered yeses and noes.

For commands alone. A session's state is read as the ledger keeps it, and changed in one turn with a row that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...bytes.canon import canonical, digest_of_bytes
from ...bytes.strict import parse_object
from ...model.errors import InputError, StoreError
from ...model.posture import Posture
from ...model.session import Session, until
from ...record.resume import changed, opened
from ...value import Value
from .. import sql
from ..clock import now

if TYPE_CHECKING:
    from .ledger import AnyDatabase, Ledger

__all__ = ["Standing", "change_session", "named", "standing_in"]

_LOOKED_AT = 500  # sessions, the last ones
_LAST = "SELECT body FROM ledger WHERE kind = 'session' AND key = ? ORDER BY seq DESC LIMIT 1"


class Standing(Value):
    """One session. `start` is the posture that it would begin with; `at`: its last row, in milliseconds."""

    id: str
    root: str
    at: int
    session: Session
    start: Posture

    @property
    def locked(self) -> bool:
        """Locked by itself, and not with its project."""
        return self.session.posture is Posture.LOCKED and self.start is not Posture.LOCKED

    @property
    def matters(self) -> bool:
        session = self.session
        return bool(self.locked or session.raised or session.phrase or session.grants or session.refused)


def standing_in(ledger: Ledger) -> list[Standing]:
    """The last sessions in which anything stands, the newest first."""
    database = ledger.connect()
    found = []
    for id, state, recorded, at in database.rows(sql.KEPT_SESSIONS, (_LOOKED_AT,)):
        if recorded != digest_of_bytes(bytes(state)):
            raise StoreError(f"the state of session {id} in `{ledger.path}` does not follow from its rows")
        session, start = opened(bytes(state))
        one = Standing(id=id, root=_root(database, id), at=at, session=until(session, now()), start=Posture.of(start))
        if one.matters:
            found.append(one)
    return found


def named(found: list[Standing], name: str | None, root: str, *, wanted: Callable[[Standing], bool]) -> list[Standing]:
    """Those that are meant: the one that is named, by its first letters too, else all of this project."""
    if name is None:
        return [one for one in found if one.root == root and wanted(one)]
    exact = [one for one in found if one.id == name]
    near = exact or [one for one in found if len(name) >= 4 and one.id.startswith(name)]
    if len(near) > 1:
        raise InputError(f"`{name[:60]}` stands for {len(near)} sessions; write more of the name")
    return [one for one in near if wanted(one)]


def change_session(
    ledger: Ledger, id: str, kind: str, said: Mapping[str, Any], change: Callable[[Session, Posture], Session]
) -> None:
    """Changes what is kept of a session, with a row that says who did."""
    with ledger.deciding(id) as turn:
        if turn.state is None:
            raise StoreError(f"nothing is kept of session {id}")
        start = Posture.of(opened(turn.state)[1])
        state = changed(turn.state, lambda session: change(session, start))
        turn.append(kind, canonical(said), key=id if kind == "posture" else "forget", state=state, durable=True)


def _root(database: AnyDatabase, id: str) -> str:
    row = database.row(_LAST, (id,))
    return "" if row is None else str(parse_object(row[0], limit=len(row[0]) + 1).get("root", ""))
