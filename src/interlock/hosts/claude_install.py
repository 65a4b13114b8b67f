"""Where Claude Code keeps its settings for each scope, and how it is known to be on a machine."""

from __future__ import annotations

import sys

from ..bytes.strict import parse_object
from ..model.errors import InputError
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["BEFORE_CALLS", "PLUGIN", "PROGRAM", "PROVEN", "canary", "is_denied", "servers_file", "settings_file"]

PROGRAM = "claude"
PROVEN = (2, 1, 327)  # the version with which it was seen that `onFailure` blocks
BEFORE_CALLS = "PreToolUse"  # the event at which a hook can answer for a call, or rewrite it
PLUGIN = (".claude-plugin/plugin.json", "hooks/hooks.json")  # in a plug-in's folder: what it is, and its hooks
_MANAGED = {"darwin": "/Library/Application Support/ClaudeCode/managed-settings.json"}


def settings_file(scope: str, root: str, home: str, moved: Mapping[str, str]) -> str:
    """The file that the fragment goes into. `moved` as in `Facts`: a folder in place of one in the home folder.

    For one project it is the file that is not shared: the fragment names places on this machine, and a colleague whose
    machine has none of them would be blocked.
    """
    if scope == "managed":
        return _MANAGED.get(sys.platform, "/etc/claude-code/managed-settings.json")
    if scope == "project":
        return f"{root}/.claude/settings.local.json"
    folder = next((folder for folder, place in moved.items() if place == ".claude"), f"{home}/.claude")
    return f"{folder}/settings.json"


def servers_file(home: str, moved: Mapping[str, str]) -> str:
    """The file in which a person's MCP servers are named."""
    folder = next((folder for folder, place in moved.items() if place == ".claude"), home)
    return f"{folder}/.claude.json"


def canary(cwd: str, session: str, target: str) -> dict[str, Any]:
    """An event that must be denied: a call that would write the guard's own file."""
    return {
        "cwd": cwd,
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "session_id": session,
        "tool_input": {"content": "", "file_path": target},
        "tool_name": "Write",
        "tool_use_id": f"{session}-1",
        "transcript_path": "",
    }


def is_denied(code: int, stdout: bytes) -> bool:
    """Whether the client takes this as a block."""
    if code == 2:
        return True
    try:
        said = parse_object(stdout)
        told: Any = said["hookSpecificOutput"]
        return code == 0 and told["permissionDecision"] == "deny"
    except (InputError, KeyError, TypeError):
        return False
