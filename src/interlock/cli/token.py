"""`interlock token`: who may use the HTTP service, and as what."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import click

from ..limits import LOCK_QUEUE_SECONDS
from ..model.errors import InputError
from ..serve.config import database_of, made_by
from ..store.home.folders import Folders
from ..store.ledger.ledger import Ledger
from ..store.people.tokens import ROLES, Token, create, every_token, revoke
from .commands import pass_folders, with_home
from .listed import Listed
from .person import require_person, who
from .rows import moment
from .show import harmless

__all__ = ["command"]

_FRONT = "cli:token"
_UNITS = {"h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000}
_HELP = "  ".join(f"{role}: {words}." for role, words in ROLES.items())
_database = click.option(
    "--database", metavar="URL", help="The service's PostgreSQL database. Default: what serve.toml says."
)


@click.group("token", cls=Listed)
def command() -> None:
    """Tokens of the HTTP service (`interlock serve`): one for each agent and each person.

    A token is shown once, when it is made; the ledger keeps its digest. Making and revoking one takes a person's
    terminal.
    """


@command.command("create")
@click.option("--role", type=click.Choice(tuple(ROLES)), required=True, help=_HELP)
@click.option("--name", required=True, help="The agent's name, or the person's.")
@click.option("--for", "lasts", default="30d", show_default=True, help="How long it is good: 12h, 30d, 8w, or never.")
@click.option("--person", help="Whose it is. Default: its name; for an agent, you.")
@_database
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def made(
    folders: Folders,
    role: str,
    name: str,
    lasts: str,
    person: str | None,
    database: str | None,
    yes: bool,
    as_json: bool,
) -> int:
    """Make a token, and print it once.

    \b
    Examples:
      interlock token create --role agent --name nightly --for 7d
      interlock token create --role approver --name ann
    """
    require_person(folders, f"Make a token of role {role} for `{name}`?", yes=yes)
    ledger = _ledger(folders, database)
    holder = person or (f"login:{who()}" if role == "agent" else name)
    with ledger.deciding() as turn:
        expires = 0 if lasts == "never" else turn.at + _milliseconds(lasts)
        token, text = create(turn, name=name, role=role, person=holder, expires=expires, by=who())
    if as_json:
        click.echo(json.dumps({**_told(token), "token": text}))
        return 0
    click.echo(f"{role} token {token.id} for {harmless(name)}, {_until(token)}", err=True)
    click.echo("This is the only time it is shown:", err=True)
    click.echo(text)
    return 0


@command.command("list")
@_database
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_folders
def listed(folders: Folders, database: str | None, as_json: bool) -> int:
    """Show all tokens, without what stands for them."""
    ledger = _ledger(folders, database)
    found = every_token(ledger) if ledger.path != folders.ledger or os.path.exists(folders.ledger) else []
    if as_json:
        click.echo(json.dumps([_told(token) for token in found], indent=2))
        return 0
    for token in found:
        click.echo(f"{token.id}  {token.role:8}  {harmless(token.name)}  ({harmless(token.person)})  {_until(token)}")
    if not found:
        click.echo(with_home("there are no tokens; make one with: interlock token create --role agent --name NAME"))
    return 0


@command.command("revoke")
@click.argument("id")
@click.option("--why", default="", help="For the record.")
@_database
@pass_folders
def revoked(folders: Folders, id: str, why: str, database: str | None) -> int:
    """Make a token good for nothing, at once."""
    require_person(folders, "", yes=True, loosens=False)
    ledger = _ledger(folders, database)
    with ledger.deciding() as turn:
        token = revoke(turn, id, by=who(), why=why)
    click.echo(f"revoked {token.id} ({harmless(token.name)})")
    return 0


def _ledger(folders: Folders, database: str | None) -> Ledger:
    """The one that the service uses: a token in any other is good for nothing."""
    return made_by(folders, database_of(folders, database))(_FRONT, LOCK_QUEUE_SECONDS)


def _milliseconds(text: str) -> int:
    found = re.fullmatch(r"(\d{1,4})([hdw])", text)
    if found is None or int(found[1]) == 0:
        raise InputError(f"`{text[:40]}` is no duration; write 12h, 30d, 8w or never")
    return int(found[1]) * _UNITS[found[2]]


def _until(token: Token) -> str:
    if token.revoked:
        return "revoked"
    return f"until {moment(token.expires)}" if token.expires else "for ever"


def _told(token: Token) -> dict[str, Any]:
    return {**token.as_dict(), "expires": token.expires or None}
