"""Approvals of the whole team: what any machine waits for, and a person's answer to it, through the team store."""

from __future__ import annotations

import json
import os
import time

import click

from ..store.folders import Folders
from ..store.postgres import Database
from ..store.team import open_team
from ..store.team_answers import TeamAsked, answer_for_team, asked_in_team, one_in_team
from .rows import moment
from .show import harmless
from .store import address

__all__ = ["answer_as_team", "list_for_team"]


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


def answer_as_team(folders: Folders, id: str, *, yes: bool, why: str, sure: bool, by: str, as_json: bool) -> int:
    database = _opened(folders)
    try:
        asked = one_in_team(database, id, _now())
        if not sure:
            click.echo(_line(asked))
            for reason in asked.body.get("reasons", ()):
                click.echo(f"  {harmless(str(reason))}")
            click.echo(f"  in {harmless(str(asked.body.get('folder', '')))}")
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
