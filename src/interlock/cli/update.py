"""`interlock update`: have hooks run the version that is installed now."""

from __future__ import annotations

import json
from typing import Any

import click

from ..model.errors import InputError
from ..store.home.folders import Folders
from ..store.home.launch import kept_launcher
from .commands import pass_folders, with_home
from .confirming import about_update, put_update, update_due, words_for
from .install import home_meant, refuse_a_passing_copy
from .person import require_person

__all__ = ["command"]

_NONE = "nothing is installed that could be updated; begin with: interlock install"


@click.command("update")
@click.option("--yes", is_flag=True, help="Do not ask back. It takes a terminal all the same.")
@click.option("--dry-run", is_flag=True, help="Show what would be changed, and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(folders: Folders, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Have hooks run the version of Interlock that is installed now.

    Hooks run a copy of the package that a person confirmed. A new version changes nothing for them until you confirm
    it here; `interlock install` does it as well, and brings settings up to date too. The same command puts the copy
    back where it was changed or removed.

    It can loosen, so it takes a person at a terminal.

    \b
    Examples:
      interlock update
      interlock update --dry-run
      interlock update --json --dry-run

    \b
    Exit codes: 0 done, or nothing to do; 1 an agent ran it; 64 nothing is installed, or nobody is there to be asked;
    130 you said no.
    """
    refuse_a_passing_copy()
    folders, _ = home_meant(folders)
    was = kept_launcher(folders)
    if was is None:
        raise InputError(_NONE)
    due = update_due(folders)
    result = "unchanged" if due is None else "would update" if dry_run else "updated"
    if due is not None:
        if not as_json:
            click.echo(about_update(folders, due))
        if not dry_run:
            require_person(folders, "Have hooks run this?", yes=yes)
            put_update(folders, due, replaces=True, key="update")
    to = was if due is None else due
    if as_json:
        told: dict[str, Any] = {
            "from": {"package": was.origin or was.package, "version": was.version or None},
            "launcher": folders.launcher,
            "result": result,
            "to": {"package": was.origin or was.package if due is None else due.package, "version": to.version or None},
            "why": (due.why or None) if due is not None else None,
        }
        click.echo(json.dumps(told, indent=2))
    elif due is None:
        click.echo(f"nothing to do: hooks run {words_for(was.version)}, as it was confirmed")
    elif not dry_run:
        click.echo(f"hooks run {words_for(due.version)} from the next call on")
        click.echo(with_home("Whether settings are still as this version writes them: interlock doctor"))
    return 0
