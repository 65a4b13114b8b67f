"""Under which name the shield against mods is seated in Claude Code; empty where there is none. Asked in one place."""

from __future__ import annotations

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from .folders import Folders

__all__ = ["seat_of"]


def seat_of(_folders: Folders) -> str:
    return ""
