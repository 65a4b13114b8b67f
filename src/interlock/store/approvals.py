"""Approvals in the ledger: a question is asked once, answered once and redeemed once, each in one transaction.

`weighed` is the part of a decision: it looks at what a person has said of this very call. `answer` is the part of
a person's surface. The table of approvals is there for speed; what it says is believed only as far as the rows
behind it say the same.
"""

from __future__ import annotations

from .. import __version__
from ..approve.approval import COSMETIC, approval_for
from ..approve.grant import Grant
from ..approve.keys import refusal_of
from ..approve.lifecycle import (
    APPROVED,
    DENIED,
    EXPIRED,
    PENDING,
    REDEEMED,
    Question,
    close,
    expire,
    is_live,
    is_open,
    redeem,
    reminders,
)
from ..errors import ApprovalError, StoreError
from ..limits import MAX_ASKED_BYTES
from ..policy.model import OnTimeout
from ..posture import Posture
from ..record.canon import canonical
from ..record.chain import row_hash
from ..record.redact import redacted
from ..record.strict import parse_object
from ..session import Session, remember_refusal
from ..value import TYPE_CHECKING
from ..verdict import Strength, Verdict
from . import sql

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..approve.approval import Approval
    from ..decision import Decision
    from ..record.chain import Row
    from ..runtime import Outcome
    from .ledger import Turn

    Again = Callable[[Session, tuple[Grant, ...]], Outcome]

__all__ = [
    "asked_row",
    "find",
    "keep",
    "move",
    "needed_by",
    "note_reminder",
    "opens_again",
    "said",
    "settled_in_host",
    "weighed",
]

_MINUTE = 60_000
_SUBJECT = 200  # characters


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
    owner = call.kept_session
    holder = bound.run or owner
    live, last, closed = _questions_about(turn, bound, holder)
    if closed:  # the id of the question says how many came before it
        session = session.replace(asked_before=closed)
        outcome = again(session, ())
    if live is not None and live.status == APPROVED:
        strength, why = _strength(turn, live, outcome)
        fired = _redeemed(turn, live, session, proof, again, strength)
        if fired is not None:
            return fired
        if strength < needed_by(outcome.decision):  # it was said before that much was needed; it can never fire
            move(turn, live, close(live), {"by": "strength", "why": f"the yes is too weak: {why}"})
            closed = int(asked_row(turn, live).get("closed", 0)) + 1
            live = None
            session = session.replace(asked_before=closed)
            outcome = again(session, ())
    if live is None and last is not None and owner and asked_row(turn, last).get("session") == owner:
        if last.status == DENIED:
            return again(remember_refusal(session, (bound.first,)), ()), None
        if last.status == EXPIRED and session.posture is Posture.AUTONOMOUS:
            return again(session.replace(asking="unanswered"), ()), None
    if outcome.decision.approval is None:
        return outcome, None
    if live is not None and live.status == PENDING and policy.on_timeout is OnTimeout.REMIND:
        note_reminder(turn, live, policy.timeout)
    if live is not None:
        return (outcome if live.proof == proof else again(session.replace(asking="differs"), ())), None
    if (turn.database.row(sql.OPEN_APPROVALS, (holder, turn.at)) or (0,))[0] >= policy.max_pending:
        return again(session.replace(asking="crowded"), ()), None
    over = turn.at + policy.timeout * _MINUTE if policy.on_timeout is OnTimeout.DENY else 0
    return outcome, Question(
        id=bound.replace(closed=closed).id,
        seq=0,
        holder=holder,
        status=PENDING,
        proof=proof,
        asked=turn.at,
        expires=over,
    )


def _questions_about(turn: Turn, bound: Approval, holder: str) -> tuple[Question | None, Question | None, int]:
    """The question about this that is still live, the last one that is closed, and how many are closed by now.

    One whose time is over is closed on the way.
    """
    newest = _newest(turn, bound, holder)
    if newest < 0:
        return None, None, 0
    kept = find(turn, bound.replace(closed=newest).id)
    if kept is None:
        raise StoreError(f"the approvals in `{turn.ledger.path}` changed while they were read")
    if kept.status == PENDING and expire(kept, turn.at).status == EXPIRED:
        kept = move(turn, kept, expire(kept, turn.at), {"by": "timeout"})
    if is_live(kept, turn.at):
        return kept, None, newest
    return None, kept, newest + 1


def _newest(turn: Turn, bound: Approval, holder: str) -> int:
    """The number of the newest question about this; -1 where there is none. A few lookups, however many there were."""

    def is_kept(number: int) -> bool:
        return find(turn, bound.replace(closed=number).id) is not None

    first = turn.database.row("SELECT MIN(seq) FROM ledger")
    if first is not None and (first[0] or 1) > 1:  # pruned: older questions may be gone while a younger one is open
        for row in list(turn.database.rows(sql.HELD_APPROVALS, (holder,))):
            number = int(asked_row(turn, Question.in_order(*row)).get("closed", 0))
            if bound.replace(closed=number).id == row[0]:
                return number
    if not is_kept(0):
        return -1
    low, high = 0, 1  # `low` is kept
    while is_kept(high):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_kept(middle) else (low, middle)
    return low


def note_reminder(turn: Turn, kept: Question, minutes: int) -> int:
    """Keeps that a person should be reminded, once for each time it is due; how often it is by now."""
    due = reminders(kept, turn.at, minutes * _MINUTE)
    last = turn.find(kept.id, "reminder")
    known = 0
    if last is not None and last.seq > kept.seq:
        body = _body(turn, last)
        known = body["count"] if body.get("prompt") == kept.seq else 0
    if due > known:
        turn.append("reminder", canonical({"count": due, "prompt": kept.seq}), key=kept.id, session=turn.id)
    return due


def needed_by(decision: Decision) -> Strength:
    """How strong a yes this decision waits for."""
    found = [finding.rule for finding in decision.reasons if finding.layer == "strength"]
    return Strength.of(found[0]) if found else Strength.WEAK


def _strength(turn: Turn, kept: Question, outcome: Outcome) -> tuple[Strength, str]:
    answered = said(turn, kept)
    if answered is None or "signature" not in answered:
        return Strength.WEAK, "it is not signed"
    # INVARIANT: a signature is for what the row showed. A row of a forging program may show another call.
    if canonical(_shown(asked_row(turn, kept))) != canonical(_shown(_facts(outcome))):
        return Strength.WEAK, "the question showed another call than this"
    policy = outcome.policy
    from .approvers import strength_of_answer

    return strength_of_answer(turn, kept, answered, policy)


def _shown(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What a question shows of its call, without what may differ when the call comes again."""
    given = asked.get("input")
    if given is not None:
        given = {name: value for name, value in given.items() if name not in COSMETIC.get(str(asked.get("tool")), ())}
    names = ("agent_type", "folder", "host", "scripts", "sends", "tool")
    return {"input": given, **{name: asked.get(name) for name in names}}


def _facts(outcome: Outcome) -> dict[str, Any]:
    call, reading = outcome.call, outcome.reading
    return {
        "agent_type": call.agent_type,
        "folder": call.cwd,
        "host": call.host,
        "input": redacted(call.input),
        "scripts": reading.scripts,
        "sends": reading.sends,
        "tool": call.tool,
    }


def _redeemed(
    turn: Turn, kept: Question, session: Session, proof: str | None, again: Again, strength: Strength
) -> tuple[Outcome, Question] | None:
    """The decision under the approval and the question after it, if that is what lets the call through."""
    try:
        used = redeem(kept, proof=proof, at=turn.at)
    except ApprovalError:
        return None
    answered, before = said(turn, kept), turn.find(kept.id, "redemption")
    is_used = before is not None and _body(turn, before).get("prompt") == kept.seq
    if answered is None or answered.get("answer") != APPROVED or is_used:
        raise StoreError(f"the approval {kept.id} in `{turn.ledger.path}` does not follow from its rows")
    once = Grant(
        id=kept.id, kind="once", binds=kept.id, reach="once", by=str(answered.get("by", "")), strength=strength
    )
    outcome = again(session, (once,))
    fires = outcome.decision.verdict is Verdict.ALLOW and once in outcome.decision.used
    return (outcome, used) if fires else None


def keep(turn: Turn, question: Question, outcome: Outcome, *, root: str, parent: tuple[int, int] | None) -> None:
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
    given: Any = redacted(call.input)
    whole = len(canonical(given)) <= MAX_ASKED_BYTES
    first = approval_for(
        outcome.reading,
        folder=call.cwd,
        policy=policy.digest,
        session=call.session,
        run=outcome.body["session"].get("label", ""),
    )
    body = {
        "agent": call.agent,
        "agent_type": call.agent_type,
        "closed": outcome.body["session"].get("asked_before", 0),
        "engine": __version__,
        "expires": question.expires,
        "folder": call.cwd,
        "host": call.host,
        "input": given if whole else None,
        "needs": needed_by(outcome.decision).name,
        "on_timeout": policy.on_timeout.name,
        "parent": parent,
        "planned": policy.planned is not None,
        "policy": policy.digest,
        "reasons": [finding.text for finding in asks],
        "receipt": outcome.receipt,
        "refusal": refusal_of(asks, outcome.reading.actions, first.id),
        "root": root,
        "run": outcome.body["session"].get("label", ""),
        "scripts": outcome.reading.scripts,
        "sends": outcome.reading.sends,
        "session": call.kept_session,
        "subject": _subject(given),
        "surfaces": policy.approvers or ("terminal",),
        "timeout": policy.timeout,
        "where": policy.approvers or ("terminal",),
        "tool": call.tool,
    }
    seq = turn.append("prompt", canonical(body), key=question.id, proof=question.proof, session=call.kept_session)
    fields = (seq, question.holder, question.status, question.proof, question.asked, question.expires)
    turn.database.run(sql.ADD_APPROVAL, (question.id, *fields))


def _subject(given: Mapping[str, Any]) -> str:
    """The text of a call that says most about it, for a list. What is cut says so."""
    for name in ("command", "file_path", "path", "url", "notebook_path"):
        if type(given.get(name)) is str:
            return _shortened(str(given[name]))
    return next((_shortened(str(value)) for value in given.values()), "")


def _shortened(text: str) -> str:
    return text if len(text) <= _SUBJECT else f"{text[:_SUBJECT]}… [cut, {len(text)} characters]"


def settled_in_host(turn: Turn, id: str) -> None:
    """The person answered in the host's own dialog, and the call has run: the question here is closed, if it waits."""
    kept = find(turn, id)
    if kept is not None and is_live(kept, turn.at):
        move(turn, kept, close(kept), {"by": "host", "why": "it was answered in the host's own dialog"})


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
    row = turn.database.entry(sql.BY_SEQ, (question.seq,))
    if row is None or (row.kind, row.key) != ("prompt", question.id) or row.proof != question.proof:
        raise StoreError(f"the approval {question.id} in `{turn.ledger.path}` does not follow from its rows")
    return _body(turn, row)


def said(turn: Turn, question: Question) -> Mapping[str, Any] | None:
    """The answer to this question, if there is one."""
    row = turn.find(question.id, "answer")
    if row is None or row.seq < question.seq:
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


def _body(turn: Turn, row: Row) -> Mapping[str, Any]:
    if row.hash != row_hash(row):
        raise StoreError(f"row {row.seq} of `{turn.ledger.path}` was changed")
    return parse_object(row.body, limit=len(row.body) + 1)
