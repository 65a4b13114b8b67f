"""Canonical JSON, digests and receipts: the same on every machine, different for different data."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import interlock
from chance import EXAMPLES, FEWER, tried_on
from interlock.bytes.canon import canonical, digest, digest_of_bytes
from interlock.bytes.strict import parse_json, parse_object
from interlock.decide import decide
from interlock.model.errors import InputError
from interlock.policy.wire import policy_to_wire
from interlock.record.receipt import receipt_body, receipt_of, replay_inputs
from interlock.value import freeze
from strategies import SAFE, Case, a_case, cases, json_data, safe_json_data


def receipt_bytes(case: Case) -> bytes:
    decision = decide(case.call, case.reading, case.policy, case.session, case.grants)
    body = receipt_body(case.call, case.reading, case.policy.digest, case.session, decision)
    receipt, raw = receipt_of(body)
    assert raw == canonical(body)  # however it was written
    assert receipt == digest_of_bytes(raw)
    return raw


@tried_on(a_case)
def test_a_receipt_is_replayed_byte_for_byte(case: Case) -> None:
    raw = receipt_bytes(case)
    call, reading, session, grants = replay_inputs(parse_object(raw))
    again = case.replace(call=call, reading=reading, session=session, grants=grants)
    assert receipt_bytes(again) == raw


@tried_on(a_case)
def test_grants_that_were_not_used_leave_no_trace_in_a_receipt(case: Case) -> None:
    used = decide(case.call, case.reading, case.policy, case.session, case.grants).used
    assert receipt_bytes(case.replace(grants=used)) == receipt_bytes(case)


@given(safe_json_data)
def test_canonical_bytes_are_those_of_the_rfc(data: Any) -> None:
    try:
        expected = rfc8785.dumps(data)
    except rfc8785.CanonicalizationError:
        assume(False)
    assume(not _looks_tagged(data))
    assert canonical(data) == expected
    assert canonical(freeze(data)) == expected


def _looks_tagged(data: Any) -> bool:
    if isinstance(data, list):
        return any(map(_looks_tagged, data))
    if not isinstance(data, dict):
        return False
    return any(key in ("$integer", "$$integer") for key in data) or any(map(_looks_tagged, data.values()))


def decode(raw: bytes) -> Any:
    """The inverse of `canonical`, from its description: that there is one shows that no two data share bytes."""

    def whole(text: str) -> Any:
        return int(text) if abs(int(text)) <= SAFE else float(text)

    def untag(found: dict[str, Any]) -> Any:
        if len(found) == 1:
            key, value = next(iter(found.items()))
            if key == "$integer":
                return int(value)
            if key.startswith("$") and key.strip("$") == "integer" and key.lstrip("$") == "integer":
                return {key[1:]: value}
        return found

    return json.loads(raw, parse_int=whole, object_hook=untag)


def same(one: Any, other: Any) -> bool:
    """Equal as JSON data: 1 and 1.0 are one number, 1 and true are not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


@given(json_data)
def test_different_data_have_different_bytes(data: Any) -> None:
    raw = canonical(data)
    assert same(decode(raw), data)
    if isinstance(data, int) and not isinstance(data, bool) and abs(data) > SAFE:
        assert canonical({"$integer": str(data)}) != raw != canonical(str(data))


@given(json_data)
def test_wrapping_in_a_tag_never_collides(data: Any) -> None:
    wrapped = [data, {"$integer": data}, {"$$integer": data}, {"$integer": data, "a": 1}, [data]]
    assert len({canonical(each) for each in wrapped}) == len(wrapped)


@given(safe_json_data)
def test_parsing_canonical_bytes_gives_the_data_back(data: Any) -> None:
    assume(not _looks_tagged(data))
    assume(not any(abs(number) > SAFE and number.is_integer() for number in _floats(data)))
    parsed = parse_json(canonical(data))
    assert parsed == freeze(data)
    assert canonical(parsed) == canonical(data)


def _floats(data: Any) -> list[float]:
    if isinstance(data, float):
        return [data]
    inside = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [number for each in inside for number in _floats(each)]


@given(json_data)
def test_the_order_of_keys_does_not_matter(data: Any) -> None:
    assert digest(_backwards(data)) == digest(data)


def _backwards(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _backwards(data[key]) for key in reversed(data)}
    return [_backwards(each) for each in data] if isinstance(data, list) else data


@settings(max_examples=FEWER)
@given(safe_json_data, st.sampled_from([float("nan"), float("inf"), float("-inf")]))
def test_numbers_that_are_none_are_refused(data: Any, number: float) -> None:
    for nested in (number, [data, number], {"a": [number], "b": data}):
        with pytest.raises(InputError, match="finite"):
            canonical(nested)


# --- on other interpreters -------------------------------------------------------------------------

CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
from interlock.decide import decide
from interlock.policy.wire import policy_from_wire, policy_to_wire
from interlock.bytes.canon import canonical
from interlock.record.receipt import receipt_body, receipt_of, replay_inputs
from interlock.bytes.strict import parse_json
for line in sys.stdin.buffer:
    body, wire, given, order = parse_json(line)
    policy = policy_from_wire(wire, digest=body["policy"])
    call, reading, session, grants = replay_inputs({**body, "grants": given})
    decision = decide(call, reading, policy, session, grants)
    receipt, raw = receipt_of(receipt_body(call, reading, policy.digest, session, decision))
    print(receipt, canonical(policy_to_wire(policy)).hex()[-16:], canonical(order).hex())
"""


def interpreters() -> list[str]:
    found = {sys.executable}
    for minor in (11, 12, 13):
        builds = sorted(Path.home().glob(f".pyenv/versions/3.{minor}*/bin/python3.{minor}"))
        found.update(str(path) for path in builds[-1:])
    return sorted(found)


@pytest.fixture(scope="module")
def gathered() -> tuple[bytes, list[str]]:
    """Inputs as lines, and the receipts that this very process makes of them."""
    lines: list[bytes] = []
    expected: list[str] = []

    @settings(max_examples=min(EXAMPLES, 1000), database=None, phases=[Phase.generate])
    @given(cases, json_data)
    def gather(case: Case, data: Any) -> None:
        from interlock.record.receipt import grant_to_wire

        raw = receipt_bytes(case)
        given = [grant_to_wire(grant) for grant in case.grants]
        lines.append(canonical([json.loads(raw), policy_to_wire(case.policy), given, [data]]))
        order = parse_json(lines[-1])[3]  # type: ignore[index]
        wire = canonical(policy_to_wire(case.policy)).hex()[-16:]
        expected.append(f"{digest_of_bytes(raw)} {wire} {canonical(order).hex()}")

    gather()
    return b"\n".join(lines), expected


@pytest.mark.parametrize("seed", ["0", "4242", "of its own"])
@pytest.mark.parametrize("python", interpreters(), ids=lambda path: path.split("/versions/")[-1].replace("/", "-"))
def test_same_inputs_same_bytes(python: str, seed: str, gathered: tuple[bytes, list[str]]) -> None:
    lines, expected = gathered
    source = str(Path(interlock.__file__).parents[1])
    # -I is how the hook runs; it ignores PYTHONHASHSEED, so where that is set, -s and -P stand in for it.
    flags, env = (["-I"], {}) if seed == "of its own" else (["-s", "-P"], {"PYTHONHASHSEED": seed})
    done = subprocess.run(
        [python, *flags, "-S", "-B", "-c", CHILD, source],
        input=lines,
        env=env,
        cwd="/",
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert done.stdout.decode().splitlines() == expected
