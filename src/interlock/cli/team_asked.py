"""Approvals of the whole team: what any machine waits for, and a person's answer to it, through the team store."""

from __future__ import annotations

import json
import os
import time

import click

from .. import __version__
from ..model.errors import ApprovalError
from ..store.home.folders import Folders
from ..store.ledger.postgres import Database
from ..store.team.team import open_team
from ..store.team.team_answers import TeamAsked, answer_for_team, asked_in_team, one_in_team
from ..words.hidden import hidden_words, shown_input
from ..words.question import bound_fields, needs_words
from ..words.whole_call import call_lines, fitted, shortened, visible
from .asked import confirmed, confirmed_unseen, field_lines, hidden_lines
from .pages import window
from .rows import moment
from .signing import signature_elsewhere
from .store import address

__all__ = ["answer_as_team", "list_for_team", "show_for_team"]

_WIDE = 100_000


def _opened(folders: Folders) -> Database:
    return open_team(address(folders, None), folders)


def _now() -> int:
    return time.time_ns() // 1_000_000


def list_for_team(folders: Folders, as_json: bool) -> int:
    database = _opened(folders)
    try:
        found = asked_in_team(database, _now())
    finally:
        database.close()
    if as_json:
        click.echo(json.dumps([asked.as_dict() for asked in found]))
        return 0
    columns = window()[0] if os.isatty(1) else _WIDE
    for asked in found:
        dead = _why_dead(asked)
        click.echo(f"{asked.id}  {'waits' if dead is None else 'dead'}  {moment(asked.at)}")
        where = f"on {asked.origin}" if dead is None else f"{dead}; on {asked.origin}"
        click.echo(f"    {shortened(where, columns - 4)}")
        subject = f"{asked.body.get('tool', '')}: {asked.body.get('subject', '')}"
        click.echo(f"    {shortened(subject, columns - 4)}")
    if not found:
        click.echo("nothing waits for an answer")
    return 0


def show_for_team(folders: Folders, id: str, as_json: bool) -> int:
    """What one machine of the team waits for, whole."""
    database = _opened(folders)
    try:
        asked = one_in_team(database, id, _now())
    finally:
        database.close()
    if as_json:
        click.echo(json.dumps(asked.as_dict()))
    else:
        click.echo("\n".join(_lines(asked, window()[0] if os.isatty(1) else _WIDE)))
    return 0


def _lines(asked: TeamAsked, columns: int) -> list[str]:
    body = asked.body
    dead = _why_dead(asked)
    lines = [asked.id, *fitted(visible(f"asked on {asked.origin} at {moment(asked.at)}"), columns)]
    if dead is not None:
        lines += fitted(f"dead: {dead}; it can no longer fire", columns)
    lines += [
        "",
        *call_lines(str(body.get("tool", "")), shown_input(body), columns),
        *hidden_lines(asked.hidden, columns),
        "",
    ]
    for reason in body.get("reasons", ()):
        lines += fitted(visible(f"  {reason}"), columns)
    lines += ["", *field_lines("it binds:", bound_fields(body), columns)]
    life = [("started", f"by {body['starter']}")] if body.get("starter") else []
    if asked.needs_two:
        told = (
            f"one has said yes until {moment(asked.until)}" if asked.until else "nobody has said yes that is known here"
        )
        life.append(("needs", f"{needs_words(str(body.get('needs', 'weak')), two=True)}; {told}"))
    return [*lines, *field_lines("", life, columns)] if life else lines


def _why_dead(asked: TeamAsked) -> str | None:
    """As far as it can be told from here: which policy is in force there only that machine knows."""
    engine = asked.body.get("engine")
    return None if engine == __version__ else f"it was asked by Interlock {engine or 'before 0.3.0'}"


def answer_as_team(
    folders: Folders,
    id: str,
    *,
    yes: bool,
    why: str,
    sure: bool,
    by: str,
    as_json: bool,
    sign: bool = False,
    key: str | None = None,
    unseen: bool = False,
) -> int:
    database = _opened(folders)
    try:
        asked = one_in_team(database, id, _now())
        dead = _why_dead(asked)
        if dead is not None:
            raise ApprovalError(f"{asked.id} can no longer fire: {dead}; the call is asked about anew when it comes")
        if yes and asked.body.get("input") is None:
            raise ApprovalError(f"{asked.id} was not kept whole, and what was not shown cannot be approved")
        if sure and yes and asked.id != id:
            raise ApprovalError(f"with --yes nothing is shown, so write the whole id: {asked.id}")
        if not sure and not confirmed(asked.id, asked.body, lambda columns: _lines(asked, columns), yes=yes):
            raise click.Abort
        if yes and asked.hidden and not unseen:
            if sure:
                raise ApprovalError(
                    f"{hidden_words(asked.hidden)} in {asked.id}; to say yes all the same, add --hidden"
                )
            confirmed_unseen(asked.hidden)
        expires = asked.until or _now() + int(asked.body.get("timeout") or 60) * 60_000
        signature = None
        if yes and (sign or key is not None or asked.body.get("needs", "weak") != "weak"):
            signature = signature_elsewhere(folders, asked.statement(expires=expires), key)
        by = f"{by} on {os.uname().nodename}"
        ends = 0 if signature is None else expires
        answer_for_team(database, asked, yes=yes, by=by, why=why, signature=signature, expires=ends)
    finally:
        database.close()
    if as_json:
        click.echo(json.dumps({**asked.as_dict(), "answer": "approved" if yes else "denied"}))
    else:
        word = "approved" if yes else "denied"
        if yes and asked.needs_two:
            click.echo(f"one yes to {asked.id} is kept; {visible(asked.origin)} counts it with its next sync")
            return 0
        click.echo(f"{asked.id} is {word}; {visible(asked.origin)} knows with its next sync")
    return 0
