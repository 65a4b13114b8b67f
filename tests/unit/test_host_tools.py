"""Built-in tools of hosts that are known by what they do, and of which no more is believed than that."""

from __future__ import annotations

import pytest

from interlock.model.toolnames import OF_HOSTS, our_name
from interlock.testing import decide_call

KEY = "/home/user/.ssh/id_ed25519"
TOKEN = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


def decided(tool: str, given: dict[str, object], host: str = "claude-code") -> tuple[str, list[str]]:
    decision = decide_call({"tool": our_name(host, tool), "named": tool, "host": host, "input": given})
    return decision.verdict.name, [finding.text for finding in decision.reasons]


@pytest.mark.parametrize("tool", ["GetGoal", "ListAgents", "PauseGoal", "Poll", "ReportFindings", "WrapUp", "Yield"])
def test_a_note_of_the_host_is_not_asked_about(tool: str) -> None:
    assert decided(tool, {}) == ("allow", [])


@pytest.mark.parametrize("tool", ["SearchPlugins", "ListConnectors"])
def test_a_search_is_allowed_unless_its_words_hold_a_key(tool: str) -> None:
    assert decided(tool, {"keywords": ["pdf"]}) == ("allow", [])
    assert decided(tool, {"keywords": ["pdf", TOKEN]}) == (
        "ask",
        ["Search the web: a password or key would be sent along."],
    )


def test_what_leaves_the_machine_is_asked_about_with_the_files_that_it_takes() -> None:
    verdict, said = decided("SendUserFile", {"files": ["/repo/a.md", KEY], "status": "normal"})
    assert verdict == "ask"
    assert any(KEY in line for line in said), said
    assert any("it leaves this machine" in line for line in said), said


def test_what_an_unread_language_names_is_still_held_by_the_floor() -> None:
    assert decided("PowerShell", {"command": "echo '{}' > ~/.claude/settings.json"})[0] == "deny"
    assert decided("Workflow", {"script": "agent('go')"})[0] == "ask"


@pytest.mark.parametrize("tool", sorted(name for name, ours in OF_HOSTS["claude-code"].items() if ours[:4] == "Host"))
def test_none_of_these_tools_runs_unasked(tool: str) -> None:
    assert decided(tool, {})[0] == "ask"
    assert decided(tool, {"path": "/repo/a", "message": "x"})[0] == "ask"


def test_a_tool_of_another_host_is_not_taken_for_one_of_these() -> None:
    verdict, said = decided("GetGoal", {}, host="gemini-cli")
    assert verdict == "ask"
    assert "does not declare the tool" in said[0]
