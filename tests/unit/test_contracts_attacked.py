"""Contracts under attack: what keeps its contract in some reading is never flagged, what breaks it in every one is."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.contracts.check import broken_by
from interlock.contracts.parse import contract_from
from interlock.limits import MAX_BROKEN_CHARS
from interlock.value import freeze


def proved(given: dict[str, Any], **entry: Any) -> list[str]:
    """The names of what the call breaks."""
    contract, problems = contract_from("T", freeze(entry), source="test", loose=False)
    assert problems == []
    assert contract is not None
    return [broken.contract for broken in broken_by((contract,), freeze(given), None)]  # type: ignore[arg-type]


def cmp(op: str, left: Any = "a", right: Any = "b") -> dict[str, Any]:
    return {"kind": "cmp", "op": op, "left": left, "right": right}


A, B = "2026-01-01T00:00:00.123456100Z", "2026-01-01T00:00:00.123456200Z"
KEPT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (cmp("lt"), {"a": A, "b": B}),  # nanoseconds are told apart
    (cmp("lt", {"value": 0}, {"seconds": ["a", "b"]}), {"a": A, "b": B}),
    (cmp("ne"), {"a": A, "b": B}),
    (cmp("eq"), {"a": "2026-01-01T00:00:00Z", "b": "2026-01-01T01:00:00+01:00"}),  # one moment, two texts
    (cmp("eq"), {"a": "2026-01-01T00:00:00Z", "b": "2026-01-01t00:00:00.000z"}),
    (cmp("lt"), {"a": "2026-01-01", "b": "2026-01-01T12:00:00Z"}),  # a day and a moment: nobody can tell
    (cmp("lt"), {"a": "2026-01-01T10:00:00", "b": "2026-01-01T09:00:00Z"}),
    (cmp("lt"), {"a": "10", "b": "9"}),  # texts, not numbers
    (cmp("eq"), {"a": 1, "b": 1.0}),
    (cmp("eq", {"sum": ["a", "b"]}, 0.3), {"a": 0.1, "b": 0.2}),
    ({"kind": "sum", "of": "a", "op": "eq", "vs": 100}, {"a": [33.3, 33.3, 33.4]}),
    ({"kind": "sum", "of": "a", "op": "le", "vs": 1}, {"a": [0.1] * 10}),
    (cmp("ge", {"size": "a"}, 134_217_728), {"a": "128M"}),  # to Docker that is 128 MiB
    (cmp("le", {"size": "a"}, 1), {"a": "100m"}),  # to Kubernetes that is a tenth
    (cmp("le", {"size": "a"}, {"size": "b"}), {"a": "512Mi", "b": "0.5Gi"}),
    (cmp("eq", {"size": "a"}, {"size": "b"}), {"a": "1.1GB", "b": "1100MB"}),
    ({"kind": "format", "field": "a", "is": "size"}, {"a": "10P"}),
    ({"kind": "format", "field": "a", "is": "size"}, {"a": "1EiB"}),
    ({"kind": "format", "field": "a", "is": "date-time"}, {"a": "2026-01-01T00:00:00.1234567890123Z"}),
    ({"kind": "format", "field": "a", "is": "date-time"}, {"a": "2016-12-31T23:59:60Z"}),
    ({"kind": "format", "field": "a", "is": "email"}, {"a": "o'neil+x@[192.0.2.1]"}),
    ({"kind": "format", "field": "a", "is": "http-url"}, {"a": "http://[::1]:8080/?q=[x]"}),
    ({"kind": "distinct", "fields": ["a", "b"]}, {"a": 1, "b": True}),
    ({"kind": "unique", "field": "a"}, {"a": [1, True, "1", 0, False]}),
    ({"kind": "length", "field": "a", "max": 1}, {"a": "\U0001f44d"}),
    ({"kind": "char_at", "string": "a", "index": "i", "equals": "b"}, {"a": "\U0001f44db", "i": 2}),
    ({"kind": "pattern", "field": "a", "matches": "^[\\d-x]$"}, {"a": "-"}),
    ({"kind": "pattern", "field": "a", "matches": "^(?:a+)+$"}, {"a": "a" * 5000}),
    ({"kind": "requires", "when": {"field": "a", "equals": 1}, "require": ["b"]}, {"a": True}),
    ({"kind": "subset", "field": "a", "of": {"state": "unknown"}}, {"a": ["x"]}),
]
BROKEN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (cmp("lt"), {"a": B, "b": A}),
    (cmp("lt"), {"a": A, "b": A}),
    (cmp("eq"), {"a": A, "b": B}),
    (cmp("eq"), {"a": "2026-01-01T00:00:00Z", "b": "2026-01-01T00:00:00+01:00"}),
    (cmp("le", {"hours": ["a", "b"]}, 4), {"a": "2026-03-01T08:00:00Z", "b": "2026-03-01T14:30:00+02:00"}),
    (cmp("ge", {"size": "a"}, {"size": "b"}), {"a": "1GB", "b": "1GiB"}),
    ({"kind": "unique", "field": "a"}, {"a": [{"x": 1}, {"x": 1.0}]}),
    ({"kind": "exclusive", "fields": ["a", "b"]}, {"a": 0, "b": [1]}),
    ({"kind": "pattern", "field": "a", "matches": "^(?:a+)+$"}, {"a": "a" * 500 + "!"}),
    ({"kind": "format", "field": "a", "is": "http-url"}, {"a": "javascript:alert(1)//http://a.example"}),
    ({"kind": "not_member", "field": "a", "in": ["prod"]}, {"a": "prod"}),
]


@pytest.mark.parametrize(("constraint", "given"), KEPT)
def test_what_is_kept_in_some_reading_is_not_flagged(constraint: dict[str, Any], given: dict[str, Any]) -> None:
    assert proved(given, constraints=[{"id": "it", **constraint}]) == []


@pytest.mark.parametrize(("constraint", "given"), BROKEN)
def test_what_is_broken_in_every_reading_is_flagged(constraint: dict[str, Any], given: dict[str, Any]) -> None:
    assert proved(given, constraints=[{"id": "it", **constraint}]) == ["T.it"]


def test_what_a_call_breaks_besides_hides_nothing() -> None:
    fields = {"a": {"items": {"type": "integer"}}, "z": {"enum": ["dev"]}}
    noise: dict[str, Any] = {f"x{number}": number for number in range(5000)}
    found = proved({**noise, "a": ["x"] * 5000, "z": "prod"}, inputSchema={"properties": fields})
    assert {"T.z.enum", "T.a[].type"} <= {*found}


def test_a_counter_example_of_any_length_is_cut_and_holds_no_control_character() -> None:
    schema = freeze({"inputSchema": {"type": "object", "properties": {"a\n\x1b" * 4000: {"type": "integer"}}}})
    contract, _ = contract_from("T", schema, source="test", loose=False)
    assert contract is not None
    (broken,) = broken_by((contract,), freeze({"a\n\x1b" * 4000: "\x1b[2J"}), None)  # type: ignore[arg-type]
    assert len(broken.text) <= MAX_BROKEN_CHARS + 1
    assert broken.text.isprintable()
