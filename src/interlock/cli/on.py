"""`interlock on`: end what `interlock off` began."""

from __future__ import annotations

import json

import click

from ..store.home.folders import Folders
from ..store.ledger.ledger import Ledger
from ..store.people.switch import keep_on
from .commands import pass_folders
from .person import terminal, who

__all__ = ["command"]


@click.command("on")
@click.option("--session", default="", help="Only for this session. Default: all of it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def command(folders: Folders, session: str, as_json: bool) -> int:
    """End what `interlock off` began, before its time is over."""
    ledger = Ledger(folders.ledger, front="cli:off")
    whose = f"session {session}" if session else "every session"
    try:
        with ledger.deciding() as turn:
            keep_on(turn, session, {"by": who(), "terminal": terminal(), "why": f"it is on again for {whose}"})
    finally:
        ledger.close()
    click.echo(json.dumps({"off": False, "session": session or None}) if as_json else f"on for {whose}")
    return 0
