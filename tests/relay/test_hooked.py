"""A call that a hook has decided about already is not asked about again, if it is that very call."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .wire import INTERLOCK, Home, Wire, calls_in, scripted

ID = "toolu_01"


def hook(home: Home, cwd: Path, tool: str = "mcp__s__echo", **given: Any) -> dict[str, Any]:
    event = {
        "hook_event_name": "PreToolUse",
        "session_id": "claude-1",
        "cwd": str(cwd),
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": ID,
        "permission_mode": "default",
    }
    done = subprocess.run(
        [*INTERLOCK, "hook", "claude-code", "--home", str(home.at)],
        input=json.dumps(event),
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )
    found: dict[str, Any] = json.loads(done.stdout)["hookSpecificOutput"]
    return found


def test_what_the_host_was_asked_is_not_asked_again(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", "")
    with Wire(home, scripted(log), cwd=tmp_path) as wire:
        wire.begin()
        assert hook(home, tmp_path, message="x")["permissionDecision"] == "ask"
        assert wire.said(1, "echo", "x", meta={"claudecode/toolUseId": ID}) == 'ran echo {"message": "x"}'
        assert "approval pending" in wire.said(2, "echo", "x", meta={"claudecode/toolUseId": ID})  # once
    assert [row["front"] for row in home.rows("decision")] == ["hook:claude-code", "mcp"]
    assert [call["id"] for call in calls_in(log)] == [1]


OTHERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "another id": ({"message": "x"}, {"meta": {"claudecode/toolUseId": "toolu_02"}}),
    "another input": ({"message": "y"}, {}),
    "another tool": ({"message": "x"}, {"tool": "fails"}),
    "a secret in it": ({"message": "token ghp_" + "a1B2" * 9}, {}),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("other", OTHERS)
def test_any_other_call_is(tmp_path: Path, log: Path, other: str) -> None:
    home = Home(tmp_path / "home", "")
    given, more = OTHERS[other]
    with Wire(home, scripted(log), cwd=tmp_path) as wire:
        wire.begin()
        hook(home, tmp_path, message=given["message"] if other == "a secret in it" else "x")
        meta = more.get("meta", {"claudecode/toolUseId": ID})
        assert "approval pending" in wire.said(1, more.get("tool", "echo"), given["message"], meta=meta)
    assert calls_in(log) == []


def test_a_definition_that_changed_is_asked_about_all_the_same(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", "")
    with Wire(home, scripted(log), cwd=tmp_path) as wire:
        wire.begin()
        wire.said(0, "echo")
    with Wire(home, scripted(log, "changed"), cwd=tmp_path) as wire:
        wire.begin()
        hook(home, tmp_path, message="x")
        assert "approval pending" in wire.said(1, "echo", "x", meta={"claudecode/toolUseId": ID})
    assert calls_in(log) == []


def test_what_the_hook_refused_is_not_let_through(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", '[risk]\nunregistered = "deny"\n')
    with Wire(home, scripted(log), cwd=tmp_path) as wire:
        wire.begin()
        assert hook(home, tmp_path, message="x")["permissionDecision"] == "deny"
        assert wire.said(1, "echo", "x", meta={"claudecode/toolUseId": ID}).startswith("Refused")
    assert calls_in(log) == []


def test_a_policy_that_has_changed_since_counts(tmp_path: Path, log: Path) -> None:
    home = Home(tmp_path / "home", "")
    with Wire(home, scripted(log), cwd=tmp_path) as wire:
        wire.begin()
        hook(home, tmp_path, message="x")
        home.says('[risk]\nunregistered = "deny"\n')
        assert wire.said(1, "echo", "x", meta={"claudecode/toolUseId": ID}).startswith("Refused")
    assert calls_in(log) == []


@pytest.mark.parametrize(
    ("tool", "hints", "passes"),
    [
        ("browser_resize", (), True),
        ("browser_resize", ("destructiveHint", "openWorldHint"), True),  # as its row has it already
        ("browser_snapshot", (), True),
        ("browser_snapshot", ("destructiveHint",), False),
        ("browser_snapshot", ("openWorldHint",), False),
    ],
)
def test_what_the_server_warns_of_is_held_against_the_table_that_the_hook_went_by(
    tmp_path: Path, log: Path, tool: str, hints: tuple[str, ...], *, passes: bool
) -> None:
    home = Home(tmp_path / "home", "")
    entry = {"command": "npx", "args": ["-y", "@playwright/mcp"]}
    (home.at / ".claude.json").write_text(json.dumps({"mcpServers": {"s": entry}}))
    with Wire(home, scripted(log, "browser", *hints), cwd=tmp_path) as wire:
        wire.begin()
        assert hook(home, tmp_path, tool=f"mcp__s__{tool}")["permissionDecision"] == "allow"
        params = {"name": tool, "arguments": {}, "_meta": {"claudecode/toolUseId": ID}}
        wire.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        assert ("approval pending" not in wire.answer_to(1)) is passes
    assert len(calls_in(log)) == passes
