"""A recorded decision, explained as `interlock explain` explains a new one: why it asked, or why it did not.

People mostly want to understand the newest prompt, so `--last` finds it. Nothing is decided anew under today's
policy: what is shown follows from the row alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..calls.world import Outcome
from ..follow.recalled import input_kept, outcome_from
from ..history.recorded import subject_of
from ..model.errors import InputError, StoreError
from ..model.session import Session
from ..model.verdict import Verdict
from ..record.chain import Row
from ..record.receipt import replay_inputs
from ..store import sql
from ..store.home.folders import Folders
from ..store.ledger.audit import SELECT, entry, find
from ..store.ledger.ledger import Ledger, View
from ..store.ledger.rows import was_enforced
from ..value import Value
from .rows import moment
from .show import harmless

__all__ = ["LAST", "Explained", "explained", "heading"]

LAST = ("prompt", "call")
_NEWEST = f"{SELECT} WHERE kind = 'decision' ORDER BY seq DESC"
_LONGEST = 300  # characters of the call in the heading


class Explained(Value):
    """
    row       number of the decision in the ledger
    since     how many newer decisions of the ledger were allowed; only where the last prompt was looked for
    answered  what a person said to the question, and what became of the call; empty: nothing is recorded
    """

    row: int
    at: int
    session: Session
    outcome: Outcome
    subject: str
    since: int = 0
    answered: tuple[str, ...] = ()

    @property
    def wire(self) -> dict[str, Any]:
        return {"row": self.row, "at": moment(self.at), "session": self.session.id, "then": [*self.answered]}


def explained(folders: Folders, last: str | None, row: str | None) -> Explained:
    """The decision of this row or id, or the newest one: of a prompt or refusal, or of any call."""
    ledger = Ledger(folders.ledger, front="cli:decide")
    with ledger.looking() as view:
        found, since = (_named(view, row), 0) if row is not None else _newest(view, prompts=last == LAST[0])
        entry(found)  # a row whose hash is not its own explains nothing
        given = input_kept(found)
        outcome = outcome_from(view, found, given)
        if outcome is None:
            raise StoreError("the policy that this was decided under is no longer in the ledger")
        outcome = outcome.replace(observed=not was_enforced(found), row=found.seq)
        return Explained(
            row=found.seq,
            at=found.at,
            session=replay_inputs(outcome.body)[2],
            outcome=outcome,
            subject=subject_of(outcome.call.tool, given),
            since=since,
            answered=tuple(_then(view, found, outcome)),
        )


def _named(view: View, name: str) -> Row:
    rows = find(view.database, name)
    approvals = {row.key for row in rows if row.kind in ("prompt", "answer")}
    if len(approvals) == 1:  # the question's own row names the receipt that asked
        asked = view.find(approvals.pop(), "prompt")
        receipt = None if asked is None else json.loads(asked.body).get("receipt")
        rows = [] if receipt is None else find(view.database, str(receipt))
    found = [row for row in rows if row.kind == "decision"]
    if not found:
        raise InputError(f"`{name}` names no decision; `interlock audit tail` lists the newest rows with their numbers")
    if len({row.key for row in found}) > 1:
        raise InputError(f"`{name}` is the beginning of several ids; write more of it")
    return found[0]


def _newest(view: View, *, prompts: bool) -> tuple[Row, int]:
    since = 0
    for row in view.database.entries(_NEWEST, ()):
        if not prompts or _stopped(row):
            return row, since
        since += 1
    raise InputError("no call was asked about or refused yet" if since else "nothing is recorded yet")


def _stopped(row: Row) -> bool:
    verdict = entry(row)["body"]["receipt"]["decision"]["verdict"]
    return bool(verdict != "allow")


def _then(view: View, decision: Row, outcome: Outcome) -> Iterator[str]:
    """What the ledger tells of the question and of the call, oldest first."""
    answers = _about(view, outcome.decision.approval or "", "answer", decision.seq)
    ended = [end for end in _about(view, decision.key, "outcome", decision.seq) if end[1]["decision"] == decision.seq]
    for row, body in answers:
        why = f": {body['why']}" if body.get("why") else ""
        yield harmless(f"{moment(row.at)}  {body['answer']} by {body['by']}{why}")
    for row, body in ended[:1]:
        yield harmless(f"{moment(row.at)}  the call ended: {body['outcome']}")


def _about(view: View, key: str, kind: str, after: int) -> list[tuple[Row, dict[str, Any]]]:
    rows = view.database.entries(sql.ALL_BY_KEY, (key, kind)) if key else ()
    return [(row, entry(row)["body"]) for row in sorted(rows) if row.seq > after]


_SAID = {"allow": "allowed", "ask": "asked about", "deny": "refused"}


def heading(found: Explained) -> list[str]:
    """Which call this is, when it came, and what became of it."""
    outcome = found.outcome
    host = outcome.call.host or "a program"
    decision = outcome.decision
    held = decision.verdict is Verdict.DENY and decision.approval is not None
    said = "held until a person answers" if held else _SAID[decision.verdict.name]
    subject = harmless(found.subject)
    subject = subject if len(subject) <= _LONGEST else f"{subject[:_LONGEST]}…"
    lines = [
        f"row {found.row}, {moment(found.at)}: {said}{', but only observed' if outcome.observed else ''}",
        f"  {subject}",
        f"  from {harmless(host)}, session {harmless(found.session.id or 'none')}",
        *[f"  {line}" for line in found.answered],
    ]
    if found.since:
        calls = "1 newer call was" if found.since == 1 else f"{found.since} newer calls were"
        lines.append(f"  {calls} allowed without a question: interlock explain --last call")
    return lines
