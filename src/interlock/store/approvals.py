"""Approvals in the ledger: a question is asked once, answered once and redeemed once, each in one transaction.

`weighed` is the part of a decision: it looks at what a person has said of this very call. `answer` is the part of
a person's surface. The table of approvals is there for speed; what it says is believed only as far as the rows
behind it say the same.
"""

from __future__ import annotations

from ..approve.approval import approval_for
from ..approve.grant import Grant
from ..approve.keys import refusal_of
from ..approve.lifecycle import (
    APPROVED,
    DENIED,
    EXPIRED,
    PENDING,
    REDEEMED,
    Question,
    expire,
    is_open,
    redeem,
    reminders,
)
from ..errors import ApprovalError, StoreError
from ..policy.model import OnTimeout
from ..posture import Posture
from ..record.canon import canonical
from ..record.chain import row_hash
from ..record.redact import redacted
from ..record.strict import parse_object
from ..session import Session, remember_refusal
from ..value import TYPE_CHECKING
from ..verdict import Verdict
from . import sql

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..decision import Decision
    from ..runtime import Outcome
    from .ledger import Turn

    Again = Callable[[Session, tuple[Grant, ...]], Outcome]

__all__ = ["asked_row", "find", "keep", "move", "note_reminder", "opens_again", "said", "weighed"]

_MINUTE = 60_000


def weighed(
    turn: Turn, outcome: Outcome, session: Session, proof: str | None, again: Again
) -> tuple[Outcome, Question | None]:
    """The decision with what a person has said of this call, and the question that has to be kept with it, if any.

    The policy has just been evaluated; `again` evaluates it once more, with the approval or with what stands against
    asking. Called inside the transaction that records the decision.
    """
    call, policy = outcome.call, outcome.policy
    bound = approval_for(
        outcome.reading, folder=call.cwd, policy=policy.digest, session=call.session, run=session.label
    )
    kept = find(turn, bound.id)
    if kept is not None and kept.status == APPROVED:
        fired = _redeemed(turn, kept, session, proof, again)
        if fired is not None:
            return fired, kept.replace(status=REDEEMED)
    if kept is not None and expire(kept, turn.at).status == EXPIRED and kept.status == PENDING:
        kept = move(turn, kept, expire(kept, turn.at), {"by": "timeout"})
    owner = call.kept_session
    if kept is not None and owner and asked_row(turn, kept).get("session") == owner:
        if kept.status == DENIED:
            return again(remember_refusal(session, (kept.id,)), ()), None
        if kept.status == EXPIRED and session.posture is Posture.AUTONOMOUS:
            return again(session.replace(asking="unanswered"), ()), None
    if outcome.decision.approval is None:
        return outcome, None
    if kept is not None and is_open(kept, turn.at) and policy.on_timeout is OnTimeout.REMIND:
        note_reminder(turn, kept, policy.timeout)
    if kept is not None and (is_open(kept, turn.at) or _still_counts(kept, turn.at)):
        return (outcome if kept.proof == proof else again(session.replace(asking="differs"), ())), None
    holder = bound.run or owner
    if (turn.database.row(sql.OPEN_APPROVALS, (holder, turn.at)) or (0,))[0] >= policy.max_pending:
        return again(session.replace(asking="crowded"), ()), None
    over = turn.at + policy.timeout * _MINUTE if policy.on_timeout is OnTimeout.DENY else 0
    return outcome, Question(
        id=bound.id, seq=0, holder=holder, status=PENDING, proof=proof, asked=turn.at, expires=over
    )


def note_reminder(turn: Turn, kept: Question, minutes: int) -> int:
    """Keeps that a person should be reminded, once for each time it is due; how often it is by now."""
    due = reminders(kept, turn.at, minutes * _MINUTE)
    last = turn.find(kept.id, "reminder")
    known = 0
    if last is not None and last[0] > kept.seq:
        body = _body(turn, last)
        known = body["count"] if body.get("prompt") == kept.seq else 0
    if due > known:
        turn.append("reminder", canonical({"count": due, "prompt": kept.seq}), key=kept.id, session=turn.id)
    return due


def _still_counts(question: Question, at: int) -> bool:
    return question.status == APPROVED and (question.expires == 0 or at < question.expires)


def _redeemed(turn: Turn, kept: Question, session: Session, proof: str | None, again: Again) -> Outcome | None:
    """The decision under the approval, if that is what lets the call through."""
    try:
        redeem(kept, proof=proof, at=turn.at)
    except ApprovalError:
        return None
    answered = said(turn, kept)
    if answered is None or answered.get("answer") != APPROVED:
        raise StoreError(f"the approval {kept.id} in `{turn.ledger.path}` does not follow from its rows")
    once = Grant(id=kept.id, kind="once", binds=kept.id, reach="once", by=str(answered.get("by", "")))
    outcome = again(session, (once,))
    return outcome if outcome.decision.verdict is Verdict.ALLOW and once in outcome.decision.used else None


def keep(turn: Turn, question: Question, outcome: Outcome, *, parent: tuple[int, int] | None) -> None:
    """Writes down what `weighed` found: a new question, or that an approval was used. After the decision's row."""
    if question.status == REDEEMED:
        used = {"prompt": question.seq, "receipt": outcome.receipt}
        before = question.replace(status=APPROVED)
        if _moved(turn, before, question) != 1:
            raise StoreError(f"the approval {question.id} was used by somebody else")
        turn.append("redemption", canonical(used), key=question.id, session=outcome.call.kept_session)
        return
    call, policy = outcome.call, outcome.policy
    asks = [finding for finding in outcome.decision.reasons if finding.verdict is Verdict.ASK]
    body = {
        "expires": question.expires,
        "folder": call.cwd,
        "host": call.host,
        "on_timeout": policy.on_timeout.name,
        "parent": parent,
        "policy": policy.digest,
        "reasons": [finding.text for finding in asks],
        "receipt": outcome.receipt,
        "refusal": refusal_of(asks, outcome.reading.actions, question.id),
        "run": outcome.body["session"].get("label", ""),
        "scripts": outcome.reading.scripts,
        "session": call.kept_session,
        "subject": _subject(call.input),
        "surfaces": policy.approvers,
        "timeout": policy.timeout,
        "where": policy.approvers,
        "tool": call.tool,
    }
    old = turn.database.row(sql.APPROVAL, (question.id,))
    seq = turn.append("prompt", canonical(body), key=question.id, proof=question.proof, session=call.kept_session)
    fields = (seq, question.holder, question.status, question.proof, question.asked, question.expires)
    if old is None:
        turn.database.run(sql.ADD_APPROVAL, (question.id, *fields))
    else:
        turn.database.run(sql.RENEW_APPROVAL, (*fields, question.id, old[1]))


def _subject(given: Mapping[str, Any]) -> str:
    """The text of a call that says most about it, for a list."""
    clean: Any = redacted(given)
    for name in ("command", "file_path", "path", "url", "notebook_path"):
        if type(clean.get(name)) is str:
            return str(clean[name])[:200]
    return next((str(value)[:200] for value in clean.values()), "")


def opens_again(turn: Turn, decision: Decision) -> bool:
    """Whether the same attempt is decided anew: it waited and was answered, or it used what can be used only once."""
    if any(grant.kind == "once" for grant in decision.used):
        return True
    if decision.approval is None:
        return False
    kept = find(turn, decision.approval)
    return kept is not None and not is_open(kept, turn.at)


def find(turn: Turn, id: str) -> Question | None:
    row = turn.database.row(sql.APPROVAL, (id,))
    return None if row is None else Question.in_order(*row)


def asked_row(turn: Turn, question: Question) -> Mapping[str, Any]:
    """What was asked. A row that was changed, or is not there, is an error."""
    row = turn.database.row(sql.BY_SEQ, (question.seq,))
    if row is None or (row[1], row[4]) != ("prompt", question.id) or row[7] != question.proof:
        raise StoreError(f"the approval {question.id} in `{turn.ledger.path}` does not follow from its rows")
    return _body(turn, row)


def said(turn: Turn, question: Question) -> Mapping[str, Any] | None:
    """The answer to this question, if there is one."""
    row = turn.find(question.id, "answer")
    if row is None or row[0] < question.seq:
        return None
    body = _body(turn, row)
    return body if body.get("prompt") == question.seq else None


def move(
    turn: Turn, before: Question, after: Question, how: Mapping[str, Any], *, state: bytes | None = None
) -> Question:
    """Keeps an answer, or that there was none, with the session's new `state`. Of many who try, one gets through."""
    if _moved(turn, before, after) != 1:
        raise ApprovalError(
            f"{before.id} was answered by somebody else at the same moment; this answer changes nothing"
        )
    body = {"answer": after.status, "expires": after.expires, "prompt": before.seq, **how}
    turn.append("answer", canonical(body), key=before.id, session=turn.id, state=state)
    return after


def _moved(turn: Turn, before: Question, after: Question) -> int:
    values = (after.status, after.expires, before.id, before.seq, before.status)
    return turn.database.run(sql.MOVE_APPROVAL, values)


def _body(turn: Turn, row: tuple[Any, ...]) -> Mapping[str, Any]:
    if row[-1] != row_hash(row):
        raise StoreError(f"row {row[0]} of `{turn.ledger.path}` was changed")
    return parse_object(row[8], limit=len(row[8]) + 1)
