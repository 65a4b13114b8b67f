"""Corpora of calls with contracts, and the calls that are spoilt on purpose. The rows are made up."""

from __future__ import annotations

from typing import Any

from interlock.contracts.check import broken_by
from interlock.evals.adapters import ADAPTERS
from interlock.evals.case import Case
from interlock.evals.contracts import mutants
from interlock.evals.lexical import bench_for
from interlock.evals.runner import run_cases

SCHEMA = {
    "type": "object",
    "required": ["city", "days"],
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "unit": {"type": "string", "enum": ["c", "f"]},
        "stops": {
            "type": "array",
            "items": {"type": "object", "required": ["x"], "properties": {"x": {"type": "number"}}},
        },
    },
}
GIVEN = {"city": "Bergen", "days": 3, "unit": "c", "stops": [{"x": 1}, {"x": 2}]}
BFCL: dict[str, Any] = {"id": "a#0", "function": "weather", "schema": SCHEMA, "args": GIVEN, "valid_draft2020": True}
SEATS: dict[str, Any] = {
    "constraints": [{"kind": "member", "field": "seat", "in": {"state": "free"}}],
    "state_struct": {"free": ["1A"]},
}
ROLE_OS: dict[str, Any] = {
    "tool": "seat",
    "contract": SEATS,
    "call": {"seat": "2B"},
    "state": "only 1A is free",
    "klass": "l4",
}


def case(file: str, row: dict[str, Any]) -> Case:
    return Case(id="a", file=file, line=1, **ADAPTERS[file](row))


def test_a_call_with_its_schema_becomes_a_case_with_a_contract() -> None:
    (result,) = run_cases([case("bfcl_calls.jsonl", BFCL)], bench_for())
    assert (result.case.group, result.broken) == ("valid", ())
    spoilt = {**BFCL, "args": {"city": 7, "days": 3}, "valid_draft2020": False}
    (result,) = run_cases([case("bfcl_calls.jsonl", spoilt)], bench_for())
    assert result.case.group == "invalid"
    assert result.broken == ("weather.city.type: `city` must be string, it is the number `7`",)


def test_a_row_of_role_os_brings_its_contract_and_its_state() -> None:
    (result,) = run_cases([case("roleos_effective.jsonl", {**ROLE_OS, "expected": "violation"})], bench_for())
    assert result.case.group == "violation"
    assert result.broken == ("seat.member-seat: `seat` must be one of `free` of the state, it is `2B`",)
    given = {**ROLE_OS, "expected": "conformant", "state": {"free": ["2B"]}}
    (result,) = run_cases([case("roleos_live.jsonl", given)], bench_for())
    assert (result.case.group, result.broken) == ("conformant", ())


def test_every_place_is_spoilt_in_every_way_and_each_is_flagged() -> None:
    valid = case("bfcl_calls.jsonl", BFCL)
    spoilt = mutants([valid, valid.replace(group="invalid")])
    ways = sorted(one.why.replace("[0]", "[]").replace("[1]", "[]") for one in spoilt)
    assert ways == [
        "enum of .unit",
        "required .city",
        "required .days",
        "required .stops[].x",
        "type of .city",
        "type of .days",
        "type of .stops",
        "type of .stops[]",
        "type of .stops[].x",
        "type of .unit",
    ]
    assert all(broken_by(one.contracts, one.call.input) for one in spoilt)
    assert len({one.id for one in spoilt}) == len(spoilt)
    assert mutants([valid]) == spoilt
