"""`interlock approvals`: what waits for a person, and the person's answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from ..approve.grant import REACHES
from ..approve.reaches import ONCE, Offer
from ..limits import LOCK_QUEUE_SECONDS
from ..model.errors import ApprovalError, InputError
from ..store.home.folders import Folders
from ..store.ledger.grants import GivenGrant
from ..store.ledger.ledger import Ledger
from ..store.people.answering import (
    Asked,
    answered,
    every_question,
    one_question,
    why_not_answered,
    why_not_unseen,
)
from ..store.people.offers import LASTS, answered_for, offers_for
from ..value import TYPE_CHECKING, lazy
from .answerer import answerer, person_answering, refuse_a_program
from .commands import pass_folders
from .completing import complete_approval
from .durations import milliseconds
from .given_rows import facts_of
from .listed import Listed
from .person import terminal

if TYPE_CHECKING:
    from ..serve.config import made_by
    from .asked import confirmed, confirmed_unseen, question_lines, reach_lines, show_asked, show_list
    from .remote_asked import answer_over_http, list_over_http, show_over_http
    from .signing import signed_answer
    from .team_asked import answer_as_team, list_for_team, show_for_team
    from .watch import watching
else:
    made_by = lazy(globals(), "..serve.config", "made_by")
    confirmed = lazy(globals(), ".asked", "confirmed")
    confirmed_unseen = lazy(globals(), ".asked", "confirmed_unseen")
    question_lines = lazy(globals(), ".asked", "question_lines")
    reach_lines = lazy(globals(), ".asked", "reach_lines")
    show_asked = lazy(globals(), ".asked", "show_asked")
    show_list = lazy(globals(), ".asked", "show_list")
    answer_over_http = lazy(globals(), ".remote_asked", "answer_over_http")
    list_over_http = lazy(globals(), ".remote_asked", "list_over_http")
    show_over_http = lazy(globals(), ".remote_asked", "show_over_http")
    signed_answer = lazy(globals(), ".signing", "signed_answer")
    answer_as_team = lazy(globals(), ".team_asked", "answer_as_team")
    watching = lazy(globals(), ".watch", "watching")
    list_for_team = lazy(globals(), ".team_asked", "list_for_team")
    show_for_team = lazy(globals(), ".team_asked", "show_for_team")

__all__ = ["command"]

_FRONT = "cli:approvals"
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_team = click.option(
    "--team", is_flag=True, help="What any machine of the team waits for, in the store that the policy names."
)
_database = click.option(
    "--database", default="", metavar="URL", help="What waits in the PostgreSQL database of a service."
)

_url = click.option(
    "--url", help="What waits at this HTTP service. The token is in the file that INTERLOCK_TOKEN names."
)


def _answering(command: Callable[..., int]) -> Callable[..., int]:
    """What an answer is given with, whichever it is."""
    for option in (
        _json,
        _database,
        _team,
        _url,
        click.option(
            "--yes",
            "sure",
            is_flag=True,
            help="Do not show it and ask back. It takes a terminal and, to approve, the whole id.",
        ),
        click.option("--why", default="", help="Why; kept with the answer."),
        click.argument("id", shell_complete=complete_approval),
    ):
        command = option(command)
    return command


@click.group(cls=Listed)
def command() -> None:
    """See and answer what agents wait for while nobody sits in front of them.

    An approval signs one exact call: what it would do, where, under this policy, for this session or run. The
    call fires once, when the agent makes it again. Answers are taken from a person's terminal only, not from
    a program that an agent's host started.

    \b
    Examples:
      interlock approvals watch
      interlock approvals show ap_5d2c
      interlock approvals approve ap_5d2c --why 'release 1.4'
    """


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="Also what is answered, used or over.")
@_team
@_url
@_database
@_json
@pass_folders
def list_(folders: Folders, everything: bool, team: bool, url: str | None, database: str, as_json: bool) -> int:
    """List what waits for an answer, oldest first."""
    if _is_elsewhere(url, team):
        return list_over_http(folders, str(url), everything=everything, as_json=as_json)
    if team:
        return list_for_team(folders, as_json)
    found = every_question(_ledger(folders, database), over=everything)
    if as_json:
        click.echo(json.dumps([asked.as_dict() for asked in found]))
        return 0

    show_list(found)
    return 0


@command.command()
@click.argument("id", shell_complete=complete_approval)
@_team
@_url
@_database
@_json
@pass_folders
def show(folders: Folders, id: str, team: bool, url: str | None, database: str, as_json: bool) -> int:
    """Show what the approval ID is about: the whole call, what would happen, what it binds and until when."""
    if _is_elsewhere(url, team):
        return show_over_http(folders, str(url), id, as_json=as_json)
    if team:
        return show_for_team(folders, id, as_json)
    ledger = _ledger(folders, database)
    asked = one_question(ledger, id)
    if as_json:
        click.echo(json.dumps(asked.as_dict()))
        return 0

    show_asked(ledger, asked)
    return 0


@command.command()
@_answering
@click.option("--hidden", "unseen", is_flag=True, help="The yes also counts for values that are hidden in the call.")
@click.option("--sign", is_flag=True, help="Sign the yes with your key, also where that is not needed.")
@click.option("--key", type=click.Path(dir_okay=False), help="Sign with this key. Default: an enrolled one.")
@click.option(
    "--reach",
    type=click.Choice(REACHES),
    default=ONCE,
    show_default=True,
    help="Also permit its like: in the session, the folder, the repository, or everywhere. `show` says what that is.",
)
@click.option(
    "--for",
    "lasting",
    default="",
    metavar="TIME",
    help="How long its like is permitted, as in `interlock grant`. Default: 2h.",
)
@pass_folders
def approve(folders: Folders, /, **given: Any) -> int:
    """Let the one call that ID stands for through, once.

    \b
    Examples:
      interlock approvals approve ap_5d2c --why 'release 1.4'
      interlock approvals approve ap_5d2c --reach session

    Where the call needs more than a yes at a terminal, you sign it: with a touch of your security key, or with the
    passphrase of your key. See `interlock approver`.
    """
    return _answer(folders, yes=True, **given)


@command.command()
@_answering
@pass_folders
def deny(folders: Folders, /, **given: Any) -> int:
    """Say no to the call that ID stands for, and to its variants in the same session."""
    return _answer(folders, yes=False, **given)


@command.command()
@click.option("--once", is_flag=True, help="Print what waits, and end.")
@click.option("--every", default=1.0, show_default=True, type=click.FloatRange(0.1, 60), help="Seconds between looks.")
@_url
@pass_folders
def watch(folders: Folders, once: bool, every: float, url: str | None) -> int:
    """Show what waits as it comes, and answer it with a key.

    A question is answered from a screen of its own that shows the whole call. It can be approved once its last line
    was shown; each answer takes a second key.

    \b
    Keys in the list: up and down choose, enter reads it, a approves, d denies, p previews, q ends.
    Keys in a question: space and b turn pages, a approves, d denies, p previews, y confirms, q goes back.
    """
    return watching(folders, once=once, every=every, url=url)


def _is_elsewhere(url: str | None, team: bool) -> bool:
    """Whether it is about what waits at an HTTP service."""
    if url is not None and team:
        raise InputError("--url and --team are two places; name one")
    return url is not None


def _answer(
    folders: Folders,
    *,
    id: str,
    yes: bool,
    why: str,
    sure: bool,
    team: bool,
    url: str | None,
    database: str,
    as_json: bool,
    unseen: bool = False,
    sign: bool = False,
    key: str | None = None,
    reach: str = ONCE,
    lasting: str = "",
) -> int:
    if lasting and reach == ONCE:
        raise InputError("--for goes with --reach session, folder, repository or everywhere")
    if team and database:
        raise InputError("--team and --database are two stores; give one of them")
    # INVARIANT: whether an agent's host started this is known from the hooks of this machine, wherever the question is.
    refuse_a_program(Ledger(folders.ledger, front=_FRONT), asks=not sure)
    if _is_elsewhere(url, team):
        if sign or key is not None:
            raise InputError("an answer over HTTP is given with a token and not signed; leave out --sign and --key")

        return answer_over_http(folders, str(url), id, yes=yes, why=why, sure=sure, as_json=as_json, unseen=unseen)
    ledger = _ledger(folders, database)
    if team:
        if reach != ONCE:
            raise InputError("--reach is for questions of this machine; one of the team is answered for its one call")
        by = answerer()
        return answer_as_team(
            folders, id, yes=yes, why=why, sure=sure, by=by, as_json=as_json, sign=sign, key=key, unseen=unseen
        )
    asked = one_question(ledger, id)
    if not sure and asked.is_open:
        refused = why_not_answered(asked, yes=yes)
        if refused is not None:
            raise ApprovalError(refused)
        offer = offer_of(asked, reach)
        shown = lambda wide: [*question_lines(ledger, asked, wide), *reach_lines(offer, wide)]
        if not confirmed(asked.question.id, asked.body, shown, yes=yes):
            raise click.Abort
        unseen = unseen or (yes and confirmed_unseen(asked.hidden))
        asked = one_question(ledger, asked.question.id)  # it may have died while it was read
    elif sure and yes and asked.question.id != id:
        raise ApprovalError(f"with --yes nothing is shown, so write the whole id: {asked.question.id}")
    signed = None
    if yes:
        if not unseen and (refused := why_not_unseen(asked)) is not None:
            raise ApprovalError(f"{refused}: add --hidden")

        signed = signed_answer(folders, ledger, asked, always=sign, key=key)
    person = person_answering(folders, asked, signed)
    gives: tuple[GivenGrant, ...] = ()
    if reach == ONCE:
        done = answered(ledger, asked, yes=yes, by=answerer(), person=person, why=why, signed=signed, unseen=unseen)
    else:
        from .signing import signing_with

        done, gives = answered_for(
            folders,
            ledger,
            asked,
            reach=reach,
            by=answerer(),
            person=person,
            why=why,
            signed=signed,
            sign=signing_with(key, folders.home),
            lasts=milliseconds(lasting) if lasting else LASTS,
            terminal=terminal(),
            unseen=unseen,
        )
    if as_json:
        click.echo(json.dumps({**done.as_dict(), "gave": [facts_of(given) for given in gives]}))
    else:
        from .asked import told

        click.echo(told(done))
        for given in gives:
            click.echo(f"given: {given.grant.id}; take it back with: interlock grants revoke {given.grant.id}")
    return 0


def _ledger(folders: Folders, database: str) -> Ledger:
    return made_by(folders, database)(_FRONT, LOCK_QUEUE_SECONDS)


def offer_of(asked: Asked, reach: str) -> Offer:
    """What a yes of this reach would cover. ApprovalError where it cannot be had."""
    offer = next(one for one in offers_for(asked) if one.reach == reach)
    if offer.refused:
        raise ApprovalError(f"{asked.question.id} cannot be approved for more than this call: {offer.refused}")
    return offer
