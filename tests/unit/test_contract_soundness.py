"""Contracts that contradict themselves prove nothing, and the check says what is wrong with a catalogue."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.contracts.check import broken_by
from interlock.contracts.model import Contract
from interlock.contracts.parse import contract_from
from interlock.contracts.sound import schema_troubles
from interlock.value import freeze
from sizes import how_many

# an entry that nothing can fulfil, and inputs of which none may be flagged
IMPOSSIBLE: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    ({"params": [{"name": "n", "min": 5, "max": 3}]}, [{"n": 4}, {"n": 1}, {"n": 9}]),
    ({"params": [{"name": "s", "minLength": 5, "maxLength": 3}]}, [{"s": ""}, {"s": "four"}, {"s": "sixsix"}]),
    ({"inputSchema": {"properties": {"a": {"enum": []}}}}, [{"a": 1}]),
    ({"inputSchema": {"properties": {"a": {"enum": [1, 2], "const": 3}}}}, [{"a": 1}, {"a": 3}]),
    ({"inputSchema": {"properties": {"a": {"type": "string", "enum": [1, 2]}}}}, [{"a": 1}, {"a": "x"}]),
    ({"inputSchema": {"properties": {"a": {"type": "string", "const": 1}}}}, [{"a": 1}, {"a": "x"}]),
    ({"inputSchema": {"required": ["a"], "properties": {}, "additionalProperties": False}}, [{}, {"a": 1}]),
    ({"constraints": [{"kind": "present", "fields": ["a", "b"], "count": 3}]}, [{}, {"a": 1}, {"a": 1, "b": 1}]),
    ({"constraints": [{"kind": "present", "fields": ["a"], "min": 2, "max": 1}]}, [{}, {"a": 1}]),
    ({"constraints": [{"kind": "distinct", "fields": ["a", "a"]}]}, [{"a": 1}]),
    ({"constraints": [{"kind": "exclusive", "fields": ["a", "a"]}]}, [{"a": 1}]),
    ({"constraints": [{"kind": "cmp", "op": "lt", "left": "a", "right": "a"}]}, [{"a": 1}]),
    ({"constraints": [{"kind": "length", "field": "a", "min": 3, "max": 2}]}, [{"a": "x"}, {"a": "xxxx"}]),
    ({"constraints": [{"kind": "member", "field": "a", "in": []}]}, [{"a": 1}]),
    (
        {
            "constraints": [
                {"kind": "cmp", "op": "lt", "left": "a", "right": "b"},
                {"kind": "cmp", "op": "lt", "left": "b", "right": "a"},
            ]
        },
        [{"a": 1, "b": 2}, {"a": 2, "b": 1}, {"a": 1, "b": 1}],
    ),
    (
        {
            "params": [{"name": "a", "required": True}, {"name": "b", "required": True}],
            "constraints": [{"kind": "exclusive", "fields": ["a", "b"]}],
        },
        [{"a": 1, "b": 2}],
    ),
    (
        {
            "constraints": [
                {"kind": "present", "fields": ["a", "b"], "count": 2},
                {"kind": "exclusive", "fields": ["a", "b", "c"]},
            ]
        },
        [{"a": 1, "b": 2}, {"a": 1}, {}],
    ),
]


def cmp(left: Any, op: str, right: Any) -> dict[str, Any]:
    return {"kind": "cmp", "left": left, "op": op, "right": right}


def of_value(value: Any) -> dict[str, Any]:
    return {"value": value}


# constraints that nothing can fulfil together, with the params beside them, and inputs of which none may be flagged
TOGETHER: list[tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]] = [
    ([cmp("n", "ge", 10), cmp("n", "le", 5)], [], [{"n": 3}, {"n": 7}, {"n": 12}]),
    ([cmp("n", "eq", 1), cmp("n", "eq", 2)], [], [{"n": 1}, {"n": 2}]),
    ([cmp("n", "eq", of_value("a")), cmp("n", "eq", of_value("b"))], [], [{"n": "a"}, {"n": "b"}]),
    ([cmp("n", "eq", 1), cmp("n", "ne", 1)], [], [{"n": 1}, {"n": 2}]),
    ([cmp("n", "eq", 1), cmp(0, "ge", "n")], [], [{"n": 1}, {"n": 0}]),
    ([cmp("n", "eq", 1), cmp({"field": "n"}, "eq", of_value(2))], [], [{"n": 1}, {"n": 2}]),
    ([cmp(3, "lt", 2)], [], [{}, {"n": 1}]),
    ([cmp("a", "lt", "b"), cmp("b", "lt", "c"), cmp("c", "lt", "a")], [], [{"a": 1, "b": 2, "c": 3}]),
    ([cmp("a", "le", "b"), cmp("b", "le", 5), cmp("a", "ge", 6)], [], [{"a": 6, "b": 7}, {"a": 1, "b": 2}]),
    ([cmp("a", "eq", "b"), {"kind": "distinct", "fields": ["a", "b"]}], [], [{"a": 1, "b": 1}, {"a": 1, "b": 2}]),
    (
        [cmp("n", "ge", of_value("2026-02-01")), cmp("n", "lt", of_value("2026-01-01"))],
        [],
        [{"n": "2026-01-15"}, {"n": "2025-01-15"}],
    ),
    (
        [{"kind": "sum", "of": ["a", "b"], "op": "le", "vs": 5}, cmp({"sum": ["a", "b"]}, "ge", 6)],
        [],
        [{"a": 1, "b": 2}, {"a": 4, "b": 5}],
    ),
    (
        [{"kind": "length", "field": "s", "max": 3}, {"kind": "length", "field": "s", "min": 4}],
        [],
        [{"s": "abc"}, {"s": "abcd"}],
    ),
    ([cmp({"len": "s"}, "lt", 0)], [], [{"s": ""}, {"s": "a"}]),
    ([cmp("n", "gt", 5)], [{"name": "n", "max": 5}], [{"n": 4}]),
    ([cmp({"len": "s"}, "ge", 5)], [{"name": "s", "maxLength": 4}], [{"s": "abc"}]),
    ([cmp("n", "eq", 3)], [{"name": "n", "const": 4}], [{"n": 4}]),
    ([{"kind": "member", "field": "s", "in": ["x", "y"]}], [{"name": "s", "enum": ["a", "b"]}], [{"s": "a"}]),
    (
        [{"kind": "member", "field": "s", "in": ["x"]}, {"kind": "not_member", "field": "s", "in": ["x", "y"]}],
        [],
        [{"s": "x"}, {"s": "y"}, {"s": "z"}],
    ),
    ([{"kind": "format", "field": "s", "is": "email"}], [{"name": "s", "enum": ["a", "b"]}], [{"s": "a"}]),
    (
        [{"kind": "pattern", "field": "s", "matches": "^x"}, cmp("s", "ne", "s")],
        [{"name": "s", "const": "a"}],
        [{"s": "a"}],
    ),
    ([{"kind": "member", "field": of_value(3), "in": [1, 2]}], [], [{}, {"n": 1}]),
    ([{"kind": "forbids", "when": {"field": "a"}, "forbid": ["a"]}], [], [{"a": 1}]),
    (
        [{"kind": "forbids", "when": {"field": "a"}, "forbid": ["b"]}],
        [{"name": "a", "required": True}, {"name": "b", "required": True}],
        [{"a": 1, "b": 1}],
    ),
    (
        [
            {"kind": "requires", "when": {"field": "a", "equals": 1}, "require": ["b"]},
            {"kind": "forbids", "when": {"field": "a", "equals": 1}, "forbid": ["b"]},
        ],
        [],
        [{"a": 1}, {"a": 1, "b": 1}],
    ),
    (
        [
            {"kind": "requires", "when": {"field": "a"}, "require": ["b"]},
            {"kind": "exclusive", "fields": ["a", "b"]},
        ],
        [],
        [{"a": 1}, {"a": 1, "b": 1}],
    ),
    (
        [{"kind": "present", "fields": ["a", "b"], "count": 1}],
        [{"name": "a", "required": True}, {"name": "b", "required": True}],
        [{"a": 1, "b": 1}],
    ),
]


@pytest.mark.parametrize("loose", [False, True])
@pytest.mark.parametrize(("constraints", "params", "inputs"), TOGETHER)
def test_constraints_that_no_call_can_fulfil_together_flag_none_and_are_told(
    constraints: list[dict[str, Any]], params: list[dict[str, Any]], inputs: list[dict[str, Any]], loose: bool
) -> None:
    entry = freeze({"params": params, "constraints": constraints})
    contract, problems = contract_from("t", entry, source="x", loose=loose)
    assert contract is not None, problems
    assert len(contract.void) == len(constraints)
    assert [given for given in inputs if broken_by((contract,), freeze(given))] == []  # type: ignore[arg-type]


_OPERANDS = st.sampled_from(["a", "b", 0, 1, 2, 3, {"sum": ["a", "b"]}])
_COMPARED = st.builds(cmp, _OPERANDS, st.sampled_from(["lt", "le", "eq", "ne", "ge", "gt"]), _OPERANDS)
_AMONG = st.builds(
    lambda field, values: {"kind": "member", "field": field, "in": values},
    st.sampled_from(["a", "b"]),
    st.lists(st.integers(0, 3), min_size=1, max_size=2),
)
_PLACES = [place / 2 for place in range(-2, 9)]


@settings(max_examples=how_many("INTERLOCK_EXAMPLES", 60, quick=20))
@given(st.lists(_COMPARED | _AMONG, min_size=1, max_size=5))
def test_what_some_call_fulfils_is_never_taken_for_impossible(constraints: list[dict[str, Any]]) -> None:
    contract, problems = contract_from("t", freeze({"constraints": constraints}), source="x", loose=False)
    assert contract is not None, problems
    whole = Contract(tool="t", source="x", constraints=tuple(freeze({**c, "id": "c"}) for c in constraints))  # type: ignore[misc]
    calls = [freeze({"a": a, "b": b}) for a in _PLACES for b in _PLACES]
    possible = any(not broken_by((whole,), call) for call in calls)  # type: ignore[arg-type]
    assert not (possible and contract.void), contract.void


@pytest.mark.parametrize(("entry", "inputs"), IMPOSSIBLE)
def test_what_no_call_can_fulfil_never_flags_one(entry: dict[str, Any], inputs: list[dict[str, Any]]) -> None:
    contract, problems = contract_from("t", freeze(entry), source="x", loose=False)
    assert contract is not None, problems
    assert [given for given in inputs if broken_by((contract,), freeze(given))] == []  # type: ignore[arg-type]
    assert contract.void or list(schema_troubles(contract.schema))


@pytest.mark.parametrize(
    ("entry", "given"),
    [
        ({"params": [{"name": "n", "min": 3, "max": 3}]}, {"n": 4}),
        ({"constraints": [{"kind": "present", "fields": ["a", "b"], "count": 2}]}, {"a": 1}),
        ({"constraints": [{"kind": "cmp", "op": "le", "left": "a", "right": "b"}]}, {"a": 2, "b": 1}),
        ({"inputSchema": {"properties": {"a": {"type": "string", "enum": ["x"]}}}}, {"a": "y"}),
    ],
)
def test_what_can_be_fulfilled_still_proves(entry: dict[str, Any], given: dict[str, Any]) -> None:
    contract, _ = contract_from("t", freeze(entry), source="x", loose=False)
    assert contract is not None
    assert broken_by((contract,), freeze(given))  # type: ignore[arg-type]
