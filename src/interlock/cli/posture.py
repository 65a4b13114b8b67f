"""`interlock posture`: show it, move it."""

from __future__ import annotations

import json
import os

import click

from ..errors import PostureError, StoreError
from ..posture import MOVES, Posture, move
from ..runtime import starting_posture
from ..store.folders import Folders
from ..store.ledger import Ledger
from ..store.noted import changed_by_a_person
from ..store.policies import load_policy
from ..store.postures import keep_posture, read_posture
from ..store.switch import off_now
from .commands import POSTURES, pass_folders, project_root
from .person import refuse_an_agent, terminal, who
from .rows import moment
from .show import harmless
from .signing import Signed, signed_statement

__all__ = ["command"]

_root = click.option("--root", type=click.Path(file_okay=False), help="The project folder. Default: found from here.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def command() -> None:
    """Show or move the posture in which a project's sessions run.

    \b
    interactive  a person sits in front of the host and can be asked
    autonomous   nobody does; an ask is a deny
    dry_run      only reads happen
    locked       only reads happen, until a person unlocks
    """


@command.command()
@_root
@_json
@pass_folders
def show(folders: Folders, root: str | None, as_json: bool) -> None:
    """Show the posture of a project."""
    where = project_root(root)
    kept = read_posture(folders, where)
    posture = starting_posture(load_policy(folders, where), kept, attended=True)
    off, trouble = _off(folders, where)
    moves = [other.name for other in MOVES[posture] if other is not posture]
    if as_json:
        source = "person" if kept is not None else "policy"
        told = {"root": where, "posture": posture.name, "from": source, "moves": moves}
        ends = {name or "every session": moment(end) for name, end in off.items()}
        click.echo(json.dumps({**told, "off": ends, **({"trouble": trouble} if trouble else {})}))
        return
    click.echo(f"{posture}  {where}  (from {'`interlock posture set`' if kept is not None else 'the policy'})")
    click.echo(f"can go to: {', '.join(moves)}")
    for name, end in off.items():
        click.echo(harmless(f"off until {moment(end)} for {f'session {name}' if name else 'every session'}"))
    if trouble:
        click.echo(harmless(f"the ledger cannot be read, so nothing counts as switched off: {trouble}"), err=True)


def _off(folders: Folders, root: str) -> tuple[dict[str, int], str]:
    """What is switched off now (session, or nothing for all, and until when), and why that cannot be told."""
    if not os.path.exists(folders.ledger):
        return {}, ""
    ledger = Ledger(folders.ledger, front="cli:posture")
    try:
        with ledger.deciding() as turn:
            return off_now(turn.database, load_policy(folders, root), turn.at), ""
    except StoreError as error:
        return {}, str(error)
    finally:
        ledger.close()


@command.command("set")
@click.argument("wanted", type=POSTURES)
@_root
@click.option("--dry-run", is_flag=True, help="Say what would happen, and change nothing.")
@_json
@pass_folders
def set_(folders: Folders, wanted: str, root: str | None, dry_run: bool, as_json: bool) -> None:
    """Move a project's sessions to the posture WANTED."""
    where = project_root(root)
    policy = load_policy(folders, where)
    current = starting_posture(policy, read_posture(folders, where), attended=True)
    target = Posture.of(wanted)
    if target < policy.posture_floor:
        raise PostureError(f"managed policy keeps the posture at {policy.posture_floor} or tighter")
    moved = move(current, target)
    told = {"root": where, "from": current.name, "posture": moved.name, "set": not dry_run}
    if dry_run:
        click.echo(json.dumps(told) if as_json else f"would go from {current} to {moved} in {where}")
        return
    signed: Signed = {}
    if moved < current:
        refuse_an_agent(folders)
        signed = signed_statement(folders, policy, "posture", root=where, to=moved.name)
    trouble = changed_by_a_person(
        folders,
        "posture",
        where,
        {"by": who(), "from": current.name, "terminal": terminal(), "to": moved.name, **signed},
        lambda: keep_posture(folders, where, moved),
        loosens=moved < current,
    )
    if trouble is not None:
        click.echo(f"interlock: not recorded: {trouble}", err=True)
    recorded = {"recorded": trouble is None, "strength": signed.get("strength"), "signer": signed.get("signer")}
    click.echo(json.dumps({**told, **recorded}) if as_json else f"{moved}  {where}")
