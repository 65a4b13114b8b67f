"""Approvals for a person at a terminal: the list, and one question with all that it binds.

All text from outside is made harmless first. The call has whole lines to itself, however narrow the window is.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from ..approve.lifecycle import APPROVED, HALFWAY
from ..approve.reaches import Offer
from ..calls.world import Outcome
from ..follow.recalled import outcome_kept
from ..store.ledger.ledger import Ledger
from ..store.people.answering import Asked
from ..store.people.offers import offers_for
from ..words.hidden import hidden_words
from ..words.question import beginning, bound_fields, holder_words, needs_words, said_words
from ..words.whole_call import call_lines, fitted, shortened, visible
from .explain import show_outcome_in_full
from .pages import read_to_the_end, window
from .rows import moment
from .show import console

__all__ = [
    "ROWS",
    "confirmed",
    "confirmed_unseen",
    "entry",
    "field_lines",
    "hidden_lines",
    "named",
    "question_lines",
    "reach_lines",
    "show_asked",
    "show_list",
    "told",
]

ROWS = 3  # lines that a question takes in a list
_COLOURS = {
    "pending": "yellow", "halfway": "yellow", "approved": "green", "denied": "red", "redeemed": "green",
    "expired": "dim", "closed": "dim", "dead": "red", "applied": "green",
}  # fmt: skip
_WIDE = 100_000  # columns where nobody's window is narrow


def entry(asked: Asked, columns: int, *, chosen: bool = False) -> list[Text]:
    """A question in a list: how it stands, for whom, and the beginning of the call."""
    question = asked.question
    again = f", reminder {asked.reminders}" if asked.reminders else ""
    until = "" if question.expires == 0 else f"  until {moment(question.expires)}"
    head = f"{question.id}  {asked.standing}{again}{until}"
    where = f"{asked.dead}; " if asked.dead is not None else ""
    about = f"{where}for {holder_words(asked.body)} in {asked.body['folder']}"
    return [
        Text(shortened(f"{'> ' if chosen else '  '}{head}", columns), style=_COLOURS[asked.standing]),
        Text(f"    {shortened(about, columns - 4)}", style="dim"),
        Text(f"    {shortened(beginning(asked.body), columns - 4)}", style="bold" if chosen else ""),
    ]


def show_list(found: Sequence[Asked]) -> None:
    out = console()
    columns = window()[0] if out.is_terminal else _WIDE
    for asked in found:
        for line in entry(asked, columns):
            out.print(line)
    if not found:
        out.print(Text("nothing waits for an answer"))


def show_asked(ledger: Ledger, asked: Asked) -> None:
    """All of it, as far as the window scrolls."""
    columns = window()[0] if os.isatty(1) else _WIDE
    click.echo("\n".join(question_lines(ledger, asked, columns)))


def question_lines(ledger: Ledger, asked: Asked, columns: int) -> list[str]:
    """The whole call, what would happen as `interlock explain` tells it, and everything that the approval binds."""
    question = asked.question
    lines = [f"{question.id}  {question.status}"]
    if asked.dead is not None:
        lines += fitted(f"dead: {asked.dead}; it can no longer fire", columns)
    lines += ["", *call_lines(str(asked.body["tool"]), asked.input, columns), *hidden_lines(asked.hidden, columns), ""]
    with ledger.looking() as view:
        outcome = outcome_kept(view, str(asked.body["receipt"]))
    if outcome is None:
        lines.append("the decision that asked is no longer in the ledger: what was read of the call cannot be shown")
    else:
        lines += _explained(outcome, columns)
    lines += ["", *field_lines("it binds:", bound_fields(asked.body), columns)]
    until = moment(question.expires) if question.expires else "it is answered"
    needs = needs_words(str(asked.needs), two=asked.needs_two)
    life = [("asked", moment(question.asked)), ("until", until), ("uses", "once"), ("needs", needs)]
    if asked.starter:
        life.append(("started", f"by {asked.starter}"))
    life += [("answer", said_words(said)) for said in asked.answers]
    return [*lines, *field_lines("", [*life, *_offered(asked)], columns)]


def field_lines(title: str, fields: Sequence[tuple[str, str]], columns: int) -> list[str]:
    lines = [title] if title else []
    for name, value in fields:
        pieces = [piece for part in value.split("\n") for piece in fitted(visible(part), max(20, columns - 11))]
        lines += [f"  {name if at == 0 else '':8} {piece}" for at, piece in enumerate(pieces)]
    return lines


def reach_lines(offer: Offer, columns: int) -> list[str]:
    """What a yes would permit beyond the one call; nothing where it permits no more."""
    return ["", *field_lines("", [("covers", "\n".join(offer.covers))], columns)] if offer.grants else []


def _offered(asked: Asked) -> list[tuple[str, str]]:
    """The reaches that a yes could have, for whoever looks at an open question."""
    if not asked.is_open:
        return []
    offers = offers_for(asked)
    given = [f"--reach {offer.reach}: {'; '.join(offer.covers)}" for offer in offers if offer.grants]
    return [("reach", "\n".join(given) or f"once only: {offers[-1].refused}")]


def _explained(outcome: Outcome, columns: int) -> list[str]:
    out = Console(file=io.StringIO(), width=min(columns, 240), highlight=False, color_system=None)
    show_outcome_in_full(outcome, [], out)
    text = out.file.getvalue()  # type: ignore[attr-defined]
    return [piece for line in text.split("\n") for piece in fitted(line.rstrip(), columns)]


def confirmed(id: str, body: Mapping[str, Any], lines: Any, *, yes: bool) -> bool:
    """Shows the question to its end, and asks the person whether they mean just this. `lines`: for so many columns."""
    if not read_to_the_end(lines):
        return False
    click.echo()
    return click.confirm(named(id, body, yes=yes))


def hidden_lines(hidden: int, columns: int) -> list[str]:
    """What a person does not see of the call, below it."""
    return fitted(f"{hidden_words(hidden)}.", columns) if hidden else []


def confirmed_unseen(hidden: int) -> bool:
    """Asks the person whether their yes counts for what is hidden as well. click.Abort where it does not."""
    if hidden and not click.confirm(f"{hidden_words(hidden)}. Approve all the same?"):
        raise click.Abort
    return hidden > 0


def named(id: str, body: Mapping[str, Any], *, yes: bool) -> str:
    """The question back, which names what is answered."""
    return f"{'approve' if yes else 'deny'} {id}: {shortened(beginning(body), 60)}?"


def told(asked: Asked) -> str:
    question = asked.question
    what = f"{shortened(beginning(asked.body), 60)} ({question.id})"
    if question.status == APPROVED:
        return f"approved until {moment(question.expires)}: {what}; it fires once, when the same call comes again"
    if question.status == HALFWAY:
        return f"one yes of two until {moment(question.expires)}: {what}; it waits for another person"
    return f"{question.status}: {what}"
