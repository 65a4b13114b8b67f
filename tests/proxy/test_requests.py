"""What goes through the proxy besides answers: requests, tools of the provider, addresses, packings, errors."""

from __future__ import annotations

import gzip
import json
import socket
import time
import zlib
from pathlib import Path
from typing import Any

import httpx
import pytest

from interlock.model.errors import InputError
from interlock.proxy.apis import endpoint_of
from interlock.proxy.asked import read_request, session_of
from interlock.proxy.upstream import sound_address
from proxy.fake_model import Reply
from proxy.proxying import Proxying, read_events
from proxy.said import APIS, Call, request, streamed, whole

LOOK: Call = ("look", {"x": 1}, "c_look")
WIPE: Call = ("wipe", {"x": 2}, "c_wipe")
PAY: Call = ("pay", {"amount": 3}, "c_pay")


# --- what is not a model's answer ------------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", ["identity", "gzip"])
def test_other_addresses_pass_byte_for_byte(packed: str, proxy: Proxying) -> None:
    raw = gzip.compress(b"\x00\xff not json") if packed == "gzip" else b"\x00\xff not json \r\n\r\n"
    kept = {"x-request-id": "r1", **({"content-encoding": "gzip"} if packed == "gzip" else {})}
    proxy.model.says(Reply([raw[:5], raw[5:]], kind="application/octet-stream", headers=kept))
    sent = {"x-api-key": "sk-1", "anthropic-beta": "a,b", "accept-encoding": "gzip, br", "x-interlock-session": "s"}
    with proxy.client.stream("POST", "/v1/files?x=%20y&a=1", content=b"\x01\x02", headers=sent) as answer:
        assert b"".join(answer.iter_raw()) == raw
        assert answer.headers["x-request-id"] == "r1"
    (asked,) = proxy.model.asked
    assert (asked.method, asked.path, asked.raw) == ("POST", "/v1/files?x=%20y&a=1", b"\x01\x02")
    assert {name: asked.headers[name] for name in ("x-api-key", "anthropic-beta", "accept-encoding")} == {
        name: sent[name] for name in ("x-api-key", "anthropic-beta", "accept-encoding")
    }
    assert "x-interlock-session" not in asked.headers


@pytest.mark.parametrize("api", APIS)
def test_a_request_goes_on_as_it_came(api: str, proxy: Proxying) -> None:
    proxy.says(api, "Hi")
    path, body = request(api)
    raw = json.dumps(body, indent=3).encode()
    headers = {"content-type": "application/json", "authorization": "Bearer sk-1", "anthropic-version": "2023-06-01"}
    answer = proxy.client.post(path, content=raw, headers=headers)
    (asked,) = proxy.model.asked
    assert (asked.raw, asked.path) == (raw, path)
    assert asked.headers["authorization"] == "Bearer sk-1"
    assert asked.headers["accept-encoding"] == "identity"
    assert answer.content == b"".join(streamed(api, "Hi"))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("status", [400, 401, 429, 529])
def test_errors_of_the_model_pass(api: str, status: int, proxy: Proxying) -> None:
    proxy.model.says(Reply([b'{"error": {"message": "no"}}'], kind="application/json", status=status))
    answer = proxy.ask(api)
    assert (answer.status_code, answer.content) == (status, b'{"error": {"message": "no"}}')


@pytest.mark.parametrize(
    "path",
    [
        "/v1/messages",
        "/V1/Messages/",
        "/v1/%6dessages",
        "/v1/messages%20",
        "/proxy/v1/messages",
        "/v1/messages?beta=true",
    ],
)
def test_no_spelling_of_an_address_gets_around_the_proxy(path: str, proxy: Proxying) -> None:
    proxy.says("anthropic", "", [WIPE])
    answer = proxy.client.post(path, json=request("anthropic")[1])
    assert "tool_use" not in answer.text.replace('"stop_reason": "tool_use"', "")


@pytest.mark.parametrize("path", ["/v1//messages", "/v1/x/../messages", "/v1/%2e%2e/messages", "/v1%2fmessages"])
def test_addresses_that_can_be_read_in_two_ways_are_refused(path: str, proxy: Proxying) -> None:
    with socket.create_connection(("127.0.0.1", proxy.port)) as wire:
        wire.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{proxy.port}\r\nContent-Length: 2\r\n\r\n{{}}".encode())
        assert b" 404 " in wire.recv(1000)
    assert proxy.model.asked == []


def test_tools_offered_at_an_address_that_is_not_read_are_refused(proxy: Proxying) -> None:
    body = {"messages": [], "tools": [{"name": "wipe"}]}
    assert proxy.client.post("/v9/novel", json=body).status_code == 403
    packed = zlib.compress(json.dumps(body).encode())
    assert proxy.client.post("/v9/novel", content=packed, headers={"content-encoding": "deflate"}).status_code == 403
    assert proxy.model.asked == []


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("/v1/messages/batches", "type"),
        ("/v1/messages/batches/b1/results", "type"),
        ("/v1/batches", "error"),
        ("/v1/threads/t1/messages", "error"),
        ("/v1/realtime", "error"),
        ("/v1beta/models/m:batchGenerateContent", "error"),
        ("/model/anthropic.claude/converse-stream", "type"),
    ],
)
def test_answers_in_a_form_that_is_not_read_are_refused(path: str, shape: str, proxy: Proxying) -> None:
    answer = proxy.client.post(path, json={})
    assert answer.status_code == 403
    assert shape in answer.json()
    assert proxy.model.asked == []


@pytest.mark.parametrize("api", APIS)
def test_a_websocket_is_refused_in_the_words_of_the_api(api: str, proxy: Proxying) -> None:
    path, _body = request(api)
    asks = {"connection": "upgrade", "upgrade": "websocket", "sec-websocket-version": "13", "sec-websocket-key": "x3JJ"}
    answer = proxy.client.get(path, headers=asks)
    assert answer.status_code == 403
    told = answer.json()["error"]
    assert "WebSocket" in told["message"]
    assert told.get("type", told.get("status")) in ("permission_error", "PERMISSION_DENIED")


def test_a_name_that_is_not_ours_is_refused(proxy: Proxying) -> None:
    assert proxy.client.post("/v1/messages", json={}, headers={"host": "evil.example"}).status_code == 421
    assert proxy.client.post("/v1/messages", json={}, headers={"origin": "https://evil.example"}).status_code == 403


# --- answers that are packed, sent elsewhere or broken ---------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("stream", [True, False])
def test_a_packed_answer_is_read_all_the_same(api: str, stream: bool, proxy: Proxying) -> None:
    raw = b"".join(streamed(api, "", [WIPE])) if stream else json.dumps(whole(api, "", [WIPE])).encode()
    kind = "text/event-stream" if stream else "application/json"
    proxy.model.says(Reply([gzip.compress(raw)], kind=kind, headers={"content-encoding": "gzip"}))
    answer = proxy.ask(api, stream=stream)
    assert "was not called" in answer.text
    assert proxy.decisions() == [("wipe", "deny")]


@pytest.mark.sampled(9)
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("lie", ["gzip", "br", "none", "cut", "utf16", "trailing"])
def test_an_answer_that_is_not_packed_as_it_says_is_an_error(api: str, stream: bool, lie: str, proxy: Proxying) -> None:
    raw = b"".join(streamed(api, "", [LOOK])) if stream else json.dumps(whole(api, "", [LOOK])).encode()
    sent = {
        "gzip": (raw, "gzip"),
        "br": (raw, "br"),
        "none": (gzip.compress(raw), ""),
        "cut": (gzip.compress(raw)[:-9], "gzip"),
        "utf16": (raw.decode().encode("utf-16"), ""),
        "trailing": (gzip.compress(raw) + gzip.compress(raw), "gzip"),
    }[lie]
    kind = "text/event-stream" if stream else "application/json"
    proxy.model.says(Reply([sent[0]], kind=kind, headers={"content-encoding": sent[1]} if sent[1] else {}))
    answer = proxy.ask(api, stream=stream)
    calls = [event for event in read_events(answer.content) if "look" in json.dumps(event)] if stream else []
    assert "Interlock ended this answer" in answer.text or (lie == "none" and not calls), answer.text
    assert stream or answer.status_code == 502
    if lie not in ("cut", "trailing"):
        assert '"look"' not in answer.text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("stream", [True, False])
def test_a_call_in_an_answer_of_the_wrong_kind_does_not_pass(api: str, stream: bool, proxy: Proxying) -> None:
    raw = b"".join(streamed(api, "", [WIPE])) if stream else json.dumps(whole(api, "", [WIPE])).encode()
    for kind in ("application/json" if stream else "text/event-stream", "text/plain", "application/x-protobuf"):
        proxy.model.says(Reply([raw], kind=kind))
        assert '"wipe"' not in proxy.ask(api, stream=stream).text


def test_a_server_that_sends_the_client_elsewhere_is_an_error(proxy: Proxying) -> None:
    proxy.model.says(Reply([b""], status=307, headers={"location": "http://elsewhere.example/v1/messages"}))
    answer = proxy.ask("anthropic")
    assert answer.status_code == 502
    assert "location" not in answer.headers


def test_headers_of_ours_cannot_be_forged_by_the_model(proxy: Proxying) -> None:
    reply = Reply.json(whole("anthropic", "", [WIPE]), headers={"X-Interlock-Decision": "allow"})
    proxy.model.says(reply)
    assert proxy.ask("anthropic", stream=False).headers["x-interlock-decision"] == "deny"


@pytest.mark.slow
def test_a_model_that_is_not_there_is_an_error_of_the_api(tmp_path: Path) -> None:
    with Proxying(tmp_path) as proxy:
        proxy.server.config.app.upstream.url = httpx.URL("http://127.0.0.1:9")  # type: ignore[union-attr]
        for api in APIS:
            answer = proxy.ask(api)
            assert answer.status_code == 502
            assert "could not be reached" in answer.json()["error"]["message"]


# --- the request -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", APIS)
def test_a_request_that_can_be_read_in_two_ways_is_refused(api: str, proxy: Proxying) -> None:
    path = request(api)[0]
    for raw in (b'{"tools": [], "tools": [1]}', b"[]", b"nonsense", b"\xff\xfe"):
        answer = proxy.client.post(path, content=raw)
        assert answer.status_code == 400
        assert "Interlock" in answer.json()["error"]["message"]
    assert proxy.client.post(path, content=b"x", headers={"content-encoding": "zstd"}).status_code == 415
    assert proxy.model.asked == []


PROVIDER: list[tuple[str, dict[str, Any], dict[str, Any], tuple[str, ...]]] = [
    (
        "anthropic",
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}, {"name": "look", "input_schema": {}}]},
        {"tools": [{"name": "look", "input_schema": {}}]},
        ("web_search_20250305",),
    ),
    (
        "anthropic",
        {"tools": [{"type": "code_execution_20250825", "name": "c"}], "tool_choice": {"type": "any"}},
        {},
        ("code_execution_20250825",),
    ),
    (
        "anthropic",
        {"mcp_servers": [{"url": "https://x"}], "tools": [{"type": "mcp_toolset", "mcp_server_name": "x"}]},
        {},
        ("mcp_toolset", "mcp_servers"),
    ),
    (
        "anthropic",
        {"tools": [{"type": "bash_20250124", "name": "bash"}]},
        {"tools": [{"type": "bash_20250124", "name": "bash"}]},
        (),
    ),
    ("chat", {"web_search_options": {}, "n": 1}, {"n": 1}, ("web_search",)),
    (
        "responses",
        {
            "tools": [{"type": "code_interpreter"}, {"type": "function", "name": "look"}],
            "tool_choice": {"type": "code_interpreter"},
        },
        {"tools": [{"type": "function", "name": "look"}]},
        ("code_interpreter",),
    ),
    (
        "responses",
        {"tools": [{"type": "shell", "environment": {"type": "container_auto"}}, {"type": "local_shell"}]},
        {"tools": [{"type": "local_shell"}]},
        ("shell",),
    ),
    (
        "responses",
        {"input": [{"type": "additional_tools", "tools": [{"type": "web_search"}, {"type": "function", "name": "x"}]}]},
        {"input": [{"type": "additional_tools", "tools": [{"type": "function", "name": "x"}]}]},
        ("web_search",),
    ),
    (
        "gemini",
        {"tools": [{"google_search": {}, "functionDeclarations": []}, {"codeExecution": {}}]},
        {"tools": [{"functionDeclarations": []}]},
        ("google_search", "codeExecution"),
    ),
]


@pytest.mark.parametrize(("api", "given", "after", "stripped"), PROVIDER)
def test_tools_that_the_provider_runs_are_taken_out(
    api: str, given: dict[str, Any], after: dict[str, Any], stripped: tuple[str, ...]
) -> None:
    asked = read_request(api, given, None, frozenset())
    assert asked.body == after
    assert asked.stripped == stripped


def test_a_hosted_mcp_server_must_ask_first_and_its_question_is_judged(proxy: Proxying) -> None:
    tool = {"type": "mcp", "server_label": "mail", "server_url": "https://x", "require_approval": "never"}
    item = {"id": "q", "type": "mcp_approval_request", "server_label": "mail", "name": "send", "arguments": "{}"}
    body = {**whole("responses", "", []), "output": [item]}
    proxy.model.says(Reply.json(body))
    answer = proxy.ask("responses", stream=False, tools=[tool])
    assert proxy.model.asked[0].body["tools"][0]["require_approval"] == "always"
    assert [one["type"] for one in answer.json()["output"]] == ["message"]
    assert proxy.decisions() == [("mcp__mail__send", "ask")]


def test_what_is_permitted_to_the_provider_stays() -> None:
    given = {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}
    assert read_request("anthropic", given, None, frozenset(["web_search"])).body is given


def test_gemini_is_not_asked_for_parts_of_arguments() -> None:
    given = {"toolConfig": {"functionCallingConfig": {"mode": "AUTO", "streamFunctionCallArguments": True}}}
    asked = read_request("gemini", given, True, frozenset())
    assert asked.body == {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}}


# --- session, headers, 202 -------------------------------------------------------------------------------------------


def test_a_conversation_is_one_session() -> None:
    first = {"messages": [{"role": "user", "content": "fix it"}]}
    later = {
        "system": "new",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "fix it", "cache_control": {"type": "ephemeral"}}]},
            {"role": "assistant", "content": "ok"},
            {"role": "user", "content": "more"},
        ],
    }
    other = {"messages": [{"role": "user", "content": "break it"}]}
    assert session_of("anthropic", first, "k") == session_of("anthropic", later, "k")
    assert session_of("anthropic", first, "k") != session_of("anthropic", other, "k")
    assert session_of("anthropic", first, "k") != session_of("anthropic", first, "k2")
    named = {"metadata": {"user_id": json.dumps({"device_id": "d", "session_id": "abc"})}, **first}
    assert session_of("anthropic", named, "k") == "abc"
    assert session_of("responses", {"conversation": {"id": "conv_1"}}, "k") == "conv_1"


def test_a_session_is_one_line_of_the_head(proxy: Proxying) -> None:
    proxy.says("anthropic", "Hi")
    named = {"user_id": json.dumps({"session_id": "a\r\nx-evil: 1"})}
    answer = proxy.ask("anthropic", metadata=named)
    assert answer.headers["x-interlock-session"] == "a??x-evil: 1"
    assert "x-evil" not in answer.headers


def test_what_a_conversation_keeps_is_not_a_way_around(proxy: Proxying) -> None:
    item = {"type": "function_call", "call_id": "c", "name": "wipe", "arguments": "{}"}
    proxy.model.says(Reply.json({"object": "list", "data": [item]}))
    assert proxy.client.get("/v1/conversations/conv_1/items").status_code == 502
    proxy.model.says(Reply.json({"object": "conversation", "id": "conv_1"}))
    assert proxy.client.get("/v1/conversations/conv_1").json() == {"object": "conversation", "id": "conv_1"}


@pytest.mark.parametrize("api", APIS)
def test_decision_receipt_and_session_stand_in_headers(api: str, proxy: Proxying) -> None:
    proxy.says(api, "", [LOOK, WIPE], stream=False)
    answer = proxy.ask(api, stream=False, headers={"x-interlock-session": "mine"})
    assert answer.headers["x-interlock-decision"] == "deny"
    assert answer.headers["x-interlock-receipt"].count("sha256:") == 2
    assert answer.headers["x-interlock-session"] == "mine"


@pytest.mark.parametrize("api", APIS)
def test_a_client_that_asks_for_it_gets_202_and_redeems_by_asking_again(api: str, tmp_path: Path) -> None:
    with Proxying(tmp_path, hold=30.0) as proxy:
        proxy.says(api, "", [LOOK, PAY], stream=False)
        ask: dict[str, Any] = {"headers": {"prefer": "respond-async"}, "stream": False}
        answer = proxy.ask(api, **ask)
        assert answer.status_code == 202
        (approval,) = proxy.answer(yes=True)
        assert answer.json()["approval_id"] == approval
        assert answer.json()["audit_entry_id"].startswith("sha256:")
        again = proxy.ask(api, **ask)
        assert (again.status_code, again.headers["x-interlock-decision"]) == (200, "allow")


# --- holding ---------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("api", APIS)
def test_while_a_call_is_held_the_client_hears_that_somebody_is_there(api: str, tmp_path: Path) -> None:
    with Proxying(tmp_path, hold=3.0) as proxy:
        proxy.says(api, "Let me see.", [PAY])
        answer = proxy.ask(api)
        assert "It waits for approval" in answer.text
        if api == "gemini":
            assert ":" not in [line[:1] for line in answer.text.splitlines()]
        else:
            assert ": interlock waits for a person" in answer.text


@pytest.mark.slow
def test_a_client_that_goes_away_while_its_call_is_held_uses_nothing(tmp_path: Path) -> None:
    with Proxying(tmp_path, hold=30.0) as proxy:
        proxy.says("anthropic", "Let me see.", [PAY])
        path, body = request("anthropic")
        with (
            httpx.Client(base_url=proxy.url, timeout=20) as client,
            client.stream("POST", path, json=body, headers={"x-api-key": "sk-of-a-test"}) as answer,
        ):
            for line in answer.iter_lines():
                if "waits for a person" in line:
                    break
        time.sleep(1.0)
        assert len(proxy.answer(yes=True)) == 1
        time.sleep(1.5)
        assert proxy.decisions() == [("pay", "ask")]
        assert "tool_use" in proxy.ask("anthropic").text  # the yes is still there for whoever asks again


@pytest.mark.slow
def test_the_rest_of_an_answer_is_read_while_a_call_is_held(tmp_path: Path) -> None:
    """A model's server that nobody reads from would give up."""
    with Proxying(tmp_path, hold=20.0) as proxy:
        proxy.model.says(Reply(streamed("anthropic", "", [PAY]), pause=0.02))
        person = proxy.answers_soon(yes=True)
        answer = proxy.ask("anthropic")
        person.join()
        assert read_events(answer.content)[-1] == {"type": "message_stop"}
        assert not proxy.model.gone.is_set()


# --- keys ------------------------------------------------------------------------------------------------------------


def test_keys_are_nowhere_but_on_the_way(proxy: Proxying, capfd: pytest.CaptureFixture[str]) -> None:
    key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
    proxy.says("anthropic", "", [WIPE])
    proxy.ask("anthropic", headers={"x-api-key": key, "authorization": f"Bearer {key}"})
    proxy.model.says(Reply([b"data: broken\n\n"]))
    proxy.ask("anthropic", headers={"x-api-key": key})
    assert all(asked.headers["x-api-key"] == key for asked in proxy.model.asked)
    shown = capfd.readouterr()
    kept = b"".join(path.read_bytes() for path in proxy.home.rglob("*") if path.is_file())
    assert key.encode() not in kept
    assert key not in shown.out + shown.err


def test_addresses_of_models() -> None:
    assert sound_address("https://api.anthropic.com/") == "https://api.anthropic.com"
    for wrong in ("ftp://x", "api.anthropic.com", "http://api.anthropic.com", "https://a:b@x", "https://x?y=1"):
        with pytest.raises(InputError):
            sound_address(wrong)


def test_which_address_is_which() -> None:
    known = {
        "/v1/messages": "anthropic",
        "/v1/messages/count_tokens": "",
        "/v1/chat/completions": "chat",
        "/openai/deployments/x/chat/completions": "chat",
        "/v1/responses": "responses",
        "/v1/responses/resp_1": "responses",
        "/v1/responses/resp_1/input_items": "",
        "/v1beta/models/m:generateContent": "gemini",
        "/v1/projects/p/locations/l/publishers/anthropic/models/m:streamRawPredict": "anthropic",
        "/v1/models": "",
        "/v1/embeddings": "",
    }
    assert {path: endpoint_of(path).api for path in known} == known
