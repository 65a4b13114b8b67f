"""Whatever comes in, from a host or from a policy file, gives an answer or the one error for it."""

from __future__ import annotations

import json
from typing import Any

import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from interlock.bytes.strict import parse_object
from interlock.decide import decide
from interlock.model.call import call_from
from interlock.model.decision import Decision
from interlock.model.errors import InputError, PolicyError
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.policy.compile import compile_policy
from interlock.policy.model import Policy
from interlock.policy.parse import Source, parse_policy
from interlock.policy.schema import GRANT, RISK, RULE, TOOL, TOP, WHEN
from interlock.reading.read import read_call
from interlock.record.receipt import receipt_body, receipt_of
from interlock.value import FrozenMap
from strategies import call_objects, policy_texts

FACTS = Facts(root="/p", home="/home/u", real=FrozenMap({"/p/a.txt": "/p/a.txt", "/p/.env": "/p/.env"}))


@st.composite
def damaged(draw: st.DrawFn, texts: st.SearchStrategy[bytes]) -> bytes:
    """Good bytes with a piece cut out, doubled or overwritten."""
    raw = draw(texts)
    start, end = sorted((draw(st.integers(0, len(raw))), draw(st.integers(0, len(raw)))))
    return (
        raw[:start] + draw(st.sampled_from([b"", b"\xff", b"\x00", b'"', b"{", b"]", raw[start:end] * 2])) + raw[end:]
    )


lone_surrogates = st.sampled_from([rb'{"tool": "\ud800", "input": {}}', rb'{"tool": "x", "input": {"\udfff": 1}}'])
call_texts = call_objects.map(lambda data: json.dumps(data).encode())
events = call_texts | call_texts | damaged(call_texts) | st.binary(max_size=40) | lone_surrogates


def outcome(raw: bytes) -> Decision | InputError:
    try:
        call = call_from(parse_object(raw), cwd="/p")
    except InputError as error:
        return error
    reading = read_call(call, FACTS)
    decision = decide(call, reading, Policy(), Session())
    receipt_of(receipt_body(call, reading, "sha256:d", Session(), decision))  # the record can always be written
    return decision


@given(events)
def test_any_bytes_give_a_decision_or_an_input_error(raw: bytes) -> None:
    first = outcome(raw)
    second = outcome(raw)
    assert isinstance(first, Decision | InputError)
    assert str(first) == str(second)
    if isinstance(first, InputError):
        assert 0 < len(str(first)) < 300


# --- policy files ----------------------------------------------------------------------------------

_KEYS = [field.key for table in (TOP, RISK, TOOL, WHEN, RULE, GRANT) for field in table]
_odd_values: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([True, 0, 1, "", "x", "ask", "high", "locked", "read", 1.5, float("nan"), float("inf"), 2**60])
    | st.dates()
    | st.datetimes(timezones=st.sampled_from([None, __import__("datetime").UTC])),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from([*_KEYS, "a b", "\x1b[0m"]), inner, max_size=3)
    ),
    max_leaves=8,
)
odd_policies = st.dictionaries(st.sampled_from(_KEYS), _odd_values, max_size=4).map(
    lambda tables: tomli_w.dumps({"version": 1, **tables}).encode()
)
policy_files = policy_texts | damaged(policy_texts) | odd_policies | odd_policies | st.binary(max_size=40)


@given(policy_files, st.sampled_from(["default", "managed", "user", "project"]))
def test_any_policy_text_gives_a_source_or_a_policy_error(raw: bytes, name: str) -> None:
    try:
        found = parse_policy(raw, name=name, file="f.toml")
    except PolicyError as error:
        assert_placed(error, raw)
    else:
        assert isinstance(found, Source)


@given(policy_files, st.booleans())
def test_any_policy_text_compiles_or_is_a_policy_error(raw: bytes, trusted: bool) -> None:
    base = b"version = 1\n[tools.Read]\neffects = ['read']\n"
    try:
        policy = compile_policy((("default", "d", base), ("project", "f.toml", raw)), project_trusted=trusted)
    except PolicyError as error:
        assert_placed(error, raw)
    else:
        assert policy.digest.startswith("sha256:")


def assert_placed(error: PolicyError, raw: bytes) -> None:
    """Every problem names the file, and a place that exists in it."""
    lines = raw.decode(errors="replace").split("\n")
    assert error.problems
    for problem in error.problems:
        assert problem.file == "f.toml"
        assert 1 <= problem.line <= len(lines)
        assert 1 <= problem.column <= max(len(lines[problem.line - 1]), len(raw.split(b"\n")[problem.line - 1])) + 2
        assert problem.text.isprintable()
