"""Writing to the team's own ledger, with whatever rights this machine's account has there.

The owner of the tables appends as to any ledger. Every other account goes through the functions of `sql/roles.py`,
which PostgreSQL runs with the owner's rights: they chain the row and note the account in it. Either way the head that
is kept here is compared first, so that a server which was set back is noticed, and moved afterwards.
"""

from __future__ import annotations

from ...model.errors import StoreError
from ...value import TYPE_CHECKING, Value
from .. import sql as own
from ..ledger.heads import read_head, write_head
from ..ledger.ledger import Ledger, uses_of
from ..sql import roles as sql

if TYPE_CHECKING:
    from typing import Any

    from ..ledger.postgres import Database

__all__ = ["Standing", "TeamLedger", "standing_of"]


class Standing(Value):
    """What the account of a connection may do in the team store."""

    account: str
    writes_all: bool
    ships: bool
    redeems: bool
    answers: bool

    @property
    def role(self) -> str:
        """`agent` and `approver` are the two that keep each other in check; `everything` is one account for both."""
        if self.writes_all or (self.ships and self.answers):
            return "everything"
        if self.answers:
            return "approver"
        return "agent" if self.ships else "reader"

    @property
    def is_weak(self) -> bool:
        """Whether a program with this machine's credentials could write an answer or a grant by itself."""
        return self.answers or self.writes_all

    @property
    def words(self) -> str:
        return _ROLES[self.role]


_ROLES = {
    "agent": "agent: ships its own rows, redeems shared grants, reads answers",
    "approver": "approver: reads all rows, answers, gives and takes back grants; keep it off machines with agents",
    "everything": "everything: answers and grants are weak, since any program with this password can write them; "
    "set up roles with: interlock store migrate --roles",
    "reader": "reads only",
}


def standing_of(database: Database) -> Standing:
    account, *may = database.row(sql.MAY) or ("",)
    writes, ships, redeems, answers = map(bool, may)
    return Standing(account=str(account), writes_all=writes, ships=ships, redeems=redeems, answers=answers)


class TeamLedger:
    """The team's own ledger on an open connection."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.standing = standing_of(database)

    def redeem(self, grant: str, body: bytes) -> bool:
        """Whether one use of the grant was left, and is now used."""
        if self.standing.writes_all:
            with Ledger.on(self.database).deciding() as turn:
                return turn.redeem(grant, body)
        return self._called(sql.REDEEM_AS, (grant, body))

    def is_live(self, grant: str) -> bool:
        """Whether `redeem` would find a use that is left. Nothing is used."""
        at = self._known()[2]
        kept = uses_of(self.database, grant)
        now = max(Ledger.on(self.database).clock(), at)
        return kept is not None and not kept.is_over(now) and (not kept.uses or kept.used < kept.uses)

    def give(self, name: str, body: bytes, *, key: str, holder: str, expires: int, uses: int) -> None:
        if self.standing.writes_all:
            with Ledger.on(self.database).deciding() as turn:
                turn.grant(name, body, key=key, holder=holder, expires=expires, uses=uses)
        elif not self._called(sql.GIVE, (name, body, key, holder, expires, uses)):
            raise StoreError(f"`{self.database.path}` did not keep the grant")

    def revoke(self, grant: str, body: bytes) -> bool:
        if self.standing.writes_all:
            with Ledger.on(self.database).deciding() as turn:
                return turn.revoke(grant, body)
        return self._called(sql.REVOKE_AS, (grant, body))

    def answer(self, name: str, body: bytes) -> bool:
        """For accounts that do not own the tables: whether it was the first answer to the question."""
        return self._called(sql.ANSWER, (name, body))

    def _known(self) -> tuple[int, str, int]:
        """The end of the chain, after a check that it is the one that was seen before."""
        database = self.database
        tip = database.row(own.TIP)
        if tip is None:
            raise StoreError(f"`{database.path}` has lost its end; look at it with: interlock audit verify")
        seq, name, at, version = tip
        if version > own.VERSION:
            raise StoreError(f"`{database.path}` was made by a newer Interlock (tables {version})")
        head = read_head(database.head)
        if head is not None and head != (seq, name):
            row = database.entry(own.BY_SEQ, (head[0],)) if head[0] < seq else None
            if row is None or row.hash != head[1]:
                raise StoreError(
                    f"`{database.path}` is not the ledger that its head describes; look with: interlock audit verify"
                )
        return seq, name, at

    def _called(self, function: str, values: tuple[Any, ...]) -> bool:
        self._known()
        row = self.database.row(function, values)
        if row is None or row[0] is None:
            return False
        write_head(self.database.head, row[0], row[1])
        return True
