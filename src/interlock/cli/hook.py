"""`interlock hook`: help and settings. Deciding itself goes straight to the guarded entry (main.py)."""

from __future__ import annotations

import json
import os
import sys

import click
from click.core import ParameterSource

from ..hosts import claude_code
from ..store.folders import Folders, other_home
from .guarded import enter_guard, guard_path

__all__ = ["command"]

_OTHER_HOME = (
    "HOME is {given}, and the system's user table names another folder. The settings below keep Interlock's files "
    "under {given}, where the agent's own settings are. Give the other commands the same: interlock --home {given} …"
)


@click.group()
def command() -> None:
    """Answer an agent host's hook events."""


@command.command("claude-code")
@click.option("--home", type=click.Path(file_okay=False, resolve_path=True), help="As for interlock --home.")
@click.option("--no-gate", is_flag=True, help="The event gates no call: what breaks leaves with 0, not with 2.")
@click.option("--print-settings", is_flag=True, help="Print the fragment for Claude Code's settings.json, and stop.")
@click.pass_context
def claude_code_(ctx: click.Context, home: str | None, no_gate: bool, print_settings: bool) -> None:
    """Answer the event on stdin for Claude Code: decide about a call, or follow what became of it.

    Put what --print-settings prints into ~/.claude/settings.json. It names this Python and the
    guarded entry directly, so no shell and no search path stand between the host and the guard. It lists
    PreToolUse, PostToolUse, PostToolUseFailure, UserPromptSubmit, UserPromptExpansion, SessionStart,
    Stop and ConfigChange.
    """
    root = ctx.find_root()
    given = home or root.params.get("home")
    if not print_settings:
        # A variable may come from a project's settings, an argument may not: see docs/adr/0006.
        if root.get_parameter_source("home") is ParameterSource.ENVIRONMENT:
            given = home
        enter_guard([claude_code.NAME, *(("--no-gate",) if no_gate else ()), *(("--home", given) if given else ())])
    if not given:
        given = other_home(ctx.ensure_object(Folders), os.environ)
        if given:
            click.echo(f"interlock: {_OTHER_HOME.format(given=given)}", err=True)
    moved = os.environ.get("CLAUDE_CONFIG_DIR")
    if moved:
        click.echo(f"interlock: CLAUDE_CONFIG_DIR is set; the fragment goes into {moved}/settings.json", err=True)
    arguments = ("--home", str(given)) if given else ()
    click.echo(json.dumps(claude_code.settings(sys.executable, guard_path(), arguments), indent=2))
