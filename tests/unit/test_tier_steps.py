"""How the tier of an action follows from a table: each step, with a table small enough to see through."""

from __future__ import annotations

import pytest

from interlock.layers.tiers import is_declared, tier_of, tiers
from interlock.model.action import Action, Reading
from interlock.model.call import Call
from interlock.model.effects import Effect
from interlock.model.session import Session
from interlock.policy.model import Policy, Tiers, ToolSpec
from interlock.value import FrozenMap

CALL = Call(tool="Bash", input=FrozenMap({}), cwd="/p", session="s")


def action(name: str, *marks: str, effects: str = "read") -> Action:
    kinds = tuple(Effect.of(effect) for effect in effects.split())
    return Action(name=name, tags=marks, effects=kinds, field="command")


TABLE = Tiers(
    effects=FrozenMap({"destructive": 3, "spawn": 2}),
    marks=FrozenMap({"external": 2, "hunts": 2, "outside": 3, "plain": 1, "secret": 3, "unknown": 2}),
)
GRAVE = (
    *("device", "disguised", "history", "identity", "outside", "persistence", "posts"),
    *("privileged", "secret", "security", "unguarded"),
)


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (action("x:y", "plain", "nobody-knows-it", effects="read network"), (1, "")),
        (action("x:y", effects="spawn"), (2, "spawn")),
        (action("x:y", "hunts", effects="spawn"), (2, "spawn")),  # the first reason stays where the next is no graver
        (action("x:y", "external", "hunts"), (2, "external")),
        (action("x:y", "external", "secret", effects="spawn"), (3, "secret")),
        (action("x:y", "secret", effects="destructive"), (3, "destructive")),
        (action("x:y", "outside"), (1, "")),  # only what changes something is outside
        (action("x:y", "outside", effects="network"), (1, "")),
        (action("x:y", "outside", effects="write"), (3, "outside")),
        (action("x:y", "secret", "outside"), (3, "secret")),
        (action("x:y", "no-project", "outside", effects="write"), (3, "no-project")),
        (action("x:y", "no-project", "secret", effects="write"), (3, "secret")),
        (action("x:y", "no-project", effects="write"), (1, "")),
        (action("x:y", "uncommitted", "earlier", effects="destructive"), (3, "uncommitted")),
        (action("x:y", "earlier", effects="destructive"), (3, "earlier")),
        (action("x:y", "uncommitted", effects="spawn"), (2, "spawn")),  # starting something loses nothing
    ],
)
def test_of_several_reasons_the_gravest_counts_and_of_like_ones_the_first(
    act: Action, expected: tuple[int, str]
) -> None:
    assert tier_of(act, TABLE) == expected


def test_outside_counts_for_what_is_destroyed_too() -> None:
    table = TABLE.replace(effects=FrozenMap({}))
    assert tier_of(action("x:y", "outside", effects="destructive"), table) == (3, "outside")


def test_a_table_without_entries_leaves_everything_free() -> None:
    assert tier_of(action("x:y", "secret", effects="destructive write"), Tiers()) == (1, "")
    assert tier_of(action("tool:x", "secret").replace(field=""), Tiers()) == (1, "")


@pytest.mark.parametrize("name", ["fs:delete", "fs:wipe"])
@pytest.mark.parametrize("mark", ["created", "regenerable", "temp"])
def test_a_file_that_can_be_had_again_is_free_to_remove(name: str, mark: str) -> None:
    assert tier_of(action(name, mark, effects="destructive"), TABLE) == (1, "")
    assert tier_of(action("x:y", mark, effects="destructive"), TABLE) == (3, "destructive")
    assert tier_of(action(name, effects="destructive"), TABLE) == (3, "destructive")
    assert tier_of(action(name, mark, effects="destructive spawn"), TABLE) == (2, "spawn")


@pytest.mark.parametrize("mark", ["guard", "secret", "root", "home", "device", "project-root", "unread"])
def test_some_files_are_never_had_again(mark: str) -> None:
    assert tier_of(action("fs:delete", "created", mark, effects="destructive"), TABLE) == (3, "destructive")


def test_what_lay_in_a_temporary_folder_before_is_not_had_again() -> None:
    assert tier_of(action("fs:delete", "temp", "earlier", effects="destructive"), TABLE) == (3, "earlier")


@pytest.mark.parametrize("mark", GRAVE)
def test_an_entry_for_an_action_does_not_speak_for_its_grave_marks(mark: str) -> None:
    table = Tiers(marks=FrozenMap({mark: 3}), actions=FrozenMap({"x:*": 1}))
    assert tier_of(action("x:y", mark, effects="write"), table) == (3, mark)


OWN = TABLE.replace(actions=FrozenMap({"x:free": 1, "x:two": 2, "x:*": 3}))


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (action("x:free", "hunts", "unknown", effects="spawn"), (1, "hunts")),
        (action("x:free", effects="destructive"), (3, "destructive")),
        (action("x:two"), (2, "entry")),
        (action("x:two", "plain", "nobody-knows-it"), (2, "entry")),  # free marks are no reason
        (action("x:two", "external", "hunts"), (2, "external")),
        (action("x:two", "external", "secret"), (3, "secret")),
        (action("x:else", "external", "secret"), (3, "secret")),  # the gravest of its marks says why
        (action("y:else"), (1, "")),
    ],
)
def test_an_entry_for_an_action_stands_instead_of_its_marks(act: Action, expected: tuple[int, str]) -> None:
    assert tier_of(act, OWN) == expected


def test_what_managed_policy_holds_is_not_lowered_by_an_entry_below_it() -> None:
    act = action("x:y", "hunts", effects="spawn")
    below = TABLE.replace(actions=FrozenMap({"x:y": 1}), below=("x:y",))
    assert tier_of(act, below.replace(held=("hunts",))) == (2, "hunts")
    assert tier_of(act, below.replace(held=("spawn",))) == (2, "spawn")
    assert tier_of(act, below.replace(held=("external",))) == (1, "hunts")
    assert tier_of(act, below.replace(held=("hunts", "spawn"), below=())) == (1, "hunts")


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ({"a:b": 2, "a:*": 3}, 2),  # the very name
        ({"a:*": 1, "*": 3}, 1),  # the longest pattern
        ({"a:?": 1, "a:*": 2}, 2),  # of two that are as long, the stricter one
        ({"a:c": 3, "b:*": 3}, 1),
        ({}, 1),
    ],
)
def test_the_entry_that_fits_most_closely_counts(entries: dict[str, int], expected: int) -> None:
    table = Tiers(actions=FrozenMap(entries))
    assert tier_of(action("a:b"), table)[0] == expected


@pytest.mark.parametrize(
    ("at_least", "expected"),
    [
        ({"x:*": 1}, (2, "hunts")),
        ({"x:*": 2}, (2, "hunts")),  # no more than it has: the reason stays
        ({"x:*": 3}, (3, "entry")),
        ({"x:*": 1, "x:y": 3}, (3, "entry")),
        ({"y:*": 3}, (2, "hunts")),
    ],
)
def test_a_lower_bound_only_tightens(at_least: dict[str, int], expected: tuple[int, str]) -> None:
    assert tier_of(action("x:y", "hunts"), TABLE.replace(at_least=FrozenMap(at_least))) == expected


def test_a_lower_bound_for_something_else_moves_nothing() -> None:
    assert tier_of(action("x:y"), TABLE.replace(at_least=FrozenMap({"z:*": 3}))) == (1, "")


# --- tools of which only a declaration is known ---------------------------------------------------


@pytest.mark.parametrize(
    ("name", "field", "expected"),
    [
        ("tool:send", "", True),
        ("mcp:mail:send", "", True),
        ("mcp:mail", "", False),
        ("tools:send", "", False),
        ("aws:s3:rm", "", False),
        ("git:push", "", False),
        ("tool:send", "command", False),
        ("mcp:mail:send", "command", False),
    ],
)
def test_which_actions_are_known_by_a_declaration_alone(name: str, field: str, *, expected: bool) -> None:
    assert is_declared(Action(name=name, field=field)) is expected


def declared(*marks: str, effects: str = "read", irreversible: bool = False) -> Action:
    return action("mcp:mail:send", *marks, effects=effects).replace(field="", irreversible=irreversible)


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (declared(), (1, "")),
        (declared("nobody-knows-it"), (1, "")),
        (declared(effects="write"), (2, "write")),
        (declared(effects="network"), (2, "network")),
        (declared(effects="execute"), (2, "execute")),
        (declared(effects="spawn"), (2, "spawn")),
        (declared(effects="write network"), (2, "write")),
        (declared(effects="destructive"), (3, "destructive")),
        (declared("hunts", effects="write"), (2, "hunts")),
        (declared("secret", effects="write"), (3, "secret")),
        (declared("outside"), (3, "outside")),
        # what goes out and cannot be called back is seen by others
        (declared(effects="network", irreversible=True), (2, "external")),
        (declared(effects="write", irreversible=True), (2, "write")),
        # of an unknown tool only what its server warns of counts
        (declared("unknown"), (1, "")),
        (declared("unknown", effects="write network execute"), (1, "")),
        (declared("unknown", effects="write destructive"), (3, "destructive")),
        (declared("unknown", "secret", effects="write"), (3, "secret")),
    ],
)
def test_a_declared_tool_has_the_tier_of_its_effects(act: Action, expected: tuple[int, str]) -> None:
    assert tier_of(act, TABLE) == expected


def test_a_policy_says_which_tier_the_effects_of_declared_tools_have() -> None:
    table = Tiers(effects=FrozenMap({"write": 1, "network": 3, "read": 2}))
    assert tier_of(declared(effects="write"), table) == (1, "")
    assert tier_of(declared(effects="write network"), table) == (3, "network")
    assert tier_of(declared(effects="read"), table) == (2, "read")


@pytest.mark.parametrize(
    ("entries", "act", "expected"),
    [
        ({"mcp:mail:send": 1}, declared("hunts", "secret", effects="destructive"), (1, "entry")),
        ({"mcp:mail:send": 2}, declared("secret"), (2, "entry")),
        ({"mcp:mail:*": 1}, declared("hunts", effects="write"), (1, "entry")),
        ({"mcp:mail:*": 1}, declared("hunts", effects="write destructive"), (3, "destructive")),
        ({"mcp:mail:*": 1}, declared("hunts", "secret"), (3, "secret")),
        ({"mcp:mail:*": 3}, declared("hunts", "secret"), (3, "entry")),
        ({"mcp:other:*": 1}, declared("hunts"), (2, "hunts")),
    ],
)
def test_an_entry_for_a_declared_tool(entries: dict[str, int], act: Action, expected: tuple[int, str]) -> None:
    assert tier_of(act, TABLE.replace(actions=FrozenMap(entries))) == expected


def test_what_managed_policy_holds_counts_for_a_declared_tool_too() -> None:
    act = declared("hunts", effects="write")
    below = TABLE.replace(actions=FrozenMap({"mcp:mail:send": 1}), below=("mcp:mail:send",))
    assert tier_of(act, below.replace(held=("hunts",))) == (2, "hunts")
    assert tier_of(act, below.replace(held=("write",))) == (2, "write")
    assert tier_of(act, below.replace(held=("external",))) == (1, "entry")
    assert tier_of(act, below.replace(held=("hunts", "write"), below=())) == (1, "entry")


EVERY = "read write network execute spawn destructive"


@pytest.mark.parametrize(
    ("role", "left"),
    [
        ("command", ""),
        ("sql", "read execute spawn"),
        ("write", "read network execute spawn destructive"),
        ("edit", "read network execute spawn destructive"),
        ("move", "read network execute spawn destructive"),
        ("delete", "read network execute spawn"),
        ("fetch", "read write execute spawn destructive"),
        ("sends", "read write execute spawn destructive"),
        ("recipient", EVERY),
    ],
)
def test_what_an_argument_tells_is_not_asked_about_as_an_effect(role: str, left: str) -> None:
    spec = ToolSpec(name="mcp__mail__send", effects=Effect.members, args=FrozenMap({"what": role}))
    call = CALL.replace(tool=spec.name, input=FrozenMap({"what": "x"}))
    for effect in EVERY.split():
        table = Tiers(effects=FrozenMap({effect: 3, **{other: 1 for other in EVERY.split() if other != effect}}))
        with_args = Policy(tools=FrozenMap({spec.name: spec}), tiers=table)
        read = Reading(call="c", projection="p", actions=(declared(effects=EVERY),))
        asked = ["tier-3"] if effect in left.split() else []
        assert [one.rule for one in tiers(call, read, with_args, Session(), ())] == asked, effect
        # without the argument, or the entry, nothing is told
        assert len(tiers(call.replace(input=FrozenMap({"what": ""})), read, with_args, Session(), ())) == 1
        assert len(tiers(call, read, Policy(tiers=table), Session(), ())) == 1
        # what cannot be called back is asked about all the same
        grave = read.replace(actions=(declared(effects=EVERY, irreversible=True),))
        assert len(tiers(call, grave, with_args, Session(), ())) == 1
