"""A model's server that lies: whatever it sends, no call reaches a client that was not judged as it arrives there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.proxy.rewrite.calls import Ruling, Wanted
from interlock.proxy.rewrite.pieces import FaultError, Splitter
from proxy.played import allow, calls_in, deny, play
from proxy.said import APIS, Call, events, framed, streamed
from sizes import how_many

LOOK: Call = ("look", {"x": 1}, "c_1")
MORE: Call = ("look", {"y": 2}, "c_2")


def fresh(said: Any) -> Any:
    """A copy that shares nothing with the other events."""
    return json.loads(json.dumps(said))


def index_of(said: list[dict[str, Any]], kind: str, nth: int = 0) -> int:
    return [place for place, event in enumerate(said) if event.get("type") == kind][nth]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_bytes_may_be_cut_anywhere(api: str, end: bytes, size: int) -> None:
    raw = b"".join(streamed(api, "Grüße ✓ 😀", [LOOK, MORE])).replace(b"\n", end)
    raw = raw.decode().encode()
    whole = play(api, streamed(api, "Grüße ✓ 😀", [LOOK, MORE]), allow)
    found = play(api, [raw[at : at + size] for at in range(0, len(raw), size)], allow)
    assert (found.raw, found.wanted, found.fault) == (whole.raw, whole.wanted, "")


@pytest.mark.parametrize("api", ["anthropic", "gemini", "responses"])
def test_what_is_allowed_leaves_byte_for_byte(api: str) -> None:
    raw = streamed(api, "Let me see.", [LOOK, MORE])
    assert play(api, raw, allow).raw == b"".join(raw)


@pytest.mark.parametrize("api", APIS)
def test_arguments_that_are_no_json_are_never_let_through(api: str) -> None:
    for broken in ('{"x": 1', "[1]", '{"x": 1, "x": 2}', '{"x": NaN}', "nonsense", '"text"'):
        if api == "gemini":
            continue
        found = play(api, streamed(api, "", [("look", broken, "c_1")]), allow)
        assert calls_in(api, found.events) == [], broken
        assert found.wanted[0].trouble


@pytest.mark.parametrize("api", APIS)
def test_of_two_calls_with_one_id_only_the_first_is_let_through(api: str) -> None:
    found = play(api, streamed(api, "", [("look", {"x": 1}, "c"), ("look", {"x": 2}, "c")]), allow)
    assert calls_in(api, found.events) == [("look", {"x": 1})]


@pytest.mark.parametrize("api", APIS)
def test_huge_arguments_are_withheld(api: str) -> None:
    found = play(api, streamed(api, "", [("look", {"x": "y" * (9 << 20)}, "c")]), allow)
    assert calls_in(api, found.events) == [] or api == "gemini"  # where the gate itself has the limit


def test_a_key_that_stands_twice_ends_the_answer() -> None:
    for api, raw in {
        "anthropic": b'data: {"type": "ping", "type": "content_block_start"}\n\n',
        "chat": b'data: {"choices": [], "choices": []}\n\n',
        "gemini": b'data: {"candidates": [], "candidates": []}\n\n',
    }.items():
        assert "twice" in play(api, [raw], allow).fault


def test_a_line_that_only_some_clients_see_is_no_line() -> None:
    """google-genai breaks lines at U+2028 and U+0085; what follows would be an event of its own."""
    call = json.dumps(events("gemini", "", [LOOK])[0])
    for char in "\x85\u2028\u2029":
        text = json.dumps({"candidates": [{"content": {"parts": [{"text": "@"}]}}]}).replace("@", f"{char}data: ")
        (piece,) = Splitter().feed(f"data: {text}\n\n".encode())
        assert char not in piece.raw.decode()
        assert json.loads(piece.raw.decode().removeprefix("data: "))["candidates"][0]["content"]["parts"][0][
            "text"
        ].startswith(char)
    assert calls_in("gemini", play("gemini", [f"data: {call}\n\n".encode()], deny).events) == []


def test_names_of_events_and_comments_cannot_smuggle_lines() -> None:
    with pytest.raises(FaultError):
        Splitter().feed("event: a\u2028data: {}\ndata: {}\n\n".encode())
    assert Splitter().feed(": a\u2028data: {}\n\n".encode()) == []


# --- Anthropic -------------------------------------------------------------------------------------------------------


def test_anthropic_blocks_that_interleave_leave_in_order() -> None:
    said = events("anthropic", "", [LOOK, MORE])
    first = [event for event in said if event.get("index") == 0]
    second = [event for event in said if event.get("index") == 1]
    mixed = [said[0], first[0], second[0], first[1], second[1], first[2], second[2], first[3], second[3]]
    mixed += [first[-1], second[-1], *said[-2:]]
    found = play("anthropic", framed("anthropic", mixed), allow)
    assert found.fault == ""
    assert calls_in("anthropic", found.events) == [("look", {"x": 1}), ("look", {"y": 2})]
    half = play("anthropic", framed("anthropic", mixed), lambda one: allow(one) if one.id == "c_2" else deny(one))
    assert calls_in("anthropic", half.events) == [("look", {"y": 2})]


def test_anthropic_arguments_after_the_end_of_a_call_end_the_answer() -> None:
    said = events("anthropic", "", [LOOK])
    late = {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": ',"z":1'}}
    said.insert(index_of(said, "content_block_stop") + 1, late)
    found = play("anthropic", framed("anthropic", said), allow)
    assert "after its end" in found.fault
    assert calls_in("anthropic", found.events) == [("look", {"x": 1})]


def test_anthropic_an_index_that_is_not_its_place_ends_the_answer() -> None:
    said = events("anthropic", "", [LOOK, MORE])
    for event in said:
        if "index" in event:
            event["index"] = 1 - event["index"]
    assert "out of order" in play("anthropic", framed("anthropic", said), allow).fault


@pytest.mark.parametrize(
    "block",
    [
        {"type": "tool_use_v2", "id": "c", "name": "wipe", "input": {}},
        {"type": "computer_action", "id": "c"},
        {"type": "novel", "input": {"a": 1}},
        {"type": "novel", "inner": [{"tool_use": {"name": "wipe"}}]},
        {"type": "server_tool_use", "id": "c", "name": "bash", "input": {}},
        {"type": "text", "text": "", "tool_calls": [{"name": "wipe"}]},
        {"type": 7, "name": "wipe", "input": {}},
    ],
)
def test_anthropic_a_block_that_looks_like_a_call_and_is_not_known_is_withheld(block: dict[str, Any]) -> None:
    said = events("anthropic", "", [LOOK])
    said[index_of(said, "content_block_start")]["content_block"] = block
    found = play("anthropic", framed("anthropic", said), allow)
    assert all(one.trouble for one in found.wanted)
    assert "wipe" not in found.raw.decode().replace("[Interlock", "")
    assert found.fault or found.events[-2]["delta"]["stop_reason"] == "end_turn"


def test_anthropic_a_block_that_only_shows_something_passes() -> None:
    said = events("anthropic", "Hi", [])
    said[1]["content_block"] = {"type": "illustration", "text": "", "image": {"id": 1}}
    assert play("anthropic", framed("anthropic", said), allow).raw == b"".join(framed("anthropic", said))


def test_anthropic_a_call_in_the_head_ends_the_answer() -> None:
    said = events("anthropic", "", [])
    said[0]["message"]["content"] = [{"type": "tool_use", "id": "c", "name": "wipe", "input": {}}]
    assert calls_in("anthropic", play("anthropic", framed("anthropic", said), allow).events) == []


# --- Chat ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [{"function": {"name": "wipe"}}, {"id": "c_9"}, {"type": "custom"}])
def test_chat_a_call_whose_name_or_id_changes_is_withheld(part: dict[str, Any]) -> None:
    said = events("chat", "", [LOOK])
    late = fresh(said[1])
    late["choices"][0]["delta"]["tool_calls"] = [{"index": 0, **part}]
    said.insert(2, late)
    found = play("chat", framed("chat", said), allow)
    assert calls_in("chat", found.events) == []
    assert "changed" in found.wanted[0].trouble


def test_chat_a_call_after_the_reason_to_finish_ends_the_answer() -> None:
    said = events("chat", "", [LOOK])
    found = play("chat", framed("chat", [*said, said[1]]), allow)
    assert "after its end" in found.fault


def test_chat_functions_of_old_are_judged_too() -> None:
    said = events("chat", "", [])
    said[1]["choices"][0]["finish_reason"] = "function_call"
    named = fresh(said[0])
    named["choices"][0]["delta"] = {"function_call": {"name": "wipe", "arguments": "{}"}}
    found = play("chat", framed("chat", [said[0], named, *said[1:]]), deny)
    assert calls_in("chat", found.events) == []
    assert [one.tool for one in found.wanted] == ["wipe"]
    assert found.events[-2]["choices"][0]["finish_reason"] == "stop"


def test_chat_calls_of_several_choices_are_judged_apart() -> None:
    said = events("chat", "", [LOOK])
    both = []
    for event in said:
        other = fresh(event)
        for choice in other["choices"]:
            choice["index"] = 1
        both += [event, *([other] if other["choices"] else [])]
    found = play("chat", framed("chat", both), allow)
    assert calls_in("chat", found.events) == [("look", {"x": 1})] * 2


@pytest.mark.parametrize("place", ["message", "extra"])
def test_chat_a_call_in_another_place_ends_the_answer(place: str) -> None:
    said = events("chat", "", [])
    hidden = {"tool_calls": [{"function": {"name": "wipe", "arguments": "{}"}}]}
    said[0]["choices"][0][place] = hidden
    assert "where none belongs" in play("chat", framed("chat", said), allow).fault


# --- Responses -------------------------------------------------------------------------------------------------------


def test_responses_a_call_that_only_the_last_event_holds_is_judged() -> None:
    said = [event for event in events("responses", "", [LOOK]) if "output_index" not in event]
    found = play("responses", framed("responses", said), deny)
    assert calls_in("responses", found.events) == []
    assert [one.tool for one in found.wanted] == ["look"]


@pytest.mark.parametrize(("key", "value"), [("name", "wipe"), ("arguments", '{"x": 9}'), ("call_id", "c_9")])
def test_responses_a_call_that_the_last_event_tells_otherwise_is_judged_again(key: str, value: str) -> None:
    said = fresh(events("responses", "", [LOOK]))
    said[-1]["response"]["output"][0][key] = value
    changed = {"name": "wipe", "arguments": {"x": 9}, "call_id": "c_9"}[key]

    def rule(one: Wanted) -> Ruling:
        return deny(one) if changed in (one.tool, one.given, one.id) else allow(one)

    found = play("responses", framed("responses", said), rule)
    assert len(found.wanted) == 2
    output = found.events[-1]["response"]["output"]
    assert [item["type"] for item in output] == ["message"]


def test_responses_one_call_does_not_stand_there_twice() -> None:
    said = fresh(events("responses", "", [LOOK]))
    said[-1]["response"]["output"] *= 2
    found = play("responses", framed("responses", said), allow)
    assert [item["type"] for item in found.events[-1]["response"]["output"]] == ["function_call", "message"]


@pytest.mark.parametrize("kind", ["response.function_call_arguments.delta", "response.function_call_arguments.done"])
def test_responses_a_call_that_changes_while_it_is_streamed_is_withheld(kind: str) -> None:
    said = fresh(events("responses", "", [LOOK]))
    event = said[index_of(said, kind)]
    event["delta" if kind.endswith("delta") else "arguments"] = '{"x": 9}'
    found = play("responses", framed("responses", said), allow)
    assert found.wanted[0].trouble == "it changed while it was streamed"
    assert calls_in("responses", found.events) == []


def test_responses_a_message_that_becomes_a_call_at_its_end_ends_the_answer() -> None:
    said = fresh(events("responses", "Hi", []))
    done = said[index_of(said, "response.output_item.done")]
    done["item"] = {"type": "function_call", "name": "wipe", "arguments": "{}", "call_id": "c"}
    assert "became a call" in play("responses", framed("responses", said), allow).fault


@pytest.mark.parametrize(
    "kind", ["local_shell_call", "mcp_call", "code_interpreter_call", "robot_call", "computer_call"]
)
def test_responses_other_kinds_of_calls_are_judged_or_withheld(kind: str) -> None:
    item = {"type": kind, "id": "i", "call_id": "c", "action": {"command": ["rm", "-rf", "a b"]}, "status": "completed"}
    body = {"id": "r", "object": "response", "output": [item]}
    said = [{"type": "response.completed", "sequence_number": 0, "response": body}]
    found = play("responses", framed("responses", said), allow)
    (wanted,) = found.wanted
    if kind == "local_shell_call":
        assert (wanted.tool, dict(wanted.given)) == ("Bash", {"command": "rm -rf 'a b'"})
    assert bool(wanted.trouble) == (kind not in ("local_shell_call", "computer_call"))


# --- Gemini ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "part",
    [
        {"function_call": {"name": "wipe", "args": {}}},
        {"functionCall": {"name": "look", "args": {}}, "function_call": {"name": "wipe", "args": {}}},
        {"functionCall": {"name": "wipe", "partialArgs": [{"jsonPath": "$.x"}], "willContinue": True}},
        {"executableCode": {"code": "wipe()"}},
        {"toolInvocation": {"name": "wipe"}},
        {"text": "hi", "functionCall": {"name": "wipe", "args": []}},
    ],
)
def test_gemini_parts_that_may_be_calls_are_judged_or_withheld(part: dict[str, Any]) -> None:
    said = events("gemini", "", [LOOK])
    said[0]["candidates"][0]["content"]["parts"] = [part]
    found = play("gemini", framed("gemini", said), deny)
    assert len(found.wanted) == 1
    assert "wipe" not in found.raw.decode().replace("[no wipe]", "").replace("[no look]", "")


# --- laws ------------------------------------------------------------------------------------------------------------

_VALUES: Any = st.one_of(
    st.sampled_from(
        ["look", "wipe", "tool_use", "text", "function_call", "message", "c_1", "c_2", "", "{}", '{"z":1}']
    ),
    st.integers(-1, 3),
    st.none(),
    st.just({}),
    st.just([]),
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *[place for key, one in inner for place in _places(one, (*path, key))]]


def _put(said: Any, path: tuple[Any, ...], value: Any) -> None:
    for key in path[:-1]:
        said = said[key]
    said[path[-1]] = value


@pytest.mark.parametrize("api", APIS)
@settings(max_examples=how_many("INTERLOCK_EXAMPLES", 100, quick=20))
@given(data=st.data())
def test_whatever_is_changed_only_what_was_judged_arrives(api: str, data: st.DataObject) -> None:
    """Events are left out, doubled, moved and changed. A client that puts the rest together finds no other call."""
    said = fresh(events(api, data.draw(st.sampled_from(["", "Hi there"])), [LOOK, MORE]))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(said) - 1))
        change = data.draw(st.sampled_from(["drop", "double", "move", "set", "set", "set"]))
        if change == "drop" and len(said) > 1:
            del said[at]
        elif change == "double":
            said.insert(data.draw(st.integers(0, len(said))), fresh(said[at]))
        elif change == "move":
            said.insert(data.draw(st.integers(0, len(said) - 1)), said.pop(at))
        else:
            places = [place for place in _places(said[at]) if place]
            _put(said[at], data.draw(st.sampled_from(places)), data.draw(_VALUES))
    chunks = [f"data: {json.dumps(event)}\n\n".encode() for event in said]
    refused = play(api, chunks, deny)
    assert calls_in(api, _sound(refused.events)) == []
    let = play(api, chunks, allow)
    judged = [(one.tool, json.loads(json.dumps(one.given, default=dict))) for one in let.wanted if not one.trouble]
    for call in calls_in(api, _sound(let.events)):
        assert call in judged, (call, judged, let.raw)
        judged.remove(call)


def _sound(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events that a client could read without falling over."""
    kept = []
    for event in found:
        try:
            for api in APIS:
                calls_in(api, [event])
        except Exception:
            continue
        kept.append(event)
    return kept
