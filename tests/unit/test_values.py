"""Values and scales: immutable, equal by content, closed."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from interlock.model.action import Action, action_of
from interlock.model.call import Call
from interlock.model.effects import Effect, by_precedence, effect_names, most_restrictive
from interlock.model.errors import PostureError
from interlock.model.posture import Posture, move
from interlock.model.verdict import Risk, Verdict, join
from interlock.policy.model import ApprovalMode
from interlock.value import FrozenMap, Scale, Value, freeze


class Point(Value):
    x: int
    y: int = 0


class Place(Value):
    x: int
    y: int = 0


class Bag(Value):
    things: Any = FrozenMap({})
    label: str = ""


def test_a_value_has_its_fields_and_their_defaults() -> None:
    point = Point(x=1)
    assert (point.x, point.y) == (1, 0)
    assert point.as_dict() == {"x": 1, "y": 0}
    assert repr(point) == "Point(x=1, y=0)"


BAD_BEGINNINGS: list[tuple[dict[str, Any], str]] = [
    ({}, "Point needs `x`"),
    ({"y": 1}, "Point needs `x`"),
    ({"x": 1, "z": 2}, "Point has no field z"),
    ({"x": 1, "z": 2, "a": 3}, "Point has no field a, z"),
]


@pytest.mark.parametrize(("fields", "message"), BAD_BEGINNINGS)
def test_a_missing_or_unknown_field_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as error:
        Point(**fields)
    assert str(error.value) == message


def test_fields_go_by_name_only() -> None:
    with pytest.raises(TypeError):
        Point(1)  # type: ignore[call-arg]


def test_all_fields_may_be_given_in_their_order() -> None:
    assert Point.in_order(1, 2) == Point(x=1, y=2)
    for few_or_many in ((1,), (1, 2, 3)):
        with pytest.raises(ValueError, match="zip"):
            Point.in_order(*few_or_many)


def test_a_value_cannot_be_changed() -> None:
    point = Point(x=1)
    with pytest.raises(AttributeError, match=r"Point\.x cannot be changed"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match=r"Point\.z cannot be changed"):
        point.z = 2
    with pytest.raises(AttributeError, match=r"Point\.x cannot be removed"):
        del point.x
    assert not hasattr(point, "__dict__")
    assert point == Point(x=1)


def test_replace_gives_another_value_and_leaves_the_first() -> None:
    point = Point(x=1)
    assert point.replace(y=5) == Point(x=1, y=5)
    assert point == Point(x=1)
    with pytest.raises(TypeError, match="Point has no field z"):
        point.replace(z=1)


def test_equality_is_by_type_and_content() -> None:
    assert Point(x=1) == Point(x=1, y=0)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != Point(x=1, y=2)
    assert Point(x=1) != Place(x=1)
    assert Point(x=1) != {"x": 1, "y": 0}
    assert hash(Point(x=1)) == hash(Point(x=1, y=0))
    assert len({Point(x=1), Point(x=1), Place(x=1)}) == 2


def test_values_that_hold_maps_hash_by_content_too() -> None:
    first = Bag(things=freeze({"a": [1, {"b": 2}], "c": "d"}))
    second = Bag(things=freeze({"c": "d", "a": [1, {"b": 2}]}))
    assert first == second
    assert hash(first) == hash(second)
    assert {first: "found"}[second] == "found"
    assert hash(Action(name="fs:read", target=FrozenMap({"path": "/a"}))) != hash(Action(name="fs:read"))


def by_pickle(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("again", [by_pickle, copy.copy, copy.deepcopy])
@pytest.mark.parametrize(
    "value",
    [
        Point(x=1, y=2),
        Bag(things=freeze({"a": [{"b": None}]}), label="é"),
        Call(tool="Bash", input=freeze({"command": "ls", "list": [1]})),  # type: ignore[arg-type]
        Action(name="git:push", target=FrozenMap({"force": True}), effects=(Effect.NETWORK,), risk=Risk.HIGH),
        Verdict.ASK,
        Effect.DESTRUCTIVE,
    ],
    ids=repr,
)
def test_copies_are_equal_and_as_immutable(value: Any, again: Callable[[Any], Any]) -> None:
    copied = again(value)
    assert copied == value
    assert type(copied) is type(value)
    assert hash(copied) == hash(value)
    if isinstance(value, Bag):
        assert type(copied.things) is FrozenMap
        assert type(copied.things["a"]) is tuple
    if isinstance(value, Scale):
        assert copied is value


def test_freeze_makes_every_map_and_list_read_only() -> None:
    frozen: Any = freeze({"a": [1, {"b": [2]}], "c": "text"})
    assert frozen == {"a": (1, {"b": (2,)}), "c": "text"}
    with pytest.raises(TypeError):
        frozen["a"] = 1
    with pytest.raises(TypeError):
        frozen["a"][1]["b"] = 1
    assert freeze(frozen) == frozen


# --- scales ----------------------------------------------------------------------------------------


def test_there_are_six_effects_and_no_seventh() -> None:
    assert Effect.names() == ("read", "write", "network", "execute", "spawn", "destructive")
    assert effect_names(Effect.members) == ("destructive", "spawn", "execute", "network", "write", "read")
    with pytest.raises(ValueError, match="`delete` is not one of read, write, network, execute, spawn, destructive"):
        Effect.of("delete")
    with pytest.raises(TypeError, match="Effect is closed"):
        Effect()


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (Verdict, ("allow", "ask", "deny")),
        (Risk, ("low", "medium", "high", "critical")),
        (Posture, ("interactive", "autonomous", "dry_run", "locked")),
        (ApprovalMode, ("permissive", "default", "strict")),
    ],
)
def test_a_scale_has_its_words_weakest_first(scale: type[Scale], words: tuple[str, ...]) -> None:
    assert scale.names() == words
    assert tuple(map(str, scale.members)) == words
    for low, high in zip(scale.members, scale.members[1:], strict=False):
        assert low < high
        assert high > low
        assert low <= high
        assert high >= low
        assert not low >= high
        assert not high <= low
        assert low != high
    for name in words:
        assert scale.of(name) is getattr(scale, name.upper())
        assert scale.of(name) <= scale.of(name)


def test_members_of_different_scales_do_not_compare() -> None:
    with pytest.raises(TypeError):
        assert Verdict.ASK < Risk.HIGH  # type: ignore[operator]
    assert len({Verdict.ALLOW, Risk.LOW}) == 2


def test_a_member_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match=r"Verdict\.rank cannot be changed"):
        Verdict.DENY.rank = 0
    with pytest.raises(AttributeError, match=r"Verdict\.name cannot be removed"):
        del Verdict.DENY.name
    assert Verdict.DENY.rank == 2
    assert repr(Verdict.DENY) == "Verdict.DENY"


def test_the_strictest_verdict_wins_and_silence_allows() -> None:
    assert join([]) is Verdict.ALLOW
    assert join([Verdict.ASK, Verdict.DENY, Verdict.ALLOW, Verdict.DENY]) is Verdict.DENY
    assert join([Verdict.ALLOW, Verdict.ASK]) is Verdict.ASK


def test_most_restrictive_refuses_an_empty_set() -> None:
    assert most_restrictive([Effect.READ, Effect.SPAWN, Effect.NETWORK]) is Effect.SPAWN
    with pytest.raises(ValueError, match="an empty set of effects has no dominant one"):
        most_restrictive([])


def test_effects_are_told_once_each_the_dominant_first() -> None:
    given = [Effect.READ, Effect.DESTRUCTIVE, Effect.READ, Effect.WRITE]
    assert by_precedence(given) == (Effect.DESTRUCTIVE, Effect.WRITE, Effect.READ)


def test_a_refused_posture_move_says_where_it_can_go() -> None:
    with pytest.raises(PostureError) as error:
        move(Posture.LOCKED, Posture.AUTONOMOUS)
    assert str(error.value) == ("the posture cannot go from locked to autonomous; from locked it can go to interactive")
    assert move(Posture.LOCKED, Posture.INTERACTIVE) is Posture.INTERACTIVE


def test_an_action_that_is_made_quickly_is_an_action_like_any_other() -> None:
    quick = action_of(
        "fs:read", FrozenMap({"path": "/a"}), (Effect.READ,), ("secret",), Risk.LOW, False, None, "f", (1, 2)
    )
    plain = Action(
        name="fs:read",
        target=FrozenMap({"path": "/a"}),
        effects=(Effect.READ,),
        tags=("secret",),
        field="f",
        span=(1, 2),
    )
    assert (quick, hash(quick), repr(quick), type(quick)) == (plain, hash(plain), repr(plain), Action)
    with pytest.raises(AttributeError):
        quick.name = "fs:write"  # type: ignore[misc]
