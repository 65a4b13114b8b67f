"""`interlock launch`: start a client so that a repository's files cannot switch the check off."""

from __future__ import annotations

import json
import os
import shlex
import sys

import click

from ..hosts import host_named
from ..install.launching import ALIASES, LAUNCHING
from ..model.errors import InputError
from ..model.level import OUTSIDE
from ..store.home.folders import Folders
from ..store.home.launched import keep_launch
from .commands import pass_folders, with_home
from .install import home_meant
from .launch_plan import Planned, is_installed, planned_launch, rests_on, write_settings
from .launching import SHELLS, alias_lines
from .person import require_person

__all__ = ["command"]

_CONFIRM = "Start {} anyway, without what `interlock launch` holds?"


@click.command("launch", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("host", metavar="CLIENT", required=False)
@click.argument("words", metavar="[ARGUMENT]...", nargs=-1, type=click.UNPROCESSED)
@click.option("--client", metavar="PATH", help="The program, by its name or path.")
@click.option("--dry-run", is_flag=True, help="Check everything and print the command, and do not start it.")
@click.option("--json", "as_json", is_flag=True, help="With --dry-run: print JSON.")
@click.option("--alias", type=click.Choice(SHELLS), help="Print aliases for this shell, and start nothing.")
@pass_folders
def command(
    folders: Folders,
    host: str | None,
    words: tuple[str, ...],
    client: str | None,
    dry_run: bool,
    as_json: bool,
    alias: str | None,
) -> int:
    """Start CLIENT so that files of a repository cannot switch Interlock off.

    CLIENT is claude, codex, gemini, qwen, copilot or opencode; everything after it goes to the client. The client is
    started with settings that outrank those of the repository, and without variables that leave hooks out or load
    code. One line says what holds. Where nothing outranks the repository (GitHub Copilot CLI; Gemini CLI unless root
    starts it), its files are looked at instead: a switch in them keeps the client from starting.

    Arguments with which the client would leave the hooks out take a person at a terminal who confirms them. The client
    is not started if Interlock's hooks are not installed for it, if it is older than the version they were proven
    with, or if settings of the machine switch hooks off.

    \b
    Examples:
      interlock launch claude
      interlock launch codex exec 'Fix the failing test.'
      interlock launch --dry-run gemini
      eval "$(interlock launch --alias bash)"      in ~/.bashrc: claude, codex … are then launched

    \b
    Exit codes: those of the client; 64 it was not started.
    """
    folders, _ = home_meant(folders)
    if alias is not None:
        for line in alias_lines([name for name in LAUNCHING if is_installed(folders, name)]):
            click.echo(with_home(line))
        return 0
    if host is None:
        raise InputError(f"say which client: interlock launch {'|'.join(ALIASES)}")
    name = ALIASES.get(host, host)
    if name not in LAUNCHING:
        raise InputError(f"`{host[:60]}` cannot be launched; known are: {', '.join(ALIASES)}")
    planned = planned_launch(folders, name, client, words, os.environ)
    if dry_run:
        _show(planned, as_json=as_json)
        return 0
    title = host_named(name).TRAITS.title
    if planned.refused:
        told = "".join(f"\n  `{word}`: {why}" for word, why in planned.refused)
        if not sys.stdin.isatty():
            raise InputError(f"not started, because the check could be switched off:{told}\n{_TERMINAL}")
        click.echo(f"interlock: with these arguments the check can be switched off:{told}", err=True)
        require_person(folders, _CONFIRM.format(title), yes=False)
    elif not planned.plain:
        write_settings(folders, planned)
        if planned.holds:
            keep_launch(folders, name, planned.words, planned.variables)
        click.echo(f"interlock: {_line(title, planned)}", err=True)
    sys.stdout.flush()
    sys.stderr.flush()
    return os.execve(planned.program, [planned.program, *planned.words], dict(planned.environment))  # noqa: S606 - no shell on purpose


_TERMINAL = "leave them out, or confirm them at a terminal of your own"


def _line(title: str, planned: Planned) -> str:
    """One line: what holds, and what does not."""
    if not planned.holds:
        return f"started {title}; nothing outranks the repository here, so only its files as they are now were checked"
    cleared = f"; not handed on: {', '.join(planned.cleared)}" if planned.cleared else ""
    return f"launched {title}; a repository cannot use {planned.holds}{cleared}; still, {OUTSIDE}"


def _show(planned: Planned, *, as_json: bool) -> None:
    if as_json:
        told = {
            "arguments": list(planned.words),
            "cleared": list(planned.cleared),
            "does_not_hold": [*([planned.open] if planned.open else []), OUTSIDE],
            "holds": planned.holds or None,
            "host": planned.host,
            "plain": planned.plain,
            "program": planned.program,
            "refused": [{"argument": word, "why": why} for word, why in planned.refused],
            "rests_on": rests_on(planned),
            "variables": dict(planned.variables),
        }
        click.echo(json.dumps(told, indent=2))
        return
    changes = [f"-u {name}" for name in planned.cleared]
    changes += [shlex.quote(f"{name}={value}") for name, value in planned.variables.items()]
    click.echo(" ".join(["env", *changes, shlex.join([planned.program, *planned.words])]))
    click.echo(f"holds: {planned.holds or 'nothing outranks the repository; its files as they are now were checked'}")
    click.echo(f"does not hold: {planned.open + '; ' if planned.open else ''}{OUTSIDE}")
    for word, why in planned.refused:
        click.echo(f"takes a person who confirms it: `{word}`: {why}")
