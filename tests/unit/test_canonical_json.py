"""Canonical JSON out, strict JSON in."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from interlock.approve.approval import digest_of_call, projection_of
from interlock.bytes.canon import canonical, digest, digest_of_bytes
from interlock.bytes.strict import parse_json, parse_object
from interlock.model.call import Call, call_from
from interlock.model.errors import InputError
from interlock.value import FrozenMap

# RFC 8785, appendix B: the bits of a double, and how ECMAScript prints it.
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), NUMBERS)
def test_doubles_are_written_as_the_rfc_says(bits: str, text: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(number) == text.encode()


@pytest.mark.parametrize("bits", ["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])
def test_not_a_number_and_infinity_are_refused(bits: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    with pytest.raises(InputError, match="numbers must be finite"):
        canonical(number)


TEXTS: list[tuple[Any, str]] = [
    (None, "null"),
    (True, "true"),
    (False, "false"),
    (1, "1"),
    (1.0, "1"),
    (-1.5, "-1.5"),
    (2**53 - 1, "9007199254740991"),
    (-(2**53 - 1), "-9007199254740991"),
    (2**53, '{"$integer":"9007199254740992"}'),
    (-(2**53), '{"$integer":"-9007199254740992"}'),
    ({"$integer": "9007199254740992"}, '{"$$integer":"9007199254740992"}'),
    ({"$$integer": 1}, '{"$$$integer":1}'),
    ({"integer": 1}, '{"integer":1}'),
    ({"x$integer": 1}, '{"x$integer":1}'),
    ({"$integer": 1, "a": 2}, '{"$integer":1,"a":2}'),
    ("é\u2028", '"é\u2028"'),
    ('\b\t\n\f\r"\\/\x00\x1f\x7f', '"\\b\\t\\n\\f\\r\\"\\\\/\\u0000\\u001f\x7f"'),
    ([], "[]"),
    ((), "[]"),
    ({}, "{}"),
    ({"b": [1, {"d": 1, "c": 2}], "a": None}, '{"a":null,"b":[1,{"c":2,"d":1}]}'),
    # RFC 8785, 3.2.3: keys sort by UTF-16 code units, so the emoji comes before U+FB33
    (
        {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\x80": 6, "\xf6": 7},
        '{"\\r":2,"1":4,"\x80":6,"\xf6":7,"\u20ac":1,"\U0001f600":5,"\ufb33":3}',
    ),
]


@pytest.mark.parametrize(("data", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_data_have_one_byte_string(data: Any, text: str) -> None:
    assert canonical(data) == text.encode()


def test_what_is_not_json_is_refused() -> None:
    with pytest.raises(TypeError, match="set is not JSON data"):
        canonical({"a": {1}})
    with pytest.raises(TypeError, match="bytes is not JSON data"):
        canonical(b"")
    for half in ("\ud800", {"\udfff": 1}, ["a", {"b": "\udc00x"}]):
        with pytest.raises(InputError, match="half of a surrogate pair"):
            canonical(half)


def test_a_digest_is_that_of_the_bytes() -> None:
    assert digest({}) == "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert digest_of_bytes(b"{}") == digest({})


# --- strict JSON in --------------------------------------------------------------------------------

REFUSED: list[tuple[bytes, str]] = [
    (b"", "the input is empty"),
    (b" \n\t", "the input is empty"),
    (b"\xef\xbb\xbf{}", "the input starts with a byte-order mark"),
    (b'{"a": "\xff"}', "the input is not UTF-8 (byte 7)"),
    ("{}".encode("utf-16"), "the input is not UTF-8 (byte 0)"),
    (b"nope", "the input is not JSON: no value at character 0"),
    (b"[1,]", "the input is not JSON: no value at character 3"),
    (b"{} {}", "the input goes on after the JSON value (character 2)"),
    (b"{}\x00", "the input goes on after the JSON value (character 2)"),
    (b"01", "the input goes on after the JSON value (character 1)"),
    (b'{"a": 1, "a": 1}', "the key `a` occurs twice in one object"),
    (b'{"a": 1, "\\u0061": 2}', "the key `a` occurs twice in one object"),
    ('[{"é": 1, "é": 2}]'.encode(), "the key `\\xe9` occurs twice in one object"),
    (b"NaN", "`NaN` is not JSON; numbers must be finite"),
    (b"[-Infinity]", "`-Infinity` is not JSON; numbers must be finite"),
    (b"1e999", "a number is too large; numbers must be finite"),
    (b'"\\ud800"', "a text holds half of a surrogate pair, which is not Unicode"),
    (b'{"\\udfff\\ud800": 1}', "a text holds half of a surrogate pair, which is not Unicode"),
    (b"[" * 101 + b"]" * 101, "the input is nested deeper than 100 levels"),
    (b'{"a":' * 101 + b"1" + b"}" * 101, "the input is nested deeper than 100 levels"),
    (b"[" * 200_000, "the input is nested deeper than 100 levels"),
    (b'{"a": 1', "the input is not JSON: Expecting ',' delimiter: line 1 column 8 (char 7)"),
    (b'"\n"', "the input is not JSON: Invalid control character at: line 1 column 2 (char 1)"),
    (b'"abc', "the input is not JSON: Unterminated string starting at: line 1 column 1 (char 0)"),
    (
        b"1" * 5000,
        "the input is not JSON: Exceeds the limit (4300 digits) for integer string conversion: value has 5000 digits",
    ),
]


@pytest.mark.parametrize(("raw", "message"), REFUSED, ids=[raw[:20].hex() for raw, _ in REFUSED])
def test_strict_json_says_why_it_refuses(raw: bytes, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_json(raw)
    assert str(error.value) == message


def test_strict_json_has_a_limit() -> None:
    with pytest.raises(InputError, match="the input is larger than 4 bytes"):
        parse_json(b"[1,2]", limit=4)
    assert parse_json(b"[1,2]", limit=5) == (1, 2)


def test_what_is_accepted_is_frozen() -> None:
    parsed: Any = parse_json(b' {"a": [1, 2.5, {"b": null}], "c": "\\ud83d\\ude00"} \n')
    assert parsed == {"a": (1, 2.5, {"b": None}), "c": "\U0001f600"}
    assert type(parsed) is type(parsed["a"][2]) is FrozenMap
    assert parse_json(b"[" * 100 + b"]" * 100) is not None
    assert parse_json(b"12345678901234567890") == 12345678901234567890


@pytest.mark.parametrize(
    ("raw", "kind"),
    [(b"[]", "an array"), (b'"x"', "a text"), (b"1", "a number"), (b"1.5", "a number"), (b"null", "null")],
)
def test_an_event_must_be_an_object(raw: bytes, kind: str) -> None:
    with pytest.raises(InputError, match=f"expected a JSON object, got {kind}"):
        parse_object(raw)


# --- a call from outside ---------------------------------------------------------------------------

BAD_CALLS: list[tuple[str, str]] = [
    ("{}", "the call has no `tool`"),
    ('{"tool": null, "input": {}}', "the call has no `tool`"),
    ('{"tool": 5, "input": {}}', "`tool` must be a text that names the tool"),
    ('{"tool": " ", "input": {}}', "`tool` must be a text that names the tool"),
    ('{"tool": "Read"}', "the call has no `input`"),
    ('{"tool": "Read", "input": []}', "`input` must be an object"),
    ('{"tool": "Read", "input": {}, "cwd": 1}', "`cwd` must be a text"),
    ('{"tool": "Read", "input": {}, "cwd": "relative"}', "`cwd` must be an absolute path"),
    ('{"tool": "Read", "input": {}, "session": {}}', "`session` must be a text"),
    ('{"tool": "Read", "input": {}, "state": "x"}', "`state` must be an object"),
]


@pytest.mark.parametrize(("text", "message"), BAD_CALLS)
def test_what_is_not_a_call_is_told(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        call_from(parse_object(text.encode()), cwd="/p")
    assert str(error.value) == message


def test_a_call_has_defaults_for_all_but_tool_and_input() -> None:
    call = call_from(parse_object(b'{"tool": "Read", "input": {"file_path": "a"}, "unknown": 1}'), cwd="/p")
    assert call == Call(tool="Read", input=FrozenMap({"file_path": "a"}), cwd="/p")
    full = (
        b'{"tool": "x", "input": {}, "cwd": "/q", "session": "s", "agent": "a", "host": "h",'
        b' "state": {"k": 1}, "attempt": "t"}'
    )
    assert call_from(parse_object(full), cwd="/p") == Call(
        tool="x",
        input=FrozenMap({}),
        cwd="/q",
        session="s",
        agent="a",
        host="h",
        state=FrozenMap({"k": 1}),
        attempt="t",
    )


def whole_digest(call: Call) -> str:
    return digest_of_call(call, projection_of(call))


@pytest.mark.parametrize("tool", ["Bash", "other"])
def test_the_digest_of_a_call_covers_every_field_but_the_attempt(tool: str) -> None:
    call = Call(tool=tool, input=FrozenMap({}), cwd="/p")
    changes: list[dict[str, Any]] = [
        {"tool": "y"},
        {"input": FrozenMap({"a": 1})},
        {"input": FrozenMap({"description": "d"})},
        {"input": FrozenMap({"timeout": "d"})},
        {"cwd": "/q"},
        {"session": "s"},
        {"agent": "a"},
        {"host": "h"},
        {"state": FrozenMap({})},
    ]
    digests = {whole_digest(call), *(whole_digest(call.replace(**change)) for change in changes)}
    assert len(digests) == 1 + len(changes)
    assert whole_digest(call.replace(attempt="2")) == whole_digest(call)
