"""Claude Code with the relay in front of its tool servers: alone, and together with the hook."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from live.client import Live, needs_client
from namespaces import needs_namespaces
from scripted_model import Step

from .peers import EVERYTHING, needs_peers
from .wire import calls_in, scripted

pytestmark = [needs_client, needs_namespaces, needs_peers]


def through_relay(live: Live, server: Sequence[str], name: str = "s") -> list[str]:
    """The arguments that give Claude Code this server, behind the relay."""
    relay = ["-m", "interlock.cli", "--home", str(live.home), "mcp", "run", "--name", name, "--", *server]
    file = live.home / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {name: {"command": sys.executable, "args": relay}}}))
    return ["--mcp-config", str(file), "--strict-mcp-config"]


def policy(live: Live, text: str) -> None:
    file = live.home / ".config/interlock/policy.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"version = 1\n{text}")


def fronts(live: Live) -> list[tuple[str, str]]:
    return [(row["body"]["front"], row["body"]["receipt"]["decision"]["verdict"]) for row in live.rows()]


@pytest.mark.slow
def test_the_relay_alone_decides_and_claude_code_is_told(tmp_path: Path, log: Path) -> None:
    live = Live.at(tmp_path / "machine", guarded=False)
    policy(live, '[tools.mcp__s__echo]\neffects = ["read"]\n[tools.mcp__s__crash]\neffects = ["read"]\n')
    steps: list[Step] = [
        ("mcp__s__echo", {"message": "hi"}),
        ("mcp__s__fails", {"message": "no"}),
        ("mcp__s__crash", {}),
        ("mcp__s__echo", {"message": "again"}),  # the client starts the relay and its server anew
        "done",
    ]
    run = live.headless(steps, arguments=through_relay(live, scripted(log)))
    assert run.code == 0, run.err
    assert "ran echo" in run.told(0)
    assert "approval pending, ap_" in run.told(1)
    assert "ran echo" in run.told(3)
    assert [call["params"]["name"] for call in calls_in(log)] == ["echo", "crash", "echo"]
    assert {front for front, _ in fronts(live)} == {"mcp"}


@pytest.mark.slow
def test_server_everything_works_through_it(tmp_path: Path) -> None:
    live = Live.at(tmp_path / "machine", guarded=False)
    policy(live, '[tools."mcp__s__*"]\neffects = ["read"]\n')
    steps: list[Step] = [("mcp__s__echo", {"message": "hi"}), ("mcp__s__get-sum", {"a": 2, "b": 3}), "done"]
    run = live.headless(steps, arguments=through_relay(live, EVERYTHING))
    assert "Echo: hi" in run.told(0)
    assert "The sum of 2 and 3 is 5" in run.told(1)


@pytest.mark.slow
def test_one_call_that_hook_and_relay_see_is_asked_about_once(tmp_path: Path, log: Path) -> None:
    live = Live.at(tmp_path / "machine")
    steps: list[Step] = [("mcp__s__echo", {"message": "hi"}), ("mcp__s__echo", {"message": "again"}), "all done"]
    with live.terminal(steps, mode="default", arguments=through_relay(live, scripted(log))) as (terminal, model):
        terminal.type("please go on")
        terminal.answer('message: "hi"', "Enter")
        terminal.wait_for("all done", 40)  # the yes counts for the session, so the second call is not asked about
        assert "ran echo" in model.results["toolu_step_0"]
        assert "ran echo" in model.results["toolu_step_1"]
    assert [call["params"]["arguments"]["message"] for call in calls_in(log)] == ["hi", "again"]
    assert fronts(live) == [("hook:claude-code", "ask"), ("hook:claude-code", "allow")]
