"""Catalogues and calls that are made to be slow: what they cost is bounded, and what is cheap is still told."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from interlock.bytes.strict import parse_object
from interlock.contracts.check import broken_by
from interlock.contracts.identity import Among, same
from interlock.contracts.parse import contract_from
from interlock.contracts.work import ROOM, OutOfWork, Work
from interlock.limits import MAX_CONTRACTS_BYTES, MAX_INPUT_BYTES
from interlock.model.action import Broken

LONG = 100_000
# Numbers that all have one hash: a set of them costs the square of their number.
ALIKE = [at * (2**61 - 1) for at in range(1, 30_000)]


def names(count: int) -> list[str]:
    return [f"k{at}" for at in range(count)]


def many(count: int, **constraint: Any) -> dict[str, Any]:
    return {"constraints": [{"id": f"c{at}", **constraint} for at in range(count)]}


def of_items(**keywords: Any) -> dict[str, Any]:
    return {"inputSchema": {"properties": {"a": {"items": keywords}}}}


# what the catalogue says, and a call that makes it slow
SLOW: dict[str, tuple[Any, Any]] = {
    "a group of nothing, again and again": (
        {"params": [{"name": "a", "pattern": "((((((){200}){200}){200}){200}){200}){200}"}]},
        {"a": "x"},
    ),
    "patterns of a constraint": (many(900, kind="pattern", field="a", matches="(a|b|c|d){1,130}$"), {"a": "abcd" * 35}),
    "patterns of a schema": (
        {"inputSchema": {"properties": {"a": {"allOf": [{"pattern": f"(a|b){{1,190}}{at}"} for at in range(900)]}}}},
        {"a": "ab" * 70},
    ),
    "an enumeration for each item": (of_items(enum=list(range(150_000))), {"a": [0] * LONG}),
    "a constant for each item": (of_items(const=list(range(150_000))), {"a": [list(range(150_000))] * 7}),
    "required keys of each item": (of_items(required=names(80_000)), {"a": [{}] * LONG}),
    "properties of each item": (of_items(properties=dict.fromkeys(names(60_000), True)), {"a": [{}] * LONG}),
    "unknown keywords for each item": (of_items(**dict.fromkeys(names(60_000), 1)), {"a": [1] * LONG}),
    "no others in each item": (
        of_items(additionalProperties=False, properties=dict.fromkeys(names(60_000), True)),
        {"a": [{"b": 1}] * LONG},
    ),
    "keys that need others": (of_items(dependentRequired={"b": names(60_000)}), {"a": [{"b": 1}] * LONG}),
    "types for each item": (of_items(type=["string"] * 90_000), {"a": [1] * LONG}),
    "a long reference": (of_items(**{"$ref": "#/" + "x/" * 400_000}), {"a": [1] * LONG}),
    "references in a circle": (
        {"inputSchema": {"$ref": "#/d", "d": {"allOf": [{"$ref": "#/d"}] * 10}}},
        {"a": 1},
    ),
    "items that must differ": (
        {"inputSchema": {"properties": {"a": {"allOf": [{"uniqueItems": True}] * 30_000}}}},
        {"a": list(range(LONG))},
    ),
    "numbers with one hash that must differ": (many(1, kind="unique", field="a"), {"a": ALIKE}),
    "numbers with one hash to choose from": (many(1, kind="member", field="a", **{"in": {"enum": ALIKE}}), {"a": 1}),
    "unique": (many(999, kind="unique", field="a"), {"a": list(range(LONG))}),
    "subset": (many(999, kind="subset", field="a", of={"field": "a"}), {"a": list(range(LONG))}),
    "distinct": (many(999, kind="distinct", fields=["a", "b"]), {"a": [1] * LONG, "b": [1] * LONG}),
    "requires in": (
        many(1, kind="requires", when={"field": "a", "in": list(range(LONG))}, require=["b"]),
        {"a": list(range(LONG))},
    ),
    "cmp": (many(999, kind="cmp", op="eq", left="a", right="a"), {"a": [1] * LONG}),
    "sum": (many(999, kind="sum", of="a", op="ge", vs=1), {"a": [1] * LONG}),
    "length": (many(999, kind="length", field="a", max=5), {"a": "é" * 1_000_000}),
    "char_at": (many(999, kind="char_at", string="a", index=1, equals={"value": "é"}), {"a": "é" * 1_000_000}),
    "format": (many(999, kind="format", field="a", **{"is": "cron"}), {"a": ["* * * * *"] * LONG}),
    "constraints without names": ({"constraints": [{"kind": "unique", "field": "a"}] * 999}, {"a": [1]}),
}


@contextmanager
def not_for_ever() -> Iterator[None]:
    """Ends what would go on for minutes. Of processor time, so that a busy machine makes no difference."""

    def stop(*_: object) -> None:
        raise AssertionError("it goes on and on")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 20)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def broken(entry: Any, given: Any) -> tuple[Broken, ...]:
    catalogue, call = json.dumps({"T": entry}).encode(), json.dumps(given).encode()
    assert len(catalogue) <= MAX_CONTRACTS_BYTES * 1.1  # no larger than one that is read, or hardly
    assert len(call) <= MAX_INPUT_BYTES
    read: Any = parse_object(catalogue, limit=2 * MAX_CONTRACTS_BYTES)
    contract, problems = contract_from("T", read["T"], source="", loose=False)
    assert contract is not None, problems
    return broken_by((contract,), parse_object(call, limit=MAX_INPUT_BYTES))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", SLOW)
def test_no_catalogue_and_no_call_makes_advice_slow(name: str) -> None:
    entry, given = SLOW[name]
    with not_for_ever():
        assert len(broken(entry, given)) <= 1000


@pytest.mark.slow
def test_a_long_call_hides_nothing_that_is_cheap_to_see() -> None:
    entry = {
        "inputSchema": {
            "additionalProperties": False,
            "properties": {
                "pad": {"items": {"enum": [0]}},
                "size": {"enum": ["small", ["large"]]},
                "kind": {"const": ["plain"]},
                **dict.fromkeys(("starts", "ends", "where"), True),
            },
        },
        "constraints": [
            {"id": "pad", "kind": "unique", "field": "pad"},
            {"id": "window", "kind": "cmp", "op": "lt", "left": "starts", "right": "ends"},
            {"id": "where", "kind": "subset", "field": "where", "of": {"enum": ["x", ["y"]]}},
        ],
    }
    given = {
        "pad": list(range(ROOM - 1)),
        "starts": 9,
        "ends": 3,
        "size": list(range(LONG)),
        "kind": list(range(LONG)),
        "where": [["x"] * LONG],
        "other": 1,
    }
    told = {part.contract for part in broken(entry, given)}
    assert told == {"T.additionalProperties", "T.size.enum", "T.kind.const", "T.pad[].enum", "T.window", "T.where"}


def test_more_constraints_than_anybody_writes_are_told_and_not_checked() -> None:
    entry: Any = parse_object(json.dumps({"T": many(1001, kind="unique", field="a")}).encode())["T"]
    assert contract_from("T", entry, source="", loose=False) == (None, ["`constraints` are more than 1000"])
    contract, problems = contract_from("T", entry, source="", loose=True)
    assert contract is not None
    assert (len(contract.constraints), problems) == (1000, [])


def test_what_is_too_much_is_refused_and_what_is_cheaper_is_still_done() -> None:
    work = Work(10)
    with pytest.raises(OutOfWork):
        work.take(11)
    work.take(10)
    assert work.left == 0


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (10**20, 1e20, True),
        (10**20 + 1, 1e20, False),
        (-(10**20), 10**20, False),
        (1e300, 1e300, True),
        ((1, "a"), (1.0, "a"), True),
        ((1,), 1, False),
        ((), None, False),
    ],
)
def test_values_are_equal_as_json_means_it(one: Any, other: Any, equal: bool) -> None:
    assert same(one, other, Work()) is equal
    assert same(other, one, Work()) is equal
    assert Among((other,), Work()).holds(one, Work()) is equal
