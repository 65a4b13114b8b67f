"""What the commands say of the level in force: of a session that starts now, and of those that were launched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..follow.in_force import level_of_a_start
from ..install.launching import ALIASES, LAUNCHING
from ..model.level import ABOUT, OUTSIDE, Level
from ..store.home.launched import launches_now
from .checkup import OK, Found, registered
from .counted import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..store.home.folders import Folders

__all__ = ["levels_here", "of_level", "told_of_levels"]

_SHORT = {name: short for short, name in ALIASES.items()}


def levels_here(folders: Folders, root: str, hosts: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Guarded host -> the level of a session that starts here now, and how many run that were launched."""
    launched = launches_now(folders)
    return {
        host: {"start": level_of_a_start(folders, host, root).name, "launched": launched.get(host, 0)}
        for host in hosts
        if registered(folders, root, host)
    }


def told_of_levels(levels: dict[str, dict[str, Any]], host: str) -> list[str]:
    """One line for each: what is in force without a launch, and how many sessions were launched."""
    level = Level.of(levels[host]["start"])
    lines = [f"level: {level.title}: {ABOUT[level]}{_more(host, level)}"]
    if levels[host]["launched"]:
        lines.append(f"{counted(levels[host]['launched'], 'session')} launched with `interlock launch`")
    return lines


def of_level(folders: Folders, root: str, host: str) -> list[Found]:
    """Not a fault: which level a session has is the person's to choose."""
    if not registered(folders, root, host):
        return []
    level = level_of_a_start(folders, host, root)
    outside = "" if level is Level.MANAGED else f"; {OUTSIDE}"
    return [Found(host, OK, f"level in force: {level.title}: {ABOUT[level]}{outside}{_more(host, level)}")]


def _more(host: str, level: Level) -> str:
    if level in (Level.LAUNCHED, Level.MANAGED) or host not in LAUNCHING or not LAUNCHING[host].outranks:
        return ""
    return f"; to start it so that a repository cannot: interlock launch {_SHORT[host]}"
