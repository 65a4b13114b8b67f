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

from ..approve.lifecycle import APPROVED
from ..call import Call
from ..record.receipt import decision_from_wire, replay_inputs
from ..runtime import Outcome
from ..store.answering import Asked
from ..store.ledger import Ledger
from ..store.rows import open_decision, open_policy
from ..value import FrozenMap
from .explain import show_outcome_in_full
from .pages import read_to_the_end, window
from .rows import moment
from .show import console
from .whole_call import FIRST, call_lines, fitted, shortened, visible

__all__ = [
    "ROWS",
    "bound_fields",
    "confirmed",
    "entry",
    "field_lines",
    "named",
    "question_lines",
    "show_asked",
    "show_list",
    "told",
]

ROWS = 3  # lines that a question takes in a list
_COLOURS = {
    "pending": "yellow", "approved": "green", "denied": "red", "redeemed": "green", "expired": "dim", "closed": "dim",
    "dead": "red",
}  # fmt: skip
_WIDE = 100_000  # columns where nobody's window is narrow


def entry(asked: Asked, columns: int, *, chosen: bool = False) -> list[Text]:
    """A question in a list: how it stands, for whom, and the beginning of the call."""
    question = asked.question
    again = f", reminder {asked.reminders}" if asked.reminders else ""
    until = "" if question.expires == 0 else f"  until {moment(question.expires)}"
    head = f"{question.id}  {asked.standing}{again}{until}"
    where = f"{asked.dead}; " if asked.dead is not None else ""
    about = f"{where}for {holder_of(asked.body)} in {asked.body['folder']}"
    return [
        Text(shortened(f"{'> ' if chosen else '  '}{head}", columns), style=_COLOURS[asked.standing]),
        Text(f"    {shortened(about, columns - 4)}", style="dim"),
        Text(f"    {shortened(_beginning(asked.body), columns - 4)}", style="bold" if chosen else ""),
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
    lines += ["", *call_lines(str(asked.body["tool"]), asked.input, columns), ""]
    outcome = _outcome(ledger, asked)
    if outcome is None:
        lines.append("the decision that asked is no longer in the ledger: what was read of the call cannot be shown")
    else:
        lines += _explained(outcome, columns)
    lines += ["", *field_lines("it binds:", bound_fields(asked.body), columns)]
    until = moment(question.expires) if question.expires else "it is answered"
    needs = f"a signed yes, {asked.needs} or more" if asked.needs.rank else "a yes at a terminal (weak)"
    life = [("asked", moment(question.asked)), ("until", until), ("uses", "once"), ("needs", needs)]
    if asked.said is not None:
        why = f": {asked.said['why']}" if asked.said.get("why") else ""
        by = f"{asked.said.get('by', '')} ({asked.said.get('strength', 'weak')})"
        life.append(("answer", f"{asked.said['answer']} by {by}{why}"))
    return [*lines, *field_lines("", life, columns)]


def bound_fields(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Everything that has to be the same for the approval to fire."""
    agent = body.get("agent_type") or body.get("agent")
    count = int(body.get("closed", 0))
    return [
        ("call", "the one above, with everything in it that changes what happens"),
        ("effect", "what was read of it: each action and its target"),
        ("folder", str(body["folder"])),
        ("host", str(body["host"]) or "none named"),
        ("agent", f"any agent of the type {agent}" if body.get("agent_type") else agent or "the main agent"),
        ("for", holder_of(body)),
        ("scripts", "\n".join(body["scripts"]) or "none were read"),
        *_sends(body),
        ("policy", str(body["policy"])),
        ("engine", str(body.get("engine", "before 0.3.0"))),
        (
            "number",
            "the first question about this" if not count else f"{count} questions about this were closed before",
        ),
    ]


def _sends(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The commits of a push. What could not be determined is not bound, and a person has to know that."""
    lines = [str(line) for line in body.get("sends", ())]
    told = "some commits could not be determined and are not bound: only the text of the call is"
    unknown = [told] if any(line.startswith("unknown: ") for line in lines) else []
    return [("sends", "\n".join([*lines, *unknown]))] if lines else []


def field_lines(title: str, fields: Sequence[tuple[str, str]], columns: int) -> list[str]:
    lines = [title] if title else []
    for name, value in fields:
        pieces = [piece for part in value.split("\n") for piece in fitted(visible(part), max(20, columns - 11))]
        lines += [f"  {name if at == 0 else '':8} {piece}" for at, piece in enumerate(pieces)]
    return lines


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


def named(id: str, body: Mapping[str, Any], *, yes: bool) -> str:
    """The question back, which names what is answered."""
    return f"{'approve' if yes else 'deny'} {id}: {shortened(_beginning(body), 60)}?"


def told(asked: Asked) -> str:
    question = asked.question
    what = f"{shortened(_beginning(asked.body), 60)} ({question.id})"
    if question.status == APPROVED:
        return f"approved until {moment(question.expires)}: {what}; it fires once, when the same call comes again"
    return f"{question.status}: {what}"


def _beginning(body: Mapping[str, Any]) -> str:
    """The tool and the field that says most, whole; of a call that was not kept, what is there of it."""
    given = body.get("input") or {}
    texts = [given[name] for name in FIRST if isinstance(given.get(name), str)]
    return f"{body['tool']}: {texts[0] if texts else body['subject']}"


def _outcome(ledger: Ledger, asked: Asked) -> Outcome | None:
    """The decision that asked, from its row; None where it was pruned."""
    with ledger.deciding() as turn:
        row = turn.find(str(asked.body["receipt"]), "decision")
        policy = turn.find(str(asked.body["policy"]), "policy")
    if row is None or policy is None:
        return None
    receipt, body = open_decision(row)
    call, reading, _, _ = replay_inputs(body)
    shown = Call(tool=call.tool, input=FrozenMap({}), cwd=call.cwd, session=call.session, host=call.host)
    decision = decision_from_wire(body)
    return Outcome(
        call=shown, reading=reading, decision=decision, policy=open_policy(policy), body=body, receipt=receipt
    )


def holder_of(body: Mapping[str, Any]) -> str:
    """Whom the approval is for."""
    if body["run"]:
        return f"run {body['run']}"
    return f"session {body['session']}" if body["session"] else "this folder"
