"""Approvals for a person at a terminal. All text from outside is made harmless first."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from ..approve.lifecycle import APPROVED
from ..call import Call
from ..record.chain import Row
from ..record.receipt import decision_from_wire, replay_inputs
from ..runtime import Outcome
from ..store.answering import Asked
from ..store.ledger import Ledger
from ..store.rows import open_decision, open_policy
from ..value import FrozenMap
from .explain import show_outcome_in_full
from .rows import moment
from .show import console, harmless

__all__ = ["outcome_of", "show_asked", "show_table", "table_of", "told"]

_COLOURS = {
    "pending": "yellow",
    "approved": "green",
    "denied": "red",
    "redeemed": "green",
    "expired": "dim",
    "closed": "dim",
    "dead": "red",
}
_CUT = 70


def table_of(found: list[Asked], chosen: int | None = None) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False)
    for column in ("", "approval", "is", "for", "call", "until"):
        table.add_column(column, header_style="dim", overflow="fold", no_wrap=column in ("approval", "until"))
    for at, asked in enumerate(found):
        question, body = asked.question, asked.body
        again = f", reminder {asked.reminders}" if asked.reminders else ""
        table.add_row(
            ">" if at == chosen else " ",
            Text(question.id if chosen is None else question.id[:15], style="bold" if at == chosen else ""),
            Text(asked.standing + again, style=_COLOURS[asked.standing]),
            Text(harmless(_for(asked))),
            Text(harmless(f"{body['tool']} {_cut(str(body['subject']))}")),
            Text(_until(asked)),
        )
    return table


def show_table(found: list[Asked]) -> None:
    out = console()
    if not out.is_terminal:  # nobody's window is narrow there
        out.width = 240
    out.print(table_of(found) if found else Text("nothing waits for an answer"))


def show_asked(ledger: Ledger, asked: Asked) -> None:
    """What would happen, as `interlock explain` tells it, and what the approval binds."""
    out = console()
    question, body = asked.question, asked.body
    outcome = _outcome(ledger, asked)
    out.print(Text.assemble((question.id, "bold"), "  ", (question.status, _COLOURS[question.status])))
    if asked.dead is not None:
        out.print(Text(f"dead: {asked.dead}; it can no longer fire", style=_COLOURS["dead"]))
    out.print(Text(f"{harmless(body['tool'])} {harmless(body['subject'])}"))
    out.print()
    if outcome is None:
        out.print(Text("the decision that asked is no longer in the ledger: what was read of the call cannot be shown"))
    else:
        show_outcome_in_full(outcome, [])
    out.print()
    out.print(Text("it binds:"))
    for name, value in (
        ("call", "this one, with everything that changes what happens"),
        ("folder", body["folder"]),
        ("policy", body["policy"]),
        ("engine", body.get("engine", "before 0.3.0")),
        ("agent", body.get("agent_type") or body.get("agent") or "the main agent"),
        ("scripts", "\n           ".join(body["scripts"]) or "none were read"),
        ("for", _for(asked)),
        ("asked", moment(question.asked)),
        ("until", _until(asked)),
        ("uses", "once"),
    ):
        out.print(Text(f"  {name:8} {value if name == 'scripts' else harmless(value)}"))
    if asked.said is not None:
        why = f": {asked.said['why']}" if asked.said.get("why") else ""
        out.print(Text(f"  answer   {asked.said['answer']} by {harmless(asked.said.get('by', ''))}{harmless(why)}"))


def told(asked: Asked) -> str:
    question = asked.question
    if question.status == APPROVED:
        return (
            f"{question.id} is approved until {moment(question.expires)}; it fires once, when the same call comes again"
        )
    return f"{question.id} is {question.status}"


def _outcome(ledger: Ledger, asked: Asked) -> Outcome | None:
    """The decision that asked, from its row; None where it was pruned."""
    with ledger.deciding() as turn:
        row = turn.find(str(asked.body["receipt"]), "decision")
        policy = turn.find(str(asked.body["policy"]), "policy")
    return None if row is None or policy is None else outcome_of(row, policy)


def outcome_of(row: Row, policy: Row) -> Outcome:
    """A decision from its row and that of its policy, as it was when it was made."""
    receipt, body = open_decision(row)
    call, reading, _, _ = replay_inputs(body)
    shown = Call(tool=call.tool, input=FrozenMap({}), cwd=call.cwd, session=call.session, host=call.host)
    decision = decision_from_wire(body)
    return Outcome(
        call=shown, reading=reading, decision=decision, policy=open_policy(policy), body=body, receipt=receipt
    )


def _for(asked: Asked) -> str:
    if asked.body["run"]:
        return f"run {asked.body['run']}"
    return f"session {asked.body['session']}" if asked.body["session"] else "this folder"


def _until(asked: Asked) -> str:
    return moment(asked.question.expires) if asked.question.expires else "answered"


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else text[: _CUT - 1] + "…"
