"""Every built-in tool of every pinned client is known: a new one fails here until somebody has looked at what it does.

Claude Code lists its tools in a type file of its own; the others are asked for what they offer to the model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interlock.model.toolnames import our_name
from interlock.reading.tools.tools import TOOLS
from live.client import Live, needs_client
from live.codex import Codex
from live.copilot import Copilot
from live.gemini import Gemini
from live.opencode import OpenCode
from live.qwen import Qwen
from live.type_file import built_in_tools
from scripted_model import Model

pytestmark = needs_client

CLIENTS = {"codex": Codex, "copilot-cli": Copilot, "gemini-cli": Gemini, "opencode": OpenCode, "qwen-code": Qwen}
# Known, and asked about by their own names: what they would do is not in their input.
ASKED = {
    ("codex", "write_stdin"): "it types into a program that runs, and no hook is told",
    ("copilot-cli", "skill"): "which file defines it is not known",
    ("gemini-cli", "activate_skill"): "which file defines it is not known",
    ("gemini-cli", "invoke_agent"): "which file defines it is not known",
    ("opencode", "skill"): "which file defines it is not known",
    ("qwen-code", "tool_call"): "the hook is told the tool that it calls",
}


def offered(model: Model) -> set[str]:
    found = set()
    for request in model.requests:
        for tool in request.get("tools") or ():
            for one in tool.get("functionDeclarations", (tool,)):
                found.add(_name(one))
    return found


def _name(tool: dict[str, Any]) -> str:
    return str(tool.get("function", tool).get("name") or tool["type"])


def unknown(host: str, tools: set[str]) -> set[str]:
    return {tool for tool in tools if our_name(host, tool) not in TOOLS and (host, tool) not in ASKED}


def test_every_tool_that_claude_code_lists_is_known(place: Path) -> None:
    listed = set(built_in_tools())
    assert len(listed) > 50
    live = Live.at(place, guarded=False)
    seen = offered(live.headless(["done"]).model)
    assert "Bash" in seen
    assert "Bash" in listed
    assert unknown("claude-code", listed | seen) == set()


@pytest.mark.parametrize("host", list(CLIENTS))
def test_every_tool_that_a_client_offers_is_known(host: str, place: Path) -> None:
    client = CLIENTS[host](place, guarded=False)
    if host == "opencode":  # it loads a folder of plug-ins with something in it
        client.plugin.write_text("export const Nothing = async () => ({})\n")
    tools = offered(client.headless(["done"]).model)
    assert len(tools) > 8, tools
    assert unknown(host, tools) == set()
