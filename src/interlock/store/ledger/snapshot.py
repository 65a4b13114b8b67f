"""What the ledger holds on a call, as of one moment: the snapshot that is weighed (`approve/weigh.py`).

Only the database is read here, so that a turn can take one while it holds the lock. Most ledgers have nobody who is
off and no keys, and one look at an index says so.
"""

from __future__ import annotations

from ...approve.standing import Standing
from ...value import TYPE_CHECKING, lazy
from .. import sql

if TYPE_CHECKING:
    from collections.abc import Container

    from ...approve.standing import Case
    from ...model.call import Call
    from ...policy.model import Policy
    from ..facts.reach import Places
    from ..people.approvers import signing_at
    from ..people.switch import is_off_for, off_now
    from .approvals import asked_before
    from .grants import lent
    from .ledger import AnyDatabase, View
else:
    signing_at = lazy(globals(), "..people.approvers", "signing_at")
    is_off_for = lazy(globals(), "..people.switch", "is_off_for")
    off_now = lazy(globals(), "..people.switch", "off_now")
    asked_before = lazy(globals(), ".approvals", "asked_before")
    lent = lazy(globals(), ".grants", "lent")

__all__ = ["off_until", "signing_now", "standing_of", "standing_of_grants"]


def off_until(database: AnyDatabase, at: int, call: Call, policy: Policy) -> int:
    """Until when a person has switched all but the floor off for this call; 0: it is on."""
    if database.row(sql.BY_KEY, ("off", "override")) is None:
        return 0

    return is_off_for(call, off_now(database, policy, at))


def signing_now(database: AnyDatabase, at: int, policy: Policy) -> str:
    """The strongest signature that a person can give here. Only what is asked about hangs on it."""
    if not policy.keys and database.row(sql.BY_KEY, ("keys", "approver")) is None:
        return ""

    return signing_at(database, policy, at)


def standing_of_grants(
    database: AnyDatabase, at: int, case: Case, places: Places, without: Container[str] = ()
) -> Standing:
    """For a call of which nothing is kept: grants count, questions do not. `without` are shared grants that the team
    store does not let go of.
    """
    tickets = lent(database, at, case, places, without)
    return Standing(tickets=tickets, signing=signing_now(database, at, case.policy))


def standing_of(view: View, case: Case, places: Places, without: Container[str] = (), starter: str = "") -> Standing:
    """All that can count for a call that the policy alone does not allow. `starter` is who runs the agent."""
    found = standing_of_grants(view.database, view.at, case, places, without)
    return found.replace(asked=asked_before(view, case, starter))
