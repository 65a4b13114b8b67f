"""`interlock posture`: show it, move it; unlock a session, and forget what a person said in one."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from ..calls.world import starting_posture
from ..model.errors import InputError, PostureError, StoreError
from ..model.heard import forget as forgotten
from ..model.posture import MOVES, Posture, move
from ..model.session import unlock as unlocked
from ..store.home.folders import Folders
from ..store.home.policies import load_policy
from ..store.home.postures import keep_posture, read_posture
from ..store.ledger.ledger import Ledger
from ..store.ledger.noted import changed_by_a_person
from ..store.ledger.standing import Standing, change_session, named, standing_in
from ..store.people.switch import off_now
from .commands import POSTURES, pass_folders, project_root, with_home
from .listed import Listed
from .person import require_person, terminal, who
from .rows import moment
from .show import harmless
from .signing import Signed, signed_statement

__all__ = ["command"]

_root = click.option("--root", type=click.Path(file_okay=False), help="The project folder. Default: found from here.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=Listed)
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
    """Show the posture of a project, and what stands in the last sessions on this machine.

    Those are sessions that are locked, permission phrases in force, and every yes and no that is remembered.
    """
    where = project_root(root)
    kept = read_posture(folders, where)
    posture = starting_posture(load_policy(folders, where), kept, attended=True)
    off, trouble = _off(folders, where)
    found: list[Standing] = []
    if not trouble:
        found, trouble = _standing(folders)
    moves = [other.name for other in MOVES[posture] if other is not posture]
    if as_json:
        source = "person" if kept is not None else "policy"
        told: dict[str, Any] = {"root": where, "posture": posture.name, "from": source, "moves": moves}
        ends = {name or "every session": moment(end) for name, end in off.items()}
        told |= {"sessions": [_told_of(one) for one in found]}
        click.echo(json.dumps({**told, "off": ends, **({"trouble": trouble} if trouble else {})}))
        return
    click.echo(f"{posture}  {where}  (from {'`interlock posture set`' if kept is not None else 'the policy'})")
    click.echo(f"can go to: {', '.join(moves)}")
    for name, end in off.items():
        click.echo(harmless(f"off until {moment(end)} for {f'session {name}' if name else 'every session'}"))
    for one in found:
        for line in _lines_of(one, where):
            click.echo(harmless(line))
    if any(one.locked for one in found):
        click.echo(with_home("To unlock a session: interlock posture unlock SESSION"))
    if any(one.session.grants or one.session.refused or one.session.raised for one in found):
        click.echo(with_home("To forget what was said in one: interlock posture forget SESSION"))
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
    found, _ = _standing(folders) if moved is Posture.INTERACTIVE else ([], "")
    locked = named(found, None, where, wanted=lambda one: one.locked)
    if moved < current or locked:
        require_person(folders, "", yes=True)
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
    _unlock(folders, locked, signed)
    recorded = {"recorded": trouble is None, "strength": signed.get("strength"), "signer": signed.get("signer")}
    if as_json:
        click.echo(json.dumps({**told, **recorded, "unlocked": [one.id for one in locked]}))
        return
    click.echo(f"{moved}  {where}")
    for one in locked:
        click.echo(harmless(f"unlocked session {one.id}"))


_session = click.argument("session", required=False)
_yes = click.option("--yes", is_flag=True, help="Do not ask back. It takes a terminal all the same.")


@command.command()
@_session
@_root
@_yes
@_json
@pass_folders
def unlock(folders: Folders, session: str | None, root: str | None, yes: bool, as_json: bool) -> int:
    """Unlock SESSION, or every locked session of the project.

    The loop guard locks a session that repeats itself, and a session is locked if another hook had something run that
    would not have been allowed. `interlock posture show` lists them. Only a person can unlock one.
    """
    where = project_root(root)
    found, trouble = _standing(folders)
    if trouble:
        raise StoreError(trouble)
    locked = named(found, session, where, wanted=lambda one: one.locked)
    if not locked:
        raise InputError(_nothing_locked(folders, where, session))
    names = ", ".join([one.id for one in locked])
    require_person(folders, f"Unlock {names}?", yes=yes)
    signed = signed_statement(folders, load_policy(folders, where), "unlock", sessions=[one.id for one in locked])
    _unlock(folders, locked, signed)
    if as_json:
        click.echo(json.dumps({"unlocked": [one.id for one in locked], "strength": signed.get("strength")}))
    else:
        click.echo(harmless(f"unlocked {names}"))
    return 0


@command.command()
@_session
@_root
@_yes
@_json
@pass_folders
def forget(folders: Folders, session: str | None, root: str | None, yes: bool, as_json: bool) -> int:
    """Forget what a person said in SESSION, or in every session of the project.

    That ends a permission phrase and every remembered yes, and lets what was refused be asked about again. The last
    loosens, so it takes a person where a no is among them.
    """
    where = project_root(root)
    found, trouble = _standing(folders)
    if trouble:
        raise StoreError(trouble)
    meant = named(found, session, where, wanted=lambda one: True)
    if not meant:
        raise InputError("nothing is remembered there; see: interlock posture show")
    signed: Signed = {}
    if any(one.session.refused for one in meant):
        require_person(folders, "Forget every yes and no, so that it is asked about again?", yes=yes)
        names = [one.id for one in meant]
        signed = signed_statement(folders, load_policy(folders, where), "unlock", sessions=names)
    ledger = Ledger(folders.ledger, front="cli:posture")
    try:
        for one in meant:
            said = {"by": who(), "terminal": terminal(), "why": f"forgot what was said in {one.id}", **signed}
            change_session(ledger, one.id, "override", said, lambda session, _: forgotten(session))
    finally:
        ledger.close()
    if as_json:
        click.echo(json.dumps({"forgotten": [one.id for one in meant]}))
    else:
        click.echo(harmless(f"forgot what was said in {', '.join([one.id for one in meant])}"))
    return 0


def _unlock(folders: Folders, locked: list[Standing], signed: Signed) -> None:
    ledger = Ledger(folders.ledger, front="cli:posture")
    try:
        for one in locked:
            said = {"by": who(), "from": "locked", "terminal": terminal(), "to": one.start.name, **signed}
            change_session(ledger, one.id, "posture", said, unlocked)
    finally:
        ledger.close()


def _nothing_locked(folders: Folders, where: str, session: str | None) -> str:
    posture = starting_posture(load_policy(folders, where), read_posture(folders, where), attended=True)
    if posture is Posture.LOCKED:
        return with_home("no session is locked by itself, the project is: interlock posture set interactive")
    return f"session {session[:60]} is not locked" if session else f"no session of {where} is locked"


def _standing(folders: Folders) -> tuple[list[Standing], str]:
    if not os.path.exists(folders.ledger):
        return [], ""
    ledger = Ledger(folders.ledger, front="cli:posture")
    try:
        return standing_in(ledger), ""
    except StoreError as error:
        return [], str(error)
    finally:
        ledger.close()


def _told_of(one: Standing) -> dict[str, Any]:
    session = one.session
    return {
        "session": one.id,
        "root": one.root,
        "at": moment(one.at),
        "locked": one.locked,
        "permissive_until": session.raised,
        "yes": [grant.id.removeprefix("remembered:") for grant in session.grants],
        "no": [" with ".join(keys) for keys in session.refused],
    }


def _lines_of(one: Standing, where: str) -> list[str]:
    told = _told_of(one)
    lines = [f"session {one.id}{'' if one.root == where else f'  {one.root}'}  (last seen {told['at']})"]
    if one.locked:
        lines.append("  locked")
    if one.session.raised is not None:
        lines.append(f"  permissive until {one.session.raised}, because a person said so")
    lines += [f"  yes: {what}" for what in told["yes"]]
    lines += [f"  no: {what}" for what in told["no"]]
    return lines
