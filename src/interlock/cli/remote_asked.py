"""Approvals of an HTTP service: what waits there, and a person's answer to it, at a terminal of another machine.

The token comes from a file that only its owner reads, never from the command line, which everybody on the machine sees.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ..approve.lifecycle import Question
from ..model.errors import ApprovalError, InputError
from ..model.verdict import Strength
from ..store.home.files import read_file
from ..store.home.folders import Folders
from ..store.people.answering import Asked, why_not_answered, why_not_unseen
from ..words.question import bound_fields
from ..words.whole_call import call_lines, fitted, visible
from .asked import confirmed, confirmed_unseen, field_lines, hidden_lines, show_list, told
from .pages import window
from .rows import moment

if TYPE_CHECKING:
    from ..client import Approval, Client

__all__ = ["RemoteAsked", "RemoteDesk", "answer_over_http", "list_over_http", "show_over_http", "token_file"]

_TOKEN = "INTERLOCK_TOKEN"  # noqa: S105 - a variable that names a file
_MAX_TOKEN = 4096
_WIDE = 100_000
_PATIENCE = 10.0  # seconds: somebody sits in front of it


class RemoteAsked(Asked):
    """A question as the service tells it; shown by what shows the questions of this machine."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.question = Question(
            id=str(told["id"]),
            seq=int(told["row"]),
            holder=str(told["run"] or told["session"]),
            status=str(told["status"]),
            proof=None,
            asked=int(told["asked"]),
            expires=int(told["expires"] or 0),
        )
        self.body = {**told, "closed": told.get("closed_before", 0), "host": told.get("host", "")}
        self.said = told.get("answer")
        self.answers = tuple(told.get("answers") or ())
        self.gave = ()
        self.now = time.time_ns() // 1_000_000
        self.dead = told.get("dead")
        self.hash = ""

    @property
    def reminders(self) -> int:
        return int(self.body.get("reminders", 0))

    def as_dict(self) -> dict[str, Any]:
        return {name: value for name, value in self.body.items() if name != "closed"}


class RemoteDesk:
    """What `interlock approvals watch` looks at and answers, at a service."""

    def __init__(self, folders: Folders, url: str) -> None:
        self.client = _client(folders, url)

    def questions(self) -> list[Asked]:
        return [_asked(one) for one in self.client.approvals()]

    def again(self, asked: Asked) -> Asked:
        return _asked(self.client.approval(asked.question.id))

    def lines(self, asked: Asked, columns: int) -> list[str]:
        return _lines(asked, columns)

    def why_not(self, asked: Asked, *, yes: bool) -> str | None:
        return why_not_answered(asked, yes=yes, where="http", strength=Strength.WEAK)

    def answer(self, asked: Asked, *, yes: bool, why: str = "", unseen: bool = False) -> Asked:
        said = "approve" if yes else "deny"
        return _asked(self.client.answer(asked.question.id, said, reason=why, confirm_hidden=unseen))

    def remind(self, asked: Asked) -> None:
        """The service keeps that itself."""

    def preview(self, asked: Asked) -> str:
        raise ApprovalError("a command is previewed on the machine that has its project, and this is a service's")


def list_over_http(folders: Folders, url: str, *, everything: bool, as_json: bool) -> int:
    with _client(folders, url) as client:
        found = [_asked(one) for one in client.approvals(state="all" if everything else "pending")]
    if as_json:
        click.echo(json.dumps([asked.as_dict() for asked in found], default=dict))
    else:
        show_list(found)
    return 0


def show_over_http(folders: Folders, url: str, id: str, *, as_json: bool) -> int:
    with _client(folders, url) as client:
        asked = _one(client, id)
    if as_json:
        click.echo(json.dumps(asked.as_dict(), default=dict))
    else:
        click.echo("\n".join(_lines(asked, window()[0] if os.isatty(1) else _WIDE)))
    return 0


def answer_over_http(
    folders: Folders, url: str, id: str, *, yes: bool, why: str, sure: bool, as_json: bool, unseen: bool = False
) -> int:
    """The service says who may: the token is a person's."""
    desk = RemoteDesk(folders, url)
    with desk.client as client:
        asked = _one(client, id)
        if sure and yes and asked.question.id != id:
            raise ApprovalError(f"with --yes nothing is shown, so write the whole id: {asked.question.id}")
        refused = desk.why_not(asked, yes=yes)
        if refused is not None:
            raise ApprovalError(refused)
        if not sure and asked.is_open:
            if not confirmed(asked.question.id, asked.body, lambda wide: _lines(asked, wide), yes=yes):
                raise click.Abort
            unseen = unseen or (yes and confirmed_unseen(asked.hidden))
        if yes and not unseen and (refused := why_not_unseen(asked)) is not None:
            raise ApprovalError(f"{refused}: add --hidden")
        done = desk.answer(asked, yes=yes, why=why, unseen=unseen)
    click.echo(json.dumps(done.as_dict(), default=dict) if as_json else told(done))
    return 0


def _asked(one: Approval) -> RemoteAsked:
    return RemoteAsked(one.raw)


def _one(client: Client, id: str) -> RemoteAsked:
    """The question with this id or the beginning of it."""
    found = [one for one in client.approvals(state="all") if id and one.id.startswith(id)]
    exact = [one for one in found if one.id == id]
    if not found:
        raise ApprovalError(f"nobody has asked for an approval `{id[:60]}` there")
    if not exact and len(found) > 1:
        raise ApprovalError(f"`{id[:60]}` is the beginning of {len(found)} approvals; write more of it")
    return _asked((exact or found)[0])


def _lines(asked: Asked, columns: int) -> list[str]:
    question, body = asked.question, asked.body
    lines = [f"{question.id}  {question.status}"]
    if asked.dead is not None:
        lines += fitted(visible(f"dead: {asked.dead}; it can no longer fire"), columns)
    lines += ["", *call_lines(str(body["tool"]), asked.input, columns), *hidden_lines(asked.hidden, columns), ""]
    for reason in body["reasons"]:
        lines += fitted(visible(f"  {reason}"), columns)
    lines += ["", *field_lines("it binds:", bound_fields(body), columns)]
    until = moment(question.expires) if question.expires else "it is answered"
    life = [("asked", moment(question.asked)), ("until", until), ("uses", "once"), ("needs", asked.needs.name)]
    if asked.said is not None:
        why = f": {asked.said['why']}" if asked.said.get("why") else ""
        life.append(("answer", f"{asked.said.get('answer')} by {asked.said.get('by', '')}{why}"))
    return [*lines, *field_lines("", life, columns)]


# --- the token ----------------------------------------------------------------------------------------------------


def _client(folders: Folders, url: str) -> Client:
    from ..client import Client

    return Client(url, _token(folders), patience=_PATIENCE)


def token_file(folders: Folders) -> str:
    """The file that INTERLOCK_TOKEN names, else `token` beside your policy."""
    named = os.environ.get(_TOKEN, "")
    if named.startswith("ilt_"):
        raise InputError(f"{_TOKEN} names a file that holds the token, and not the token: others can read a variable")
    return os.path.abspath(named) if named else folders.config + "/token"


def _token(folders: Folders) -> str:
    path = token_file(folders)
    try:
        found = os.stat(path)
    except OSError:
        raise InputError(f"there is no token in `{path}`; put yours there, and: chmod 600 {path}") from None
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise InputError(f"`{path}` can be read by others, or is not yours: chmod 600 {path}")
    raw = read_file(path, limit=_MAX_TOKEN) or b""
    text = raw.decode("ascii", "replace").strip()
    if not text.startswith("ilt_"):
        raise InputError(f"`{path}` holds no token; it begins with ilt_")
    return text
