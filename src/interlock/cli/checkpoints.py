"""`interlock checkpoints`: what is held, and for how long."""

from __future__ import annotations

import json
import time
from typing import Any

import click

from ..limits import UNDO_OWN_HOURS
from ..model.errors import InputError
from ..store.home.folders import Folders
from ..store.home.policies import load_policy_or_faults
from ..store.undo.held import Checkpoint
from ..store.undo.holding import shelf_of
from ..store.undo.restore import steps_of
from ..store.undo.shelf import Kept
from ..store.undo.undone import listed, named
from .commands import pass_folders, project_root, with_home
from .completing import complete_checkpoint
from .counted import counted
from .durations import milliseconds
from .listed import Listed
from .person import require_person
from .show import harmless
from .undo_shown import line_of

__all__ = ["command"]

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=Listed)
def command() -> None:
    """Look at what is held of what calls have lost, and remove it.

    \b
    Examples:
      interlock checkpoints list
      interlock checkpoints show 51f0c8a2
      interlock checkpoints prune --older 3d
    """


@command.command("list")
@click.option("--session", metavar="SESSION", help="Only those of a session.")
@_json
@pass_folders
def list_(folders: Folders, session: str | None, as_json: bool) -> None:
    """List the checkpoints, oldest first."""
    policy = load_policy_or_faults(folders, project_root(None))
    shelf = shelf_of(folders)
    found = [one for one in listed(shelf) if session is None or one[1].session == session]
    if as_json:
        click.echo(json.dumps([_told(*one) for one in found]))
        return
    for kept, checkpoint in found:
        what = f"undoes {checkpoint.undoes[:12]}" if checkpoint.undoes else ", ".join(checkpoint.roots[:3])
        more = f" and {len(checkpoint.roots) - 3} more" if len(checkpoint.roots) > 3 and not checkpoint.undoes else ""
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(kept.made))
        click.echo(
            f"{kept.id[:12]}  {when}  {_size(kept.size):>8}  {harmless(checkpoint.root)}  {harmless(what)}{more}"
        )
    total = sum([kept.size for kept in shelf.kept()])
    click.echo(
        f"{counted(len(found), 'checkpoint')}; "
        f"{_size(total)} of {_size(policy.undo_bytes)} used, kept for {policy.undo_days} days"
    )


@command.command()
@click.argument("name", metavar="RECEIPT|CHECKPOINT", shell_complete=complete_checkpoint)
@_json
@pass_folders
def show(folders: Folders, name: str, as_json: bool) -> None:
    """Show what one holds, and how that compares with what is there now."""
    shelf = shelf_of(folders)
    kept = named(shelf, folders, name)
    with shelf.open(kept) as opened:
        steps = steps_of(opened)
        if as_json:
            told = _told(kept, opened.checkpoint)
            click.echo(json.dumps({**told, "steps": [{**step.node.as_dict(), "how": step.how} for step in steps]}))
            return
        click.echo(f"checkpoint {kept.id}")
        click.echo(f"  project  {harmless(opened.checkpoint.root)}")
        click.echo(f"  session  {harmless(opened.checkpoint.session)}")
        for step in steps:
            click.echo(line_of(step))
        click.echo(with_home(f"To put it back: interlock undo {kept.id[:12]}"))


@command.command()
@click.argument("names", metavar="[CHECKPOINT]...", nargs=-1, shell_complete=complete_checkpoint)
@click.option("--older", metavar="TIME", help="Those older than this, such as 3d. Default: the days of `[undo]`.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
@_json
@pass_folders
def prune(folders: Folders, names: tuple[str, ...], older: str | None, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Remove checkpoints. What they hold cannot be brought back then.

    Nothing younger than a day goes without a person at a terminal.
    """
    if names and older is not None:
        raise InputError("give names or --older, not both")
    shelf = shelf_of(folders)
    days = load_policy_or_faults(folders, project_root(None)).undo_days
    age = days * 86_400.0 if older is None else milliseconds(older) / 1000
    if names:
        meant = [named(shelf, folders, name) for name in names]
    else:
        meant = [kept for kept in shelf.kept() if kept.made < time.time() - age]
    young = [kept for kept in meant if kept.made > time.time() - UNDO_OWN_HOURS * 3600]
    size = _size(sum([kept.size for kept in meant]))
    if meant and not dry_run:
        require_person(
            folders, f"Remove {counted(len(meant), 'checkpoint')} ({size})?", yes=yes, loosens=bool(young or names)
        )
        for kept in meant:
            shelf.prune(before=time.time() + 1, person=True, only=kept.id)
    if as_json:
        click.echo(json.dumps({"removed": [kept.id for kept in meant], "dry_run": dry_run}))
    else:
        click.echo(f"{'would remove' if dry_run else 'removed'} {counted(len(meant), 'checkpoint')}, {size}")


def _told(kept: Kept, checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "id": kept.id,
        "root": checkpoint.root,
        "session": checkpoint.session,
        "call": checkpoint.call,
        "paths": checkpoint.roots,
        "bytes": kept.size,
        "made": int(kept.made * 1000),
        **({"undoes": checkpoint.undoes} if checkpoint.undoes else {}),
    }


def _size(size: int) -> str:
    for unit in ("B", "KB", "MB"):
        if size < 1024:
            return f"{size} {unit}"
        size //= 1024
    return f"{size} GB"
