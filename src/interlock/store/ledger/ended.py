"""Grants that would have covered a call and have ended: a person is told which, and why it no longer counts."""

from __future__ import annotations

from ...approve.grant import why_not
from ...approve.held import wanted_keys
from ...approve.pointed import Standing, state_of
from ...limits import MAX_GRANT_KEYS
from ...value import TYPE_CHECKING
from .. import sql
from ..clock import ended_grants as ended_in_files
from .grants import open_grant
from .ledger import uses_of

if TYPE_CHECKING:
    from ...approve.grant import Grant
    from ...approve.standing import Case
    from ...model.action import Action
    from ...model.decision import Decision
    from ..facts.reach import Places
    from .ledger import AnyDatabase

__all__ = ["ended_for"]

_MOST = 50  # rows that are looked at
_TOLD = 3


def ended_for(database: AnyDatabase, at: int, case: Case, places: Places, decision: Decision) -> tuple[str, ...]:
    """A line for each, the newest first; not more than a person reads."""
    call, reading, policy = case.call, case.reading, case.policy
    indexes = {index for finding in decision.reasons for index in finding.actions}
    actions = [reading.actions[index] for index in sorted(indexes) if index < len(reading.actions)]
    found = [
        f"the grant `{grant.id}` of a policy file would cover it, but it expired {end}"
        for grant, end in (ended_in_files(policy, case.moment) if policy.grants else ())
        if _covers_one(grant, actions)
    ]
    keys, holders = wanted_keys(reading)[:MAX_GRANT_KEYS], places.holders
    if actions and keys:
        for row in list(database.entries(sql.ended_grants(len(keys), len(holders)), (*keys, *holders, at, _MOST))):
            given = open_grant(row)
            counted = uses_of(database, given.grant.id)
            if counted is None or given.grant.subject not in ("", call.agent, call.agent_type):
                continue
            standing = Standing(grant=given.grant, expires=given.expires, uses=given.uses, used=counted.used,
                                revoked=counted.ended)  # fmt: skip
            if given.grant.kind == "capability" and _covers_one(given.grant, actions):
                found.append(f"the grant {given.grant.id} would cover it, but it is {state_of(standing, at)}")
    return tuple(found[:_TOLD])


def _covers_one(grant: Grant, actions: list[Action]) -> bool:
    return any(why_not(grant, action) is None for action in actions)
