"""A person's side of approvals: what is asked, in full, and an answer to it.

Only a surface calls this, after it made sure who is there. An answer to something unknown, over or answered already
says so and changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..approve.lifecycle import EXPIRED, Question, answer, expire, is_open, reminders
from ..errors import ApprovalError, InputError, StoreError
from ..policy.model import OnTimeout
from ..record.canon import canonical
from ..record.redact import redact
from ..record.sessions import session_from_wire, session_to_wire
from ..record.strict import parse_object
from ..session import remember_refusal
from . import sql
from .approvals import asked_row, find, move, note_reminder, said
from .ledger import Ledger, Turn

__all__ = ["Asked", "answered", "every_question", "hooks_that_ran", "one_question", "remind"]

_MINUTE = 60_000
_RECENT = 1000  # of the rows that name a hook's parent: more processes than that do not live at once


class Asked:
    """A question as a person sees it: how it stands now, what was asked, what was answered."""

    def __init__(self, question: Question, body: Mapping[str, Any], said: Mapping[str, Any] | None, now: int) -> None:
        self.question = expire(question, now)
        self.body = body
        self.said = said
        self.now = now

    @property
    def is_open(self) -> bool:
        return is_open(self.question, self.now)

    @property
    def reminders(self) -> int:
        if self.body["on_timeout"] != OnTimeout.REMIND.name:
            return 0
        return reminders(self.question, self.now, int(self.body["timeout"]) * _MINUTE)

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.question.id,
            "status": self.question.status,
            "tool": self.body["tool"],
            "subject": self.body["subject"],
            "folder": self.body["folder"],
            "session": self.body["session"],
            "run": self.body["run"],
            "asked": self.question.asked,
            "expires": self.question.expires or None,
            "reminders": self.reminders,
            "reasons": list(self.body["reasons"]),
            "receipt": self.body["receipt"],
            "policy": self.body["policy"],
            "scripts": list(self.body["scripts"]),
            "row": self.question.seq,
            "answer": None if self.said is None else {key: self.said.get(key) for key in ("answer", "by", "why")},
        }


def every_question(ledger: Ledger, *, over: bool = False) -> list[Asked]:
    """What waits for an answer, oldest first; with `over` also what waits no more."""
    if not os.path.exists(ledger.path):
        return []
    with ledger.deciding() as turn:
        found = [_asked(turn, Question.in_order(*row)) for row in list(turn.database.rows(sql.APPROVALS))]
    return [asked for asked in found if over or asked.is_open]


def remind(ledger: Ledger, asked: Asked) -> None:
    """Keeps that a person was reminded of what still waits."""
    with ledger.deciding(str(asked.body["session"])) as turn:
        kept = find(turn, asked.question.id)
        if kept is not None and kept.seq == asked.question.seq and is_open(kept, turn.at):
            note_reminder(turn, kept, int(asked.body["timeout"]))


def one_question(ledger: Ledger, name: str) -> Asked:
    """The question with this id or the beginning of it. ApprovalError where there is none, or more than one."""
    found = [asked for asked in every_question(ledger, over=True) if asked.question.id.startswith(name)]
    exact = [asked for asked in found if asked.question.id == name]
    if not name or not (exact or found):
        raise ApprovalError(f"nobody has asked for an approval `{name[:60]}`; see: interlock approvals list --all")
    if not exact and len(found) > 1:
        raise ApprovalError(f"`{name[:60]}` is the beginning of {len(found)} approvals; write more of it")
    return (exact or found)[0]


def answered(ledger: Ledger, shown: Asked, *, yes: bool, by: str, why: str, where: str = "terminal") -> Asked:
    """Answers just what was shown, from a surface that may. A no is remembered for the session that asked."""
    surfaces = shown.body.get("where", (where,))
    if yes and where not in surfaces:
        raise ApprovalError(f"{shown.question.id} is approved by {', '.join(surfaces)} only, as the policy says")
    with ledger.deciding(str(shown.body["session"])) as turn:
        kept = find(turn, shown.question.id)
        if kept is None or kept.seq != shown.question.seq:
            raise ApprovalError(f"{shown.question.id} was asked anew since it was shown; look at it again")
        after = expire(kept, turn.at)
        if kept.status == after.status:
            after = answer(kept, yes=yes, at=turn.at, counts_for=int(shown.body["timeout"]) * _MINUTE)
            state = None if yes else _with_no(turn, shown.body["refusal"])
            move(turn, kept, after, {"by": by, "why": redact(why)}, state=state)
        else:  # the time was over before anybody noticed
            move(turn, kept, after, {"by": "timeout"})
        result = _asked(turn, after)
    if after.status == EXPIRED:
        raise ApprovalError(f"{kept.id} is expired already; this answer came too late and changes nothing")
    return result


def _with_no(turn: Turn, keys: tuple[str, ...]) -> bytes | None:
    """The state of the session that asked, with the no in it: variants are denied and not asked again."""
    if turn.state is None:
        return None
    try:
        wire: Any = parse_object(turn.state, limit=len(turn.state) + 1)
        session = remember_refusal(session_from_wire(wire["session"]), tuple(keys))
    except (InputError, KeyError, TypeError) as error:
        raise StoreError(f"the kept state of the session cannot be read: {error}") from None
    return canonical({**wire, "session": session_to_wire(session)})


def hooks_that_ran(ledger: Ledger) -> list[tuple[int, int]]:
    """The processes that started hooks lately, each with its beginning."""
    if not os.path.exists(ledger.path):
        return []
    statement = "SELECT body FROM ledger WHERE kind IN ('session', 'prompt') ORDER BY seq DESC LIMIT ?"
    found = set()
    for (body,) in ledger.connect().rows(statement, (_RECENT,)):
        try:
            parent: Any = parse_object(body, limit=len(body) + 1).get("parent")
        except InputError:
            continue  # `audit verify` tells; here only what can be read counts
        if type(parent) is tuple and len(parent) == 2:
            found.add((int(parent[0]), int(parent[1])))
    return sorted(found)


def _asked(turn: Turn, question: Question) -> Asked:
    return Asked(question, asked_row(turn, question), said(turn, question), turn.at)
