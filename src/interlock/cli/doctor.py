"""`interlock doctor`: whether the hosts on this machine are really guarded, and what to do where they are not."""

from __future__ import annotations

import json

import click

from ..store.home.folders import Folders
from .beside import of_campaigns, of_plugins, plugins_in
from .campaign import CAMPAIGNS_OF
from .caveats import NOT_SEEN, is_proven
from .checkup import (
    BAD,
    OK,
    WARN,
    Found,
    of_files,
    of_host,
    of_installation,
    of_ledger,
    of_person,
    of_policy,
    of_system,
    registered,
    rows_of,
    show_found,
)
from .commands import pass_folders, project_root
from .foreign import of_foreign
from .inside import HOST as INSIDE
from .inside import of_inside
from .install import ANY_HOST, home_meant, hosts_here, hosts_meant, installable
from .levels import of_level
from .mcp_checks import of_mcp
from .resident import of_resident

__all__ = ["command"]

_END = {OK: "all is well", WARN: "nothing is wrong, but look at the warnings", BAD: "wrong, see BAD above: {}"}

_NAMED = "interlock install HOST, with one of {} as HOST"


@click.command("doctor")
@ANY_HOST
@click.option("--fix", is_flag=True, help="Repair what is safe to repair: the permissions of Interlock's own files.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(folders: Folders, hosts: tuple[str, ...], fix: bool, as_json: bool) -> int:
    """Check that the agent hosts on this machine are really guarded.

    For each HOST (default: those that are here): its settings name Interlock for every event, nothing switches hooks
    off, no code that runs inside the client stands above them, the client is new enough to block when a hook fails, no
    other hook can rewrite calls, and a call that must be denied is denied when it is sent through the entry of its own
    settings. The same for plug-ins that `interlock
    install` made, whether each campaign would be started, and which MCP servers are behind the relay. Then the rest:
    the installed files, policy, ledger, clock, permissions, home folder, the resident service. Each finding comes with
    its cure.

    \b
    Examples:
      interlock doctor
      interlock doctor claude-code --json
      interlock doctor --fix

    \b
    Exit codes: 0 all is well, or there are only warnings; 1 something is wrong; 64 a wrong option.
    """
    folders, arguments = home_meant(folders)
    root = project_root(None)
    named = hosts_meant(folders, hosts) if hosts else hosts_here(folders)
    found: list[Found] = []
    plugins = [plugin for plugin in plugins_in(folders, installable()) if not hosts or plugin.host in hosts]
    for host in named:
        if not (hosts or is_proven(host) or registered(folders, root, host)):
            text = f"it is here, and not guarded. It is {NOT_SEEN}"
            found.append(Found(host, WARN, text, f"interlock install {host} --unproven"))
            continue
        own = tuple([plugin.folder for plugin in plugins if plugin.host == host])
        found += of_host(folders, root, host, installable()[host], arguments, own)
        found += of_level(folders, root, host)
    if not named:
        found.append(
            Found("host", "warn", "no agent host was found on this machine", _NAMED.format("|".join(installable())))
        )
    if INSIDE in named:
        found += of_inside(folders, root)
    if plugins:
        found += of_plugins(folders, root, {plugin.host: installable()[plugin.host] for plugin in plugins}, arguments)
    if not hosts or CAMPAIGNS_OF in hosts:
        found += of_campaigns(folders, arguments)
    for check in (of_foreign, of_mcp, of_installation, of_policy, of_ledger, of_person, of_system, of_resident):
        found += check(folders, root)
    found += of_files(folders, fix=fix)
    bad = [one for one in found if one.state == BAD]
    if as_json:
        click.echo(json.dumps({"findings": rows_of(found), "ok": not bad}, indent=2))
    else:
        show_found(found)
        end = _END[BAD] if bad else _END[WARN] if any(one.state == WARN for one in found) else _END[OK]
        click.echo(end.format(", ".join(dict.fromkeys([one.check for one in bad]))))
    return 1 if bad else 0
