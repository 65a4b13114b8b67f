"""What `interlock doctor`, `status` and `install` say of code that runs inside Claude Code, above every hook."""

from __future__ import annotations

import os
import shlex

import click

from ..store.home.folders import Folders
from ..store.home.mod_switches import Switch, switches_in
from ..store.home.mods import Mod, mods_in
from ..store.home.seat import seat_of
from .checkup import BAD, OK, Found, silenced
from .counted import counted

__all__ = ["HOST", "OUTRANKED", "of_inside", "outranked", "say_what_is_inside"]

HOST = "claude-code"
OUTRANKED = "guarded, but not against what is inside the client"  # in place of `guarded`
_CHECK = "mods"
_ABOVE = "its code runs inside the client, above every hook, and can switch Interlock off"


# What a plug-in without a module carries -> what that does. In the project, whoever changes the project brings it.
_DOES = {
    "hooks": "its hooks run outside the check, and can rewrite a call after it was judged",
    "mcp": "the client starts its tool servers, which run outside the check",
    "bin": "its programs stand on the search path of commands",
}


def of_inside(folders: Folders, root: str) -> list[Found]:
    seat = seat_of(folders, root)
    cwd = os.getcwd()
    mods = mods_in(folders, root, os.environ, cwd=cwd, own=seat.folder, admitted=seat.admitted)
    switches = switches_in(folders, root, os.environ, cwd=cwd, seat=seat.id)
    found = [_of_mod(mod, held=seat.holds) for mod in mods if mod.kind == "mod"]
    found += [_of_plug_in(mod) for mod in mods if mod.kind in _DOES and mod.in_project and not seat.holds]
    found += [_of_switch(one) for one in switches if one.loud and not _is_told(one, folders, root)]
    if any(one.state == BAD for one in found):
        return found
    others = [mod.name for mod in mods if mod.kind != "mod"]
    text = "no foreign code runs inside the client" if not found else "Interlock's own mod stands above all others"
    if others:
        named = ", ".join(others[:8]) + ", …" * bool(others[8:])
        text += f"; {counted(len(others), 'plug-in')} with hooks, tool servers or programs: {named}"
    return [*found, Found(_CHECK, OK, text)]


def outranked(folders: Folders, root: str) -> bool:
    return any(one.state == BAD for one in of_inside(folders, root))


def say_what_is_inside(folders: Folders, root: str) -> None:
    for one in of_inside(folders, root):
        if one.state == BAD:
            click.echo(f"BAD  {one.text}\n     cure: {one.cure}")


def _of_mod(mod: Mod, *, held: bool) -> Found:
    named = f"{mod.root} is a mod ({mod.name}), which loads from {mod.where}"
    if held:
        return Found(_CHECK, OK, f"{named}: Interlock's own mod refuses it")
    unread = "" if mod.readable else "; it could not be looked into"
    return Found(_CHECK, BAD, f"{named}: {_ABOVE}{unread}", _cure(mod))


def _of_plug_in(mod: Mod) -> Found:
    named = f"{mod.root} is a plug-in ({mod.name}), which loads from {mod.where}"
    return Found(_CHECK, BAD, f"{named}: {_DOES[mod.kind]}", _cure(mod))


def _cure(mod: Mod) -> str:
    if "marketplace" in mod.where:
        return "take it out of `enabledPlugins` in the settings that enable it"
    if "CLAUDE_CODE_PLUGIN_DIRS" in mod.where:
        return "take its folder out of CLAUDE_CODE_PLUGIN_DIRS"
    return f"rm -r {shlex.quote(mod.root)}"


def _of_switch(switch: Switch) -> Found:
    if not switch.path:
        return Found(_CHECK, BAD, switch.text, f"unset {switch.key}")
    named = f"`{switch.key}` in {switch.path}" if switch.key else switch.path
    return Found(_CHECK, BAD, f"{named}: {switch.text}", f"take it out of {switch.path}")


def _is_told(switch: Switch, folders: Folders, root: str) -> bool:
    """Whether the host's own check says it: that one reads the settings of the project and of the home."""
    return switch.key in ("", "disableAllHooks") and silenced(folders, root, HOST)
