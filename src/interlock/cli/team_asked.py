"""Approvals of the whole team: what any machine waits for, and a person's answer to it, through the team store."""

from __future__ import annotations

import json
import os
import time

import click

from ..store.folders import Folders
from ..store.postgres import Database
from ..store.team import open_team
from ..store.team_answers import TeamAsked, answer_for_team, asked_in_team, decision_in_team, one_in_team
from .rows import moment
from .show import harmless
from .store import address

__all__ = ["answer_as_team", "list_for_team", "show_for_team"]


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
        click.echo(json.dumps([asked.as_dict() for asked in found], ensure_ascii=False, default=list))
        return 0
    for asked in found:
        click.echo(_line(asked))
    if not found:
        click.echo("nothing waits for an answer")
    return 0


def _line(asked: TeamAsked) -> str:
    body = asked.body
    subject = f"{body.get('tool', '')} {str(body.get('subject', ''))[:100]}"
    return f"{asked.id}  {harmless(asked.origin)}  {moment(asked.at)}  {harmless(subject)}"


def show_for_team(folders: Folders, id: str, as_json: bool) -> int:
    database = _opened(folders)
    try:
        asked = one_in_team(database, id, _now())
        if as_json:
            click.echo(json.dumps(asked.as_dict(), ensure_ascii=False, default=list))
        else:
            _show(database, asked)
    finally:
        database.close()
    return 0


def _show(database: Database, asked: TeamAsked) -> None:
    """What would happen there, as that machine read it, and what a yes would be for."""
    body = asked.body
    click.echo(harmless(f"{asked.id}  {body.get('tool', '')}"))
    for name, value in (body.get("input") or {"call": body.get("subject", "")}).items():
        click.echo(f"  {harmless(name):8} {harmless(value)}")
    click.echo()
    rows = decision_in_team(database, asked)
    if rows is None:
        click.echo("the decision that asked is not in the team store: what was read of the call cannot be shown")
    else:
        from .asked import outcome_of
        from .explain import show_outcome_in_full

        show_outcome_in_full(outcome_of(*rows), [])
    click.echo()
    click.echo("it binds:")
    for name, value in (
        ("machine", asked.origin),
        ("folder", body.get("folder", "")),
        ("policy", body.get("policy", "")),
        ("for", f"run {body['run']}" if body.get("run") else f"session {body.get('session', '')}"),
        ("asked", moment(asked.at)),
        ("until", moment(body["expires"]) if body.get("expires") else "it is answered"),
    ):
        click.echo(harmless(f"  {name:8} {value}"))


def answer_as_team(folders: Folders, id: str, *, yes: bool, why: str, sure: bool, by: str, as_json: bool) -> int:
    database = _opened(folders)
    try:
        asked = one_in_team(database, id, _now())
        if not sure:
            _show(database, asked)
            click.echo()
            if not click.confirm("approve this one call?" if yes else "deny it?"):
                raise click.Abort
        answer_for_team(database, asked, yes=yes, by=f"{by} on {os.uname().nodename}", why=why)
    finally:
        database.close()
    if as_json:
        click.echo(json.dumps({**asked.as_dict(), "answer": "approved" if yes else "denied"}, default=list))
    else:
        word = "approved" if yes else "denied"
        click.echo(f"{asked.id} is {word}; {harmless(asked.origin)} knows with its next sync")
    return 0
