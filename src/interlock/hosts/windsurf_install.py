"""Where Windsurf keeps its hooks for each scope, by its documentation, and how it is known to be on a machine."""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .documented_parts import file_for, write_by_shell
from .windsurf import TRAITS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["BEFORE_CALLS", "PROGRAM", "PROVEN", "canary", "is_denied", "settings_file"]

PROGRAM = "windsurf"
PROVEN = None  # no version was seen
BEFORE_CALLS = "pre_run_command"
_MANAGED = {"linux": "/etc/windsurf/hooks.json", "darwin": "/Library/Application Support/Windsurf/hooks.json"}


def settings_file(scope: str, _root: str, home: str, moved: Mapping[str, str]) -> str:
    return file_for(TRAITS, scope, home, moved, _MANAGED)


def canary(cwd: str, session: str, target: str) -> dict[str, Any]:
    return {
        "agent_action_name": BEFORE_CALLS,
        "tool_info": {"command_line": write_by_shell(target), "cwd": cwd},
        "trajectory_id": session,
    }


def is_denied(code: int, _stdout: bytes) -> bool:
    return code == 2
