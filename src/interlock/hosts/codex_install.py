"""Where Codex keeps its hooks for each scope, how it is known to be on a machine, and what a person does there."""

from __future__ import annotations

import sys

from ..model.errors import HostError
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = [
    "ADVICE",
    "BEFORE_CALLS",
    "PROGRAM",
    "PROVEN",
    "TRUST",
    "canary",
    "is_denied",
    "servers_file",
    "settings_file",
]

PROGRAM = "codex"
PROVEN = (0, 169, 0)  # the version with which it was seen that the line in its settings blocks
BEFORE_CALLS = "PreToolUse"
# What is left to the person, who alone may do it. Managed hooks need no trust.
TRUST = (
    "Codex runs a hook only after you have trusted it. Start `codex`; at `Hooks need review` choose `Trust all and "
    "continue`. Until then no call is checked; `interlock doctor codex` tells whether you have."
)
ADVICE = (
    "Agents can type into programs that run in a terminal, and no hook sees that. To close it, put "
    "`unified_exec_tty = false` below `[features]` in ~/.codex/config.toml."
)


def settings_file(scope: str, root: str, home: str, moved: Mapping[str, str]) -> str:
    """The file that the fragment goes into. `moved` as in `Facts`: a folder in place of one in the home folder.

    The managed file needs nobody's trust. It is seen to hold on Linux only.
    """
    if scope == "managed":
        if sys.platform != "linux":
            raise HostError("where Codex looks for managed hooks on this system is not known; use --user")
        return "/etc/codex/hooks.json"
    if scope == "project":
        return f"{root}/.codex/hooks.json"
    folder = next((folder for folder, place in moved.items() if place == ".codex"), f"{home}/.codex")
    return f"{folder}/hooks.json"


def servers_file(home: str, moved: Mapping[str, str]) -> str:
    """The file in which a person's MCP servers are named."""
    folder = next((folder for folder, place in moved.items() if place == ".codex"), f"{home}/.codex")
    return f"{folder}/config.toml"


def canary(cwd: str, session: str, target: str) -> dict[str, Any]:
    """An event that must be denied: a call that would write the guard's own file."""
    return {
        "cwd": cwd,
        "hook_event_name": "PreToolUse",
        "model": "",
        "permission_mode": "default",
        "session_id": session,
        "tool_input": {"command": f"*** Begin Patch\n*** Add File: {target}\n+\n*** End Patch\n"},
        "tool_name": "apply_patch",
        "tool_use_id": f"{session}-1",
        "transcript_path": None,
        "turn_id": "1",
    }


def is_denied(code: int, _stdout: bytes) -> bool:
    """Whether the client takes this as a block: the line says its reason wherever it leaves with 2."""
    return code == 2
