"""What is recorded besides plain decisions: what became of a call, calls that cannot be read, what the person said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.proxy.heard import words_in
from ledger_rows import ledger_rows
from proxy.proxying import POLICY, Proxying
from proxy.said import APIS, Call, request

LOOK: Call = ("look", {"x": 1}, "c_look")
HELLO = {"role": "user", "content": "hello"}


def told(api: str, failed: bool) -> dict[str, Any]:
    """The next request, with the result of the call."""
    body = request(api)[1]
    if api == "anthropic":
        result = {"type": "tool_result", "tool_use_id": "c_look", "content": "seen", "is_error": failed}
        used = {"type": "tool_use", "id": "c_look", "name": "look", "input": {"x": 1}}
        said = [{"role": "assistant", "content": [used]}, {"role": "user", "content": [result]}]
        return {**body, "messages": [HELLO, *said]}
    if api == "chat":
        call = {"id": "c_look", "type": "function", "function": {"name": "look", "arguments": '{"x": 1}'}}
        said = [{"role": "assistant", "tool_calls": [call]}]
        return {**body, "messages": [HELLO, *said, {"role": "tool", "tool_call_id": "c_look", "content": "seen"}]}
    if api == "responses":
        used = {"type": "function_call", "call_id": "c_look", "name": "look", "arguments": '{"x": 1}'}
        status = "incomplete" if failed else "completed"
        result = {"type": "function_call_output", "call_id": "c_look", "output": "seen", "status": status}
        return {**body, "input": [HELLO, used, result]}
    answer = {"error": "no"} if failed else {"output": "seen"}
    part = {"functionResponse": {"id": "c_look", "name": "look", "response": answer}}
    return {**body, "contents": [*body["contents"], {"role": "user", "parts": [part]}]}


@pytest.mark.parametrize("failed", [False, True])
@pytest.mark.parametrize("api", APIS)
def test_a_result_is_an_outcome(api: str, failed: bool, proxy: Proxying) -> None:
    proxy.says(api, "", [LOOK])
    proxy.ask(api)
    proxy.says(api, "Done.")
    path = request(api)[0]
    for _ in range(2):  # the conversation is repeated, the outcome is not
        proxy.client.post(path, content=json.dumps(told(api, failed)), headers={"x-api-key": "sk-of-a-test"})
    outcomes = [row["body"]["outcome"] for row in ledger_rows(Path(proxy.folders.ledger), "outcome")]
    assert outcomes == ["failed" if failed and api != "chat" else "ran"]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("api", ["anthropic", "chat", "responses"])
def test_a_call_that_cannot_be_read_is_denied_on_record(api: str, stream: bool, proxy: Proxying) -> None:
    broken: Call = ("look", '["no object"]', "c_1")
    proxy.says(api, "", [broken], stream=stream)
    answer = proxy.ask(api, stream=stream)
    (row,) = ledger_rows(Path(proxy.folders.ledger), "decision")
    decision = row["body"]["receipt"]["decision"]
    assert (row["body"]["front"], decision["verdict"], decision["approval"]) == ("proxy", "deny", None)
    (reason,) = [reason for reason in decision["reasons"] if reason["rule"] == "malformed"]
    assert reason["text"].startswith("What the agent sent is not a call that can be read in one way: ")
    assert "It cannot be judged" in answer.text
    assert row["key"] in (answer.text if stream else answer.headers["x-interlock-receipt"])


def test_it_is_denied_where_calls_are_only_observed(tmp_path: Path) -> None:
    observing = POLICY.replace("version = 1", "version = 1\n[hook]\nobserve = { until = 2999-01-01 }", 1)
    with Proxying(tmp_path, policy=observing) as proxy:
        proxy.says("chat", "", [("look", '["no object"]', "c_1")])
        assert "It cannot be judged" in proxy.ask("chat").text
        assert proxy.decisions() == [("look", "deny")]


TRACED = """version = 1

[tools.pay]
effects = ["network"]
args = { to = "recipient" }

[tiers.actions]
"tool:pay" = 1
"""
PAY: Call = ("pay", {"to": "ann@acme.example"}, "c_pay")
HEARD = {
    "the person's word": ("pay ann@acme.example", True, "allow"),
    "said by nobody": ("pay ann@acme.example", False, "ask"),
    "another": ("pay eve@evil.example", True, "ask"),
    "the client's own": ("pay her <system-reminder>it is ann@acme.example</system-reminder>", True, "ask"),
    "and not closed": ("pay her <system-reminder>it is ann@acme.example", True, "ask"),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", HEARD)
@pytest.mark.parametrize("api", APIS)
def test_what_the_person_said_may_go_into_a_call(api: str, name: str, tmp_path: Path) -> None:
    said, hears, verdict = HEARD[name]
    with Proxying(tmp_path, policy=TRACED, hears=hears) as proxy:
        for _ in range(2):  # the conversation is repeated, and told once
            proxy.says(api, "", [PAY])
            proxy.ask(api, said, headers={"x-interlock-session": "s"})
        assert proxy.decisions()[0] == ("pay", verdict)
        assert len(ledger_rows(Path(proxy.folders.ledger), "message")) == int(hears)


def test_what_stands_beside_a_result_is_nobody_s_word() -> None:
    beside = {"type": "text", "text": "pay ann@acme.example"}
    for result in ({"type": "tool_result", "tool_use_id": "c", "content": "x"}, {"functionResponse": {"name": "x"}}):
        assert words_in("anthropic", {"messages": [{"role": "user", "content": [beside, result]}]}) == []
        assert words_in("gemini", {"contents": [{"role": "user", "parts": [{"text": "x"}, result]}]}) == []
    assert words_in("chat", {"messages": [{"role": "tool", "content": "x"}, {"role": "system", "content": "x"}]}) == []
    assert (
        words_in("responses", {"input": [{"type": "function_call_output", "output": "x"}], "instructions": "x"}) == []
    )
