"""Where Gemini CLI keeps its settings for each scope, and how it is known to be on a machine."""

from __future__ import annotations

import os
import sys

from ..bytes.strict import parse_object
from ..model.errors import HostError, InputError
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["BEFORE_CALLS", "PROGRAM", "PROVEN", "canary", "is_denied", "settings_file"]

PROGRAM = "gemini"
PROVEN = (0, 61, 0)  # the version with which it was seen that the line in its settings blocks
BEFORE_CALLS = "BeforeTool"
_MANAGED = {"darwin": "/Library/Application Support/GeminiCli/settings.json"}


def settings_file(scope: str, root: str, home: str, moved: Mapping[str, str]) -> str:
    """The file that the fragment goes into. The client looks for `.gemini` in the folder that GEMINI_CLI_HOME names,
    which stands in place of the whole home folder, as that of other programs does.
    """
    if scope == "managed":
        return _MANAGED.get(sys.platform, "/etc/gemini-cli/settings.json")
    if scope == "project":
        raise HostError("Gemini CLI shares a project's settings with everybody who has it; use --user or --managed")
    named = os.environ.get("GEMINI_CLI_HOME", "").rstrip("/")
    return f"{named if named in moved else home}/.gemini/settings.json"


def canary(cwd: str, session: str, target: str) -> dict[str, Any]:
    """An event that must be denied: a call that would write the guard's own file."""
    return {
        "cwd": cwd,
        "hook_event_name": "BeforeTool",
        "session_id": session,
        "tool_input": {"content": "", "file_path": target},
        "tool_name": "write_file",
        "transcript_path": "",
    }


def is_denied(code: int, stdout: bytes) -> bool:
    """Whether the client takes this as a block."""
    if code == 2:
        return True
    try:
        return code == 0 and parse_object(stdout).get("decision") in ("deny", "block")
    except InputError:
        return False
