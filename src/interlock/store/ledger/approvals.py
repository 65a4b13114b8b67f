"""Approvals in the ledger: a question is asked once, answered once and redeemed once, each in one transaction.

What a decision hangs on is looked up by `asked_before` and weighed elsewhere (`approve/weigh.py`); `keep` and `used`
write down what came of it. The table of approvals is there for speed; what it says is believed only as far as the
rows behind it say the same.
"""

from __future__ import annotations

from ... import __version__
from ...approve.approval import COSMETIC, approval_for, asks_of
from ...approve.keys import refusal_of, refused_keys
from ...approve.lifecycle import APPLIED, APPROVED, DENIED, Question, close, expire, is_live, is_open, reminders
from ...approve.reaches import stands_for
from ...approve.standing import Asked
from ...approve.strength import needed_by, needs_two
from ...bytes.canon import canonical
from ...bytes.redact import redacted
from ...bytes.strict import parse_object
from ...limits import MAX_ANSWER_CHARS, MAX_ASKED_BYTES, MAX_REFUSALS
from ...model.errors import ApprovalError, StoreError
from ...model.verdict import Strength, Verdict
from ...record.chain import row_hash
from ...record.receipt import grant_to_wire
from ...value import TYPE_CHECKING, lazy
from .. import sql

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...approve.approval import Approval
    from ...approve.standing import Case, Move
    from ...bytes.masked import masked
    from ...calls.world import Outcome
    from ...model.decision import Decision, Finding
    from ...policy.model import Policy
    from ...record.chain import Row
    from ..people.approvers import strength_of_answer
    from ..people.pairs import who_said_yes
    from .ledger import Turn, View
else:
    masked = lazy(globals(), "...bytes.masked", "masked")
    strength_of_answer = lazy(globals(), "..people.approvers", "strength_of_answer")
    who_said_yes = lazy(globals(), "..people.pairs", "who_said_yes")

__all__ = [
    "ELICITATION",
    "HOST",
    "answers_to",
    "asked_before",
    "asked_row",
    "find",
    "is_reminder_due",
    "keep",
    "keep_reminder",
    "move",
    "note_reminder",
    "opens_again",
    "said",
    "settled_in_host",
    "subject_of",
    "used",
]

ELICITATION, HOST = "elicitation", "host"  # surfaces: a client's dialog of the relay, and one of ours in the host
_MINUTE = 60_000
_SUBJECT = 200  # characters
_NEW = "New since this was last asked: {}"


def asked_before(view: View, case: Case, starter: str = "") -> Asked:
    """What was asked about this very call, and what was said. A row that was changed, or is not there, is an error.

    `starter` is who runs the agent, as this process sees it.
    """
    bound = approval_for(case.call, case.reading, case.policy, run=case.session.label)
    holder = bound.run or case.call.kept_session
    waiting = int((view.database.row(sql.OPEN_APPROVALS, (holder, view.at)) or (0,))[0])
    newest = _newest(view, bound, holder)
    if newest < 0:
        return Asked(waiting=waiting, no=_words_of_no(view, case, bound, holder))
    kept = find(view, bound.replace(closed=newest).id)
    if kept is None:
        raise StoreError(f"the approvals in `{view.ledger.path}` changed while they were read")
    if not is_live(kept, view.at):
        last = expire(kept, view.at)
        over = kept if last != kept else None
        of = str(asked_row(view, kept).get("session"))
        told = str((said(view, kept) or {}).get("applied", "")) if kept.status == APPLIED else ""
        no = _why_not(view, kept) if kept.status == DENIED else _words_of_no(view, case, bound, holder)
        return Asked(over=over, last=last, last_of=of, closed=newest + 1, waiting=waiting, applied=told, no=no)
    no = _words_of_no(view, case, bound, holder)
    row = asked_row(view, kept)
    asks = tuple(row.get("asks", ()))
    asked = Asked(live=kept, closed=newest, shown=asks, waiting=waiting, reminded=_reminded(view, kept), no=no)
    if kept.status != APPROVED:
        return asked
    answered, before = said(view, kept), view.find(kept.id, "redemption")
    is_used = before is not None and _body(view, before).get("prompt") == kept.seq
    if answered is None or answered.get("answer") != APPROVED or is_used:
        raise StoreError(f"the approval {kept.id} in `{view.ledger.path}` does not follow from its rows")
    by, surface = str(answered.get("by", "")), str(answered.get("surface", "terminal"))
    others = (ELICITATION if case.policy.elicit else "", HOST if case.here else "")
    if surface not in (*_surfaces(case.policy), *others):
        asked = asked.replace(void=f"it was given by {surface}, and the policy takes no yes from there any more")
    if case.policy.two_for and _is_shown(row, case):
        answers, starters = answers_to(view, kept), (str(row.get("starter", "")), starter)
        if len(answers) > 1:
            strength, why, persons = who_said_yes(view, kept, answers, case.policy, starters)
            by = " and ".join([str(one.get("by", "")) for one in answers])
            return asked.replace(by=by, strength=strength, why=why, persons=persons)
    strength, why = _strength(view, kept, row, answered, case)
    return asked.replace(by=by, strength=strength, why=why)


def _words_of_no(view: View, case: Case, bound: Approval, holder: str) -> str:
    """What a person said with the newest no, to another call of the session, that this one falls under."""
    refused = case.session.refused
    if not refused:
        return ""
    keys = {bound.first, *[key for action in case.reading.actions for key in refused_keys(action)]}
    if not any(keys.issuperset(no) for no in refused):
        return ""
    for row in list(view.database.rows(sql.DENIED_APPROVALS, (holder, MAX_REFUSALS))):
        kept = Question.in_order(*row)
        no = asked_row(view, kept).get("refusal", ())
        if no and keys.issuperset(no):
            return _why_not(view, kept)
    return ""


def _why_not(view: View, kept: Question) -> str:
    """The person's words with their no, cut to what an agent is told of them."""
    return str((said(view, kept) or {}).get("why") or "")[: MAX_ANSWER_CHARS + 1]


def _newest(turn: View, bound: Approval, holder: str) -> int:
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
    if is_reminder_due(turn, kept, minutes):
        keep_reminder(turn, kept, reminders(kept, turn.at, minutes * _MINUTE))
    return reminders(kept, turn.at, minutes * _MINUTE)


def is_reminder_due(view: View, kept: Question, minutes: int) -> bool:
    """Whether a person should have been reminded once more than they were."""
    return reminders(kept, view.at, minutes * _MINUTE) > _reminded(view, kept)


def keep_reminder(turn: Turn, kept: Question, due: int) -> None:
    turn.append("reminder", canonical({"count": due, "prompt": kept.seq}), key=kept.id, session=turn.id)


def _reminded(view: View, kept: Question) -> int:
    """How often a person was reminded of it."""
    last = view.find(kept.id, "reminder")
    if last is None or last.seq <= kept.seq:
        return 0
    body = _body(view, last)
    return int(body["count"]) if body.get("prompt") == kept.seq else 0


def _strength(
    view: View, kept: Question, row: Mapping[str, Any], answered: Mapping[str, Any], case: Case
) -> tuple[Strength, str]:
    if "signature" not in answered:
        return Strength.WEAK, "it is not signed"
    if not _is_shown(row, case):
        return Strength.WEAK, "the question showed another call than this"

    return strength_of_answer(view, kept, answered, case.policy)


def _is_shown(row: Mapping[str, Any], case: Case) -> bool:
    """INVARIANT: a signature is for what the row showed. A row of a forging program may show another call."""
    return canonical(_shown(row)) == canonical(_shown(_facts(case)))


def _shown(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What a question shows of its call, without what may differ when the call comes again."""
    names = ("agent_type", "folder", "host", "scripts", "sends", "tool")
    fields = {name: _binding(asked, name) for name in ("input", "shown")}
    return {**fields, **{name: asked.get(name) for name in names}}


def _binding(asked: Mapping[str, Any], name: str) -> Any:
    given = asked.get(name)
    if given is None:
        return None
    return {name: value for name, value in given.items() if name not in COSMETIC.get(str(asked.get("tool")), ())}


def _shown_input(given: Mapping[str, Any], kept: Mapping[str, Any]) -> tuple[Mapping[str, Any], int]:
    """The input as a person sees it, and how many of its values stay hidden. `kept` is what the ledger keeps of it, and
    what comes back where no more than that is shown.
    """
    if kept is given:  # nothing was taken out
        return kept, 0

    shown, hidden = masked(given)
    return kept if shown == kept else shown, hidden


def _facts(case: Case) -> dict[str, Any]:
    call, reading = case.call, case.reading
    kept = redacted(call.input)
    shown = _shown_input(call.input, kept)[0]
    return {
        "agent_type": call.agent_type,
        "folder": call.cwd,
        "host": call.host,
        "input": kept,
        **({"shown": shown} if shown is not kept else {}),
        "scripts": reading.scripts,
        "sends": reading.sends,
        "tool": call.tool,
    }


def keep(
    turn: Turn,
    question: Question,
    outcome: Outcome,
    *,
    root: str,
    parent: tuple[int, int] | None,
    starter: str = "",
    news: tuple[str, ...] = (),
    here: bool = False,
) -> Question:
    """Writes down a new question, after the row of the decision that asks it; the question as it is kept.

    `news` is what of it an earlier question about the same call did not show. `here`: it is put in a dialog of ours in
    the host, which may answer whatever the host's own dialog may.
    """
    call, policy = outcome.call, outcome.policy
    asks = [finding for finding in outcome.decision.reasons if finding.verdict is Verdict.ASK]
    given: Any = redacted(call.input)
    whole = len(canonical(given)) <= MAX_ASKED_BYTES
    shown, hidden = _shown_input(call.input, given)
    first = approval_for(call, outcome.reading, policy, run=outcome.body["session"].get("label", ""))
    two = needs_two(asks)
    strict = policy.approval_mode.name == "strict"
    grants, alone = stands_for(asks, outcome.reading.actions, strict=strict)
    body = {
        "agent": call.agent,
        "agent_type": call.agent_type,
        "asks": asks_of(asks),
        "closed": outcome.body["session"].get("asked_before", 0),
        "engine": __version__,
        "expires": question.expires,
        "folder": call.cwd,
        "hidden": hidden,
        "host": call.host,
        "input": given if whole else None,
        **({"shown": shown} if whole and shown is not given else {}),
        "needs": needed_by(outcome.decision).name,
        "on_timeout": policy.on_timeout.name,
        "parent": parent,
        **({"report": call.report} if call.report is not None else {}),
        "policy": policy.digest,
        "reach": {"grants": [grant_to_wire(grant) for grant in grants], "refused": alone},
        "reasons": [_NEW.format(found.text) if found.text in news else found.text for found in asks],
        "receipt": outcome.receipt,
        "refusal": refusal_of(asks, outcome.reading.actions, first.id),
        "root": root,
        "run": outcome.body["session"].get("label", ""),
        "scripts": outcome.reading.scripts,
        "sends": outcome.reading.sends,
        "session": call.kept_session,
        "starter": starter,
        "subject": subject_of(shown),
        "surfaces": _surfaces(policy),
        "timeout": policy.timeout,
        "where": (*_surfaces(policy), *_elicited(asks, policy), *((HOST,) if here else ())),
        "tool": call.tool,
        "two": two,
    }
    seq = turn.append("prompt", canonical(body), key=question.id, proof=question.proof, session=call.kept_session)
    fields = (seq, question.holder, question.status, question.proof, question.asked, question.expires)
    turn.database.run(sql.ADD_APPROVAL, (question.id, *fields))
    return question.replace(seq=seq)


def _surfaces(policy: Policy) -> tuple[str, ...]:
    """Where a person can answer."""
    return policy.approvers or ("terminal",)


def _elicited(asks: list[Finding], policy: Policy) -> tuple[str, ...]:
    """INVARIANT: what a client's own dialog says counts at most for what a session may remember: tier 2."""
    if not policy.elicit or not all("remembered" in finding.lifted_by for finding in asks):
        return ()
    return (ELICITATION,)


def used(turn: Turn, redeems: Move, outcome: Outcome) -> None:
    """Writes down that an approval was used, after the row of the decision that it let through."""
    question = redeems.after
    if _moved(turn, redeems.before, question) != 1:
        raise StoreError(f"the approval {question.id} was used by somebody else")
    body = {"prompt": question.seq, "receipt": outcome.receipt}
    turn.append("redemption", canonical(body), key=question.id, session=outcome.call.kept_session)


def subject_of(given: Mapping[str, Any]) -> str:
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


def opens_again(turn: View, decision: Decision) -> bool:
    """Whether the same attempt is decided anew: it waited and was answered, or it used what can be used only once."""
    if any(grant.kind == "once" for grant in decision.used):
        return True
    if decision.approval is None:
        return False
    kept = find(turn, decision.approval)
    return kept is not None and not is_open(kept, turn.at)


def find(turn: View, id: str) -> Question | None:
    row = turn.database.row(sql.APPROVAL, (id,))
    return None if row is None else Question.in_order(*row)


def asked_row(turn: View, question: Question) -> Mapping[str, Any]:
    """What was asked. A row that was changed, or is not there, is an error."""
    row = turn.database.entry(sql.BY_SEQ, (question.seq,))
    if row is None or (row.kind, row.key) != ("prompt", question.id) or row.proof != question.proof:
        raise StoreError(f"the approval {question.id} in `{turn.ledger.path}` does not follow from its rows")
    return _body(turn, row)


def said(turn: View, question: Question) -> Mapping[str, Any] | None:
    """The answer to this question, if there is one."""
    row = turn.find(question.id, "answer")
    if row is None or row.seq < question.seq:
        return None
    body = _body(turn, row)
    return body if body.get("prompt") == question.seq else None


def answers_to(turn: View, question: Question) -> list[Mapping[str, Any]]:
    """Every answer to this question, the oldest first."""
    rows = [row for row in turn.database.entries(sql.ALL_BY_KEY, (question.id, "answer")) if row.seq > question.seq]
    bodies = [_body(turn, row) for row in rows]
    return [body for body in bodies if body.get("prompt") == question.seq]


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


def _body(turn: View, row: Row) -> Mapping[str, Any]:
    if row.hash != row_hash(row):
        raise StoreError(f"row {row.seq} of `{turn.ledger.path}` was changed")
    return parse_object(row.body, limit=len(row.body) + 1)
