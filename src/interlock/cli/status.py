"""`interlock status`: one screen about what is guarded, and how it goes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any

import click

from ..hosts import host_named, part_of
from ..model.errors import InterlockError, StoreError
from ..store.clock import observing, told_of_observing
from ..store.home.folders import Folders
from ..store.home.launch import is_damaged, kept_launcher, trouble_of
from ..store.home.policies import load_policy
from ..store.ledger.audit import entry, open_for_reading, select
from ..store.ledger.given import CANARY, grants_in
from ..store.ledger.ledger import Ledger
from ..store.ledger.snapshot import signing_now
from ..store.ledger.verify import never_begun, verify
from ..store.people.answering import every_question
from ..store.people.switch import off_now
from .beside import campaigns_in, plugins_in, state_of_campaign, state_of_plugin
from .caveats import is_proven
from .checkup import (
    BAD,
    WARN,
    Found,
    not_started,
    of_files,
    of_host,
    of_installation,
    of_person,
    of_policy,
    of_system,
    outrun,
    registered,
    rows_of,
    show_found,
    silenced,
)
from .commands import pass_folders, project_root, with_home
from .confirming import words_for
from .counted import counted
from .foreign import of_foreign
from .inside import HOST as INSIDE
from .inside import OUTRANKED, outranked
from .install import home_meant, hosts_here, installable
from .levels import levels_here, told_of_levels
from .mcp_checks import relayed_here
from .resident import state_of_resident
from .rows import moment

__all__ = ["command"]

_BLOCKED = "every call is blocked"


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(folders: Folders, as_json: bool) -> int:
    """Show on one screen what is guarded, what was asked today, and what waits for you.

    Which hosts ask Interlock, under which posture and approval mode; how many calls there were today, and how many of
    a hundred asked you; what waits for an answer; which grants are in force; how strong your answers are; whether the
    ledger is whole; which version hooks run, and whether an update waits. Then what `interlock doctor` finds wrong
    without starting a program, with its cure. `interlock doctor` also tries whether a call is really denied.

    \b
    Examples:
      interlock status
      interlock status --json

    Exit code 0, also where nothing is guarded; 65 if the policy is broken, 74 if the ledger cannot be read.
    """
    folders, arguments = home_meant(folders)
    root = project_root(None)
    policy = load_policy(folders, root)
    damaged = _is_damaged(folders)
    told: dict[str, Any] = {
        "hosts": {name: _guarded(folders, root, name, damaged) for name in hosts_here(folders)},
        "levels": levels_here(folders, root, hosts_here(folders)),
        "plugins": {plugin.folder: state_of_plugin(plugin) for plugin in plugins_in(folders, installable())},
        "campaigns": {folder: state_of_campaign(folders, folder, arguments) for folder in campaigns_in(folders)},
        "mcp": relayed_here(folders, root),
        "unproven": [name for name in hosts_here(folders) if not is_proven(name)],
        "posture": policy.posture.name,
        "approval_mode": policy.approval_mode.name,
        "today": _today(folders),
        "pending": _pending(folders),
        "grants": _grants(folders, policy),
        "answers": _answers(folders, policy),
        "off_until": _off(folders, policy),
        "observe_until": policy.observe if observing(policy) else None,
        "resident": state_of_resident(folders)["state"],
        "ledger": _ledger(folders),
        "engine": _engine(folders),
    }
    wrong = _findings(folders, root, arguments, told["hosts"])
    told["findings"] = rows_of(wrong)
    if as_json:
        click.echo(json.dumps(told, indent=2))
        return 0
    for name, how in told["hosts"].items():
        unproven = " (unproven)" if name in told["unproven"] else ""
        click.echo(f"{host_named(name).TRAITS.title}{unproven}: {how}{_cure(name, how, unproven)}")
        for line in told_of_levels(told["levels"], name) if how == "guarded" else ():
            click.echo(f"  {with_home(line)}")
    if not told["hosts"]:
        click.echo("no agent host was found on this machine")
    for kind, found in (("plug-in", told["plugins"]), ("campaign", told["campaigns"])):
        for folder, how in found.items():
            click.echo(f"{kind} {folder}: {how}" + with_home("; see: interlock doctor") * (how != "intact"))
    for file, names in told["mcp"].items():
        click.echo(f"MCP servers in {file} behind the relay: {', '.join(names)}")
    today = told["today"]
    click.echo(f"posture: {told['posture']}; approval mode: {told['approval_mode']}" + _until(told["off_until"]))
    for line in told_of_observing(policy):
        click.echo(with_home(line))
    counts = ", ".join([f"{today[verdict]} {verdict}" for verdict in ("allow", "ask", "deny")])
    click.echo(f"calls today: {today['calls']} ({counts}); {today['prompts_per_100']:g} prompts per 100 calls")
    click.echo(
        f"waiting for you: {told['pending']}" + (with_home("; see: interlock approvals list") * bool(told["pending"]))
    )
    click.echo(f"grants in force: {told['grants']}")
    unsigned = with_home("; nobody signs them, see: interlock approver --help") * (told["answers"] == "weak")
    click.echo(f"your answers count as: {told['answers']}{unsigned}")
    if told["resident"] != "off":
        click.echo(f"resident service: {told['resident']}")
    click.echo(f"ledger: {told['ledger']}")
    click.echo(f"hooks run: {told['engine']}")
    show_found(wrong)
    return 0


def _engine(folders: Folders) -> str:
    kept = kept_launcher(folders)
    return "no launcher is installed" if kept is None else words_for(kept.version)


def _findings(folders: Folders, root: str, arguments: tuple[str, ...], hosts: Iterable[str]) -> list[Found]:
    """What doctor would say is wrong, as far as it can be told from files. The ledger has a line of its own."""
    found: list[Found] = []
    for host in hosts:
        if registered(folders, root, host):
            found += of_host(folders, root, host, installable()[host], arguments, starts=False)
    for check in (of_foreign, of_installation, of_policy, of_person, of_system):
        found += check(folders, root)
    found += of_files(folders, fix=False)
    return [one for one in found if one.state in (BAD, WARN)]


def _is_damaged(folders: Folders) -> bool:
    kept = kept_launcher(folders)
    return kept is not None and is_damaged(trouble_of(folders, kept, copy=True))


def _until(at: int | None) -> str:
    return "" if at is None else f"; all but the floor is OFF until {moment(at)}"


def _guarded(folders: Folders, root: str, host: str, damaged: bool) -> str:
    have = registered(folders, root, host)
    if not have and part_of(host, "plugin") is not None and silenced(folders, root, host):
        return "installed, but not called"  # a file of our own that is another now
    if not have and any(plugin.host == host for plugin in plugins_in(folders, installable())):
        return "with its plug-in only"
    wanted = set(host_named(host).settings("", folders.launcher, ())["hooks"])
    if not have:
        return "not guarded"
    if silenced(folders, root, host):
        return "installed, but not called"
    if damaged or not_started(folders, root, host):
        return _BLOCKED
    if host == INSIDE and wanted <= have and outranked(folders, root):
        return OUTRANKED
    return "guarded" if wanted <= have and not outrun(folders, root, host) else "partly"


def _cure(host: str, how: str, unproven: str) -> str:
    if how == "guarded":
        return ""
    command = f"install {host}{' --unproven' * bool(unproven)}" if how == "not guarded" else f"doctor {host}"
    return with_home(f"; see: interlock {command}")


def _today(folders: Folders) -> dict[str, Any]:
    """Calls since midnight, as this machine tells the time."""
    at = time.localtime()
    since = int(time.mktime((at.tm_year, at.tm_mon, at.tm_mday, 0, 0, 0, 0, 0, -1))) * 1000
    found = {"allow": 0, "ask": 0, "deny": 0}
    try:
        database = open_for_reading(folders.ledger)
    except StoreError:
        if not never_begun(folders):
            raise
    else:
        try:
            for row in select(database, kind="decision", since=since):
                if CANARY not in row[3]:
                    found[str(entry(row)["body"]["receipt"]["decision"]["verdict"])] += 1
        finally:
            database.close()
    calls = sum(found.values())
    return {"calls": calls, **found, "prompts_per_100": round(100 * found["ask"] / calls, 1) if calls else 0}


def _pending(folders: Folders) -> int:
    if never_begun(folders):
        return 0
    questions = every_question(Ledger(folders.ledger, front="cli:approvals"), over=False)
    return len([asked for asked in questions if asked.is_open])


def _grants(folders: Folders, policy: Any) -> int:
    kept, _ = grants_in(folders)
    return len([one for one in kept if one.state == "live"]) + len(policy.grants)


def _answers(folders: Folders, policy: Any) -> str:
    """The strongest answer that a person can give here."""
    try:
        database = open_for_reading(folders.ledger)
    except StoreError:
        return "weak"
    try:
        return signing_now(database, time.time_ns() // 1_000_000, policy) or "weak"
    finally:
        database.close()


def _off(folders: Folders, policy: Any) -> int | None:
    try:
        database = open_for_reading(folders.ledger)
    except StoreError:
        return None
    try:
        return max(off_now(database, policy, time.time_ns() // 1_000_000).values(), default=None)
    finally:
        database.close()


def _ledger(folders: Folders) -> str:
    if never_begun(folders):
        return "nothing is recorded yet"
    try:
        walked = verify(folders, deep=False)
    except InterlockError as error:
        return str(error)
    if walked.damage is not None:
        return with_home(f"DAMAGED: {walked.damage.text}; see: interlock audit verify")
    return f"{counted(walked.count, 'row')}, whole"
