"""What goes wrong on either side of the relay, and what the other side, the server and the record get of it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from .peers import needs_peers
from .test_peers import driven
from .wire import Home, Wire, calls_in, lines_in, scripted

AGAIN = 'ran echo {"message": "again"}'
# fault of the server -> what the client is told, and what is recorded as the outcome
FROM_SERVER: dict[str, tuple[str, str]] = {
    "garbage": ("after garbage", "ran"),
    "blank": ("after blank lines", "ran"),
    "crlf": ("crlf", "ran"),
    "split": ("split", "ran"),
    "asks_back": ("after unknown", "ran"),
    "twice": ("first", "ran"),
    "text_id": ("a text for an id", "ran"),
    "null_id": ("after null", "ran"),
    "repeated_key": ("after a key twice", "ran"),
    "batch": ("after a batch", "ran"),
    "fails": ("it did not work", "failed"),
    "stderr_flood": ("after stderr", "ran"),
}


def arrived(log: Path, count: int) -> None:
    """Waits until the server has so many calls."""
    end = time.monotonic() + 30
    while len(calls_in(log)) < count:
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("fault", FROM_SERVER)
def test_a_fault_of_the_server_reaches_nobody_but_its_own_call(home: Home, log: Path, fault: str) -> None:
    text, outcome = FROM_SERVER[fault]
    with Wire(home, scripted(log, "chatty")) as wire:
        wire.begin()
        wire.call(1, fault)
        got = wire.answer_to(1)
        assert wire.said(2, "echo", "again") == AGAIN
    assert got == text
    assert home.outcomes() == [outcome, "ran"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("size", [5_000_000, 17_000_000])
def test_a_huge_result_passes_whole(home: Home, log: Path, size: int) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        assert len(wire.said(1, "huge", str(size))) == size
        assert wire.said(2, "echo", "again") == AGAIN
    assert home.rows("outcome")[0]["bytes"] > size


def test_an_answer_without_a_result_is_an_unknown_outcome(home: Home, log: Path) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.call(1, "no_result")
        assert wire.message() == {"jsonrpc": "2.0", "id": 1}
        assert wire.said(2, "echo", "again") == AGAIN
    assert home.outcomes() == ["unknown", "ran"]


@pytest.mark.parametrize(("fault", "code"), [("crash", 3), ("half", 4)])
def test_a_server_that_ends_in_a_call_leaves_its_outcome_unknown(home: Home, log: Path, fault: str, code: int) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.call(1, "never")
        arrived(log, 1)
        wire.call(2, fault)
        assert wire.line() == b""  # half a message is none
        assert wire.process.wait(30) == code
    assert home.outcomes() == ["unknown", "unknown"]


def test_a_call_that_is_never_answered_is_unknown_when_the_client_leaves(home: Home, log: Path) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.call(1, "never")
        arrived(log, 1)
        assert wire.said(2, "echo", "again") == AGAIN
    assert sorted(home.outcomes()) == ["ran", "unknown"]  # each is told by a thread of its own


@pytest.mark.slow
def test_an_answer_to_a_call_that_the_server_never_got_is_dropped(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", '[tools.mcp__s__fake]\neffects = ["read"]\n')
    with Wire(home, scripted(log)) as wire:
        wire.begin("claude-code")
        wire.call(9, "echo")  # it is held
        while not home.rows("prompt"):
            time.sleep(0.05)
        assert wire.said(10, "fake", "9") == "done"
        assert "approval pending" in wire.answer_to(9)
    assert home.outcomes() == ["ran"]


@pytest.mark.sampled(3)
@needs_peers
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_mcp_package_sees_the_same_with_and_without_the_relay(home: Home, log: Path, mode: str) -> None:
    # Of a message with a key twice, and of a batch, this client makes something; the relay drops both.
    faults = [name for name in FROM_SERVER if name not in ("asks_back", "batch", "repeated_key")]
    steps: list[Any] = [[name, {}] for name in faults] + [["huge", {"message": "5000000"}]]
    server = scripted(log, "chatty", "pages")
    through, direct = driven(home, server, steps, mode=mode), driven(None, server, steps, mode=mode)
    for name, one, other in zip([*faults, "huge"], through["results"], direct["results"], strict=True):
        assert (name, one) == (name, other)
    assert through["version"] == direct["version"]


# --- faults of the client ---


def test_a_message_that_is_too_long_is_not_passed_on(home: Home, log: Path) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.call(1, "echo", "x" * 9_000_000)
        assert wire.said(2, "echo", "again") == AGAIN
        wire.end()
        assert "a message of the client was longer than" in wire.stderr()
    assert [call["id"] for call in calls_in(log)] == [2]


def test_half_a_message_is_none(home: Home, log: Path) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}')
        assert wire.end() == 0
    assert calls_in(log) == []


@pytest.mark.parametrize("again", [1, "1"])
def test_an_id_that_is_under_way_is_not_taken_again(home: Home, log: Path, again: int | str) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.call(1, "slow", "0.5")
        wire.call(again, "echo")
        assert wire.message()["error"]["message"] == "Interlock: a call with this id is under way"
        assert wire.message()["result"]["content"][0]["text"] == "late"
        assert wire.said(1, "echo", "again") == AGAIN  # it is free again
    assert len(calls_in(log)) == 2


STRAY = (
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled"},
    {"jsonrpc": "2.0", "id": 99, "result": {}},
)


def test_what_is_about_nothing_that_we_know_passes(home: Home, log: Path) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        for stray in STRAY:
            wire.send(dict(stray))
        assert wire.said(2, "echo", "again") == AGAIN
    sent = [json.loads(line) for line in lines_in(log)]
    assert all(stray in sent for stray in STRAY)


def test_an_answer_to_a_question_that_we_never_put_reaches_nobody(home: Home, log: Path) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.send({"jsonrpc": "2.0", "id": "interlock-made-up", "result": {"action": "accept"}})
        assert wire.said(2, "echo", "again") == AGAIN
    assert b"made-up" not in log.read_bytes()


def test_a_client_that_floods_is_refused_and_not_queued_for_ever(home: Home, log: Path) -> None:
    with Wire(home, scripted(log)) as wire:
        wire.begin()
        wire.said(0, "echo")
        for id in range(1, 300):
            wire.call(id, "never", str(id))
        refused = wire.message()
        assert refused["result"]["content"][0]["text"] == "Refused: too many calls are under way."
        wire.process.kill()
    assert len(calls_in(log)) <= 257
