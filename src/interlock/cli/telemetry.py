"""`interlock telemetry`: what is decided on this machine, sent on to OpenTelemetry, a file of JSON lines or syslog."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import click

from ..model.errors import InterlockError, StoreError
from ..store import sql
from ..store.home.folders import Folders
from ..store.ledger.audit import open_for_reading
from ..store.ledger.ledger import Ledger
from ..store.ledger.sqlite import NothingYetError, nothing_yet
from ..store.ledger.tail import Tail
from ..store.outside.evidence import machine_name
from ..telemetry.follower import Follower
from ..telemetry.jsonl import line_of
from ..telemetry.place import Place, place_for
from ..telemetry.receivers import Telling, destinations, followers_for
from ..telemetry.settings import Telemetry, load_telemetry
from ..telemetry.told import LogEvent
from .commands import pass_folders
from .listed import Listed
from .rows import moment
from .show import harmless

__all__ = ["command"]

_BEGINS = 10.0  # seconds until it says that it is there, whatever keeps a receiver from beginning
_config = click.option("--config", type=click.Path(dir_okay=False), help="Default: telemetry.toml beside your policy.")


@click.group("telemetry", cls=Listed)
def command() -> None:
    """Send what is decided and answered to the systems that you watch already.

    Everything is read from the ledger, so no call waits for it. Where to send is said in telemetry.toml beside your
    policy. See docs/guides/telemetry.md.
    """


@command.command("run")
@click.option("--once", is_flag=True, help="Send what is new, and end. Exit code 1 where something did not arrive.")
@click.option("--dry-run", is_flag=True, help="Print what would be sent next, as JSON lines, and send nothing.")
@click.option("--all", "from_start", is_flag=True, help="To a receiver that never got anything, send the whole ledger.")
@_config
@pass_folders
def run(folders: Folders, once: bool, dry_run: bool, from_start: bool, config: str | None) -> int:
    """Follow the ledger of this machine, and send on what is decided, asked and answered.

    It runs until it is stopped; have your service manager start it. It notes how far each receiver has got, so a
    restart leaves nothing out. A receiver that never got anything gets what comes from now on.

    \b
    Examples:
      interlock telemetry run
      interlock telemetry run --once
      interlock telemetry run --dry-run --all
    """
    settings = load_telemetry(folders, config)

    def said(text: str) -> None:
        click.echo(f"interlock: {harmless(text)}", err=True)

    followers = followers_for(folders, settings, _tails(folders), from_start=from_start, said=said)
    if dry_run:
        return _shown(followers[0], settings)
    if once:
        return _once(followers)
    return _on(followers, destinations(settings))


@command.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@_config
@pass_folders
def status(folders: Folders, as_json: bool, config: str | None) -> int:
    """Show how far each receiver has got. Exit code 1 where one is in trouble."""
    settings = load_telemetry(folders, config)
    tip = _tip(folders)
    found: list[dict[str, Any]] = []
    for name in destinations(settings):
        got = place_for(folders, name).read()
        row = None if got is None else got.row
        found.append(
            {
                "to": name,
                "row": row,
                "behind": None if row is None else max(0, tip - row),
                "at": None if got is None else got.at,
                "trouble": "" if got is None else got.trouble,
                "since": None if got is None or not got.trouble else got.since,
            }
        )
    if as_json:
        click.echo(json.dumps(found, indent=2))
    for one in [] if as_json else found:
        where = "nothing was sent yet" if one["row"] is None else f"row {one['row']}, {one['behind']} behind"
        wrong = f"; since {moment(one['since'])}: {one['trouble']}" if one["trouble"] else ""
        click.echo(harmless(f"{one['to']}: {where}{wrong}"))
    return 1 if any(one["trouble"] for one in found) else 0


def _tip(folders: Folders) -> int:
    try:
        database = open_for_reading(folders.ledger)
    except NothingYetError:
        return 0
    try:
        return int((database.row(sql.TIP) or (0,))[0])
    finally:
        database.close()


def _tails(folders: Folders) -> Callable[[], Tail]:
    def opened() -> Tail:
        if not os.path.exists(folders.ledger):  # a reader does not begin a ledger
            raise nothing_yet(folders.ledger)
        return Tail(Ledger(folders.ledger, front="cli"))

    return opened


def _once(followers: list[Follower]) -> int:
    wrong = 0
    for follower in followers:
        try:
            count = follower.once()
            click.echo(harmless(f"{follower.place.to}: {count} sent"))
        except NothingYetError:
            click.echo(harmless(f"{follower.place.to}: nothing is recorded yet"))
        except InterlockError as error:
            click.echo(harmless(f"{follower.place.to}: {error}"), err=True)
            wrong = 1
    return wrong


def _on(followers: list[Follower], names: list[str]) -> int:
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    telling = Telling(followers)
    for follower in followers:
        follower.begun.wait(_BEGINS)
    click.echo(harmless(f"interlock sends to {', '.join(names)}"), err=True)
    while not stop.wait(1.0):
        if not any(thread.is_alive() for thread in telling.threads):
            raise StoreError("nothing is sent any more")
    telling.end()
    return 0


def _shown(follower: Follower, settings: Telemetry) -> int:
    """What the first receiver would get, without moving its place."""

    class Printed:
        def send(self, batch: list[LogEvent]) -> str:
            for told in batch:
                click.echo(line_of(told, service=settings.service, machine=machine_name()))
            return ""

        def beat(self, _waiting: Callable[[], int], *, now: bool = False) -> str:
            return ""

    follower.receiver = Printed()
    follower.place = Place(follower.place.path, follower.place.to, dry=True)
    try:
        follower.once()
    except NothingYetError:
        click.echo("nothing is recorded yet", err=True)
        return 0
    if not follower.sent:
        click.echo("nothing is new; --all shows the whole ledger to a receiver that never got anything", err=True)
    return 0
