"""What needs the yes of two persons, and whose yes counts as that."""

from __future__ import annotations

import pytest

from interlock.approve.grant import Grant
from interlock.layers.two import two, why_not_two
from interlock.model.action import Action, Opaque, Reading
from interlock.model.call import Call
from interlock.model.decision import Finding
from interlock.model.effects import Effect
from interlock.model.session import Session
from interlock.model.verdict import Verdict
from interlock.policy.model import Policy, Tiers
from interlock.value import FrozenMap

CALL = Call(tool="Bash", input=FrozenMap({}), cwd="/p", session="s")
BOTH = Policy(two_for=("kubectl:*", "git:push"), tiers=Tiers(marks=FrozenMap({"secret": 3, "hunts": 2})))


def action(name: str, effects: str, *tags: str) -> Action:
    kinds = tuple(Effect.of(effect) for effect in effects.split())
    return Action(name=name, effects=kinds, tags=tags, field="command")


def found(*actions: Action, policy: Policy = BOTH, opaque: tuple[Opaque, ...] = ()) -> list[Finding]:
    read = Reading(call="c", projection="p", actions=actions, opaque=opaque)
    return list(two(CALL, read, policy, Session(), ()))


def test_the_whole_finding() -> None:
    assert found(action("fs:read", "read"), action("git:push", "network")) == [
        Finding(
            layer="two",
            rule="two",
            verdict=Verdict.ASK,
            text="Push commits: your policy wants the yes of two persons to it, neither of whom started the run.",
            why="your policy wants the yes of two persons to it, neither of whom started the run",
            instead="Leave this step to the persons who approve it, and tell them what is ready.",
            actions=(1,),
            lifted_by=("once",),
        )
    ]


def test_a_call_that_was_not_read_to_its_end_may_be_any_of_them() -> None:
    asked = Finding(
        layer="two",
        rule="unread",
        verdict=Verdict.ASK,
        text="A part of this call could not be read, so it may be an action that needs two persons.",
        instead="Write the call so that all of it can be read.",
        lifted_by=("once",),
    )
    assert found(opaque=(Opaque(reason="a"), Opaque(reason="b"))) == [asked]
    assert found(opaque=(Opaque(reason="a"),), policy=Policy()) == []


@pytest.mark.parametrize(
    ("act", "needs_two"),
    [
        (action("kubectl:delete", "network destructive"), True),
        (action("git:push", "network"), True),
        (action("git:pull", "network write"), False),  # nobody named it
        (action("kubectl:get", "read"), False),
        (action("kubectl:get", "read network"), False),  # it only looks
        (action("kubectl:exec", "network"), True),
        (action("kubectl:cp", "read write"), True),
        (action("kubectl:get", "read network", "hunts"), True),  # it looks at what is not free
        (action("kubectl:get", "read", "secret"), True),
        (action("kubectl:annotate", ""), True),  # of which nothing is known
    ],
)
def test_what_needs_two_persons(act: Action, *, needs_two: bool) -> None:
    assert [(one.rule, one.actions) for one in found(act)] == ([("two", (0,))] if needs_two else [])
    assert found(act, policy=BOTH.replace(two_for=())) == []


@pytest.mark.parametrize(
    ("persons", "why"),
    [
        ((), "it is one person's, and this needs two"),
        (("ann",), "it is one person's, and this needs two"),
        (("ann", "ann"), "it is one person's, and this needs two"),
        (("ann", "bob"), None),
        (("ann", "bob", "cy"), None),
    ],
)
def test_whose_yes_is_that_of_two(persons: tuple[str, ...], why: str | None) -> None:
    assert why_not_two(Grant(id="g", kind="once", persons=persons)) == why
