"""How far a yes given on the page may reach: the one place that says which buttons there are.

A wider yes is a grant beside the yes to the call, and its button says what it covers. Those that this person's role or
the policy does not allow are not there.
"""

from __future__ import annotations

from ...approve.reaches import Offer
from ...model.verdict import Strength
from ...store.people.answering import Asked, why_not_answered
from ...store.people.offers import offers_for
from ...value import Value
from ..callers import Caller
from ..service import REACHES

__all__ = ["GIVES", "WHERE", "Yes", "reaches", "yes_to"]

WHERE = "page"  # the surface, as the policy names it
GIVES = Strength.WEAK  # whoever holds the cookie can answer

# reach -> what its button says
_BUTTONS = {
    "once": "Approve once",
    "session": "For this session",
    "folder": "In this folder",
    "repository": "In this repository",
    "everywhere": "Everywhere",
}


class Yes(Value):
    """
    buttons  reach and words of each yes that this person may give here; none: see `refused`
    refused  why none is taken, for a person
    command  what to run instead, where something can be
    covers   words of a button and what the yes behind it would cover besides this call, a line each
    """

    buttons: tuple[tuple[str, str], ...] = ()
    refused: str = ""
    command: str = ""
    covers: tuple[tuple[str, tuple[str, ...]], ...] = ()


def reaches(asked: Asked, caller: Caller) -> tuple[str, ...]:
    """What this person may answer this question with."""
    return tuple([offer.reach for offer in _offered(asked, caller)])


def _offered(asked: Asked, caller: Caller) -> list[Offer]:
    may = REACHES.get(caller.token.role, ())
    return [offer for offer in offers_for(asked) if offer.reach in may and not offer.refused]


def yes_to(asked: Asked, caller: Caller, *, whole: bool) -> Yes:
    """`whole`: all of the call is shown where the buttons are. What was not shown is not approved."""
    id = asked.question.id
    if asked.needs > GIVES:
        return Yes(
            refused=f"It needs a signed answer, {asked.needs} or stronger. An answer on this page is {GIVES}.",
            command=f"interlock approvals approve {id} --sign",
        )
    refused = why_not_answered(asked, yes=True, where=WHERE, strength=GIVES)
    if refused is not None:
        at_terminal = asked.is_open and asked.input is not None and "terminal" in asked.body.get("where", ())
        return Yes(
            refused=f"No yes is taken here: {refused.removeprefix(id).lstrip()}.",
            command=f"interlock approvals approve {id}" if at_terminal else "",
        )
    if not whole:
        return Yes(refused="The call is longer than what is shown here. Open it to read all of it and approve.")
    offers = _offered(asked, caller)
    return Yes(
        buttons=tuple([(offer.reach, _BUTTONS[offer.reach]) for offer in offers]),
        covers=tuple([(_BUTTONS[offer.reach], offer.covers) for offer in offers if offer.grants]),
    )
