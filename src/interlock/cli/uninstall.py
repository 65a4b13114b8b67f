"""`interlock uninstall`: take the hooks out of the settings of hosts again."""

from __future__ import annotations

import json

import click

from ..follow.described import describing
from ..model.errors import ApprovalError
from ..store.home.folders import Folders
from ..store.home.installed import Change, installed_files, plan_uninstall, remove_launcher, write_change
from ..store.home.own_server import plan_without_server
from ..store.home.policies import load_policy
from ..store.ledger.noted import changed_by_a_person
from ..value import TYPE_CHECKING, lazy
from .commands import pass_folders, project_root
from .install import ANY_HOST, home_meant, hosts_meant, installable, scope_option, show
from .own_words import is_servers_file, servers_file
from .person import require_person, terminal, who
from .resident import end_resident
from .shield import take_seat
from .signing import signed_statement

if TYPE_CHECKING:
    from .install_mcp import uninstall_relay
else:
    uninstall_relay = lazy(globals(), ".install_mcp", "uninstall_relay")

__all__ = ["command"]

_WHOLE = "interlock uninstall --dry-run"


@click.command("uninstall")
@ANY_HOST
@scope_option
@click.option("--mcp", is_flag=True, help="Take the relay out of the files in which clients name MCP servers instead.")
@click.option("--yes", is_flag=True, help="Do not ask back. It takes a terminal all the same.")
@click.option("--dry-run", is_flag=True, help="Show what would be changed, and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(
    folders: Folders, hosts: tuple[str, ...], scope: str | None, mcp: bool, yes: bool, dry_run: bool, as_json: bool
) -> int:
    """Take Interlock's hooks out of the settings of agent hosts.

    It removes exactly what `interlock install` added. If nothing else in the file has changed since, the file is byte
    for byte as it was before; otherwise only the entries are taken out. Entries that were put in by hand are found
    too. Without HOST and without a scope, it looks wherever they were put in, and at your own settings.

    It loosens, so it takes a person at a terminal, and a signature where a key is enrolled. Managed policy can forbid
    it with `[approvals] allow_off = false`. Policy, ledger and grants stay; see docs/install.md to remove them.

    \b
    Examples:
      interlock uninstall
      interlock uninstall claude-code --project
      interlock uninstall --dry-run

    \b
    Exit codes: 0 done, or nothing to do; 1 it is not yours to do; 64 nobody is there to be asked; 130 you said no.
    """
    folders, _ = home_meant(folders)
    root = project_root(None)
    if mcp:
        return uninstall_relay(folders, hosts, root, yes=yes, dry_run=dry_run, as_json=as_json)
    changes = [_plan(folders, *place) for place in _places(folders, hosts, scope, root)]
    due = [change for change in changes if not change.idle]
    if not as_json:
        show(due or changes, "there is no entry of Interlock in it", whole="" if dry_run else _WHOLE)
    told = []
    if due and not dry_run:
        policy = load_policy(folders, root)
        if not policy.allow_off:
            raise ApprovalError("the policy forbids it: [approvals] allow_off is false")
        require_person(folders, "Take these hooks out? What agents do is not checked after that.", yes=yes)
        for change in due:
            said = {"file": change.file, "host": change.host}
            signed = signed_statement(folders, policy, "uninstall", **said)
            _write(folders, change, {**said, **signed})
        if not installed_files(folders):  # nobody is left who would ask it
            end_resident(folders)
    for change in changes:
        done = "would remove" if dry_run else "removed"
        exact = None if change.idle else change.exact
        result = "unchanged" if change.idle else done
        told.append({"exact": exact, "file": change.file, "host": change.host, "result": result, "scope": change.scope})
    if as_json:
        click.echo(json.dumps({"files": told}, indent=2))
    elif due and not dry_run:
        for change in due:
            how = "is as it was before" if change.exact else "has changed since; only the hooks were taken out"
            click.echo(f"{change.host}: removed; {change.file} {how}")
    return 0


def _plan(folders: Folders, host: str, scope: str, file: str) -> Change:
    if is_servers_file(folders, host, file):
        return plan_without_server(folders, host, file)
    return plan_uninstall(folders, host, scope, file)


def _places(folders: Folders, hosts: tuple[str, ...], scope: str | None, root: str) -> list[tuple[str, str, str]]:
    """Host, scope and file of everything that is meant, each file once."""
    kept = installed_files(folders)
    found: dict[str, tuple[str, str, str]] = {}
    for file, entry in kept.items():
        if scope is None or (scope == entry.get("scope") and entry.get("whole")):
            if entry.get("host") in installable() and (not hosts or entry["host"] in hosts):
                found[file] = (str(entry["host"]), str(entry.get("scope")), file)
    if hosts or not found:
        for host in hosts_meant(folders, hosts):
            file = installable()[host].settings_file(scope or "user", root, folders.home, folders.moved)
            found.setdefault(file, (host, scope or "user", file))
            servers = servers_file(folders, host) if scope in (None, "user") else ""
            if servers:
                found.setdefault(servers, (host, "user", servers))
    return list(found.values())


def _write(folders: Folders, change: Change, said: dict[str, object]) -> None:
    def taken_out() -> None:
        write_change(folders, change, installs=False)
        take_seat(folders, change.file)
        remove_launcher(folders)

    changed_by_a_person(
        folders,
        "override",
        "uninstall",
        {"by": who(), "terminal": terminal(), "why": f"the hooks were taken out of {change.file}", **said},
        taken_out,
        loosens=True,
        files=(change.file, folders.launcher),
        describe=describing(folders),
    )
