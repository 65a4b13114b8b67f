"""What the tiers find, whole: what each mode makes of them, and which reasons a person is told."""

from __future__ import annotations

import pytest

from interlock.layers.tiers import tiers
from interlock.model.action import Action, Reading
from interlock.model.call import Call
from interlock.model.decision import Finding
from interlock.model.effects import Effect
from interlock.model.session import Session
from interlock.model.verdict import Verdict
from interlock.policy.model import ApprovalMode, Policy, Tiers
from interlock.value import FrozenMap

CALL = Call(tool="Bash", input=FrozenMap({}), cwd="/p", session="s")


def action(name: str, *marks: str, effects: str = "read") -> Action:
    kinds = tuple(Effect.of(effect) for effect in effects.split())
    return Action(name=name, tags=marks, effects=kinds, field="command")


TABLE = Tiers(marks=FrozenMap({"hunts": 2, "outside": 3, "secret": 3}))


def found(*acts: Action, mode: str = "default", table: Tiers = TABLE, tool: str = "Bash") -> list[Finding]:
    in_force = Policy(approval_mode=ApprovalMode.of(mode), tiers=table)
    read = Reading(call="c", projection="p", actions=acts)
    return list(tiers(CALL.replace(tool=tool), read, in_force, Session(), ()))


def test_the_whole_finding_of_each_tier_and_mode() -> None:
    two = Finding(
        layer="tiers",
        rule="tier-2",
        verdict=Verdict.ASK,
        text="Run `x two`: it searches for passwords and keys (line 3: it greps).",
        instead="Search for something else, inside the project.",
        actions=(1,),
        grant="x:two",
        lifted_by=("once", "capability", "remembered"),
        why="it searches for passwords and keys (line 3: it greps)",
    )
    three = Finding(
        layer="tiers",
        rule="tier-3",
        verdict=Verdict.ASK,
        text="Run `x three`: passwords or keys are kept there.",
        instead="Work without the secret. Ask the person for the one value that you need.",
        actions=(2,),
        grant="x:three",
        lifted_by=("once", "capability"),
        why="passwords or keys are kept there",
    )
    greps = action("x:two", "hunts").replace(target=FrozenMap({"line": 3, "does": "greps"}))
    acts = (action("x:one"), greps, action("x:three", "secret"))
    assert found(*acts) == [two, three]
    assert found(*acts, mode="permissive") == [three]
    assert found(*acts, mode="permissive", table=TABLE.replace(permissive=1)) == [two, three]
    denied = three.replace(verdict=Verdict.DENY, grant=None, lifted_by=("capability",))
    assert found(*acts, mode="strict") == [two, denied]


def test_code_that_nobody_has_read_stops_in_the_permissive_mode_too() -> None:
    table = TABLE.replace(marks=FrozenMap({"written-here": 2}), permissive=3)
    assert [one.rule for one in found(action("x:y", "written-here"), mode="permissive", table=table)] == ["tier-2"]


def test_what_no_command_and_no_told_argument_says_is_left_to_the_manifest() -> None:
    elsewhere = action("fs:write", "secret", effects="write").replace(field="file_path")
    typed = action("x:y", "secret")
    assert [one.actions for one in found(elsewhere, typed, elsewhere, tool="Write")] == [(1,)]


@pytest.mark.parametrize("field", ["command", "skill", "subagent_type"])
def test_what_a_host_runs_is_tiered_whichever_field_names_it(field: str) -> None:
    assert [one.rule for one in found(action("x:y", "secret").replace(field=field))] == ["tier-3"]


SECRET = "passwords or keys are kept there"
DEVICE = "it uses a device of this machine directly"
OUTWARD = "it is outside the project"
NOWHERE = "there is no project in your home folder, and only what this session made there is free"
LOST = "it cannot be undone"
ALL_THREE = Tiers(
    effects=FrozenMap({"destructive": 3, "spawn": 1}),
    marks=FrozenMap(
        dict.fromkeys(("device", "earlier", "outside", "privileged", "secret", "uncommitted", "own", "hunts"), 3)
    ),
)


@pytest.mark.parametrize(
    ("act", "why"),
    [
        # the gravest reason, and of the others those that a person wants to hear as well
        (action("x:y", "hunts", "device"), DEVICE),
        (action("x:y", "device", effects="destructive"), f"{DEVICE}; {LOST}"),
        (action("x:y", "device", "secret"), f"{DEVICE}; {SECRET}"),
        (action("x:y", "device", "privileged"), f"{DEVICE}; it runs with administrator rights"),
        (
            action("x:y", "device", "earlier"),
            f"{DEVICE}; it was in a temporary folder before this session began",
        ),
        (action("x:y", "device", "outside", effects="write"), f"{DEVICE}; {OUTWARD}"),
        (action("x:y", "device", "outside", "no-project", effects="write"), f"{DEVICE}; {NOWHERE}"),
        (action("x:y", "device", "no-project", effects="write"), DEVICE),
        # what only looks is not outside
        (action("x:y", "outside", "secret"), SECRET),
        (action("x:y", "outside", "no-project", "secret"), SECRET),
        (action("x:y", "outside", effects="write"), OUTWARD),
        (action("x:y", "outside", "no-project", effects="write"), NOWHERE),
        # what git cannot bring back is told once
        (
            action("x:y", "uncommitted", effects="destructive"),
            "the changes are not committed, so git cannot bring them back",
        ),
        (action("x:y", "secret", effects="destructive"), f"{LOST}; {SECRET}"),
        # nothing is lost with what can be had again
        (action("fs:delete", "temp", "outside", effects="destructive"), OUTWARD),
        (action("fs:delete", "temp", "destructive", effects="destructive"), LOST),
        # effects that have no part in it are not told
        (action("x:y", "own", effects="spawn"), "your policy asks about what is marked `own`"),
        (action("x:y", "own"), "your policy asks about what is marked `own`"),
    ],
)
def test_which_reasons_are_told(act: Action, why: str) -> None:
    marks = {**ALL_THREE.marks, "destructive": 3} if "destructive" in act.tags else ALL_THREE.marks
    assert [one.why for one in found(act, table=ALL_THREE.replace(marks=FrozenMap(marks)))] == [why]


def test_marks_of_another_tier_are_not_told() -> None:
    table = Tiers(marks=FrozenMap({"hunts": 2, "privileged": 1, "external": 3}), effects=FrozenMap({"spawn": 2}))
    told = "it searches for passwords and keys"
    assert [one.why for one in found(action("x:y", "hunts", "privileged", "secret"), table=table)] == [told]
    assert [one.why for one in found(action("x:y", "hunts", effects="destructive"), table=table)] == [told]
    seen = action("x:y", "hunts", "external")
    assert [one.why for one in found(seen, table=table)] == ["other people will see it"]


def test_that_it_cannot_be_undone_is_told_whatever_else_put_it_into_its_tier() -> None:
    table = Tiers(marks=FrozenMap({"secret": 3}), effects=FrozenMap({"destructive": 2}))
    [one] = found(action("x:y", "secret", effects="destructive"), table=table)
    assert one.why == f"{LOST}; {SECRET}"


def test_a_declared_tool_that_is_outside_and_only_looks_is_told_so() -> None:
    assert [one.why for one in found(action("tool:look", "outside").replace(field=""), tool="look")] == [OUTWARD]


def test_what_an_entry_puts_into_a_tier_is_said_to_be_the_policys() -> None:
    [one] = found(action("x:y"), table=Tiers(actions=FrozenMap({"x:y": 3})))
    assert (one.text, one.instead) == (
        "Run `x y`: your policy asks about this.",
        "Work without it, or tell the person why it is needed.",
    )
