"""Under which name the shield against mods is seated in Claude Code, and whether it is sound. Asked in one place."""

from __future__ import annotations

import os

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from .folders import Folders

__all__ = ["seat_of"]


def seat_of(folders: Folders, root: str = "/") -> str:
    """Empty where none is seated, or where it would not load. `root`: the project, whose settings may switch it off."""
    if not os.path.exists(os.path.dirname(os.path.abspath(__file__)) + "/shield.py"):
        return ""
    shield: Any = __import__(f"{__name__.rpartition('.')[0]}.shield", None, None, ["shield_state"])
    found = shield.shield_state(folders, folders.moved, root)
    return "" if found is None or found.problem else str(found.name)
