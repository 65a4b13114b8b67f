"""Where GitHub Copilot CLI keeps its hooks, and how it is known to be on a machine."""

from __future__ import annotations

import os

from ..bytes.strict import parse_object
from ..model.errors import HostError, InputError
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["BEFORE_CALLS", "PROGRAM", "PROVEN", "canary", "is_denied", "settings_file"]

PROGRAM = "copilot"
PROVEN = (1, 0, 102)  # the version with which it was seen that the line in its settings blocks
BEFORE_CALLS = "preToolUse"


def settings_file(scope: str, root: str, home: str, moved: Mapping[str, str]) -> str:
    """A file of our own in the person's folder of hooks, which the client reads whole."""
    if scope == "managed":
        raise HostError("GitHub Copilot CLI has no settings for every user of a machine that hold hooks; use --user")
    if scope == "project":
        raise HostError("GitHub Copilot CLI shares a project's hooks with everybody who has it; use --user")
    named = os.environ.get("COPILOT_HOME", "").rstrip("/")
    return f"{named if named in moved else home + '/.copilot'}/hooks/interlock.json"


def canary(cwd: str, session: str, target: str) -> dict[str, Any]:
    """An event that must be denied: a call that would write the guard's own file."""
    return {
        "cwd": cwd,
        "sessionId": session,
        "timestamp": 0,
        "toolArgs": {"file_text": "", "path": target},
        "toolName": "create",
    }


def is_denied(code: int, stdout: bytes) -> bool:
    """Whether the client takes this as a block: every exit code but 0 is one."""
    try:
        return code != 0 or parse_object(stdout).get("permissionDecision") == "deny"
    except InputError:
        return False
