"""Grants that a team shares: kept in the team store, copied into each ledger, and used up in the team store.

Their ids begin with `team:`. One that has a number of uses counts only where the team store says that this was
one of them; where it cannot be asked, the grant does not count and the call asks a person. So many
machines can hold the same single-use grant, and one of them wins it.
"""

from __future__ import annotations

from ..errors import InterlockError, StoreError
from ..limits import MAX_STATE_BYTES, TEAM_REDEEM_SECONDS
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..approve.grant import Grant
    from ..record.chain import Row
    from .folders import Folders
    from .ledger import Turn

__all__ = ["SHARED", "copy_grant", "redeem_shared", "share"]

SHARED = "team:"


def share(turn: Turn, grant: Grant, *, holder: str = "", expires: int = 0, uses: int = 0) -> Grant:
    """Gives a grant to everybody, in a turn of the team's ledger; the same with its id."""
    from ..approve.held import keys_of_grant
    from ..record.canon import canonical, digest
    from ..record.receipt import grant_to_wire

    said = {"call": "", "expires": expires, "folder": "", "holder": holder, "terminal": "", "uses": uses, "words": ""}
    name = SHARED + digest([grant_to_wire(grant), said, turn.ledger.clock(), turn.seq])[len("sha256:") :][:12]
    grant = grant.replace(id=name)
    body = canonical({**said, "grant": grant_to_wire(grant)})
    turn.grant(name, body, key=keys_of_grant(grant)[1], holder=holder, expires=expires, uses=uses)
    return grant


def copy_grant(turn: Turn, row: Row) -> bool:
    """Copies a grant's row of the team's ledger into this one; whether it is new here.

    INVARIANT: holder, end and uses come from the row, which the chain binds, and not from the table beside it.
    """
    from ..approve.held import keys_of_grant
    from ..record.receipt import grant_from_wire
    from ..record.strict import parse_object

    if not row[4].startswith(SHARED) or turn.find(row[4], "grant") is not None:
        return False
    try:
        said: Any = parse_object(row[8], limit=MAX_STATE_BYTES)
        grant = grant_from_wire(said["grant"])
        holder, expires, uses = said["holder"], said["expires"], said["uses"]
    except (InterlockError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"row {row[0]} of the team's ledger is not a grant: {str(error)[:200]}") from None
    if grant.id != row[4] or type(holder) is not str or type(expires) is not int or type(uses) is not int:
        raise StoreError(f"row {row[0]} of the team's ledger is not the grant that it says it is")
    turn.grant(grant.id, row[8], key=keys_of_grant(grant)[1], holder=holder, expires=expires, uses=uses)
    return True


def redeem_shared(grant: str, body: bytes, url: str, folders: Folders) -> str | None:
    """Uses the grant once in the team store; why it could not be used, or None if it was.

    The environment is a project's to set in some hosts: a `PGHOST` or `PGSERVICEFILE` from there must not choose the
    server that says yes.
    """
    if not url:
        return "the policy names no team store to redeem it in"
    import os

    from .ledger import Ledger
    from .team import open_team

    kept = {name: value for name, value in os.environ.items() if name == "HOME" or name.startswith("PG")}
    for name in kept:
        del os.environ[name]
    os.environ["HOME"] = folders.home  # where libpq looks for certificates
    try:
        database = open_team(url, folders, wait=TEAM_REDEEM_SECONDS, work=TEAM_REDEEM_SECONDS)
    except StoreError as error:
        return str(error)
    finally:
        del os.environ["HOME"]
        os.environ.update(kept)
    try:
        with Ledger.on(database).deciding() as turn:
            used = turn.redeem(grant, body)
        return None if used else "it was used up, taken back or has expired in the team store"
    except StoreError as error:
        return str(error)
    finally:
        database.close()
