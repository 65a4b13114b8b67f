"""Off for a while: a person lets everything but the floor through, for an hour at most, and the ledger goes on.

Better than people who delete the hook. Each row, off or on, names the one before it, so that what was ended cannot be
put in force again. A row counts while its time lasts by the ledger's clock, and only if it is as strong as what tier 3
needs now. Most ledgers have no such row, and one look at an index says so.
"""

from __future__ import annotations

import time

from ...approve.statement import off_statement
from ...approve.strength import strength_of_off
from ...bytes.canon import canonical, digest_of_bytes
from ...bytes.strict import parse_object
from ...model.errors import ApprovalError, InputError
from ...model.verdict import Strength
from ...record.chain import row_hash
from ...value import TYPE_CHECKING, lazy
from .. import sql
from .approvers import approvers_at

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...model.call import Call
    from ...policy.model import Policy
    from ...record.approvers import Approvers, check_signature
    from ..ledger.identity import ledger_name
    from ..ledger.ledger import AnyDatabase, Turn
else:
    check_signature = lazy(globals(), "...record.approvers", "check_signature")
    ledger_name = lazy(globals(), "..ledger.identity", "ledger_name")

__all__ = ["LONGEST_OFF", "OFF", "is_off_for", "keep_off", "keep_on", "last_switch", "off_now", "told_off"]

OFF = "off"  # the key of the rows, which are of the kind `override`
LONGEST_OFF = 60 * 60 * 1000  # milliseconds
_SKEW = 5 * 60 * 1000  # by which the machine's clock may have been set back since
_LOOKED_AT = 40  # the newest rows; in an hour nobody switches more often


def off_now(database: AnyDatabase, policy: Policy, at: int) -> dict[str, int]:
    """Session -> until when it is off; an empty name stands for every session."""
    rows = list(database.entries(sql.NEWEST_BY_KEY, (OFF, "override", _LOOKED_AT)))[::-1]
    if not rows or not policy.allow_off:
        return {}
    known: Approvers | None = None
    found: dict[str, int] = {}
    before: str | None
    # What came before the oldest that is looked at is not known, so that one can switch nothing off.
    before = "" if len(rows) < _LOOKED_AT else None
    for row in rows:
        if row.hash != row_hash(row):
            return {}  # somebody has changed it: nothing is off
        try:
            body: Any = parse_object(row.body, limit=len(row.body) + 1)
            session, until = str(body["session"]), int(body["until"])
            if until == 0:
                found = {} if session == "" else {name: end for name, end in found.items() if name != session}
            elif at < until and 0 < until - int(body["at"]) <= LONGEST_OFF and int(body["at"]) <= at:
                # The ledger's clock stands still while it is ahead of the machine's. Then that one says when it ends.
                if not -_SKEW <= time.time_ns() // 1_000_000 - row.at < until - int(body["at"]):
                    raise InputError("its time is over")
                known = known or approvers_at(database, policy, at)
                if body["after"] == before and _is_strong_enough(database, known, policy, body):
                    found[session] = until
        except (InputError, ApprovalError, KeyError, TypeError, ValueError):
            pass  # not a row of ours; it switches nothing
        before = digest_of_bytes(row.body)
    return found


def _is_strong_enough(database: AnyDatabase, known: Approvers, policy: Policy, body: Mapping[str, Any]) -> bool:
    strongest = known.strongest
    least = strength_of_off(policy, "" if strongest is Strength.WEAK else strongest.name)
    if least is Strength.WEAK:
        return True

    message = off_statement(
        ledger=ledger_name(database), session=str(body["session"]), until=int(body["until"]), after=str(body["after"])
    )
    return check_signature(known, message, str(body["signature"])).strength(known.at) >= least


def is_off_for(call: Call, off: Mapping[str, int]) -> int:
    """Until when it is off for this call; 0: it is on."""
    return max([end for name, end in off.items() if name in ("", call.session, call.kept_session)], default=0)


def told_off(until: int) -> str:
    end = time.strftime("%H:%M UTC", time.gmtime(until / 1000))
    return f"off until {end}: only the floor refuses anything. To end it: interlock on"


def last_switch(turn: Turn) -> str:
    """What the next row names as the one before it."""
    row = turn.find(OFF, "override")
    return "" if row is None else digest_of_bytes(row.body)


def keep_off(turn: Turn, policy: Policy, body: Mapping[str, Any]) -> None:
    """Keeps the row if it switches anything off. ApprovalError where it does not."""
    turn.append("override", canonical(body), key=OFF, session="")
    if off_now(turn.database, policy, turn.at).get(str(body["session"])) != body["until"]:
        raise ApprovalError("it stays on: somebody else switched at the same moment, or the signature does not count")


def keep_on(turn: Turn, session: str, said: Mapping[str, Any]) -> None:
    body = {**said, "after": last_switch(turn), "at": turn.at, "session": session, "until": 0}
    turn.append("override", canonical(body), key=OFF, session="")
