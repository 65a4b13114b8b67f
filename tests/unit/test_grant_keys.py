"""The few words that a yes or a no is kept under, and the grants that a yes stands for."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.approve.grant import Grant
from interlock.approve.keys import key_of_action, refusal_of, refused_by, refused_keys, remembered
from interlock.model.action import Action
from interlock.model.decision import Finding
from interlock.model.effects import Effect
from interlock.model.verdict import Risk, Verdict
from interlock.value import FrozenMap


def act(name: str = "x:do", tags: tuple[str, ...] = (), **target: Any) -> Action:
    return Action(name=name, target=FrozenMap(target), tags=tags)


NAMED = (
    *("service", "unit", "fetched", "package", "registry", "destination", "protected"),
    *("program", "runs", "digest", "given", "fields"),
)
KEYS: list[tuple[Action, str]] = [
    (act(), "x:do"),
    (act(force=True, all=True, dry=False, branch="main"), "x:do all force"),
    # in the order in which a person reads them, whatever the order of the call
    (
        Action(name="x:do", target=FrozenMap({field: str(at) for at, field in enumerate(reversed(NAMED))})),
        "x:do service=11 unit=10 fetched=9 package=8 registry=7 destination=6 protected=5"
        " program=4 runs=3 digest=2 given=1 fields=0",
    ),
    (act(cluster="prod"), "x:do"),
    (act(unit="u", cluster="*"), "x:do, this one"),
    # a path is its folder, unless that is near the root
    (act(path="/a/b/c/d.txt"), "x:do path=/a/b/c/*"),
    (act(path="/a/b/d.txt"), "x:do path=/a/b/d.txt"),
    (act(path="/a/b/c/d.txt", real="/m/d.txt", unit="u"), "x:do path=/a/b/c/* real=/m/d.txt"),
    (act(path="/a/b/c/d.yml", obeyed="workflow"), "x:do path=/a/b/c/d.yml obeyed=workflow"),  # others obey it alone
    (act(path="/a/b/c/*"), "x:do, this one"),
    (act(path="/a/b/c/d", real="/m/*"), "x:do, this one"),
    (act(path="/a/b/c/*", real="/m/d"), "x:do, this one"),
    (act(path=("/a", "/b"), unit="u"), "x:do unit=u"),
    # a host
    (act(host="a.test", url="https://a.test/x", unit="u"), "x:do host=a.test"),
    (act(host="*.test"), "x:do, this one"),
    (act(host=("a.test", "b.test"), unit="u"), "x:do unit=u"),
    # what stands for a secret stands for any other as well
    (act(path="/a/b/c/[redacted:token]"), "x:do, this one"),
    (act(host="[redacted:token].test"), "x:do, this one"),
    # a name that is a pattern
    (act("tool:*"), "tool:*, this one"),
]


@pytest.mark.parametrize(("action", "key"), KEYS)
def test_a_key_says_what_is_granted_in_a_few_words(action: Action, key: str) -> None:
    assert key_of_action(action) == key


# --- a no ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["destination", "fields", "given", "package", "program", "protected", "registry"])
def test_a_no_to_one_is_a_no_whichever_it_was(field: str) -> None:
    action = Action(name="x:do", target=FrozenMap({"unit": "u", field: "v"}))
    assert key_of_action(action) != "x:do unit=u"
    assert refused_keys(action) == ("x:do unit=u",)


@pytest.mark.parametrize("field", ["service", "unit", "fetched", "runs", "digest"])
def test_a_no_is_to_this_service_or_program(field: str) -> None:
    assert refused_keys(Action(name="x:do", target=FrozenMap({field: "v"}))) == (f"x:do {field}=v",)


def test_a_no_is_kept_with_its_switches_and_looked_up_without_them_too() -> None:
    assert refused_keys(act(unit="u", force=True)) == ("x:do unit=u", "x:do unit=u force")
    assert refused_keys(act(path="/a/*")) == ("x:do, this one",)


PUSH, FORCED = act("git:push"), act("git:push", force=True)
PUBLISH, ODD = act("npm:publish", package="acme"), act("fs:write", path="/a/*")
ACTIONS = (PUSH, FORCED, PUBLISH, ODD)


def ask(*actions: int) -> Finding:
    return Finding(layer="rules", rule="r", verdict=Verdict.ASK, text="Why.", actions=actions, lifted_by=("once",))


@pytest.mark.parametrize(
    ("asks", "kept"),
    [
        ([], ()),
        ([ask(0)], ("git:push",)),
        ([ask(1)], ("git:push force",)),
        ([ask(0, 2)], ("git:push", "npm:publish")),
        ([ask(0), ask(2)], ("git:push", "npm:publish")),
        ([ask()], ("ap_1",)),
        ([ask(3)], ("ap_1",)),
        ([ask(0, 3)], ("ap_1",)),
        ([ask(2), ask()], ("npm:publish", "ap_1")),
    ],
)
def test_a_no_is_kept_under_all_that_was_asked(asks: list[Finding], kept: tuple[str, ...]) -> None:
    assert refusal_of(asks, ACTIONS, "ap_1") == kept


BOTH = ("git:push", "npm:publish")


@pytest.mark.parametrize(
    ("refused", "asks", "by"),
    [
        ((), [ask(0)], None),
        ((("git:push",),), [ask(0)], ("git:push",)),
        ((("git:push",),), [ask(1)], ("git:push",)),
        ((("git:push force",),), [ask(0)], None),
        ((("git:push force",),), [ask(1)], ("git:push force",)),
        ((BOTH,), [ask(0)], None),
        ((BOTH,), [ask(0), ask(2)], BOTH),
        ((BOTH,), [ask(0, 2)], BOTH),
        ((("npm:publish",), ("git:push",)), [ask(0)], ("git:push",)),
        ((("ap_1",),), [ask(0)], ("ap_1",)),
        ((("ap_2",),), [ask(0)], None),
        ((("git:push",),), [ask()], None),
    ],
)
def test_a_no_counts_where_all_that_it_was_said_to_is_asked_again(
    refused: tuple[tuple[str, ...], ...], asks: list[Finding], by: tuple[str, ...] | None
) -> None:
    assert refused_by(refused, asks, ACTIONS, "ap_1") == by


# --- a yes --------------------------------------------------------------------------------------------------------

ONCE_OR_KEPT = ("once", "remembered")


def kept(action: Action, *, lifted_by: tuple[str, ...] = ONCE_OR_KEPT) -> tuple[Grant, ...]:
    return remembered(ask(0).replace(lifted_by=lifted_by), (action,), by="ann")


def test_a_yes_stands_for_a_grant_that_is_bound_to_all_that_was_shown() -> None:
    action = Action(
        name="helm:upgrade",
        target=FrozenMap({"service": "web", "cluster": "prod", "wait": True, "dry": False, "branch": "main"}),
        effects=(Effect.NETWORK,),
        tags=("external2",),
        risk=Risk.HIGH,
        irreversible=True,
    )
    assert kept(action) == (
        Grant(
            id="remembered:helm:upgrade service=web wait cluster=prod",
            kind="remembered",
            action="helm:upgrade",
            scope=FrozenMap({"service": "web", "cluster": "prod", "wait": "true"}),
            effects=(Effect.NETWORK,),
            tags=("external2",),
            risk=Risk.HIGH,
            irreversible=True,
            reach="session",
            by="ann",
            why="Why.",
            whole=True,
        ),
    )


def test_a_yes_to_several_actions_stands_for_a_grant_each() -> None:
    finding = ask(0, 2).replace(lifted_by=ONCE_OR_KEPT)
    given = remembered(finding, ACTIONS, by="ann", reach="folder")
    assert [(grant.id, grant.reach) for grant in given] == [
        ("remembered:git:push", "folder"),
        ("remembered:npm:publish package=acme", "folder"),
    ]
    assert remembered(finding.replace(actions=(0, 3)), ACTIONS, by="ann") == ()


OUT = ("external",)


@pytest.mark.parametrize(
    ("action", "count"),
    [
        (act(unit="u"), 1),
        (act(unit="*"), 0),
        (act(path="/a/b/c/d", cluster="*"), 0),  # the key is plain, and what else was shown is not
        (act(path="/a/b/*", cluster="c"), 0),
        (act(tags=OUT, destination="a.test"), 1),
        (act(tags=OUT, unit="u"), 0),  # nobody knows where it went
        (act(tags=("new",), unit="u"), 1),
        (act("tool:send", tags=OUT), 1),
    ],
)
def test_what_no_pattern_says_is_not_remembered(action: Action, count: int) -> None:
    assert len(kept(action)) == count
    assert kept(action, lifted_by=("once", "capability")) == ()
