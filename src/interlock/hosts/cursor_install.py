"""Where Cursor keeps its hooks for each scope, by its documentation, and how it is known to be on a machine."""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .cursor import TRAITS
from .documented_parts import blocks, file_for, write_by_shell

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["BEFORE_CALLS", "PROGRAM", "PROVEN", "canary", "is_denied", "settings_file"]

PROGRAM = "cursor"
PROVEN = None  # no version was seen
BEFORE_CALLS = "preToolUse"
_MANAGED = {"linux": "/etc/cursor/hooks.json", "darwin": "/Library/Application Support/Cursor/hooks.json"}


def settings_file(scope: str, _root: str, home: str, moved: Mapping[str, str]) -> str:
    return file_for(TRAITS, scope, home, moved, _MANAGED)


def canary(cwd: str, session: str, target: str) -> dict[str, Any]:
    return {
        "conversation_id": session,
        "cwd": cwd,
        "hook_event_name": BEFORE_CALLS,
        "tool_input": {"command": write_by_shell(target)},
        "tool_name": "Shell",
        "tool_use_id": f"{session}-1",
        "workspace_roots": [cwd],
    }


def is_denied(code: int, stdout: bytes) -> bool:
    return blocks(code, stdout, "permission", "deny")
