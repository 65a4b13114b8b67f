"""`interlock mods`: which plug-ins of Claude Code carry code, and which of them a person lets load."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

import click

from ..model.errors import InputError
from ..store.home.folders import Folders
from ..store.home.mods import Mod, mods_in
from ..store.home.policies import load_policy
from ..store.home.seating import copy_in, plan_seat, remove_copy, write_seat
from ..store.home.shield import Admitted, Shield, settings_of, shield_state
from ..store.ledger.noted import changed_by_a_person
from .commands import pass_folders, project_root, with_home
from .listed import Listed
from .person import require_person, terminal, who
from .shield import events_of
from .show import harmless
from .signing import signed_statement

__all__ = ["command", "offer_to_admit", "refused_here"]

_CARRIES = {
    "mod": "code inside the client",
    "hooks": "hooks",
    "mcp": "tool servers",
    "bin": "programs",
}
_NONE = "no shield is seated, so nothing is refused here; see: interlock install claude-code"
_EVERYWHERE = (
    "Interlock keeps a copy of {0} as it is now, and the client loads that copy in every project. What the plug-in "
    "does is not checked: code inside the client can act without a tool call."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=Listed)
def command() -> None:
    """Look at the plug-ins of Claude Code that carry code, and let one load.

    The shield refuses every plug-in that carries code inside the client, hooks, tool servers or programs, unless a
    person has admitted exactly this content. Plug-ins that hold only skills, commands or agents load as before.

    \b
    Examples:
      interlock mods list
      interlock mods admit formatter
      interlock mods revoke formatter
    """


def refused_here(folders: Folders, root: str) -> tuple[Mod, ...]:
    """What the shield keeps out of a session in this folder."""
    state = shield_state(folders, folders.moved, root)
    if state is None:
        return ()
    known = {one.digest for one in state.admitted}
    found = mods_in(folders, root, os.environ, cwd=os.getcwd(), own=state.folder)
    copies = {os.path.realpath(one.folder) for one in state.admitted}
    return tuple([mod for mod in found if mod.digest not in known and os.path.realpath(mod.root) not in copies])


def offer_to_admit(folders: Folders, root: str, *, admits: bool, asks: bool) -> None:
    """Tells what the new shield keeps out. `admits`: lets it load without a question; `asks`: with one."""
    refused = [mod for mod in refused_here(folders, root) if mod.readable]
    if not refused:
        return
    click.echo("The shield keeps these plug-ins out, because they carry code that nobody has admitted:")
    for mod in refused:
        click.echo(f"  {harmless(mod.name)}: {harmless(mod.root)}; {_CARRIES[mod.kind]}")
    if admits or (asks and click.confirm("Admit them as they are now?", default=False, err=True)):
        _admit(folders, root, refused)
    else:
        click.echo(with_home("To have one loaded as it is: interlock mods admit NAME"))


@command.command("list")
@_json
@pass_folders
def list_(folders: Folders, as_json: bool) -> None:
    """List the plug-ins that a session in this folder could load, and what they carry."""
    root = project_root(None)
    state = shield_state(folders, folders.moved, root)
    refused = refused_here(folders, root) if state else mods_in(folders, root, os.environ, cwd=os.getcwd())
    admitted = state.admitted if state else ()
    if as_json:
        rows = [_row(one.name, one.digest, one.source, "admitted", one.folder) for one in admitted]
        rows += [_row(mod.name, mod.digest, mod.root, "refused" if state else "loads", mod.kind) for mod in refused]
        click.echo(json.dumps({"mods": rows, "shield": state.folder if state else None}, indent=2))
        return
    if state is None:
        click.echo(with_home(_NONE))
    for one in admitted:
        click.echo(f"admitted  {harmless(one.name)}  {one.digest[:19]}  {one.folder}, from {harmless(one.source)}")
    for mod in refused:
        where = f"{harmless(mod.root)} ({harmless(mod.where)})"
        hooked = events_of(mod.root) if mod.kind == "mod" else ""
        carries = f"{_CARRIES[mod.kind]}{': ' + hooked if hooked else ''}"
        click.echo(
            f"{'refused ' if state else 'loads   '}  {harmless(mod.name)}  {mod.digest[:19]}  {where}; {carries}"
        )
    if not admitted and not refused:
        click.echo("no plug-in with code is here")


def _row(name: str, digest: str, root: str, state: str, more: str) -> dict[str, str]:
    return {"digest": digest, "name": name, "root": root, "state": state, "is": more}


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--yes", is_flag=True, help="Do not ask back. It takes a terminal all the same.")
@pass_folders
def admit(folders: Folders, names: tuple[str, ...], yes: bool) -> int:
    """Let plug-ins load as they are now. NAME: as `interlock mods list` shows it, its folder, or its digest.

    Interlock copies the plug-in to a folder of its own, and the client loads that copy in every project. What is
    changed later is not admitted. It takes a person at a terminal: what the plug-in does is not checked.
    """
    root = project_root(None)
    _seated(folders, root)
    here = refused_here(folders, root)
    meant = [_named(name, here) for name in names]
    for mod in meant:
        hooked = events_of(mod.root) if mod.kind == "mod" else ""
        click.echo(f"{harmless(mod.name)}: {harmless(mod.root)}, {mod.digest}")
        click.echo(f"  carries {_CARRIES[mod.kind]}{': ' + hooked if hooked else ''}")
        click.echo(f"  {_EVERYWHERE.format(harmless(mod.name))}")
    require_person(folders, "Let it load?" if len(meant) == 1 else "Let them load?", yes=yes)
    _admit(folders, root, meant)
    return 0


def _admit(folders: Folders, root: str, meant: Iterable[Mod]) -> None:
    admitted = _seated(folders, root).admitted
    for mod in meant:
        signed = signed_statement(folders, load_policy(folders, root), "trust", digest=mod.digest, file=mod.root)
        one = copy_in(settings_of(folders.home, folders.moved), mod)
        replaced = [old for old in admitted if old.name == one.name and old.folder != one.folder]
        admitted = (*[old for old in admitted if old.name != one.name], one)
        _keep(folders, admitted, f"the plug-in {mod.name} may load as it is ({mod.digest})", signed or {}, loosens=True)
        for old in replaced:
            remove_copy(old)
        click.echo(with_home(f"{harmless(mod.name)} loads from now on; undo with: interlock mods revoke {mod.name}"))


@command.command()
@click.argument("name")
@pass_folders
def revoke(folders: Folders, name: str) -> int:
    """Keep an admitted plug-in out again. NAME: as `interlock mods list` shows it, its folder, or its digest."""
    state = _seated(folders, project_root(None))
    meant = [one for one in state.admitted if name in (one.name, one.folder, one.source, one.digest)]
    if not meant:
        raise InputError(f"no plug-in `{name}` is admitted; see: interlock mods list")
    left = tuple([one for one in state.admitted if one not in meant])
    _keep(folders, left, f"the plug-in {meant[0].name} may no longer load", {}, loosens=False)
    for one in meant:
        remove_copy(one)
    click.echo(f"{harmless(name)} no longer loads")
    return 0


def _seated(folders: Folders, root: str) -> Shield:
    state = shield_state(folders, folders.moved, root)
    if state is None:
        raise InputError(_NONE)
    return state


def _named(name: str, here: tuple[Mod, ...]) -> Mod:
    found = [mod for mod in here if name in (mod.name, mod.root, mod.digest, os.path.basename(mod.root))]
    if os.path.isdir(name):
        found = found or [mod for mod in here if os.path.realpath(mod.root) == os.path.realpath(name)]
    if not found:
        raise InputError(f"no plug-in `{name}` is refused here; see: interlock mods list")
    if len(found) > 1:
        raise InputError(f"several plug-ins are called `{name}`; name the folder: {', '.join([m.root for m in found])}")
    if not found[0].readable:
        raise InputError(f"`{found[0].root}` could not be looked into, so it cannot be admitted")
    return found[0]


def _keep(
    folders: Folders, admitted: tuple[Admitted, ...], why: str, signed: dict[str, object], *, loosens: bool
) -> None:
    seating = plan_seat(folders, settings_of(folders.home, folders.moved), admitted)
    trouble = changed_by_a_person(
        folders,
        "override",
        "trust",
        {"by": who(), "terminal": terminal(), "why": why, **signed},
        lambda: write_seat(folders, seating),
        loosens=loosens,
        files=tuple([f"{seating.folder}/{path}" for path in seating.files]),
    )
    if trouble is not None:
        click.echo(f"interlock: not recorded: {trouble}", err=True)
