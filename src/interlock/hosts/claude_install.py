"""Where Claude Code keeps its settings for each scope, and how it is known to be on a machine."""

from __future__ import annotations

import sys

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROGRAM", "TITLE", "settings_file"]

TITLE = "Claude Code"
PROGRAM = "claude"
_MANAGED = {"darwin": "/Library/Application Support/ClaudeCode/managed-settings.json"}


def settings_file(scope: str, root: str, home: str, moved: Mapping[str, str]) -> str:
    """The file that the fragment goes into. `moved` as in `Facts`: a folder in place of one in the home folder.

    For one project it is the file that is not shared: the fragment names places on this machine, and a colleague whose
    machine has none of them would be blocked.
    """
    if scope == "managed":
        return _MANAGED.get(sys.platform, "/etc/claude-code/managed-settings.json")
    if scope == "project":
        return f"{root}/.claude/settings.local.json"
    folder = next((folder for folder, place in moved.items() if place == ".claude"), f"{home}/.claude")
    return f"{folder}/settings.json"
