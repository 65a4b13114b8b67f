"""The grants of a ledger for people: all that are there, how they stand, and which session is at work in a folder."""

from __future__ import annotations

from ...approve.pointed import Standing, state_of
from ...bytes.canon import canonical
from ...bytes.strict import parse_object
from ...model.errors import InputError, StoreError
from ...record.chain import row_hash
from ...value import TYPE_CHECKING, Value
from .. import sql
from ..team.shared import SHARED
from .audit import open_for_reading
from .grants import COUNTED, GivenGrant, open_grant
from .ledger import Ledger

if TYPE_CHECKING:
    from ..home.folders import Folders
    from .ledger import AnyDatabase

__all__ = ["CANARY", "Kept", "forget_dead", "grants_in", "grants_of", "live_sessions", "one_of", "revoke"]

CANARY = "interlock-doctor-"  # sessions in which `interlock doctor` sends a call that must be denied
_LATELY = 12 * 3600 * 1000  # a session that decided something since then may still be at work
_MOST_SESSIONS = 200


class Kept(Value):
    """A grant, and how it stands."""

    given: GivenGrant
    standing: Standing
    state: str

    @property
    def id(self) -> str:
        return self.given.grant.id

    @property
    def is_shared(self) -> bool:
        """A copy of a grant of the team store, which counts its uses."""
        return self.id.startswith(SHARED)


def grants_in(folders: Folders) -> tuple[list[Kept], int]:
    """Every grant of the ledger that was not put away, oldest first, and the moment that it is."""
    ledger = Ledger(folders.ledger, front="cli:grants")
    try:
        database = open_for_reading(folders.ledger)
    except StoreError:
        import os

        if os.path.lexists(folders.ledger):
            raise
        return [], ledger.clock()
    try:
        tip = database.row(sql.TIP)
        moment = max(ledger.clock(), tip[2] if tip is not None else 0)
        return grants_of(database, moment), moment
    finally:
        database.close()


def grants_of(database: AnyDatabase, moment: int) -> list[Kept]:
    """Every grant that was not put away, oldest first, as it stands at that moment."""
    counts = {name: (used, ended) for name, used, ended in database.rows(sql.COUNTS)}
    last = dict(database.rows(sql.LAST_USES))
    found = []
    for row in database.entries(sql.GRANTS):
        if row.hash != row_hash(row):
            raise StoreError(f"row {row.seq} of `{database.path}` was changed")
        if not row.key.startswith(("gr_", SHARED)):
            continue
        given = open_grant(row)
        used, ended = counts[given.grant.id]
        standing = Standing(
            grant=given.grant,
            place=given.holder,
            given=given.at,
            expires=given.expires,
            uses=given.uses,
            used=used,
            revoked=ended,
            last_used=last.get(given.grant.id, 0),
        )
        found.append(Kept(given=given, standing=standing, state=state_of(standing, moment)))
    return found


def one_of(kept: list[Kept], name: str) -> Kept:
    """The grant whose id begins so; InputError where that is none or several."""
    found = [one for one in kept if one.id == name] or [one for one in kept if name and one.id.startswith(name)]
    if not found:
        raise InputError(f"no grant `{name[:60]}` is kept here; see: interlock grants list --all")
    if len(found) > 1:
        raise InputError(f"`{name[:60]}` stands for several grants: {', '.join([one.id for one in found][:5])}")
    return found[0]


def revoke(folders: Folders, names: list[str], *, by: str, terminal: str, why: str) -> list[str]:
    """Takes the grants back, all of them or none; their ids. From the next call on, they cover nothing."""
    kept, _ = grants_in(folders)
    found = [one_of(kept, name).id for name in names]
    said = canonical({"by": by, "terminal": terminal, "why": why})
    ledger = Ledger(folders.ledger, front="cli:grants")
    try:
        with ledger.deciding() as turn:
            for name in dict.fromkeys(found):
                if not turn.revoke(name, said):
                    raise InputError(f"the grant `{name}` is revoked already")
    finally:
        ledger.close()
    return found


def forget_dead(folders: Folders) -> int:
    """Expired, used-up and revoked grants leave the table that decisions look at; their rows stay in the chain."""
    ledger = Ledger(folders.ledger, front="cli:grants")
    try:
        with ledger.deciding() as turn:
            return turn.database.run(sql.FORGET_DEAD, (COUNTED, turn.at))
    finally:
        ledger.close()


def live_sessions(folders: Folders, root: str) -> list[tuple[str, int]]:
    """Sessions that were at work in this project lately, the newest first, and when they last decided something.

    Those of `interlock doctor` are no agent's: nobody gives them anything.
    """
    try:
        database = open_for_reading(folders.ledger)
    except StoreError:
        return []
    try:
        since = Ledger(folders.ledger, front="cli:grants").clock() - _LATELY
        found = []
        for name, at in list(database.rows(sql.LAST_SESSIONS, (_MOST_SESSIONS,))):
            row = database.entry(sql.BY_KEY, (name, "session"))
            if CANARY in name:
                continue
            if at >= since and row is not None and parse_object(row.body).get("root") == root:
                found.append((name, at))
    finally:
        database.close()
    return found
