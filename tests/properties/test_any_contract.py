"""Contracts on any input: they never raise, never block, and flag nothing that a full validator accepts."""

from __future__ import annotations

from typing import Any

import jsonschema  # type: ignore[import-untyped]
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chance import FEWER
from interlock.bytes.canon import canonical
from interlock.bytes.strict import parse_object
from interlock.contracts.check import broken_by
from interlock.contracts.constraints import KINDS
from interlock.contracts.model import Contract
from interlock.contracts.parse import contract_from
from interlock.contracts.patterns import search
from interlock.contracts.work import Work
from interlock.decide import decide
from interlock.model.action import Broken
from interlock.model.facts import Facts
from interlock.reading.read import read_call
from interlock.record.receipt import receipt_body, receipt_of
from interlock.record.replay import rederive
from interlock.value import freeze
from strategies import Case, cases, json_data

NAMES = st.sampled_from(["a", "b", "c", "-A", "password"])
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.5, 1.0, -2.5, 1e300, 10**400]),
    st.sampled_from(["", "x", "ab", "7", "2026-03-01", "2026-03-01T10:00:00Z", "512Mi", "é", "a@b.c", "x\ny"]),
)
DATA = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
)
INPUTS = st.dictionaries(NAMES, DATA, max_size=4)
COUNTS = st.integers(0, 3)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])
PATTERNS = st.sampled_from(["^x", "a|b", "^[a-z]{2}$", "\\d+", "(ab)*$", "[^x]", "^.?$", "x(?=y)"])


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
            "required": st.lists(NAMES, max_size=2, unique=True),
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "additionalProperties": inner,
            "patternProperties": st.dictionaries(st.just("^a"), inner, max_size=1),
            "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2, unique=True), max_size=1),
            "items": inner,
            "prefixItems": some,
            "enum": st.lists(DATA, min_size=1, max_size=3),
            "const": DATA,
            "minimum": st.integers(-2, 2) | st.just(0.5),
            "maximum": st.integers(-2, 2),
            "exclusiveMinimum": st.integers(-2, 2),
            "exclusiveMaximum": st.integers(-2, 2),
            "multipleOf": st.integers(1, 3),
            "minLength": COUNTS,
            "maxLength": COUNTS,
            "minItems": COUNTS,
            "maxItems": COUNTS,
            "minProperties": COUNTS,
            "maxProperties": COUNTS,
            "uniqueItems": st.booleans(),
            "pattern": PATTERNS,
            "anyOf": some,
            "oneOf": some,
            "allOf": some,
            "not": inner,
            "if": inner,
            "then": inner,
            "$ref": st.sampled_from(["#/$defs/x", "#/properties/a", "#/nowhere"]),
            "format": st.sampled_from(["date", "email"]),
        },
    )


SCHEMAS: st.SearchStrategy[Any] = st.recursive(st.booleans() | st.just({}), _schemas, max_leaves=8).filter(
    lambda schema: type(schema) is dict
)


@given(SCHEMAS, INPUTS)
def test_whatever_is_flagged_a_validator_rejects(schema: dict[str, Any], data: dict[str, Any]) -> None:
    schema = {**schema, "$defs": {"x": {"type": "string"}}}
    contract = Contract(tool="T", source="test", schema=freeze(schema))  # type: ignore[arg-type]
    if broken_by((contract,), freeze(data)):  # type: ignore[arg-type]
        try:
            valid = jsonschema.Draft202012Validator(schema).is_valid(data)
        except (jsonschema.exceptions._WrappedReferencingError, RecursionError, OverflowError):
            return  # a reference that leads nowhere, or round in a circle: no validator has a say
        assert not valid


SIMPLE = st.fixed_dictionaries({"type": TYPES}, optional={"enum": st.lists(LEAVES, min_size=1, max_size=3)})


@given(st.dictionaries(NAMES, SIMPLE, max_size=4), st.lists(NAMES, max_size=3, unique=True), INPUTS)
def test_types_required_keys_and_enumerations_are_decided_in_full(
    properties: dict[str, Any], required: list[str], data: dict[str, Any]
) -> None:
    schema = {"type": "object", "properties": properties, "required": required}
    for one in properties.values():  # what no value can fulfil proves nothing
        check = jsonschema.Draft202012Validator(one)
        assume("enum" not in one or any(check.is_valid(value) for value in one["enum"]))
    contract = Contract(tool="T", source="test", schema=freeze(schema))  # type: ignore[arg-type]
    flagged = bool(broken_by((contract,), freeze(data)))  # type: ignore[arg-type]
    assert flagged is not jsonschema.Draft202012Validator(schema).is_valid(data)


@given(PATTERNS, st.text("abxy7 ", max_size=8))
def test_patterns_agree_with_the_standard_library(pattern: str, text: str) -> None:
    import re

    assert search(pattern, text, Work()) in (None, re.search(pattern, text) is not None)


OPERANDS = NAMES | LEAVES | st.dictionaries(st.sampled_from(["field", "value", "state", "len", "enum", "sum", "size", "days"]), DATA, max_size=2)  # fmt: skip # noqa: E501
KEYS = sorted({key for kind in KINDS.values() for key in kind.keys})
CONSTRAINTS = st.builds(
    lambda kind, rest: {"kind": kind, **rest},
    st.sampled_from([*KINDS, "phase_of_moon"]),
    st.dictionaries(
        st.sampled_from(KEYS),
        OPERANDS | st.lists(NAMES, max_size=3) | st.sampled_from(["lt", "eq", "email"]) | DATA,
        max_size=5,
    ),
)
ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "params": st.lists(
            st.dictionaries(st.sampled_from(["name", "type", "enum", "max", "required"]), DATA), max_size=3
        ),
        "constraints": st.lists(CONSTRAINTS, max_size=4),
        "inputSchema": SCHEMAS,
        "state": DATA,
    },
)


@given(ENTRIES | json_data, INPUTS, st.none() | INPUTS, st.booleans())
def test_nothing_makes_a_contract_raise(entry: Any, data: Any, state: Any, loose: bool) -> None:
    contract, problems = contract_from("T", freeze(entry), source="test", loose=loose)
    assert loose or (contract is None) is bool(problems)
    for found in broken_by((contract,) if contract else (), freeze(data), freeze(state)):  # type: ignore[arg-type]
        assert found.level in ("L1", "L2", "L3", "L4")
        assert len(found.text) <= 301


BROKEN = st.lists(
    st.builds(
        lambda name, level: Broken(contract=name, level=level, text=f"{name} is wrong"),
        st.sampled_from(["Edit.a", "Edit.b", "Write.c"]),
        st.sampled_from(["L1", "L4"]),
    ),
    max_size=3,
    unique_by=lambda broken: broken.contract,
)


@given(cases, BROKEN, st.lists(st.sampled_from(["one doubt", "another"]), max_size=2))
def test_advice_never_blocks(case: Case, broken: list[Broken], doubts: list[str]) -> None:
    plain = decide(case.call, case.reading, case.policy, case.session, case.grants)
    told = case.reading.replace(broken=tuple(broken), doubts=tuple(doubts))
    decision = decide(case.call, told, case.policy, case.session, case.grants)
    assert decision.replace(notes=()) == plain.replace(notes=())
    texts = [f"{part.text} (contract {part.contract})" for part in broken] + list(dict.fromkeys(doubts))
    assert [note for note in decision.notes if note not in plain.notes] == texts


@given(cases, BROKEN)
def test_a_decision_with_notes_is_derived_again_from_its_receipt(case: Case, broken: list[Broken]) -> None:
    reading = case.reading.replace(broken=tuple(broken), doubts=("a doubt",))
    decision = decide(case.call, reading, case.policy, case.session, case.grants)
    _, raw = receipt_of(receipt_body(case.call, reading, case.policy.digest, case.session, decision))
    assert canonical(rederive(parse_object(raw), case.policy)) == raw


@settings(max_examples=FEWER)
@given(cases, ENTRIES)
def test_contracts_change_nothing_of_what_is_read(case: Case, entry: Any) -> None:
    facts = Facts(root="/p", home="/home/u")
    contract, _ = contract_from(case.call.tool, freeze(entry), source="test", loose=True)
    plain = read_call(case.call, facts)
    read = read_call(case.call, facts.replace(contracts=(contract,) if contract else ()))
    assert read.replace(broken=()) == plain
