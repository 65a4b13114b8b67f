"""A person's yes to the lines of a campaign's plan, as a grant in the ledger: given, found again, replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..approve.planned import KIND, covers_all, grant_of_plan
from ..store.ledger.given import grants_in, revoke
from ..store.ledger.grants import GivenGrant, give, holder_of
from ..store.ledger.ledger import Ledger
from .grant import signed
from .person import terminal, who

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..install.campaign import Campaign
    from ..store.home.folders import Folders
    from ..store.ledger.given import Kept

__all__ = ["give_plan", "is_given"]


def is_given(folders: Folders, root: str, given: str, keys: Iterable[str]) -> bool:
    """Whether all of it is permitted already. How strong that yes is shows when it is used."""
    return any(covers_all(one.given.grant, given, keys) for one in _live(folders, root))


def give_plan(folders: Folders, campaign: Campaign, given: str, keys: Iterable[str]) -> None:
    """Permits these commands of the plan, and takes back what was given for an earlier plan of the campaign."""
    words = f"the plan {campaign.plan}"
    before = [one.id for one in _live(folders, campaign.root) if one.given.words == words]
    grant = grant_of_plan(given, keys, by=who(), why=f"the campaign in {campaign.folder}")
    row = GivenGrant(
        grant=grant,
        holder=holder_of("repository", campaign.root),
        words=words,
        folder=campaign.root,
        terminal=terminal(),
    )
    row = signed(folders, row, None)
    ledger = Ledger(folders.ledger, front="cli:grants")
    try:
        with ledger.deciding() as turn:
            give(turn, row)
    finally:
        ledger.close()
    if before:
        revoke(folders, before, by=who(), terminal=terminal(), why="the plan was given anew")


def _live(folders: Folders, root: str) -> list[Kept]:
    holder = holder_of("repository", root)
    kept, _ = grants_in(folders)
    return [one for one in kept if one.state == "live" and one.given.grant.kind == KIND and one.given.holder == holder]
