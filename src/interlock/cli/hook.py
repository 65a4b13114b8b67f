"""`interlock hook`: help and settings. Deciding itself goes straight to the guarded entry (main.py)."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click
from click.core import ParameterSource

from ..hosts import HOSTS, host_named, part_of
from ..model.obeyed import MOVED_BY
from ..store.home.folders import Folders, folders_for, other_home
from ..store.home.own_name import with_own_name
from .guarded import enter_guard, guard_path
from .listed import Listed
from .waits import waiting_arguments

__all__ = ["command"]

_OTHER_HOME = (
    "HOME is {given}, and the system's user table names another folder. The settings below keep Interlock's files "
    "under {given}, where the agent's own settings are. Give the other commands the same: interlock --home {given} …"
)
_HELP = """Answer the event on stdin for {title}: decide about a call, or follow what became of it.

Put what --print-settings prints into ~/{file}. It names this Python and the guarded entry directly, so no search path
stands between the host and the guard. It lists {events}.
"""


@click.group(cls=Listed)
def command() -> None:
    """Answer an agent host's hook events."""


def _answer(
    ctx: click.Context,
    host: str,
    home: str | None,
    no_gate: bool,
    parent: int | None,
    wait: int | None,
    print_settings: bool,
) -> None:
    root = ctx.find_root()
    given = home or root.params.get("home")
    if not print_settings:
        # A variable may come from a project's settings, an argument may not: see docs/adr/0006.
        if root.get_parameter_source("home") is ParameterSource.ENVIRONMENT:
            given = home
        more = (*(("--home", given) if given else ()), *(("--parent", str(parent)) if parent else ()))
        more += ("--wait", str(wait)) if wait else ()
        enter_guard([host, *(("--no-gate",) if no_gate else ()), *more])
    if not given:
        given = other_home(ctx.ensure_object(Folders), os.environ)
        if given:
            click.echo(f"interlock: {_OTHER_HOME.format(given=given)}", err=True)
    traits = host_named(host).TRAITS
    moved = os.environ.get(traits.moved_by)
    if moved:
        place = MOVED_BY[traits.moved_by]
        file = traits.settings_in.removeprefix(f"{place}/")
        click.echo(f"interlock: {traits.moved_by} is set; the fragment goes into {moved}/{file}", err=True)
    arguments: tuple[str, ...] = ("--home", str(given)) if given else ()
    arguments += waiting_arguments(folders_for(str(given)) if given else ctx.ensure_object(Folders), None, host)
    printed = getattr(host_named(host), "printed", None)  # a host whose hook is a file of its own
    if printed is not None:
        click.echo(printed(sys.executable, guard_path(), arguments), nl=False)
        return
    fragment = with_own_name(host_named(host).settings(sys.executable, guard_path(), arguments), None)
    plugin = part_of(host, "plugin")
    click.echo(json.dumps(fragment, indent=2) if plugin is None else plugin.text_of(fragment), nl=plugin is None)


def _command_for(host: str) -> click.Command:
    traits = host_named(host).TRAITS
    events = list(host_named(host).settings("", "", ())["hooks"])
    listed = " and ".join([", ".join(events[:-1]), events[-1]][len(events) == 1 :])

    @click.command(host, help=_HELP.format(title=traits.title, file=traits.settings_in, events=listed))
    @click.option("--home", type=click.Path(file_okay=False, resolve_path=True), help="As for interlock --home.")
    @click.option("--no-gate", is_flag=True, help="The event gates no call: what breaks leaves with 0, not with 2.")
    @click.option("--parent", type=int, help="The host's process, where a shell stands between.")
    @click.option("--wait", type=int, help="For how many seconds the host lets a call be held.")
    @click.option("--print-settings", is_flag=True, help=f"Print the fragment for ~/{traits.settings_in}, and stop.")
    @click.pass_context
    def answer(ctx: click.Context, /, **given: Any) -> None:
        _answer(ctx, host, **given)

    return answer


for _host in HOSTS:
    command.add_command(_command_for(_host))
