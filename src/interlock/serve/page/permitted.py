"""Grants and their use, for a person: what is permitted ahead, for whom, until when, and how often it was used."""

from __future__ import annotations

from ...approve.reaches import said_of
from ...policy.model import Policy
from ...store.ledger.given import Kept, grants_of
from ...store.ledger.ledger import View
from ...value import Value

__all__ = ["Permit", "Written", "permits", "written"]

_REACHES = {
    "session": "session {}",
    "folder": "calls in the folder {}",
    "repository": "calls in the repository {}",
}


class Permit(Value):
    """
    share  of its uses, as far as they are used, from 0 to 100; None where they are not counted
    """

    id: str
    state: str
    action: str
    scope: tuple[tuple[str, str], ...]
    says: tuple[str, ...]
    reach: str
    session: str
    by: str
    strength: str
    why: str
    at: int
    expires: int
    uses: int
    used: int
    last_used: int
    share: int | None


class Written(Value):
    """A grant that stands in a policy file."""

    id: str
    action: str
    scope: tuple[tuple[str, str], ...]
    expires: str
    uses: int | None


def permits(view: View) -> list[Permit]:
    """Live ones first, and of those the newest."""
    found = [_permit(kept) for kept in grants_of(view.database, view.at)]
    return sorted(found, key=lambda permit: (permit.state != "live", -permit.at))


def _permit(kept: Kept) -> Permit:
    given, grant, standing = kept.given, kept.given.grant, kept.standing
    reach, _, place = given.holder.partition(" ")
    return Permit(
        id=kept.id,
        state=kept.state,
        action=grant.action,
        scope=tuple(grant.scope.items()),
        says=tuple(said_of(grant)),
        reach=_REACHES[reach].format(place) if reach in _REACHES else "every call on this machine",
        session=place if reach == "session" else "",
        by=grant.by,
        strength=str(grant.strength),
        why=grant.why,
        at=given.at,
        expires=given.expires,
        uses=given.uses,
        used=standing.used,
        last_used=standing.last_used,
        share=min(100, round(100 * standing.used / given.uses)) if given.uses else None,
    )


def written(policy: Policy) -> list[Written]:
    return [
        Written(
            id=grant.id,
            action=grant.action,
            scope=tuple(grant.scope.items()),
            expires=str(grant.expires or ""),
            uses=grant.uses,
        )
        for grant in policy.grants
    ]
