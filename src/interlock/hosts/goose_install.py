"""The plug-in folder of goose that is ours, by its documentation: its hooks, and the file that names it."""

from __future__ import annotations

import json
import os

from ..value import TYPE_CHECKING
from .documented_parts import blocks, file_for, write_by_shell
from .goose import MANIFEST, TRAITS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["BEFORE_CALLS", "PROGRAM", "PROVEN", "beside", "canary", "is_denied", "settings_file"]

PROGRAM = "goose"
PROVEN = None  # no version was seen
BEFORE_CALLS = "PreToolUse"


def settings_file(scope: str, _root: str, home: str, moved: Mapping[str, str]) -> str:
    return file_for(TRAITS, scope, home, moved, {})


def beside(file: str) -> dict[str, bytes]:
    """Files that have to lie beside the hooks -> what is in them."""
    folder = os.path.dirname(os.path.dirname(file))
    return {f"{folder}/plugin.json": json.dumps(MANIFEST, indent=2).encode() + b"\n"}


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
