"""Relations between the fields of a call: each kind proves its violations, and leaves open what it cannot tell."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.contracts.check import broken_by
from interlock.contracts.constraints import KINDS
from interlock.contracts.parse import contract_from
from interlock.model.action import Broken
from interlock.value import freeze


def proved(constraint: dict[str, Any], given: dict[str, Any], *, loose: bool = False, **more: Any) -> str | None:
    """What the constraint says of the input, the contract holding nothing else."""
    entry = freeze({"constraints": [{"id": "it", **constraint}], "state": {"stock": 5, "seats": ["1A", "1B"]}})
    contract, problems = contract_from("T", entry, source="test", loose=loose)
    assert problems == []
    assert contract is not None
    found = broken_by((contract,), freeze(given), freeze(more.get("state")))  # type: ignore[arg-type]
    assert [(broken.contract, broken.level) for broken in found] in ([], [("T.it", "L4")])
    return found[0].text if found else None


LT = {"kind": "cmp", "op": "lt", "left": "a", "right": "b"}
LE = {**LT, "op": "le"}
GT = {**LT, "op": "gt"}
GE = {**LT, "op": "ge"}
EQ = {**LT, "op": "eq"}
NE = {**LT, "op": "ne"}
CASES: list[tuple[dict[str, Any], dict[str, Any], str | None]] = [
    # cmp: order
    (LT, {"a": 1, "b": 2}, None),
    (LT, {"a": 2, "b": 2}, "`a` must be less than `b` (`2`), it is `2`"),
    (LE, {"a": 2, "b": 2}, None),
    (LE, {"a": 3, "b": 2}, "`a` must be at most `b` (`2`), it is `3`"),
    (GT, {"a": 2, "b": 2}, "`a` must be more than `b` (`2`), it is `2`"),
    (GE, {"a": 1.5, "b": 2}, "`a` must be at least `b` (`2`), it is `1.5`"),
    (LE, {"a": 0.1 + 0.2, "b": 0.3}, None),
    (LE, {"a": 10**400, "b": 0.5}, None),  # beyond what a float can hold: left open
    (LT, {"a": True, "b": 0}, None),
    (LT, {"a": "9", "b": "10"}, None),
    (LT, {"a": "9", "b": 1}, None),
    (LT, {"b": 2}, None),
    (LT, {"a": None, "b": 2}, None),
    # cmp: moments
    (LT, {"a": "2026-03-02", "b": "2026-03-01"}, "`a` must be less than `b` (`2026-03-01`), it is `2026-03-02`"),
    (LT, {"a": "2026-03-01T10:00:00Z", "b": "2026-03-01T09:30:00-01:00"}, None),
    (
        GT,
        {"a": "2026-03-01T10:00:00+02:00", "b": "2026-03-01T09:00:00Z"},
        "`a` must be more than `b` (`2026-03-01T09:00:00Z`), it is `2026-03-01T10:00:00+02:00`",
    ),
    (LT, {"a": "2026-03-02", "b": "2026-03-01T00:00:00Z"}, None),  # a day against a moment: nobody knows whose day
    (LT, {"a": "soon", "b": "later"}, None),
    # cmp: equality
    (EQ, {"a": 1, "b": 1.0}, None),
    (EQ, {"a": 1, "b": True}, "`a` must be equal to `b` (`true`), it is `1`"),
    (EQ, {"a": 0.1 + 0.2, "b": 0.3}, None),
    (EQ, {"a": "x", "b": "y"}, "`a` must be equal to `b` (`y`), it is `x`"),
    (NE, {"a": "x", "b": "x"}, "`a` must be different from `b` (`x`), it is `x`"),
    (NE, {"a": [1], "b": [1.0]}, "`a` must be different from `b` (an array of 1), it is an array of 1"),
    # operands
    ({**LE, "right": 3}, {"a": 4}, "`a` must be at most `3`, it is `4`"),
    ({**LE, "right": {"value": 3}}, {"a": 4}, "`a` must be at most `3`, it is `4`"),
    ({**LE, "right": {"field": "b"}}, {"a": 4, "b": 3}, "`a` must be at most `b` (`3`), it is `4`"),
    ({**LE, "right": {"state": "stock"}}, {"a": 6}, "`a` must be at most `stock` of the state (`5`), it is `6`"),
    ({**LE, "right": {"state": "elsewhere"}}, {"a": 6}, None),
    ({**LE, "left": {"len": "a"}, "right": 2}, {"a": [1, 2, 3]}, "the length of `a` must be at most `2`, it is `3`"),
    ({**LE, "left": {"len": "a"}, "right": 2}, {"a": {"x": 1}}, None),
    ({**LE, "left": {"len": "a"}, "right": 2}, {"a": "four"}, "the length of `a` must be at most `2`, it is `4`"),
    ({**LE, "left": {"len": "a"}, "right": 2}, {"a": "😀😀"}, None),  # two characters or four
    ({**LE, "left": {"len": "a"}, "right": 2}, {"a": 12345}, None),
    (
        {**LE, "left": {"sum": ["a", "b", 1]}, "right": 9},
        {"a": 4, "b": 5},
        "`a` + `b` + `1` must be at most `9`, it is `10`",
    ),
    ({**LE, "left": {"sum": ["a", "b"]}, "right": 9}, {"a": 40}, None),
    ({**LE, "left": {"size": "a"}, "right": {"size": "b"}}, {"a": "512Mi", "b": "1Gi"}, None),
    (
        {**LE, "left": {"size": "a"}, "right": {"size": "b"}},
        {"a": "2Gi", "b": "1500 MB"},
        "the size of `a` in bytes must be at most the size of `b` in bytes (`1500000000`), it is `2147483648`",
    ),
    ({**LE, "left": {"size": "a"}, "right": 5}, {"a": "large"}, None),
    (
        {**EQ, "left": {"minutes": ["from", "to"]}, "right": "long"},
        {"from": "2026-03-01T10:00:00Z", "to": "2026-03-01T11:00:00Z", "long": 120},
        "the minutes from `from` to `to` must be equal to `long` (`120`), it is `60.0`",
    ),
    ({**EQ, "left": {"days": ["from", "to"]}, "right": 2}, {"from": "2024-02-28", "to": "2024-03-01"}, None),
    # sum
    ({"kind": "sum", "of": "parts", "op": "eq", "vs": 100}, {"parts": [60, 40]}, None),
    (
        {"kind": "sum", "of": "parts", "op": "eq", "vs": 100},
        {"parts": {"a": 60, "b": 30}},
        "the sum of `parts` must be equal to `100`, it is `90`",
    ),
    ({"kind": "sum", "of": "parts", "vs": 100}, {"parts": [60, "forty"]}, None),
    ({"kind": "sum", "of": ["x", "w"], "op": "le", "vs": "width"}, {"x": 5, "w": 5, "width": 10}, None),
    (
        {"kind": "sum", "of": ["x", "w"], "op": "le", "vs": "width"},
        {"x": 6, "w": 5, "width": 10},
        "`x` + `w` must be at most `width` (`10`), it is `11`",
    ),
    # present
    ({"kind": "present", "fields": ["a", "b"]}, {"a": 1}, None),
    ({"kind": "present", "fields": ["a", "b"]}, {}, "exactly 1 of `a`, `b` must be given, here none is"),
    (
        {"kind": "present", "fields": ["a", "b"]},
        {"a": 1, "b": 2},
        "exactly 1 of `a`, `b` must be given, here `a`, `b` are",
    ),
    ({"kind": "present", "fields": ["a", "b"]}, {"a": "", "b": 2}, None),  # empty: given or not, as one takes it
    ({"kind": "present", "fields": ["a", "b", "c"], "min": 1, "max": 2}, {"a": 1, "b": 2}, None),
    (
        {"kind": "present", "fields": ["a", "b", "c"], "min": 1, "max": 2},
        {"a": 1, "b": 2, "c": 3},
        "1 to 2 of `a`, `b`, `c` must be given, here `a`, `b`, `c` are",
    ),
    # exclusive
    ({"kind": "exclusive", "fields": ["a", "b"]}, {}, None),
    ({"kind": "exclusive", "fields": ["a", "b"]}, {"a": [], "b": ["x"]}, None),
    (
        {"kind": "exclusive", "fields": ["a", "b"]},
        {"a": ["y"], "b": ["x"]},
        "`a`, `b` exclude each other, here all of them are given",
    ),
    # requires, forbids
    ({"kind": "requires", "when": {"field": "a", "equals": "x"}, "require": ["b"]}, {"a": "y"}, None),
    ({"kind": "requires", "when": {"field": "a", "equals": "x"}, "require": ["b"]}, {"a": "x", "b": False}, None),
    ({"kind": "requires", "when": {"field": "a", "equals": "x"}, "require": ["b"]}, {"a": "x", "b": ""}, None),
    ({"kind": "requires", "when": {"field": "a", "equals": "x"}, "require": ["b"]}, {"a": "x", "b": None}, None),
    ({"kind": "present", "fields": ["a", "b"]}, {"a": None}, None),
    (
        {"kind": "requires", "when": {"field": "a", "equals": "x"}, "require": ["b"]},
        {"a": "x"},
        "`b` must be given when `a` is `x`, here not",
    ),
    (
        {"kind": "requires", "when": {"field": "a", "in": ["x", "y"]}, "require": ["b"]},
        {"a": "y"},
        "`b` must be given when `a` is `y`, here not",
    ),
    (
        {"kind": "requires", "when": {"field": "a"}, "require": ["b"]},
        {"a": 1},
        "`b` must be given when `a` is given, here not",
    ),
    ({"kind": "forbids", "when": {"field": "a", "equals": True}, "forbid": ["b"]}, {"a": 1, "b": 1}, None),
    (
        {"kind": "forbids", "when": {"field": "a", "equals": True}, "forbid": ["b"]},
        {"a": True, "b": 1},
        "`b` must not be given when `a` is `true`",
    ),
    # distinct, unique
    ({"kind": "distinct", "fields": ["a", "b"]}, {"a": 1, "b": "1"}, None),
    ({"kind": "distinct", "fields": ["a", "b"]}, {"a": "x", "b": "x"}, "`a` and `b` must differ, both are `x`"),
    ({"kind": "distinct", "fields": ["a", "b"]}, {"a": "x"}, None),
    ({"kind": "unique", "field": "a"}, {"a": [1, True]}, None),
    ({"kind": "unique", "field": "a"}, {"a": [1, 2, 1.0]}, "`a` must differ from item to item, 0 and 2 have `1.0`"),
    (
        {"kind": "unique", "field": "a", "by": "name"},
        {"a": [{"name": "x"}, {}, {"name": "x"}]},
        "`name` in `a` must differ from item to item, 0 and 2 have `x`",
    ),
    # member, not_member, subset
    ({"kind": "member", "field": "seat", "in": {"state": "seats"}}, {"seat": "1A"}, None),
    (
        {"kind": "member", "field": "seat", "in": {"state": "seats"}},
        {"seat": "9F"},
        "`seat` must be one of `seats` of the state, it is `9F`",
    ),
    ({"kind": "member", "field": "by", "in": "columns"}, {"by": "id", "columns": ["id"]}, None),
    (
        {"kind": "member", "field": "by", "in": {"enum": ["id", "name"]}},
        {"by": "age"},
        "`by` must be one of `id`, `name`, it is `age`",
    ),
    ({"kind": "member", "field": "by", "in": "columns"}, {"by": "age", "columns": "id, name"}, None),
    (
        {"kind": "not_member", "field": "branch", "in": ["main", "release"]},
        {"branch": "main"},
        "`branch` must be none of `main`, `release`, it is `main`",
    ),
    ({"kind": "not_member", "field": "branch", "in": ["main"]}, {"branch": "topic"}, None),
    ({"kind": "subset", "field": "a", "of": ["x", "y"]}, {"a": ["x", "x"]}, None),
    (
        {"kind": "subset", "field": "a", "of": ["x", "y"]},
        {"a": ["x", "z"]},
        "every item of `a` must be one of `x`, `y`, item 1 is `z`",
    ),
    # char_at
    ({"kind": "char_at", "string": "s", "index": "at", "equals": "want"}, {"s": "abc", "at": 1, "want": "b"}, None),
    (
        {"kind": "char_at", "string": "s", "index": "at", "equals": "want", "offset": -1},
        {"s": "abc", "at": 1, "want": "b"},
        "`s` must have `want` (`b`) at position `0`, it has `a`",
    ),
    ({"kind": "char_at", "string": "s", "index": "at", "equals": "want"}, {"s": "abc", "at": -1, "want": "b"}, None),
    # length, format, pattern
    ({"kind": "length", "field": "a", "min": 2}, {"a": "x"}, "the length of `a` must be at least `2`, it is `1`"),
    (
        {"kind": "length", "field": "a", "max": "b"},
        {"a": [1, 2], "b": 1},
        "the length of `a` must be at most `b` (`1`), it is `2`",
    ),
    ({"kind": "length", "field": "a", "min": 2, "max": 3}, {"a": [1, 2]}, None),
    ({"kind": "format", "field": "a", "is": "https-url"}, {"a": "https://x.example"}, None),
    (
        {"kind": "format", "field": "a", "is": "email"},
        {"a": ["a@x.example", "b"]},
        "`a` must be an e-mail address, it is `b`",
    ),
    ({"kind": "format", "field": "a", "is": "email"}, {"a": 7}, None),
    ({"kind": "pattern", "field": "a", "matches": "^v[0-9]+$"}, {"a": "v12"}, None),
    ({"kind": "pattern", "field": "a", "matches": "^v[0-9]+$"}, {"a": "12"}, "`a` must match `^v[0-9]+$`, it is `12`"),
    ({"kind": "pattern", "field": "a", "matches": "(?=v)"}, {"a": "12"}, None),
]


@pytest.mark.parametrize(("constraint", "given", "expected"), CASES, ids=[f"{c['kind']}-{g}" for c, g, _ in CASES])
def test_a_constraint_proves_what_it_can_and_no_more(
    constraint: dict[str, Any], given: dict[str, Any], expected: str | None
) -> None:
    assert proved(constraint, given) == expected


def test_every_kind_is_proved_and_left_open_somewhere() -> None:
    for kind in KINDS:
        outcomes = [expected for constraint, _, expected in CASES if constraint["kind"] == kind]
        assert None in outcomes, kind
        assert any(outcomes), kind


def test_the_state_of_the_call_comes_before_that_of_the_contract() -> None:
    le = {"kind": "cmp", "op": "le", "left": "a", "right": {"state": "stock"}}
    assert proved(le, {"a": 6}, state={"stock": 9}) is None
    assert proved(le, {"a": 6}, state={"other": 9}) == "`a` must be at most `stock` of the state (`5`), it is `6`"


def test_texts_that_are_numbers_are_ordered_in_a_loose_file_only() -> None:
    assert proved(LT, {"a": "10", "b": 9}, loose=True) == "`a` must be less than `b` (`9`), it is `10`"
    assert proved(LT, {"a": "ten", "b": 9}, loose=True) is None
    assert proved(LT, {"a": "10", "b": 9}) is None


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("name", "short", "`short`"),
        ("name", "x" * 41, "a text of 41 characters"),
        ("name", "", "an empty text"),
        ("name", "two\nlines", "a text of 9 characters"),
        ("name", "\x1b[31m", "a text of 5 characters"),
        ("name", "`rm`", "a text of 4 characters"),
        ("api_token", "abc", "a text of 3 characters"),
        ("new_password", "abc", "a text of 3 characters"),
        ("key", "abc", "a text of 3 characters"),
        ("name", "ghp_abc", "a text of 7 characters"),
        ("name", "b5d1c8a442f3e4b65", "a text of 17 characters"),
        ("name", 10**50, "a number of 51 digits"),
    ],
)
def test_long_odd_and_secret_values_are_not_repeated(field: str, value: Any, shown: str) -> None:
    text = proved({"kind": "cmp", "op": "eq", "left": field, "right": 0}, {field: value})
    assert text == f"`{field}` must be equal to `0`, it is {shown}"


def test_a_broken_constraint_takes_nothing_from_the_others() -> None:
    entry = {
        "inputSchema": {"required": ["x"]},
        "constraints": [
            {"id": "odd", "kind": "cmp", "op": "le", "left": "a", "right": 0.5},
            {"id": "plain", "kind": "cmp", "op": "le", "left": "b", "right": 1},
        ],
    }
    contract, _ = contract_from("T", freeze(entry), source="test", loose=False)
    assert contract is not None
    assert broken_by((contract,), freeze({"a": 10**400, "b": 2})) == (  # type: ignore[arg-type]
        Broken(contract="T.x.required", level="L2", text="`x` is required, it is missing"),
        Broken(contract="T.plain", level="L4", text="`b` must be at most `1`, it is `2`"),
    )
