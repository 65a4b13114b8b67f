"""Where OpenCode looks for plug-ins in each scope, and how it is known to be on a machine."""

from __future__ import annotations

import os

from ..bytes.strict import parse_object
from ..model.errors import HostError, InputError
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["BEFORE_CALLS", "PROGRAM", "PROVEN", "canary", "is_denied", "settings_file"]

PROGRAM = "opencode"
PROVEN = (1, 18, 33)  # the version with which it was seen that what a plug-in throws is a deny
BEFORE_CALLS = "tool.execute.before"


def settings_file(scope: str, root: str, home: str, moved: Mapping[str, str]) -> str:
    """The plug-in, a file of our own. In a project it names places on this machine: others who have it are blocked."""
    if scope == "managed":
        raise HostError("OpenCode has no plug-ins for every user of a machine; use --user or --project")
    if scope == "project":
        return f"{root}/.opencode/plugin/interlock.js"
    named = os.environ.get("XDG_CONFIG_HOME", "").rstrip("/")
    return f"{named if named in moved else home + '/.config'}/opencode/plugin/interlock.js"


def canary(cwd: str, session: str, target: str) -> dict[str, Any]:
    """An event that must be denied: a call that would write the guard's own file."""
    return {
        "command": "",
        "cwd": cwd,
        "hook_event_name": "tool.execute.before",
        "session_id": session,
        "tool_input": {"content": "", "filePath": target},
        "tool_name": "write",
        "worktree": cwd,
    }


def is_denied(code: int, stdout: bytes) -> bool:
    """Whether the plug-in throws, and says why."""
    try:
        return code != 0 or parse_object(stdout).get("decision") == "deny"
    except InputError:
        return False
