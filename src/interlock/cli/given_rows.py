"""Grants of the ledger as a person reads them, and as JSON."""

from __future__ import annotations

from typing import Any

from ..record.receipt import grant_to_wire
from ..store.ledger.given import Kept
from ..store.ledger.grants import GivenGrant
from ..store.team.team_uses import TeamUses
from .rows import moment

__all__ = ["facts_of", "lines_of", "reach_words", "shared_facts", "shared_words", "until_words"]

_WHERE = {"session": "session {}", "folder": "calls in the folder {}", "repository": "calls in the repository {}"}


def shared_words(kept: Kept, team: TeamUses | None) -> str:
    """Where a shared grant comes from, and what the team had left of it when this machine last asked."""
    if team is None:
        return "shared by a team store that the policy no longer names, so it does not count if its uses are counted"
    if not kept.given.uses:
        return f"shared in {team.store}"
    if not team.at:
        return f"shared in {team.store}; uses left are known after the next sync"
    left = kept.given.uses - team.used.get(kept.id, kept.given.uses)
    return f"shared in {team.store}, {left} left in the team as of {moment(team.at)}"


def shared_facts(kept: Kept, team: TeamUses | None) -> dict[str, Any]:
    if not kept.is_shared:
        return {"shared": None}
    if team is None or not team.at or not kept.given.uses:
        return {"shared": {"store": None if team is None else team.store, "left": None, "synced": None}}
    left = kept.given.uses - team.used.get(kept.id, kept.given.uses)
    return {"shared": {"store": team.store, "left": left, "synced": moment(team.at)}}


def reach_words(given: GivenGrant) -> str:
    reach, _, place = given.holder.partition(" ")
    words = _WHERE[reach].format(place) if reach in _WHERE else "every call on this machine"
    return f"{words}, agent {given.grant.subject} only" if given.grant.subject else words


def until_words(given: GivenGrant, used: int = 0) -> str:
    end = f"until {moment(given.expires)}" if given.expires else "without an end"
    if not given.uses:
        return end
    left = given.uses - used
    uses = "1 use" if given.uses == 1 else f"{given.uses} uses"
    return f"{end}, {left} of {uses} left" if used else f"{end}, {uses}"


def facts_of(given: GivenGrant, kept: Kept | None = None) -> dict[str, Any]:
    """Everything about it. Moments as texts; None where there is none."""
    grant = grant_to_wire(given.grant)
    reach, _, place = given.holder.partition(" ")
    facts = {
        "id": grant["id"] or None,
        "action": grant["action"],
        "scope": dict(given.grant.scope),
        "kind": grant["kind"],
        "effects": grant["effects"],
        "tags": grant["tags"],
        "risk": grant["risk"],
        "irreversible": grant["irreversible"],
        "reach": reach or "everywhere",
        "place": place or None,
        "subject": grant["subject"] or None,
        "by": grant["by"],
        "strength": given.grant.strength.name,
        "signer": given.signer or None,
        "terminal": given.terminal or None,
        "folder": given.folder or None,
        "why": grant["why"],
        "words": given.words or None,
        "call": given.call or None,
        "at": moment(given.at) if given.at else None,
        "expires": moment(given.expires) if given.expires else None,
        "uses": given.uses or None,
    }
    if kept is not None:
        last = kept.standing.last_used
        facts |= {
            "state": kept.state,
            "used": kept.standing.used,
            "last_used": moment(last) if last else None,
            "row": given.seq,
        }
    return facts


def lines_of(kept: Kept, team: TeamUses | None = None) -> list[str]:
    """Two lines for a list: what it permits, and for whom, until when, by whom and why; one more where it is shared."""
    given, grant = kept.given, kept.given.grant
    scope = " ".join([f"{field}={pattern}" for field, pattern in grant.scope.items()])
    if grant.kind == "planned":
        scope = given.words
    why = f": {grant.why}" if grant.why else ""
    by = f"{grant.by} ({grant.strength})"
    used = 0 if kept.is_shared else kept.standing.used  # of a shared one, the team's count is told
    return [
        f"{grant.id}  {kept.state:7}  {grant.action} {scope}".rstrip(),
        f"    {reach_words(given)}, {until_words(given, used)}; by {by} {moment(given.at)}{why}",
        *([f"    {shared_words(kept, team)}"] if kept.is_shared else []),
    ]
