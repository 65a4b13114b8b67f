"""The file of hooks that VS Code reads, by its documentation. It is one of our own, in Copilot's folder."""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .claude_install import is_denied
from .documented_parts import file_for, write_by_shell
from .vscode import TRAITS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["BEFORE_CALLS", "FOLDER", "PROGRAM", "PROVEN", "canary", "is_denied", "settings_file"]

PROGRAM = "code"
FOLDER = ".vscode"  # by which it is known to be here: that of its hooks is Copilot's too
PROVEN = None  # no version was seen
BEFORE_CALLS = "PreToolUse"


def settings_file(scope: str, _root: str, home: str, moved: Mapping[str, str]) -> str:
    return file_for(TRAITS, scope, home, moved, {})


def canary(cwd: str, session: str, target: str) -> dict[str, Any]:
    return {
        "cwd": cwd,
        "hook_event_name": BEFORE_CALLS,
        "session_id": session,
        "tool_input": {"command": write_by_shell(target), "description": ""},
        "tool_name": "Bash",
        "tool_use_id": f"{session}-1",
    }
