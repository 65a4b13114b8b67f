"""`interlock foreign`: hosts that call the hooks of other hosts, and which of them a person leaves alone."""

from __future__ import annotations

import json
import os
import shutil
from typing import Any

import click

from ..hosts.callers import LISTED
from ..model.errors import InputError
from ..store.home.folders import Folders
from ..store.home.foreign import foreign_file, keep_left_alone, left_alone
from ..store.home.policies import load_policy
from ..store.ledger.noted import changed_by_a_person
from .checkup import WARN, Found
from .commands import pass_folders, project_root, with_home
from .listed import Listed
from .person import require_person, terminal, who
from .signing import signed_statement

__all__ = ["command", "of_foreign"]

_STATES = {True: "left alone", False: "refused"}
_UNGUARDED = (
    "Grok is here. It takes hooks from Claude Code's settings without their arguments, so Interlock's do nothing: what "
    "agents do in Grok is not checked, and no level in force covers it"
)


@click.group(cls=Listed)
def command() -> None:
    """Look at hosts that call hooks of other hosts, and leave one alone.

    Grok and Cursor call hooks that they find in the settings of other hosts. Calls of Cursor are judged as Cursor's
    own. Calls of Grok cannot be judged: they are refused, until a person leaves Grok alone. Each call leaves a row in
    the ledger.

    \b
    Examples:
      interlock foreign list
      interlock foreign leave grok
      interlock foreign revoke grok
    """


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def list_(folders: Folders, as_json: bool) -> None:
    """List the hosts that are known to call hooks of others, and what becomes of their calls."""
    alone = left_alone(folders)
    rows = [
        {"calls": "judged" if caller.served else _STATES[name in alone], "host": name}
        for name, caller in LISTED.items()
    ]
    if as_json:
        click.echo(json.dumps({"hosts": rows}, indent=2))
        return
    for row in rows:
        click.echo(f"{row['host']:8}  {row['calls']}")


@command.command()
@click.argument("host", type=click.Choice([name for name, caller in LISTED.items() if not caller.served]))
@click.option("--yes", is_flag=True, help="Do not ask back. It takes a terminal all the same.")
@pass_folders
def leave(folders: Folders, host: str, yes: bool) -> int:
    """Leave a host alone: its calls run as if Interlock were not there, and each leaves a row."""
    alone = left_alone(folders)
    if host in alone:
        click.echo(f"{host} is left alone already")
        return 0
    policy = load_policy(folders, project_root(None))
    if not policy.allow_off:
        raise InputError("the policy forbids it: [approvals] allow_off is false")
    require_person(folders, f"Let what agents do in {LISTED[host].title} run unguarded?", yes=yes)
    signed = signed_statement(folders, policy, "foreign", host=host)
    _keep(folders, host, (*alone, host), {"why": f"calls of {host} are left alone", **signed}, loosens=True)
    click.echo(with_home(f"{host} is left alone; undo with: interlock foreign revoke {host}"))
    return 0


@command.command()
@click.argument("host", type=click.Choice([name for name, caller in LISTED.items() if not caller.served]))
@pass_folders
def revoke(folders: Folders, host: str) -> int:
    """Refuse the calls of a host again."""
    alone = left_alone(folders)
    if host in alone:
        rest = tuple([name for name in alone if name != host])
        _keep(folders, host, rest, {"why": f"calls of {host} are refused again"}, loosens=False)
    click.echo(f"calls of {host} are refused")
    return 0


def _keep(folders: Folders, host: str, alone: tuple[str, ...], said: dict[str, Any], *, loosens: bool) -> None:
    trouble = changed_by_a_person(
        folders,
        "override",
        "foreign",
        {"by": who(), "host": host, "terminal": terminal(), **said},
        lambda: keep_left_alone(folders, alone),
        loosens=loosens,
        files=(foreign_file(folders),),
    )
    if trouble is not None:
        click.echo(f"interlock: not recorded: {trouble}", err=True)


def of_foreign(folders: Folders, _root: str) -> list[Found]:
    if not (shutil.which("grok") or os.path.isdir(f"{folders.home}/.grok")):
        return []
    return [Found("grok", WARN, _UNGUARDED, "to keep Grok from starting them: " + LISTED["grok"].cure)]
