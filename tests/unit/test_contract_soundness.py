"""Contracts that contradict themselves prove nothing, and the check says what is wrong with a catalogue."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.contracts.check import broken_by
from interlock.contracts.parse import contract_from
from interlock.contracts.sound import schema_troubles
from interlock.value import freeze

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
