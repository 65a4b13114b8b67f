"""The schema floor: what JSON Schema can prove, and what it leaves open."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.contracts.check import broken_by
from interlock.contracts.model import Contract
from interlock.value import freeze


def told(schema: Any, given: Any, *, loose: bool = False) -> list[tuple[str, str, str]]:
    """Of `v`, which the schema describes: the rest of the contract's name, the level, the text."""
    whole = schema if isinstance(schema, dict) and "properties" in schema else {"properties": {"v": schema}}
    contract = Contract(tool="T", source="test", schema=freeze(whole), loose=loose)  # type: ignore[arg-type]
    found = broken_by((contract,), freeze(given))  # type: ignore[arg-type]
    return [(broken.contract.removeprefix("T."), broken.level, broken.text) for broken in found]


BREAKS: list[tuple[Any, Any, tuple[str, str, str]]] = [
    ({"type": "string"}, 7, ("v.type", "L1", "`v` must be string, it is the number `7`")),
    ({"type": "integer"}, 7.5, ("v.type", "L1", "`v` must be integer, it is the number `7.5`")),
    ({"type": "integer"}, True, ("v.type", "L1", "`v` must be integer, it is the boolean `true`")),
    ({"type": "number"}, "7", ("v.type", "L1", "`v` must be number, it is the text `7`")),
    ({"type": "boolean"}, 1, ("v.type", "L1", "`v` must be boolean, it is the number `1`")),
    ({"type": "array"}, {}, ("v.type", "L1", "`v` must be array, it is an object")),
    ({"type": "object"}, [], ("v.type", "L1", "`v` must be object, it is an array")),
    ({"type": ["string", "null"]}, 7, ("v.type", "L1", "`v` must be string or null, it is the number `7`")),
    ({"type": "string"}, None, ("v.type", "L1", "`v` must be string, it is null")),
    ({"enum": ["a", 1]}, "b", ("v.enum", "L3", "`v` must be one of `a`, `1`, it is `b`")),
    ({"enum": [1]}, True, ("v.enum", "L3", "`v` must be one of `1`, it is `true`")),
    ({"const": "a"}, "b", ("v.const", "L3", "`v` must be `a`, it is `b`")),
    ({"minimum": 1}, 0, ("v.minimum", "L3", "`v` must be at least `1`, it is `0`")),
    ({"maximum": 1}, 2, ("v.maximum", "L3", "`v` must be at most `1`, it is `2`")),
    ({"exclusiveMinimum": 1}, 1, ("v.exclusiveMinimum", "L3", "`v` must be more than `1`, it is `1`")),
    ({"exclusiveMaximum": 1}, 1, ("v.exclusiveMaximum", "L3", "`v` must be less than `1`, it is `1`")),
    ({"multipleOf": 5}, 7, ("v.multipleOf", "L3", "`v` must be a multiple of `5`, it is `7`")),
    ({"minLength": 2}, "a", ("v.minLength", "L3", "`v` must have at least `2` characters, it has `1`")),
    ({"maxLength": 1}, "ab", ("v.maxLength", "L3", "`v` must have at most `1` characters, it has `2`")),
    ({"minItems": 1}, [], ("v.minItems", "L3", "`v` must have at least `1` items, it has `0`")),
    ({"maxItems": 1}, [1, 2], ("v.maxItems", "L3", "`v` must have at most `1` items, it has `2`")),
    ({"minProperties": 1}, {}, ("v.minProperties", "L3", "`v` must have at least `1` entries, it has `0`")),
    ({"maxProperties": 0}, {"a": 1}, ("v.maxProperties", "L3", "`v` must have at most `0` entries, it has `1`")),
    (
        {"uniqueItems": True},
        ["a", "b", "a"],
        ("v.uniqueItems", "L3", "the items of `v` must differ, 0 and 2 are the same: `a`"),
    ),
    ({"pattern": "^a"}, "b", ("v.pattern", "L3", "`v` must match `^a`, it is `b`")),
    ({"items": {"type": "string"}}, ["a", 1], ("v[].type", "L1", "`v[1]` must be string, it is the number `1`")),
    (
        {"prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
        ["a", "b"],
        ("v[].type", "L1", "`v[1]` must be integer, it is the text `b`"),
    ),
    ({"required": ["a"]}, {}, ("v.a.required", "L2", "`v.a` is required, it is missing")),
    (
        {"properties": {"v": {"properties": {"a": {"type": "string"}}}}},
        {"a": 1},
        ("v.a.type", "L1", "`v.a` must be string, it is the number `1`"),
    ),
    (
        {"additionalProperties": {"type": "string"}},
        {"a": 1},
        ("v.*.type", "L1", "`v.a` must be string, it is the number `1`"),
    ),
    (
        {"dependentRequired": {"a": ["b"]}},
        {"a": 1},
        ("v.b.dependentRequired", "L4", "`v.b` is required beside `v.a`, it is missing"),
    ),
    (
        {"anyOf": [{"type": "string"}, {"minimum": 3}]},
        2,
        ("v.anyOf", "L3", "`v` fits none of its 2 alternatives, it is the number `2`"),
    ),
    (
        {"oneOf": [{"type": "string"}]},
        2,
        ("v.anyOf", "L3", "`v` fits none of its 1 alternatives, it is the number `2`"),
    ),
    ({"allOf": [{}, {"type": "string"}]}, 2, ("v.type", "L1", "`v` must be string, it is the number `2`")),
    (False, 2, ("v.false", "L3", "`v` may not be given")),
]


@pytest.mark.parametrize(("schema", "value", "expected"), BREAKS, ids=[str(row[0]) for row in BREAKS])
def test_a_keyword_proves_its_violation(schema: Any, value: Any, expected: tuple[str, str, str]) -> None:
    assert told(schema, {"v": value}) == [expected]


LEFT_OPEN: list[tuple[Any, Any]] = [
    ({"type": "integer"}, 7.0),
    ({"type": "float"}, "x"),  # a type that JSON Schema does not have
    ({"type": ["string", "decimal"]}, 7),
    ({"type": "string", "nullable": True}, None),
    ({"exclusiveMinimum": True}, 0),  # as an old draft has it
    ({"minimum": "1"}, 0),
    ({"minimum": 1}, "0"),
    ({"multipleOf": 0.1}, 0.35),
    ({"minLength": -1}, ""),
    ({"items": [{"type": "string"}]}, [1]),  # as an old draft has it
    ({"not": {"type": "string"}}, "x"),
    ({"if": {}, "then": False}, "x"),
    ({"oneOf": [{"type": "string"}, {"minLength": 1}]}, "x"),  # both fit; that would have to be proved
    ({"anyOf": [{"type": "string"}, {"not": {}}]}, 7),
    ({"anyOf": []}, 7),
    ({"$ref": "https://schemas.example/x"}, 7),
    ({"$ref": "#/nowhere"}, 7),
    ({"$ref": "#/properties/v"}, 7),  # round and round
    ({"pattern": "(a+)+$"}, 7),
    ({"format": "date"}, "x"),  # an annotation, unless a validator is told otherwise
    ({"enum": [[1, {"a": 2}]]}, [1.0, {"a": 2.0}]),
    ({"patternProperties": {"^x": {}}, "additionalProperties": False}, {"xa": 1}),
    ({"required": "a"}, {}),
    ({"required": [1]}, {}),
    (True, 7),
    ("schema", 7),
]


@pytest.mark.parametrize(("schema", "value"), LEFT_OPEN, ids=[str(row[0]) for row in LEFT_OPEN])
def test_what_cannot_be_told_is_left_open(schema: Any, value: Any) -> None:
    assert told(schema, {"v": value}) == []


def test_unknown_arguments_are_tolerated_unless_the_schema_says_otherwise() -> None:
    schema: dict[str, Any] = {"properties": {"a": {}}}
    assert told(schema, {"b": 1}) == []
    assert told({**schema, "additionalProperties": False}, {"b": 1}) == [
        ("additionalProperties", "L2", "`b` is not an argument of it; it takes `a`")
    ]


def test_a_reference_within_the_schema_is_followed() -> None:
    schema = {"properties": {"v": {"$ref": "#/$defs/name", "type": "integer"}}, "$defs": {"name": {"type": "string"}}}
    assert told(schema, {"v": 1}) == [("v.type", "L1", "`v` must be string, it is the number `1`")]
    assert told(schema, {"v": "x"}) == []  # what stands beside a reference counts in some drafts only


def test_a_reference_below_another_base_is_left_open() -> None:
    inner = {"$id": "https://x.example/inner", "properties": {"w": {"$ref": "#/$defs/name"}}}
    schema = {"properties": {"v": inner}, "$defs": {"name": {"type": "string"}}}
    assert told(schema, {"v": {"w": 1}}) == []


def test_null_is_absent_where_the_file_is_loose() -> None:
    schema = {"properties": {"v": {"type": "string"}}, "required": ["v"]}
    assert told({"type": "string"}, {"v": None}, loose=True) == []
    assert told(schema, {"v": None}, loose=True) == [("v.required", "L2", "`v` is required, it is missing")]


@pytest.mark.slow
def test_a_schema_that_explodes_is_given_up() -> None:
    twice = {"$ref": "#/$defs/x"}
    schema = {"properties": {"v": twice}, "$defs": {"x": {"allOf": [twice, twice]}}}
    assert told(schema, {"v": 1}) == []


def test_a_key_from_outside_is_shown_without_harm() -> None:
    schema = {"properties": {}, "additionalProperties": False}
    assert told(schema, {"\x1b[2J": 1}) == [
        ("additionalProperties", "L2", "`\\x1b[2J` is not an argument of it; it takes none")
    ]


@pytest.mark.slow
def test_what_many_items_break_is_told_of_the_first_and_hides_nothing() -> None:
    schema = {
        "properties": {"list": {"items": {"type": "string"}}, "deep": {"required": ["x"]}, "last": {"type": "string"}}
    }
    assert told(schema, {"list": [1] * 200_000, "deep": {}, "last": 7}) == [
        ("last.type", "L1", "`last` must be string, it is the number `7`"),
        ("list[].type", "L1", "`list[0]` must be string, it is the number `1`"),
        ("deep.x.required", "L2", "`deep.x` is required, it is missing"),  # although there was more than is looked at
    ]
    assert [name for name, *_ in told(schema, {"list": [1] * 500, "deep": {}})] == ["list[].type", "deep.x.required"]
