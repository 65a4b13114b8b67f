"""Grants in the ledger: given, found for a call, used up, taken back.

What counts is the row in the chain: who gave it, for whom, until when, how often. The table beside it only finds
it. A grant reaches a session, a folder, a repository or everything (`holder`), and is lent to a decision while it is
live by the ledger's clock. A use is counted in the transaction of the decision that it lifted, so that one of many
gets the last one. `uses` of a policy file are counted here as well.
"""

from __future__ import annotations

import os
import time

from ...approve.grant import Grant, concerns
from ...approve.held import keys_of_grant, wanted_heads, wanted_keys
from ...approve.standing import Ticket
from ...approve.statement import grant_statement
from ...bytes.canon import canonical, digest, digest_of_bytes
from ...bytes.strict import parse_object
from ...limits import MAX_GRANT_KEYS, MAX_STATE_BYTES
from ...model.errors import ApprovalError, InputError, InterlockError, StoreError
from ...model.verdict import Strength
from ...record.receipt import grant_from_wire, grant_to_wire
from ...value import TYPE_CHECKING, Value, lazy
from .. import sql
from ..clock import counted_grants
from ..facts.reach import folders_of
from .ledger import live_grants, uses_of

if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from typing import Any

    from ...approve.standing import Case
    from ...policy.model import Policy
    from ...record.approvers import check_signature
    from ...record.chain import Row
    from ..facts.reach import Places
    from ..people.approvers import approvers_at
    from .audit import open_for_reading
    from .identity import ledger_name
    from .ledger import AnyDatabase, Ledger, Turn
else:
    check_signature = lazy(globals(), "...record.approvers", "check_signature")
    approvers_at = lazy(globals(), "..people.approvers", "approvers_at")
    open_for_reading = lazy(globals(), ".audit", "open_for_reading")
    ledger_name = lazy(globals(), ".identity", "ledger_name")

__all__ = [
    "COUNTED",
    "GivenGrant",
    "Look",
    "give",
    "holder_of",
    "lent",
    "message_of",
    "open_grant",
    "redeem_used",
    "remember",
]

_AHEAD = ("capability", "planned", "remembered")
COUNTED = "policy"  # the key of rows that count the uses of a policy file's grant; no call is looked up under it


class GivenGrant(Value):
    """
    grant    what it permits; `by` is who, `why` is why, `subject` the agent that it is for, or any
    holder   whom it reaches, as `holder_of` writes it
    expires  its end in milliseconds since 1970; 0: none
    uses     how many calls it covers; 0: any number
    words    what was asked for
    call     the receipt of the decision that it answers, if any
    folder   where it was given
    terminal from which
    nonce    when it was signed; signer and signature: by whom, empty where it is not
    seq, at  its row, and when
    """

    grant: Grant
    holder: str
    expires: int = 0
    uses: int = 0
    words: str = ""
    call: str = ""
    folder: str = ""
    terminal: str = ""
    nonce: int = 0
    signer: str = ""
    signature: str = ""
    seq: int = 0
    at: int = 0


def holder_of(reach: str, place: str) -> str:
    """Whom a grant of this reach is kept for. `place` is the session, or the folder."""
    if reach == "everywhere":
        return ""
    if reach not in ("session", "folder", "repository") or not place:
        raise InputError(f"a grant that reaches a {reach} needs to be told which")
    return f"{reach} {place}"


def give(turn: Turn, given: GivenGrant) -> GivenGrant:
    """Keeps the grant; the same with its id, row and time. Nothing is kept before the turn ends."""
    if given.grant.kind == "once":
        raise InputError("an approval of one call is not a grant made ahead")
    at = turn.ledger.clock()
    name = "gr_" + digest([_wire(given), at, turn.seq])[len("sha256:") :][:12]
    if given.signature:  # its id follows from what is signed: what was taken back cannot be given again
        name = _signed_id(given, ledger_name(turn.database))
        if turn.find(name, "grant") is not None:
            raise InputError(f"`{name}` was given before; sign it again")
    given = given.replace(grant=given.grant.replace(id=name), at=at, seq=turn.seq + 1)
    turn.grant(
        name,
        canonical(_wire(given)),
        key=keys_of_grant(given.grant)[1],
        holder=given.holder,
        expires=given.expires,
        uses=given.uses,
    )
    return given


def remember(turn: Turn, grants: Sequence[Grant], *, holder: str, call: str) -> tuple[GivenGrant, ...]:
    """Keeps what a person's yes to a call stands for (`approve.keys.remembered`). `call` is its receipt."""
    return tuple([give(turn, GivenGrant(grant=grant, holder=holder, call=call)) for grant in grants])


def _wire(given: GivenGrant) -> dict[str, Any]:
    return {
        "call": given.call,
        "expires": given.expires,
        "folder": given.folder,
        "grant": grant_to_wire(given.grant),
        "holder": given.holder,
        "terminal": given.terminal,
        "uses": given.uses,
        "words": given.words,
        **({"nonce": given.nonce, "signature": given.signature, "signer": given.signer} if given.signature else {}),
    }


def message_of(given: GivenGrant, ledger: str) -> bytes:
    """What a person signs to give it in the ledger of this name: all of it but its id, and how strong that makes it."""
    bare = given.replace(grant=given.grant.replace(id="", strength=Strength.WEAK), signature="", signer="")
    return grant_statement({**_wire(bare), "nonce": given.nonce}, ledger=ledger)


def _signed_id(given: GivenGrant, ledger: str) -> str:
    return "gr_" + digest_of_bytes(message_of(given, ledger))[len("sha256:") :][:24]


def _proven(database: AnyDatabase, given: GivenGrant, policy: Policy, at: int) -> Grant:
    """The grant, as strong as its signature shows."""
    # INVARIANT: what a row says of its own strength counts for nothing.
    weak = given.grant.replace(strength=Strength.WEAK, persons=())
    if not given.signature:
        return weak

    ledger = ledger_name(database)
    if given.grant.id != _signed_id(given, ledger):
        return weak
    if database.row(sql.BY_KEY, (given.grant.id, "revocation")) is not None:
        return weak
    if given.uses and len(list(database.rows(sql.ALL_BY_KEY, (given.grant.id, "redemption")))) >= given.uses:
        return weak

    try:
        by = check_signature(approvers_at(database, policy, at), message_of(given, ledger), given.signature)
    except ApprovalError:
        return weak
    return weak.replace(strength=by.strength(at))


def open_grant(row: Row) -> GivenGrant:
    """The grant of a row. StoreError where the row is not that."""
    try:
        wire: Any = dict(parse_object(row.body, limit=MAX_STATE_BYTES))
        wire.pop("front", None)  # where it was given says nothing of what it covers
        given = GivenGrant(**{**wire, "grant": grant_from_wire(wire["grant"]), "seq": row.seq, "at": row.at})
    except (InterlockError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"row {row.seq} is malformed: not a grant: {str(error)[:200]}") from None
    if given.grant.id != row.key:
        raise StoreError(f"row {row.seq} is malformed: the grant says {given.grant.id[:60]}")
    return given


class Look:
    """A ledger that is only looked at: its grants count, and nothing is used up. One that cannot be read has none."""

    def __init__(self, path: str, ledger: Ledger | None = None) -> None:
        self.path = path
        self.ledger = ledger
        self.process = 0
        self.database: AnyDatabase | None = None

    @classmethod
    def on(cls, ledger: Ledger) -> Look:
        """Through the connection of a ledger, in whichever engine's database it is. No turn of it is open."""
        return cls(ledger.path, ledger)

    def lends(self) -> tuple[AnyDatabase, int] | None:
        try:
            database = self._opened()
            tip = database.look(sql.TIP)
        except StoreError:
            return None
        return None if tip is None else (database, max(time.time_ns() // 1_000_000, tip[2]))

    def _opened(self) -> AnyDatabase:
        if self.ledger is not None:
            database = self.ledger.database
            if database.connection is None:
                database.open(create=False)
            return database

        if self.database is None or self.process != os.getpid():  # a connection is its process's own
            self.database, self.process = open_for_reading(self.path), os.getpid()
        return self.database


def lent(
    database: AnyDatabase, at: int, case: Case, places: Places, without: Container[str] = ()
) -> tuple[Ticket, ...]:
    """Live grants that may cover the reading: those without a number of uses first, so that none is wasted.

    `without` are shared grants that the team store does not let go of.
    """
    reading, policy = case.reading, case.policy
    free: list[Ticket] = []
    counted: list[Ticket] = []
    for grant, uses in counted_grants(policy, case.moment, reading) if policy.grants else ():
        count = uses_of(database, f"{COUNTED}:{grant.id}")
        if count is None or (count.used < uses and not count.ended):
            counted.append(Ticket(grant=grant, name=f"{COUNTED}:{grant.id}", uses=uses))
    keys = wanted_keys(reading)[:MAX_GRANT_KEYS]
    for row in live_grants(database, at, keys, places.holders, wanted_heads(reading)):
        given = open_grant(row)
        if row.key in without:
            continue
        if _reaches(given, at, places, case):
            proven = _proven(database, given, policy, at)
            (counted if given.uses else free).append(Ticket(grant=proven, name=given.grant.id))
    return (*free, *counted)


def _reaches(given: GivenGrant, at: int, places: Places, case: Case) -> bool:
    """INVARIANT: the row in the chain is believed, not the table that found it."""
    grant, call = given.grant, case.call
    if given.holder not in places.holders or (given.expires and given.expires <= at):
        return False
    if grant.subject not in ("", call.agent, call.agent_type) or grant.kind not in _AHEAD:
        return False
    reach, _, place = given.holder.partition(" ")
    if reach in ("folder", "repository"):  # `cd elsewhere && git push` is not in the folder
        for action in case.reading.actions:
            if concerns(grant, action) and not all(_is_within(one, place, places) for one in folders_of(action)):
                return False
    return True


def _is_within(folder: str, place: str, places: Places) -> bool:
    real = places.real.get(folder, "")
    return real == place or real.startswith(place.rstrip("/") + "/")


def redeem_used(turn: Turn, uses: Sequence[Ticket], receipt: str, won: Container[str]) -> None:
    """Counts one use of each grant that lifted something. StoreError where one is not there any more."""
    body = canonical({"receipt": receipt})
    for ticket in uses:
        if ticket.uses is not None and uses_of(turn.database, ticket.name) is None:
            turn.grant(ticket.name, canonical({"counts": ticket.grant.id}), key=COUNTED, holder=COUNTED)
        if not turn.redeem(ticket.name, body, up_to=ticket.uses, won=won):
            raise StoreError(f"the grant `{ticket.grant.id}` is used up")
