"""`interlock resident`: switch the resident service on or off, and see whether it is there."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import click

from ..hook import residence
from ..hook.client import FOLDER
from ..model.errors import StoreError
from ..store.home.files import Descriptor
from ..store.home.folders import Folders
from ..store.home.launch import kept_launcher
from ..store.people.surface import began
from .checkup import OK, WARN, Found
from .commands import pass_folders, with_home
from .install import home_meant
from .listed import Listed

__all__ = ["command", "end_resident", "of_resident", "state_of_resident"]

_SECONDS = 10.0


@click.group(cls=Listed)
def command() -> None:
    """Keep a process that decides calls, so that each hook need not load everything.

    It is an accelerator only. Hooks ask it about calls, and decide by themselves where it is not there or does not
    answer. See docs/resident.md.
    """


@command.command()
@click.option(
    "--idle",
    type=click.IntRange(1, 7 * 24 * 60),
    default=residence.IDLE_MINUTES,
    show_default=True,
    metavar="MINUTES",
    help="The service ends once nobody has asked it for this long. The next hook starts it again.",
)
@pass_folders
def on(folders: Folders, idle: int) -> None:
    """Start the service now, and have hooks start it whenever there is none.

    \b
    Examples:
      interlock resident on
      interlock resident on --idle 240
    """
    if not sys.platform.startswith("linux"):
        raise StoreError("the resident service needs Linux; hooks work without it")
    folders, _ = home_meant(folders)
    with Descriptor(_opened(folders, make=True)) as folder:
        residence.switch(folder, idle=idle)
        if not residence.end(folder):
            raise StoreError("the service that runs now does not end; try again, or end its process")
        residence.begin(folder, folders.home, _package(folders))
        found = residence.waited_for(folder, _SECONDS, _package(folders))
    if found is None:
        raise StoreError(f"the service did not start within {_SECONDS:g} seconds; hooks go on deciding by themselves")
    click.echo(f"the resident service runs (process {found.pid}); it ends after {idle} minutes without a call")
    click.echo(with_home("hooks start it again when they need it; to stop that: interlock resident off"))


@command.command()
@pass_folders
def off(folders: Folders) -> None:
    """End the service, and have hooks start none."""
    was = end_resident(home_meant(folders)[0])
    click.echo("the resident service is off" if was else "the resident service was off already")


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def status(folders: Folders, as_json: bool) -> None:
    """Show whether the service is wanted, and whether it runs."""
    found = state_of_resident(home_meant(folders)[0])
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    from .rows import moment  # it loads what decides, and `doctor` has to work where that is broken

    click.echo(f"resident service: {found['state']}")
    if found["pid"] is not None:
        since = "" if found["since"] is None else f", since {moment(found['since'])}"
        click.echo(f"process {found['pid']}{since}, {found['memory'] / 2**20:.0f} MiB")
    if found["answered"] is not None:
        click.echo(f"calls answered: {found['answered']}; left to their hooks: {found['left']}")
    if found["wanted"]:
        click.echo(f"it ends after {found['idle']} minutes without a call")
    else:
        click.echo(with_home("to have one: interlock resident on"))


def _package(folders: Folders) -> str:
    """What hooks run: the service is one for them only where it runs the same."""
    kept = kept_launcher(folders)
    return kept.package if kept is not None and kept.is_copy else residence.package_here()


def end_resident(folders: Folders) -> bool:
    """Ends it, for good. False where there was nothing to end."""
    if not os.path.lexists(f"{folders.home}/{FOLDER}"):
        return False
    with Descriptor(_opened(folders)) as folder:
        was = residence.switch(folder, idle=None)
        was = residence.running(folder) is not None or was
        if not residence.end(folder):
            raise StoreError("the service does not end; hooks start no other one, and it ends once nobody asks it")
    return was


def state_of_resident(folders: Folders) -> dict[str, Any]:
    """What there is to know of it; `state` is that in words."""
    found: dict[str, Any] = {"wanted": False, "idle": None, "pid": None, "since": None, "memory": None, "current": None}
    found |= {"answered": None, "left": None, "folder": f"{folders.home}/{FOLDER}"}
    if not os.path.lexists(found["folder"]):
        return {"state": "off", **found}
    try:
        folder = _opened(folders)
    except StoreError as error:
        return {"state": f"cannot be used: {error}", **found}
    try:
        found["idle"] = residence.wanted(folder)
        found["wanted"] = found["idle"] is not None
        runs = residence.running(folder, _package(folders))
        calls = None if runs is None else residence.counts(folder, _package(folders))
    finally:
        os.close(folder)
    if runs is None:
        return {"state": "on, not running; the next hook starts it" if found["wanted"] else "off", **found}
    found |= {} if calls is None else {"answered": calls[0], "left": calls[1]}
    found |= {"pid": runs.pid, "current": runs.current, "since": _since(runs.pid), "memory": _memory(runs.pid)}
    return {"state": "runs" if runs.current else "runs other files than those here, and is about to end", **found}


def of_resident(folders: Folders, _root: str) -> list[Found]:
    """For `interlock doctor`. Nothing about it is wrong where it is off; where it cannot be used, hooks are slower."""
    found = state_of_resident(folders)
    if found["state"] == "off":
        return []
    text = f"the resident service {found['state']}"
    if found["pid"] is not None and found["current"]:
        return [Found("resident", OK, f"{text} (process {found['pid']})", "")]
    if found["wanted"] and found["pid"] is None:
        return [Found("resident", OK, f"the resident service is {found['state']}", "")]
    cure = "" if found["pid"] is not None else "interlock doctor --fix"
    return [Found("resident", WARN, f"{text}. Hooks decide by themselves, and take longer", cure)]


def _opened(folders: Folders, *, make: bool = False) -> int:
    try:
        return residence.folder_at(folders.home, make=make)
    except OSError as error:
        raise StoreError(f"`{folders.home}/{FOLDER}`: {error.strerror}") from None


def _since(pid: int) -> int | None:
    """In milliseconds, as rows have it."""
    ticks = began(pid)
    try:
        with open("/proc/uptime", encoding="ascii") as file:
            up = float(file.read().split()[0])
    except OSError:
        return None
    return None if ticks is None else int(1000 * (time.time() - up + ticks / os.sysconf("SC_CLK_TCK")))


def _memory(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
