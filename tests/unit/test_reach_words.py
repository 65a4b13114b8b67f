"""How far a yes may reach, and what a person is shown of that before they say it."""

from __future__ import annotations

import pytest

from interlock.approve.grant import Grant
from interlock.approve.keys import remembered
from interlock.approve.reaches import ONCE, Offer, offers_of, said_of, stands_for
from interlock.model.action import Action
from interlock.model.decision import Finding
from interlock.model.effects import Effect
from interlock.model.verdict import Risk, Verdict
from interlock.value import FrozenMap

START = Action(name="systemctl:start", target=FrozenMap({"unit": "nginx"}), effects=(Effect.EXECUTE,))
STOP, ANY = START.replace(name="systemctl:stop"), START.replace(target=FrozenMap({"unit": "*"}))
ACTIONS = (START, STOP, ANY)


def ask(*actions: int, lifted_by: tuple[str, ...] = ("once", "remembered")) -> Finding:
    return Finding(layer="tiers", rule="r", verdict=Verdict.ASK, text="Why.", actions=actions, lifted_by=lifted_by)


# --- what a yes stands for ----------------------------------------------------------------------------------------


def test_a_yes_stands_for_each_grant_of_all_asks_once() -> None:
    grants, why = stands_for([ask(0), ask(1), ask(0)], ACTIONS, strict=False)
    assert why == ""
    assert grants == remembered(ask(0, 1), ACTIONS, by="")
    assert [grant.id for grant in grants] == [
        "remembered:systemctl:start unit=nginx",
        "remembered:systemctl:stop unit=nginx",
    ]


@pytest.mark.parametrize(
    ("asks", "strict", "why"),
    [
        ([ask(0)], True, "in the approval mode strict every call is asked about"),
        ([], False, "nothing that could be remembered was asked about"),
        (
            [ask(0), ask(1, lifted_by=("once", "capability"))],
            False,
            "this is asked each time, and a remembered yes does not satisfy it: Why.",
        ),
        ([ask(0, 2)], False, "no pattern says just what was meant, or where it goes is not known: Why."),
    ],
)
def test_where_a_yes_is_for_one_call_the_person_is_told_why(asks: list[Finding], *, strict: bool, why: str) -> None:
    assert stands_for(asks, ACTIONS, strict=strict) == ((), why)


# --- what is offered ----------------------------------------------------------------------------------------------

GRANT = Grant(
    id="g",
    kind="remembered",
    action="systemctl:start",
    scope=FrozenMap({"unit": "nginx"}),
    effects=(Effect.EXECUTE,),
    tags=("system",),
    risk=Risk.MEDIUM,
)
LINES = (
    "systemctl:start, unit = nginx",
    "effects: execute; marked at most system; risk up to medium",
    "asks on first use only; what is asked each time is still asked",
)
PLACES = {"session": "s1", "folder": "/p/sub", "repository": "/p"}
ONE_CALL = Offer(reach=ONCE, covers=("this one call, once, exactly as it is shown",))


def offer(reach: str, place: str, where: str) -> Offer:
    return Offer(
        reach=reach,
        place=place,
        covers=(f"this one call, and {where}:", *LINES),
        grants=(GRANT.replace(reach=reach),),
    )


EVERYWHERE = offer("everywhere", "", "every call on this machine")


def test_every_reach_is_offered_with_its_place_and_with_what_it_covers() -> None:
    assert offers_of((GRANT,), PLACES, "") == (
        ONE_CALL,
        offer("session", "s1", "calls of the session s1"),
        offer("folder", "/p/sub", "calls in the folder /p/sub"),
        offer("repository", "/p", "calls in the repository /p"),
        EVERYWHERE,
    )
    assert [(offer.place, offer.refused) for offer in (ONE_CALL, EVERYWHERE)] == [("", ""), ("", "")]


def test_a_reach_whose_place_is_not_known_cannot_be_had() -> None:
    assert offers_of((GRANT,), {"session": ""}, "") == (
        ONE_CALL,
        Offer(reach="session", refused="the question names no session"),
        Offer(reach="folder", refused="the question names no folder"),
        Offer(reach="repository", refused="the question names no repository"),
        EVERYWHERE,
    )


@pytest.mark.parametrize(
    ("grants", "refused", "why"),
    [
        ((GRANT,), "asked each time", "asked each time"),
        ((), "asked each time", "asked each time"),
        ((), "", "nothing can be remembered of it"),
    ],
)
def test_where_nothing_further_can_be_had_each_reach_says_why(
    grants: tuple[Grant, ...], refused: str, why: str
) -> None:
    places = {**PLACES, "everywhere": ""}
    expected = [Offer(reach=reach, place=place, refused=why) for reach, place in places.items()]
    assert offers_of(grants, places, refused) == (ONE_CALL, *expected)


def test_a_reason_for_all_comes_before_that_of_one_place() -> None:
    (_, *others) = offers_of((GRANT,), {}, "asked each time")
    assert {offer.refused for offer in others} == {"asked each time"}


# --- what a person reads of a grant -------------------------------------------------------------------------------

LEAVES_NOT = "nothing that leaves this machine: its scope names no destination"
ANYTHING = "whatever its effects, marks and risk"
AHEAD = Grant(id="g", kind="capability", action="git:push")
SAID: list[tuple[Grant, list[str]]] = [
    (GRANT, list(LINES)),
    (AHEAD, ["git:push, any target", ANYTHING]),
    (AHEAD.replace(action="git:*"), ["git:*, any target", ANYTHING, LEAVES_NOT]),
    (
        AHEAD.replace(action="git:*", scope=FrozenMap({"destination": "*"})),
        ["git:*, destination = *", ANYTHING],
    ),
    (
        AHEAD.replace(scope=FrozenMap({"destination": "a.test", "unit": "a\nb"}), irreversible=False),
        ["git:push, destination = a.test, unit = a, b", ANYTHING, "nothing that cannot be taken back"],
    ),
    (
        AHEAD.replace(tags=(), effects=(), risk=Risk.LOW),
        ["git:push, any target", "effects: none; risk up to low"],
    ),
    (
        AHEAD.replace(tags=("new", "built"), effects=(Effect.READ, Effect.NETWORK), risk=Risk.HIGH),
        ["git:push, any target", "effects: network, read; marked at most new, built; risk up to high"],
    ),
]


@pytest.mark.parametrize(("grant", "lines"), SAID)
def test_a_person_reads_what_the_grant_holds(grant: Grant, lines: list[str]) -> None:
    assert said_of(grant) == lines
