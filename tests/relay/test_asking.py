"""How an ask climbs the ladder, who is believed, and that nothing runs late."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from .wire import META, Home, Wire, calls_in, lines_in, scripted

TRUSTED = '\n[approvals]\nelicit = ["t"]\n'
GRAVE = TRUSTED + '\n[tools.mcp__s__echo]\neffects = ["destructive"]\nirreversible = true\nrisk = "high"\n'
FORM: dict[str, Any] = {"elicitation": {}}
NEW = {**META, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}, "url": {}}}}
YES = {"action": "accept", "content": {"answer": "this call"}}


def asked(wire: Wire, id: int = 1, tool: str = "echo") -> dict[str, Any]:
    wire.call(id, tool)
    got = wire.message()
    assert got["method"] == "elicitation/create", got
    return got


def test_an_ask_is_told_as_pending_and_the_same_call_redeems_the_yes(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", "")
    with Wire(home, scripted(log)) as wire:
        wire.begin(able=FORM)  # it could ask, and nobody trusts it
        first = wire.said(1, "echo", "x")
        assert wire.said(2, "echo", "x").partition(". ")[0] == first.partition(". ")[0]  # one question, one id
        id = home.answer()
        assert f"approval pending, {id}." in first
        assert "has not run" in first
        assert "approval pending" in wire.said(3, "echo", "y")  # another call is not covered
        assert wire.said(4, "echo", "x") == 'ran echo {"message": "x"}'
        assert "approval pending" in wire.said(5, "echo", "x")  # and not a second time
    assert [call["id"] for call in calls_in(log)] == [4]


def test_a_no_is_told_and_remembered(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", "")
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        assert "approval pending" in wire.said(1, "echo")
        home.answer(yes=False, why="not on a Friday")
        for id in (2, 3):
            told = wire.said(id, "echo")
            assert told.startswith("Refused")
            assert 'Their words: "not on a Friday".' in told
    assert calls_in(log) == []


def test_a_trusted_client_is_asked_in_its_own_dialog(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", TRUSTED)
    with Wire(home, scripted(log)) as wire:
        wire.begin(able=FORM)
        question = asked(wire)
        assert question["id"].startswith("interlock-")  # the server's own questions are numbered
        assert "Use `echo` of the tool server `s`" in question["params"]["message"]
        wire.send({"jsonrpc": "2.0", "id": question["id"], "result": YES})
        assert wire.answer_to(1) == 'ran echo {"message": ""}'
    (row,) = home.rows("answer")
    assert {name: row[name] for name in ("answer", "by", "strength", "surface")} == {
        "answer": "approved",
        "by": "a dialog of t",
        "strength": "weak",
        "surface": "elicitation",
    }
    assert [json.loads(line).get("method") for line in lines_in(log)][-1] == "tools/call"  # it never saw our question


def test_since_2026_07_28_the_call_comes_back_with_the_answer(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", TRUSTED)
    with Wire(home, scripted(log)) as wire:
        wire.call(1, "echo", "x", meta=NEW)
        result = wire.message()["result"]
        assert result["resultType"] == "input_required"
        answer = {"inputResponses": {"interlock": YES}, "requestState": result["requestState"]}
        assert "approval pending" in wire.said(2, "echo", "y", meta=META, **answer)  # for another call it is none
        wire.call(3, "echo", "x", meta=NEW)
        result = wire.message()["result"]
        answer["requestState"] = result["requestState"]
        assert wire.said(4, "echo", "x", meta=NEW, **answer) == 'ran echo {"message": "x"}'
    (call,) = calls_in(log)
    assert call["params"] == {"name": "echo", "arguments": {"message": "x"}, "_meta": NEW}  # without what was ours


@pytest.mark.parametrize("modern", [False, True])
def test_a_yes_for_the_session_covers_its_like(tmp_path: Path, log: Path, modern: bool) -> None:
    home = Home(tmp_path / "home", TRUSTED)
    yes = {"action": "accept", "content": {"answer": "this session"}}
    with Wire(home, scripted(log)) as wire:
        if modern:
            wire.call(1, "echo", meta=NEW)
            state = wire.message()["result"]["requestState"]
            wire.call(2, "echo", meta=NEW, inputResponses={"interlock": yes}, requestState=state)
        else:
            wire.begin(able=FORM)
            wire.send({"jsonrpc": "2.0", "id": asked(wire)["id"], "result": yes})
        assert wire.message()["result"]["content"][0]["text"] == 'ran echo {"message": ""}'
        assert wire.said(3, "echo", meta=NEW if modern else None) == 'ran echo {"message": ""}'
    (row,) = home.rows("answer")
    assert (row["reach"], row["surface"], row["strength"]) == ("session", "elicitation", "weak")


def test_a_dialog_of_a_client_never_answers_for_tier_3(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", GRAVE)
    with Wire(home, scripted(log)) as wire:
        wire.begin(able=FORM)
        assert "approval pending" in wire.said(1, "echo")
        assert "approval pending" in wire.said(2, "echo", meta=NEW)
    (question,) = home.rows("prompt")
    assert question["where"] == ["terminal"]
    assert calls_in(log) == []


ANSWERS: dict[str, Any] = {
    "a no": {"result": {"action": "decline"}},
    "nobody there": {"result": {"action": "cancel"}},
    "an empty yes": {"result": {"action": "accept"}},
    "a yes in other words": {"result": {"action": "accept", "content": {"answer": "yes", "approve": True}}},
    "the answer no": {"result": {"action": "accept", "content": {"answer": "no"}}},
    "an error": {"error": {"code": -32601, "message": "no such method"}},
    "nothing": {},
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("said", ANSWERS)
def test_whatever_is_not_a_plain_yes_is_none(tmp_path: Path, log: Path, said: str) -> None:
    home = Home(tmp_path / "home", TRUSTED)
    with Wire(home, scripted(log)) as wire:
        wire.begin(able=FORM)
        question = asked(wire)
        wire.send({"jsonrpc": "2.0", "id": question["id"], **ANSWERS[said]})
        told = wire.answer_to(1)
        wire.send({"jsonrpc": "2.0", "id": question["id"], "result": YES})  # too late, and to nobody
        assert wire.nothing()
    assert told.startswith("Refused" if said in ("a no", "the answer no") else "Interlock: approval pending")
    assert calls_in(log) == []
    assert len(home.rows("answer")) == (said in ("a no", "the answer no"))


def test_a_forged_state_of_ours_is_worth_nothing(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", TRUSTED)
    with Wire(home, scripted(log)) as wire:
        answer: dict[str, Any] = {"inputResponses": {"interlock": YES}, "requestState": "interlock:0"}
        wire.call(1, "echo", meta=NEW, **answer)
        assert wire.message()["result"]["resultType"] == "input_required"
    assert calls_in(log) == []


def test_the_servers_own_questions_pass_and_their_answers_are_the_same_call(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", "")
    with Wire(home, scripted(log)) as wire:
        assert "approval pending" in wire.said(1, "wants_input", meta=NEW)
        home.answer()
        wire.call(2, "wants_input", meta=NEW)
        state = wire.message()["result"]["requestState"]
        assert state == "mine-1"
        more = {"inputResponses": {"which": {"action": "accept"}}, "requestState": state}
        assert "approval pending" in wire.said(3, "wants_input", "other", meta=NEW, **more)
        assert wire.said(4, "wants_input", meta=NEW, **more) == "got mine-1"
    assert [call["id"] for call in calls_in(log)] == [2, 4]
    assert calls_in(log)[1]["params"]["inputResponses"] == more["inputResponses"]


@pytest.mark.slow
def test_a_known_client_is_held_while_a_person_answers(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", "")
    with Wire(home, scripted(log)) as wire:
        wire.begin("claude-code")
        began = time.monotonic()
        wire.call(1, "echo")
        while not home.rows("prompt"):
            time.sleep(0.05)
        home.answer()
        assert wire.answer_to(1) == 'ran echo {"message": ""}'
        wire.call(2, "echo", "again")
        began = time.monotonic()
        assert "approval pending" in wire.answer_to(2)
        assert 3.5 < time.monotonic() - began < 15


@pytest.mark.slow
def test_a_held_call_that_was_cancelled_never_runs(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", "")
    with Wire(home, scripted(log)) as wire:
        wire.begin("claude-code")
        wire.call(1, "echo")
        while not home.rows("prompt"):
            time.sleep(0.05)
        wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "1"}})
        home.answer()
        assert wire.nothing(1)
    assert calls_in(log) == []
    assert "notifications/cancelled" not in log.read_text()  # the server never heard of the call


@pytest.mark.slow
def test_an_elicited_call_that_was_cancelled_never_runs(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", TRUSTED)
    with Wire(home, scripted(log)) as wire:
        wire.begin(able=FORM)
        question = asked(wire)
        wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        wire.send({"jsonrpc": "2.0", "id": question["id"], "result": YES})
        assert wire.nothing(1)
    assert calls_in(log) == []


@pytest.mark.slow
def test_what_became_of_a_cancelled_call_is_unknown(home: Home, log: Path) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.call(1, "slow", "1")
        while not calls_in(log):
            time.sleep(0.02)
        cancel = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n'
        wire.send(cancel)
        assert wire.message()["id"] == 1  # the server's late answer, which the client passes over
        assert home.outcomes() == ["unknown"]
    assert cancel in lines_in(log)


def test_a_client_that_leaves_takes_its_calls_with_it(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", "[tools.mcp__s__slow]\neffects = ['read']\n")
    with Wire(home, scripted(log)) as wire:
        wire.begin("claude-code")
        wire.call(1, "slow", "20")
        wire.call(2, "echo")
        while not home.rows("prompt") or not calls_in(log):
            time.sleep(0.05)
        assert wire.process.stdin
        wire.process.stdin.close()
        home.answer()
        assert wire.process.wait(30) == 0
    assert [call["id"] for call in calls_in(log)] == [1]
    assert home.outcomes() == ["unknown"]


@pytest.mark.slow
def test_a_server_that_does_not_end_is_ended(home: Home, log: Path) -> None:
    with Wire(home, scripted(log, "lingers")) as wire:
        wire.begin()
        assert wire.end(30) == 128 + signal.SIGTERM


def test_signals_reach_the_server(home: Home, log: Path) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.process.send_signal(signal.SIGTERM)
        assert wire.process.wait(30) == 128 + signal.SIGTERM


def test_results_are_outcomes_by_digest_and_size(home: Home, log: Path) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.said(1, "echo", "x")
        wire.said(2, "fails")
    ran, failed = home.rows("outcome")
    assert (ran["outcome"], failed["outcome"]) == ("ran", "failed")
    content = [{"type": "text", "text": 'ran echo {"message": "x"}'}]
    assert ran["bytes"] == len(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"content": content}})) + 1
    assert "ran echo" not in json.dumps(ran)


def test_a_call_that_cannot_be_recorded_does_not_reach_the_server(home: Home, log: Path) -> None:
    home.says("\n[tools.mcp__s__echo]\neffects = ['write']\n[tiers]\neffects = { write = 1 }\n")
    Path(home.folders.ledger).parent.mkdir(parents=True, exist_ok=True)
    Path(home.folders.ledger).write_bytes(b"no database" * 1000)
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        assert wire.said(1, "echo").startswith("Refused")
    assert calls_in(log) == []


def test_a_broken_policy_lets_no_call_through(home: Home, log: Path) -> None:
    home.says("[tools\n")
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        assert wire.said(1, "echo").startswith("Refused")
    assert calls_in(log) == []


def test_a_server_that_cannot_be_started_is_said(home: Home) -> None:
    with Wire(home, ["/no/such/server"]) as wire:
        assert wire.process.wait(30) == 64
        assert "the server `/no/such/server` could not be started" in wire.stderr()
