"""`continue`: the model hears of a refused call, goes on in the same answer, and its history stays what happened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proxy.conftest import Clients
from proxy.fake_model import Asked, Reply
from proxy.proxying import Proxying
from proxy.said import Call, streamed, whole

LOOK: Call = ("look", {"x": 1}, "c_look")
APIS = ("anthropic", "responses")


def refusal(number: int) -> str:
    return f"Interlock: Refused: use the tool `wipe` (number `{number}`): Nothing is wiped here. Leave it."


def wipe(number: int) -> Call:
    return ("wipe", {"number": number}, f"c_wipe_{number}")


def text_of(number: int) -> str:
    return f"[Interlock: `wipe` (c_wipe_{number}) was not called. {refusal(number).removeprefix('Interlock: ')}]"


def plays(proxy: Proxying, api: str, form: str, *turns: tuple[str, list[Call]]) -> None:
    replies = [
        Reply.json(whole(api, *turn, number)) if form == "whole" else Reply(streamed(api, *turn, number))
        for number, turn in enumerate(turns)
    ]
    proxy.model.says(*replies)


def history(api: str, asked: Asked) -> list[Any]:
    """A request's conversation, in few words."""
    found: list[Any] = []
    if api == "responses":
        for item in asked.body["input"] if isinstance(asked.body["input"], list) else [asked.body["input"]]:
            kind = item.get("type", "message") if isinstance(item, dict) else "message"
            if kind == "function_call":
                found.append(("call", item["call_id"]))
            elif kind == "function_call_output":
                found.append(("result", item["call_id"], item["output"]))
            else:
                content = item if isinstance(item, str) else item["content"]
                said = content if isinstance(content, str) else "".join(part["text"] for part in content)
                found.append((item.get("role") if isinstance(item, dict) else "user", said))
        return found
    for message in asked.body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block["type"] == "text":
                found.append((message["role"], block["text"]))
            elif block["type"] == "tool_use":
                found.append(("call", block["id"]))
            else:
                found.append(("result", block["tool_use_id"], block["content"]))
    return found


@pytest.mark.sampled(3)
@pytest.mark.parametrize("form", ["helper", "raw", "whole"])
@pytest.mark.parametrize("api", APIS)
def test_the_model_is_told_and_goes_on(api: str, form: str, clients: Clients, tmp_path: Path) -> None:
    with Proxying(tmp_path, mode="continue") as proxy:
        plays(proxy, api, form, ("First.", [wipe(1)]), ("Then I look.", [LOOK]))
        told = clients.ask(api, proxy.url, form)
        assert told.get("calls") == [list(LOOK)], told
        assert told["texts"] == ["First.", text_of(1), "Then I look."]
        if form != "whole" and api == "responses":  # one response, for the client; the provider has another one
            proxy.model.says(Reply(streamed(api, "Done.")))
            body = {"model": "m", "input": "and?", "previous_response_id": "resp_0", "stream": True}
            proxy.client.post("/v1/responses", json=body)
            assert proxy.model.asked.pop().body["previous_response_id"] == "resp_1"
        assert told["reason"] == ("tool_use" if api == "anthropic" else "completed")
        first, second = proxy.model.asked
        assert history(api, first) == [("user", "hello")]
        assert history(api, second) == [
            ("user", "hello"),
            ("assistant", "First."),
            ("call", "c_wipe_1"),
            ("result", "c_wipe_1", refusal(1)),
        ]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("form", ["helper", "whole"])
@pytest.mark.parametrize("api", APIS)
def test_later_requests_hold_what_really_happened(api: str, form: str, clients: Clients, tmp_path: Path) -> None:
    with Proxying(tmp_path, mode="continue") as proxy:
        plays(proxy, api, form, ("First.", [wipe(1)]), ("Then I look.", [LOOK, wipe(2)]), ("Done.", []))
        told = clients.ask(api, proxy.url, form)
        assert told.get("calls") == [list(LOOK)], told
        if api == "anthropic":
            result = [{"type": "tool_result", "tool_use_id": "c_look", "content": "seen"}]
            messages: list[Any] = [
                {"role": "user", "content": "hello"},
                {"role": "assistant", "content": told["content"]},
                {"role": "user", "content": result},
            ]
        else:
            output = {"type": "function_call_output", "call_id": "c_look", "output": "seen"}
            messages = [{"role": "user", "content": "hello"}, *told["content"], output]
        assert clients.ask(api, proxy.url, form, messages=messages)["texts"] == ["Done."]
        assert history(api, proxy.model.asked[-1]) == [
            ("user", "hello"),
            ("assistant", "First."),
            ("call", "c_wipe_1"),
            ("result", "c_wipe_1", refusal(1)),
            ("assistant", "Then I look."),
            ("call", "c_look"),
            ("call", "c_wipe_2"),
            ("result", "c_wipe_2", refusal(2)),
            ("result", "c_look", "seen"),
        ]
        if api == "anthropic":  # every call is answered by the message after it
            roles = [message["role"] for message in proxy.model.asked[-1].body["messages"]]
            assert roles == ["user", "assistant", "user", "assistant", "user"]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("form", ["helper", "raw", "whole"])
@pytest.mark.parametrize("api", APIS)
def test_there_are_three_rounds_at_most(api: str, form: str, clients: Clients, tmp_path: Path) -> None:
    with Proxying(tmp_path, mode="continue") as proxy:
        plays(proxy, api, form, *[(f"Try {number}.", [wipe(number)]) for number in range(6)])
        told = clients.ask(api, proxy.url, form)
        assert told.get("calls") == [], told
        assert len(proxy.model.asked) == 4
        assert told["texts"][::2] == [f"Try {number}." for number in range(4)]
        if api == "anthropic":
            assert told["reason"] == "end_turn"


@pytest.mark.parametrize("api", APIS)
def test_a_question_ends_the_turn(api: str, clients: Clients, tmp_path: Path) -> None:
    """A person needs time; a model that goes on would only ask again."""
    with Proxying(tmp_path, mode="continue") as proxy:
        plays(proxy, api, "helper", ("", [("pay", {"amount": 1}, "c_pay")]), ("never", []))
        assert clients.ask(api, proxy.url, "helper")["calls"] == []
        assert len(proxy.model.asked) == 1


@pytest.mark.parametrize("api", APIS)
def test_a_model_that_fails_in_the_second_round_ends_the_answer(api: str, clients: Clients, tmp_path: Path) -> None:
    with Proxying(tmp_path, mode="continue") as proxy:
        proxy.model.says(Reply(streamed(api, "First.", [wipe(1)])), Reply.json({"error": "busy"}, status=529))
        told = clients.ask(api, proxy.url, "helper")
        assert "Interlock ended this answer" in told["error"]


def test_a_response_that_the_provider_keeps_gets_the_results_that_nobody_gives(proxy: Proxying) -> None:
    """Also where the turn ends with a text: the provider holds the call, and would refuse the next request."""
    proxy.says("responses", "Let me see.", [wipe(1)])
    first = proxy.ask("responses")
    proxy.says("responses", "Ok.")
    path, body = "/v1/responses", {"model": "m", "input": "and now?", "previous_response_id": "resp_1", "stream": True}
    second = proxy.client.post(path, json=body, headers={"x-api-key": "sk-of-a-test"})
    owed = {"type": "function_call_output", "call_id": "c_wipe_1", "output": refusal(1)}
    assert proxy.model.asked[-1].body["input"] == [owed, {"role": "user", "content": "and now?"}]
    assert second.headers["x-interlock-session"] == first.headers["x-interlock-session"]


def test_text_that_only_looks_like_ours_is_left_alone(tmp_path: Path) -> None:
    with Proxying(tmp_path, mode="continue") as proxy:
        proxy.says("anthropic", "Ok.")
        said = [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": [{"type": "text", "text": text_of(1)}]},
            {"role": "user", "content": "go on"},
        ]
        raw = json.dumps({"model": "m", "max_tokens": 9, "stream": True, "messages": said}).encode()
        proxy.client.post("/v1/messages", content=raw, headers={"content-type": "application/json"})
        assert proxy.model.asked[-1].raw == raw
