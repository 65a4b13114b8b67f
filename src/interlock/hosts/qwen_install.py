"""Where Qwen Code keeps its settings for each scope, and how it is known to be on a machine."""

from __future__ import annotations

import sys

from ..model.errors import HostError
from ..value import TYPE_CHECKING
from . import claude_install
from .claude_install import is_denied

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["BEFORE_CALLS", "PROGRAM", "PROVEN", "canary", "is_denied", "settings_file"]

PROGRAM = "qwen"
PROVEN = (0, 24, 4)  # the version with which it was seen that the line in its settings blocks
BEFORE_CALLS = "PreToolUse"
_MANAGED = {"darwin": "/Library/Application Support/QwenCode/settings.json"}


def settings_file(scope: str, root: str, home: str, moved: Mapping[str, str]) -> str:
    """The file that the fragment goes into. QWEN_HOME stands in place of `.qwen`."""
    if scope == "managed":
        return _MANAGED.get(sys.platform, "/etc/qwen-code/settings.json")
    if scope == "project":
        raise HostError("Qwen Code shares a project's settings with everybody who has it; use --user or --managed")
    folder = next((folder for folder, place in moved.items() if place == ".qwen"), f"{home}/.qwen")
    return f"{folder}/settings.json"


def canary(cwd: str, session: str, target: str) -> dict[str, Any]:
    """Claude Code's, with this client's name of the tool."""
    return {**claude_install.canary(cwd, session, target), "tool_name": "write_file"}
