"""`interlock hook`: help and settings. Deciding itself goes straight to the guarded entry (main.py)."""

from __future__ import annotations

import json
import os
import sys

import click
from click.core import ParameterSource

from ..hosts import claude_code
from ..runtime import PLAN_VARIABLES
from ..store.folders import folders_for
from ..store.policies import load_policy_or_faults
from .commands import project_root
from .guarded import enter_guard, guard_path

__all__ = ["command"]


@click.group()
def command() -> None:
    """Answer an agent host's hook events."""


@command.command("claude-code")
@click.option("--home", type=click.Path(file_okay=False, resolve_path=True), help="As for interlock --home.")
@click.option("--print-settings", is_flag=True, help="Print the fragment for Claude Code's settings.json, and stop.")
@click.pass_context
def claude_code_(ctx: click.Context, home: str | None, print_settings: bool) -> None:
    """Decide the PreToolUse event on stdin for Claude Code.

    Put what --print-settings prints into ~/.claude/settings.json. It names this Python and the
    guarded entry directly, so no shell and no search path stand between the host and the guard. Where a
    plan is configured, the fragment has the plan's gate for the Stop event too.
    """
    root = ctx.find_root()
    given = home or root.params.get("home")
    if not print_settings:
        # A variable may come from a project's settings, an argument may not: see docs/adr/0006.
        if root.get_parameter_source("home") is ParameterSource.ENVIRONMENT:
            given = home
        enter_guard([claude_code.NAME, *(("--home", given) if given else ())])
    arguments = ("--home", str(given)) if given else ()
    gate = _plan_is_asked_for(given)
    click.echo(json.dumps(claude_code.settings(sys.executable, guard_path(), arguments, gate=gate), indent=2))


def _plan_is_asked_for(home: str | None) -> bool:
    """The Stop hook is printed too where a plan is configured. A broken policy is for `policy check` to tell."""
    policy = load_policy_or_faults(folders_for(home), project_root(None))
    return policy.plan is not None or any(name in os.environ for name in PLAN_VARIABLES)
