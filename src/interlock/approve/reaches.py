"""How far a yes may reach beyond the one call that was asked about, and what it would cover there.

When a question is kept, its row says which grants a yes to it stands for, or why none (`stands_for`). A surface lists
from that row what it may offer (`offers_of`): what a person is shown is what the grant holds, word for word.
"""

from __future__ import annotations

from ..model.effects import effect_names
from ..value import TYPE_CHECKING, Value
from .glob import is_plain
from .grant import DESTINATION, REACHES, Grant, shown
from .keys import remembered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..model.action import Action
    from ..model.decision import Finding

__all__ = ["ONCE", "Offer", "offers_of", "said_of", "stands_for"]

ONCE = "once"

# reach -> what it is, where the place is put in
_WHERE = {
    "session": "calls of the session {}",
    "folder": "calls in the folder {}",
    "repository": "calls in the repository {}",
    "everywhere": "every call on this machine",
}


class Offer(Value):
    """
    reach    one of `REACHES`
    place    the session or folder that it is for; empty for `once` and `everywhere`
    covers   what a yes of this reach would cover, in lines for a person
    grants   what would be given besides the yes to the one call
    refused  why this reach cannot be had; empty where it can
    """

    reach: str
    place: str = ""
    covers: tuple[str, ...] = ()
    grants: tuple[Grant, ...] = ()
    refused: str = ""


def stands_for(asks: Sequence[Finding], actions: tuple[Action, ...], *, strict: bool) -> tuple[tuple[Grant, ...], str]:
    """The grants that a yes to all of these stands for, or why it is for the one call only."""
    if strict:
        return (), "in the approval mode strict every call is asked about"
    found: dict[str, Grant] = {}
    for ask in asks:
        if "remembered" not in ask.lifted_by:
            return (), f"this is asked each time, and a remembered yes does not satisfy it: {ask.text}"
        given = remembered(ask, actions, by="")
        if not given:
            return (), f"no pattern says just what was meant, or where it goes is not known: {ask.text}"
        found.update({grant.id: grant for grant in given})
    return tuple(found.values()), "" if found else "nothing that could be remembered was asked about"


def offers_of(grants: Sequence[Grant], places: Mapping[str, str], refused: str) -> tuple[Offer, ...]:
    """Every reach, the shortest first. `places`: the place of each reach that has one; one that is not there, or is
    empty, cannot be had.
    """
    offers = [Offer(reach=ONCE, covers=("this one call, once, exactly as it is shown",))]
    for reach in REACHES[1:]:
        place = places.get(reach, "")
        why = refused
        if not why and reach != "everywhere" and not place:
            why = f"the question names no {reach}"
        if why or not grants:
            offers.append(Offer(reach=reach, place=place, refused=why or "nothing can be remembered of it"))
            continue
        within = tuple([grant.replace(reach=reach) for grant in grants])
        lines = [line for grant in within for line in said_of(grant)]
        covers = (f"this one call, and {_WHERE[reach].format(place)}:", *lines)
        offers.append(Offer(reach=reach, place=place, covers=covers, grants=within))
    return tuple(offers)


def said_of(grant: Grant) -> list[str]:
    """What it covers, in a few lines for a person."""
    if grant.kind == "planned":
        count = len(next(iter(grant.scope.values()), "").split("\n"))
        return [
            f"{count} planned command{'' if count == 1 else 's'}, while words, program and script stay as they were"
        ]
    within = ", ".join([f"{field} = {shown(pattern)}" for field, pattern in grant.scope.items()]) or "any target"
    lines = [f"{grant.action}, {within}"]
    if grant.tags is None:
        lines.append("whatever its effects, marks and risk")
    else:
        marks = f"; marked at most {', '.join(grant.tags)}" if grant.tags else ""
        lines.append(f"effects: {', '.join(effect_names(grant.effects)) or 'none'}{marks}; risk up to {grant.risk}")
    if not grant.irreversible:
        lines.append("nothing that cannot be taken back")
    if DESTINATION not in grant.scope and not is_plain(grant.action):
        lines.append("nothing that leaves this machine: its scope names no destination")
    if grant.kind == "remembered":
        lines.append("asks on first use only; what is asked each time is still asked")
    return lines
