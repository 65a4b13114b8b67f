"""`interlock install`: put the hooks into the settings of the hosts on this machine."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable
from difflib import unified_diff
from typing import Any

import click

from .. import __version__
from ..follow.described import describing
from ..hosts import HOSTS, host_named, part_of
from ..model.errors import InputError
from ..policy.schema import PROFILES
from ..store.home.folders import Folders, folders_for, other_home
from ..store.home.installed import Change, plan_install, plan_manifest, plan_plugin, write_change
from ..store.home.launch import own_package, passing
from ..store.ledger.noted import changed_by_a_person
from ..value import TYPE_CHECKING, lazy
from .caveats import NO_WINDOWS, NOT_SEEN, is_proven, refuse_unproven, this_system
from .commands import pass_folders, project_root, with_home
from .confirming import about_update, put_update, update_due
from .guarded import guard_path
from .inside import HOST as INSIDE
from .inside import say_what_is_inside
from .launching import offered
from .mods import offer_to_admit
from .observing import keep_lines, policy_lines, show_lines
from .own_words import server_changes
from .person import refuse_an_agent, require_person, terminal, who
from .shield import HOST as SHIELDED
from .shield import due_seat, managed_seat, put_seat, say_seat
from .waits import waiting_arguments

if TYPE_CHECKING:
    from .install_mcp import install_relay
else:
    install_relay = lazy(globals(), ".install_mcp", "install_relay")

__all__ = [
    "ANY_HOST",
    "command",
    "home_meant",
    "hosts_here",
    "hosts_meant",
    "installable",
    "refuse_a_passing_copy",
    "scope_option",
    "show",
]

_WIDTH = 160
_LINES = 30  # of a difference that is more than twice as long, before a question
_ABOUT_PLUGIN = "Decides, before it fires, whether a tool call may run."
_PASSING = "{}, and the hooks would go with it; install it to stay (`pipx install`, `uv tool install`), and try again"
_INSIDE = (
    "this copy lies inside the project ({}): what changes the project can change the guard; "
    "install it elsewhere, with pipx for example"
)
# What an allow means there: whether it stands in place of the host's own rules.
_ALLOWS = {
    True: "what Interlock allows runs without a prompt of {0}'s own, if it was read in full; about the rest "
    "{0}'s own rules decide (`on_allow` in `[hook]` of your policy)",
    False: "where {0} itself would ask, it still does: an allow of Interlock lifts nothing there",
}
_OTHER_HOME = (
    "HOME is {0}, and the system's user table names another folder; Interlock's files are kept under {0}; "
    "for the commands that go by the table: export INTERLOCK_HOME={0}"
)


def installable() -> dict[str, Any]:
    """Host -> the file that says where its settings are."""
    return {name: part for name in HOSTS if (part := part_of(name, "install")) is not None}


def _complete(_context: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    return [name for name in installable() if name.startswith(start)]


ANY_HOST = click.argument("hosts", nargs=-1, metavar="[HOST]...", shell_complete=_complete)


def scope_option(command: Any) -> Any:
    for name, about in (
        ("managed", "In the settings that an administrator gives every user of this machine."),
        ("project", "Only in this project, in the file that is not shared with others."),
        ("user", "In your own settings, for every project. The default."),
    ):
        command = click.option(f"--{name}", "scope", flag_value=name, help=about)(command)
    return command


def home_meant(folders: Folders) -> tuple[Folders, tuple[str, ...]]:
    """The folders below the home in which hosts look for their settings, and the arguments that say so to the hook."""
    if folders.given:
        return folders, ("--home", folders.home)
    other = other_home(folders, os.environ)
    if not other:
        return folders, ()
    click.echo(f"interlock: {_OTHER_HOME.format(other)}", err=True)
    return folders_for(other), ("--home", other)


def hosts_here(folders: Folders) -> list[str]:
    """The hosts on this machine: their program is on the search path, or their settings are there."""
    found = []
    for name, part in installable().items():
        settings = part.settings_file("user", "", folders.home, folders.moved)
        folder = f"{folders.home}/{part.FOLDER}" if hasattr(part, "FOLDER") else os.path.dirname(settings)
        if shutil.which(part.PROGRAM) or os.path.isdir(folder) or os.path.exists(settings):
            found.append(name)
    return found


def hosts_meant(folders: Folders, hosts: Iterable[str]) -> list[str]:
    known = installable()
    for name in hosts:
        if name not in known:
            host_named(name)  # an unknown one is an error of its own
            title = host_named(name).TRAITS.title
            raise InputError(
                f"{title} is set up by hand: interlock hook {name} --print-settings says what to put where"
            )
    found = list(dict.fromkeys(hosts)) or hosts_here(folders)
    if not found:
        raise InputError(f"no agent host was found on this machine; name one to set it up anyway: {', '.join(known)}")
    return found


def _proven_of(folders: Folders, hosts: tuple[str, ...], *, unproven: bool) -> list[str]:
    """The hosts to set up. One that is unproven only if the person says so."""
    if not unproven:
        refuse_unproven([name for name in hosts if name in HOSTS])
    meant = hosts_meant(folders, hosts)
    left = [] if unproven else [name for name in meant if not is_proven(name)]
    for name in left:
        click.echo(with_home(f"interlock: {name} is here too, and {NOT_SEEN}: left out (see --unproven)"), err=True)
    if left and left == meant:
        refuse_unproven(left)
    return [name for name in meant if name not in left]


@click.command("install")
@ANY_HOST
@scope_option
@click.option("--unproven", is_flag=True, help="Also hosts of which no client was seen, only documentation.")
@click.option("--observe", is_flag=True, help="Only watch for the first 7 days: a line in your own policy.")
@click.option("--profile", type=click.Choice(PROFILES), help="Begin with this profile: a line in your own policy.")
@click.option(
    "--plugin", type=click.Path(file_okay=False), metavar="DIR", help="Make a plug-in in this folder instead."
)
@click.option("--mcp", is_flag=True, help="Put `interlock mcp run` in front of the MCP servers that clients name.")
@click.option("--admit", is_flag=True, help="Let the plug-ins that are there load as they are now.")
@click.option("--yes", is_flag=True, help="Do not ask back.")
@click.option("--dry-run", is_flag=True, help="Show what would be changed, and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(
    folders: Folders,
    hosts: tuple[str, ...],
    scope: str | None,
    unproven: bool,
    observe: bool,
    profile: str | None,
    plugin: str | None,
    mcp: bool,
    admit: bool,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Have the agent hosts on this machine ask Interlock before each tool call.

    Without HOST it finds the hosts that are here, by their program or their settings folder. It puts Interlock's hooks
    into their settings and leaves everything else in the file as it is: order, indentation and line ends. It shows
    the difference (of a long one the beginning; --dry-run shows all of it) and asks before it writes. What the file
    was before is kept, so that `interlock uninstall` brings it back. Running it again changes
    nothing, or brings the entries up to date.

    Claude Code and Codex also get an entry for a small MCP server of Interlock's own, without tools: with it Interlock
    asks you in a dialog of theirs, in its own words.

    The hooks name a launcher in your data folder (~/.local/share/interlock). It starts a copy of the package, made
    now, in the same folder. After an update of the package, hooks run that copy until you confirm the new version with
    `interlock update` or `interlock install`; each session's start says that it waits.

    A file with comments, or one that is not JSON, is left alone.

    With `--observe` only the built-in floor refuses anything for 7 days: what would have been asked or denied is
    recorded, and `interlock audit summary` shows it. It loosens, so it takes a person at a terminal.

    With --profile your own policy names one of the profiles that come with Interlock; `interlock policy profiles` lists
    them. It may loosen, so it takes a person too.

    With --plugin the same hooks become a plug-in of the host, for `claude --plugin-dir DIR`. The settings stay as they
    are.

    With --mcp the MCP servers that clients name in their files (such as ~/.claude.json and .mcp.json) are started
    through the relay instead, which decides each of their calls; see docs/mcp.md.

    Claude Code loads plug-ins whose code can take hooks out of the way. So a shield of Interlock's own is put in front
    of them, where the client on the search path is new enough. It refuses plug-ins that carry code; those that are
    there are named, and you are asked whether to admit them. `--yes` alone admits none; --admit admits them all.

    A host of which no client was seen, only documentation, is refused unless --unproven is given: what it does when
    a hook fails, and whether it asks about every call, is not known.

    \b
    Examples:
      interlock install                       every host that is here
      interlock install claude-code --yes     this one, without a question
      interlock install --project             only in this project
      interlock install --observe             only watch for a week
      interlock install --profile careful     ask more
      interlock install --dry-run             only look
      interlock install --mcp                 the relay in front of MCP servers
      interlock install claude-code --plugin ~/.local/share/interlock/plugin

    \b
    Exit codes: 0 done, or nothing to do; 1 an agent ran it; 64 the settings cannot be edited; 130 you said no.
    """
    refuse_a_passing_copy()
    if this_system() == NO_WINDOWS:
        raise InputError(NO_WINDOWS)
    if this_system():
        click.echo(f"interlock: {this_system()}", err=True)
    folders, arguments = home_meant(folders)
    if mcp:
        if scope is not None or plugin is not None or observe or profile:
            raise InputError("--mcp stands alone: leave out the scope, --plugin, --observe and --profile")

        how = {"yes": yes, "dry_run": dry_run, "as_json": as_json}
        return install_relay(folders, hosts, project_root(None), arguments, **how)
    if plugin is not None:
        if scope is not None:
            raise InputError("a plug-in has no scope: leave out --user, --project and --managed")
        hosts = hosts or tuple([name for name, part in installable().items() if hasattr(part, "PLUGIN")])
    scope = "plugin" if plugin is not None else scope or "user"
    root = project_root(None)
    if own_package().startswith(root + "/"):
        click.echo(f"interlock: {_INSIDE.format(own_package())}", err=True)
    shared = scope == "managed"  # every user has it, so it cannot name a file of one of them
    guard = guard_path() if shared else folders.launcher
    changes, seating = [], None
    for name in _proven_of(folders, hosts, unproven=unproven):
        part = installable()[name]
        own = () if shared else arguments
        waits = waiting_arguments(folders, root if scope == "project" else None, name)
        fragment = host_named(name).settings(sys.executable, guard, (*own, *waits))
        own_file = part_of(name, "plugin")
        if plugin is None:
            file = part.settings_file(scope, root, folders.home, folders.moved)
            if hasattr(part, "manifest"):
                changes.append(plan_manifest(name, scope, *part.manifest(file)))
        else:
            manifest, file = _plugin_files(name, part, plugin)
            described = {"name": "interlock", "version": __version__, "description": _ABOUT_PLUGIN}
            changes.append(plan_manifest(name, scope, manifest, described))
        if own_file is None:
            seat = due_seat(folders, name, scope, os.path.dirname(file))
            seating = seating or seat
            entry = seat.entry if seat is not None else ""
            if shared and name == SHIELDED:
                managed, more, entry = managed_seat(name, scope, os.path.dirname(file))
                changes += managed
                fragment |= more
            changes.append(plan_install(folders, name, scope, file, fragment, seat=entry))
            changes += server_changes(folders, name, scope, arguments)
        else:
            changes.append(plan_plugin(folders, name, scope, file, own_file.text_of(fragment)))
    lines = None
    if observe or profile:
        at = "user" if plugin else scope
        lines = policy_lines(folders, at, root, observe=observe, profile=profile or "")
    launcher = None if shared else update_due(folders)
    if not as_json:
        show(changes, "its settings name Interlock already", whole="" if dry_run else "interlock install --dry-run")
        if launcher is not None:
            click.echo(about_update(folders, launcher))
        if lines is not None:
            show_lines(folders, lines)
        say_seat(seating)
    seats = seating is not None and not seating.idle
    due = [change for change in changes if not change.idle]
    if due and not as_json:
        click.echo("Interlock's hooks go into these files; nothing else in them changes:")
        for change in due:
            click.echo(f"  {change.file}")
    told = [_told(change, "would install" if dry_run else "installed") for change in changes]
    if (due or launcher is not None or lines is not None or seats) and not dry_run:
        replaces = any(change.replaces for change in due) or (launcher is not None and _is_there(folders.launcher))
        if not replaces:
            refuse_an_agent(folders)
        require_person(folders, "Write this?", yes=yes, loosens=replaces or lines is not None or admit)
        if lines is not None:
            keep_lines(folders, lines, root)
        if launcher is not None:
            put_update(folders, launcher, replaces=replaces)
        if seating is not None and seats:
            put_seat(folders, seating)
        for change, row in zip(changes, told, strict=True):
            if not change.idle:
                row["backup"] = _write(folders, change) or None
    if as_json:
        result = "unchanged" if launcher is None else "would install" if dry_run else "installed"
        about = None if shared else {"file": folders.launcher, "result": result}
        until = {"observe_until": lines.day} if lines is not None and lines.day else {}
        click.echo(json.dumps({"files": told, "launcher": about, **until}, indent=2))
        return 0
    if lines is not None and lines.day and not dry_run:
        click.echo(with_home(f"observe mode until {lines.day}; see what it found with: interlock audit summary"))
    if due and not dry_run:
        for row in told:
            kept = f" (as it was: {row['backup']})" if row.get("backup") else ""
            click.echo(f"{row['host']}: {row['result']} in {row['file']}{kept}")
        for name in dict.fromkeys([change.host for change in due]):
            traits = host_named(name).TRAITS
            allows = _ALLOWS[traits.lifts] if traits.proven else NOT_SEEN
            click.echo(f"{name}: {allows.format(traits.title)}")
        if INSIDE in [change.host for change in due]:
            say_what_is_inside(folders, root)
        if seats:
            offer_to_admit(folders, root, admits=admit, asks=not yes)
        if plugin is None:
            _say_what_is_left([change.host for change in due], scope)
            for line in offered([change.host for change in due]):
                click.echo(with_home(line))
        else:
            click.echo(f"Sessions that are started with it are guarded: claude --plugin-dir {os.path.realpath(plugin)}")
        click.echo(with_home("To take it out again: interlock uninstall"))
    return 0


def _say_what_is_left(hosts: Iterable[str], scope: str) -> None:
    """Which sessions are guarded from now on, and what a person still has to do for the others."""
    waiting = {} if scope == "managed" else {name: getattr(installable()[name], "TRUST", "") for name in hosts}
    ready = [host_named(name).TRAITS.title for name in dict.fromkeys(hosts) if not waiting.get(name)]
    if ready:
        titles = ", ".join(ready[:-1]) + " and " * bool(ready[1:]) + ready[-1]
        click.echo(f"Sessions of {titles} that start from now on are guarded.")
    for name in dict.fromkeys(hosts):
        for line in (waiting.get(name), getattr(installable()[name], "ADVICE", "")):
            if line:
                click.echo(line)


def _plugin_files(host: str, part: Any, place: str) -> list[str]:
    if not hasattr(part, "PLUGIN"):
        raise InputError(f"`{host}` has no plug-ins that Interlock can be put into; leave out --plugin")
    return [f"{os.path.realpath(place)}/{name}" for name in part.PLUGIN]


def refuse_a_passing_copy() -> None:
    """InputError where the running copy would be gone tomorrow, and what names it would block everything."""
    if passing(own_package()):
        raise InputError(_PASSING.format(passing(own_package())))


def _is_there(path: str) -> bool:
    return os.path.lexists(path)


def _told(change: Change, result: str) -> dict[str, Any]:
    said = "unchanged" if change.idle else result
    return {"backup": None, "file": change.file, "host": change.host, "result": said, "scope": change.scope}


def _write(folders: Folders, change: Change) -> str:
    done: list[str] = []
    said = {"by": who(), "file": change.file, "host": change.host, "terminal": terminal()}
    trouble = changed_by_a_person(
        folders,
        "override",
        "install",
        {**said, "why": f"the hooks of {change.host} were put into {change.file}"},
        lambda: done.append(write_change(folders, change, installs=True)),
        loosens=change.replaces,
        files=(change.file,),
        describe=describing(folders),
    )
    if trouble is not None:
        click.echo(f"interlock: not recorded: {trouble}", err=True)
    return done[0]


def show(changes: list[Change], idle: str, *, whole: str) -> None:
    """Each file with what would be different in it, long lines cut; of much, the beginning, and what shows the rest."""
    for change in changes:
        click.echo(f"{host_named(change.host).TRAITS.title}: {change.file}")
        if change.idle:
            click.echo(f"  nothing to do: {idle}")
            continue
        now, then = ((raw or b"").decode("utf-8", "replace").splitlines() for raw in (change.now, change.then))
        lines = list(unified_diff(now, then, lineterm="", n=2))[2:]
        left = len(lines) - _LINES if whole and len(lines) > 2 * _LINES else 0
        for line in lines[: len(lines) - left]:
            click.echo("  " + (line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"))
        if left:
            click.echo(with_home(f"  … and {left} lines more; see all of them with: {whole}"))
        if change.then is None:
            click.echo("  the file was made by interlock install, and is removed")
