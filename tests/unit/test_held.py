"""The live grants of a decision: which are found for an action, which are told as near misses, and under which keys a
store keeps them.
"""

from __future__ import annotations

import pytest

from interlock.approve.grant import Grant
from interlock.approve.held import Held, held_of, keys_of_grant, wanted_heads, wanted_keys
from interlock.model.action import Action, Reading
from interlock.value import FrozenMap

PUSH = Action(name="git:push", target=FrozenMap({"branch": "feature/x", "force": True}))


def grant(id: str, action: str = "git:push", kind: str = "capability", **scope: str) -> Grant:
    return Grant(id=id, kind=kind, action=action, scope=FrozenMap(scope))


def ids(grants: list[Grant]) -> list[str]:
    return [found.id for found in grants]


# --- like a tuple -------------------------------------------------------------------------------------------------


def test_what_is_held_reads_like_the_tuple_that_it_was_made_of() -> None:
    given = (grant("a"), grant("b"))
    held = Held(iter(given))
    assert (len(held), tuple(held), held[1], held[:1]) == (2, given, given[1], given[:1])
    assert held == given
    assert held == Held(given)
    assert held != given[:1]
    assert held != Held()
    assert hash(held) == hash(given)
    assert (len(Held()), bool(Held()), bool(held)) == (0, False, True)


def test_many_grants_are_made_ready_once_and_few_each_time() -> None:
    many = tuple([grant(str(at)) for at in range(33)])
    others = tuple([grant(str(at)) for at in range(34)])
    ready = held_of(many)
    assert ready == many
    assert held_of(ready) is ready
    assert held_of(many) is ready
    assert held_of(others) == others
    assert held_of(many) == many
    few = many[:32]
    assert held_of(few) == few
    assert held_of(few) is not held_of(few)


def test_a_list_that_has_grown_is_read_anew() -> None:
    given = [grant(str(at)) for at in range(40)]
    assert len(held_of(given)) == 40
    given.append(grant("last"))
    assert held_of(given)[-1].id == "last"


# --- what is found ------------------------------------------------------------------------------------------------


def test_an_approval_is_found_by_what_it_binds_and_by_nothing_else() -> None:
    once, again = Grant(id="a", kind="once", binds="ap_1"), Grant(id="b", kind="once", binds="ap_1")
    unbound = Grant(id="c", kind="once", action="git:push")
    bound = grant("d").replace(binds="ap_2")
    held = Held((once, grant("e"), again, unbound, bound))
    assert held.bound_to("ap_1") == [(0, once), (2, again)]
    assert held.bound_to("ap_2") == [(4, bound)]
    assert [held.bound_to(approval) for approval in ("ap_3", "?", "", None)] == [[], [], [], []]
    assert held.for_action(PUSH) == [(1, grant("e"))]


def test_grants_that_may_cover_an_action_are_found_in_their_order() -> None:
    given = (
        grant("any", "*"),
        grant("other", "git:pull"),
        grant("main", branch="main"),
        grant("features", branch="feature/*"),
        grant("family", "git:*"),
        grant("npm", "npm:*"),
    )
    assert Held(given).for_action(PUSH) == [(0, given[0]), (3, given[3]), (4, given[4])]


def test_a_kept_yes_to_a_package_or_to_several_values_is_found_by_its_action() -> None:
    """Its text is compared in part, so it is not looked up by it."""
    install = Action(name="pkg:install", target=FrozenMap({"package": "acme@2", "unit": ("a", "b")}))
    kept = grant("kept", "pkg:install", "remembered", package="acme").replace(whole=True)
    several = grant("several", "pkg:install", "remembered", unit="a\nb").replace(whole=True)
    ahead = grant("ahead", "pkg:install", package="acme")
    assert Held((kept, several, ahead)).for_action(install) == [(0, kept), (1, several)]
    other = grant("other", "pkg:install", "remembered", registry="r.test").replace(whole=True)
    assert Held((other,)).for_action(install) == []


# --- near misses --------------------------------------------------------------------------------------------------


def near(*given: Grant, kinds: tuple[str, ...] = ("capability",)) -> list[str]:
    held = Held(given)
    return ids(held.near(PUSH, held.for_action(PUSH), kinds))


def test_a_person_reads_of_at_most_three_near_misses() -> None:
    given = [grant(id, action, branch="main") for id, action in zip("abcdef", ("*", "git:push") * 3, strict=True)]
    assert near(*given) == ["b", "d", "f"]
    assert near(*given[:3]) == ["b", "a", "c"]


def test_what_was_found_comes_first_and_each_once() -> None:
    assert near(grant("a", branch="main"), grant("b"), grant("c", branch="main")) == ["b", "a", "c"]


def test_where_enough_were_found_no_others_are_looked_for() -> None:
    found = (grant("a"), grant("b", kind="remembered"), grant("c"))
    assert near(*found, grant("d", "git:*", branch="main")) == ["a", "c"]
    assert near(*found[:2], grant("d", "git:*", branch="main")) == ["a", "d"]


@pytest.mark.parametrize(
    "other", [grant("other", kind="remembered"), grant("other", "gi?:pull"), grant("other", "npm*")]
)
def test_what_could_not_lift_it_or_is_about_something_else_is_no_near_miss(other: Grant) -> None:
    assert near(other) == []
    assert near(other, grant("mine")) == ["mine"]


# --- keys of a store ----------------------------------------------------------------------------------------------

KEYS: list[tuple[Grant, tuple[str, str]]] = [
    (Grant(id="g", kind="once", binds="ap_1"), ("once ", "once ap_1")),
    (Grant(id="g", kind="once"), ("once ", "once ")),
    (grant("g").replace(binds="ap_1"), ("once ", "once ap_1")),
    (grant("g"), ("git:push", "git:push")),
    (grant("g", "git:*"), ("git:", "git:")),
    (grant("g", "*"), ("*", "*")),
    (grant("g", branch="main"), ("git:push", "git:push branch=main")),
    (grant("g", branch="feature/*"), ("git:push", "git:push branch^feature/")),
    (grant("g", package="acme"), ("git:push", "git:push package=acme")),
    (grant("g", package="acme").replace(whole=True), ("git:push", "git:push")),
    (grant("g", package="acme", unit="a").replace(whole=True), ("git:push", "git:push unit=a")),
    (grant("g", unit="a\nb").replace(whole=True), ("git:push", "git:push")),
]


@pytest.mark.parametrize(("given", "keys"), KEYS)
def test_a_store_keeps_a_grant_under_these_keys(given: Grant, keys: tuple[str, str]) -> None:
    assert keys_of_grant(given) == keys


def test_a_store_looks_a_call_up_under_these_keys() -> None:
    list_it = Action(name="ls")
    reading = Reading(call="sha256:c", projection="sha256:p", actions=(PUSH, list_it))
    marks = ("branch=feature/x", "branch^feature/", "force=true")
    assert wanted_keys(reading, "ap_1") == (
        "git:push",
        *[f"git:push {mark}" for mark in marks],
        "git:",
        *[f"git: {mark}" for mark in marks],
        "*",
        *[f"* {mark}" for mark in marks],
        "ls",
        "once ap_1",
    )
    assert wanted_keys(reading) == wanted_keys(reading, "ap_1")[:-1]
    assert wanted_heads(reading) == ("git:push", "git:", "*", "ls")
