"""The plug-in folder of goose that is ours, by its documentation: its hooks, and the file that names it."""

from __future__ import annotations

import os

from ..value import TYPE_CHECKING
from .documented_parts import blocks, file_for, write_by_shell
from .goose import MANIFEST, TRAITS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["BEFORE_CALLS", "PROGRAM", "PROVEN", "canary", "is_denied", "manifest", "settings_file"]

PROGRAM = "goose"
PROVEN = None  # no version was seen
BEFORE_CALLS = "PreToolUse"


def settings_file(scope: str, _root: str, home: str, moved: Mapping[str, str]) -> str:
    return file_for(TRAITS, scope, home, moved, {})


def manifest(file: str) -> tuple[str, dict[str, Any]]:
    """The file that names the plug-in, and what is in it."""
    return f"{os.path.dirname(os.path.dirname(file))}/plugin.json", MANIFEST


def canary(cwd: str, session: str, target: str) -> dict[str, Any]:
    return {
        "event": BEFORE_CALLS,
        "session_id": session,
        "tool_call_id": f"{session}-1",
        "tool_input": {"command": write_by_shell(target)},
        "tool_name": "developer__shell",
        "working_dir": cwd,
    }


def is_denied(code: int, stdout: bytes) -> bool:
    return blocks(code, stdout, "decision", "block")
