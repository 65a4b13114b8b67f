"""The life of a question: pending, then approved, denied or expired; an approved one is redeemed once.

Where two persons are needed, it is halfway once the first has said yes: `Pair` says who they are.

A question whose call was previewed, and the preview applied, is applied: the call itself does not run, and the question
is closed when the agent was told. A question that was settled elsewhere, in the host's own dialog, is closed. The table
of edges is the only way from one state to another; each function that walks it gives a new value or an ApprovalError
that says why nothing happened. Who may answer, and which of two processes was first, is the store's business. The same
call asked about again after its question is over is a new question with a new id. `why_dead` says why an open question
can no longer fire.
Moments are milliseconds since 1970; the store's clock never runs backwards.
"""

from __future__ import annotations

from ..model.errors import ApprovalError
from ..value import Value

__all__ = [
    "APPLIED",
    "APPROVED",
    "CLOSED",
    "DENIED",
    "EDGES",
    "EXPIRED",
    "HALFWAY",
    "NOT_ASKED",
    "OPEN",
    "PENDING",
    "REDEEMED",
    "Pair",
    "Question",
    "answer",
    "apply",
    "asked_at",
    "close",
    "expire",
    "is_live",
    "is_open",
    "redeem",
    "reminders",
    "why_dead",
]

PENDING, APPROVED, DENIED, EXPIRED, REDEEMED = "pending", "approved", "denied", "expired", "redeemed"
HALFWAY, CLOSED, APPLIED = "halfway", "closed", "applied"
OPEN = (PENDING, HALFWAY)  # somebody can answer

# state -> what it can become, and by what; docs/approvals.md draws it
EDGES = {
    PENDING: {
        HALFWAY: "a person says yes where two are needed",
        APPROVED: "a person says yes",
        DENIED: "a person says no",
        EXPIRED: "nobody answers in time",
        CLOSED: "it was settled in the host, or the policy asks more by now",
        APPLIED: "a person applies a preview of it",
    },
    HALFWAY: {
        APPROVED: "a second person says yes",
        DENIED: "a person says no",
        EXPIRED: "no second person answers in time",
        CLOSED: "it was settled in the host, or the policy asks more by now",
    },
    APPROVED: {
        REDEEMED: "the call comes again and fires",
        CLOSED: "it was settled in the host, the policy asks more by now, or the yes is too weak by now",
    },
    APPLIED: {CLOSED: "the call comes again, and the agent is told"},
    CLOSED: {},
    DENIED: {},
    EXPIRED: {},
    REDEEMED: {},
}

# why a call that asks is not waited for -> what the person and the agent are told
NOT_ASKED = {
    "unanswered": "nobody answered in time when this call was asked about",
    "crowded": "too many calls of this session wait for an approval already",
    "differs": "the same call with another secret waits for an approval already",
}


class Question(Value):
    """
    id       the approval's id, which binds what would happen
    seq      the row that asked; with the id, what is answered
    holder   the run label, or the session
    proof    keyed digest of the whole call, where secrets were redacted from it
    asked    when
    expires  the moment from which it counts no more; 0: it waits on
    """

    id: str
    seq: int
    holder: str
    status: str
    proof: str | None
    asked: int
    expires: int


class Pair(Value):
    """Who answers a question that needs two.

    person   who answers now
    first    who has said yes already; empty: nobody
    starter  who started the run: theirs is no second opinion
    """

    person: str
    first: str = ""
    starter: str = ""


def asked_at(question: Question, at: int) -> Question:
    """A new question, asked at this moment: it waits from now on for as long as it would have."""
    wait = question.expires - question.asked
    return question.replace(asked=at, expires=at + wait if question.expires else 0)


def is_open(question: Question, at: int) -> bool:
    """Whether somebody can still answer it."""
    return question.status in OPEN and not _is_over(question, at)


def is_live(question: Question, at: int) -> bool:
    """Whether it can still be answered, or redeemed."""
    return question.status in (*OPEN, APPROVED) and not _is_over(question, at)


def why_dead(question: Question, at: int, *, engine: tuple[str, str]) -> str | None:
    """Why a question that is pending or approved can no longer fire; None where it can, and where it is closed.

    `engine` is the version that asked and that of now.
    """
    if question.status not in (*OPEN, APPROVED):
        return None
    if _is_over(question, at):
        return _OVER[question.status]
    asked, now = engine
    if asked != now:
        return f"it was asked by Interlock {asked}, and this is {now}"
    return None


def answer(question: Question, *, yes: bool, at: int, counts_for: int, pair: Pair | None = None) -> Question:
    """A person's answer. A yes counts for so many milliseconds. `pair`: two persons are needed, and this is one."""
    question = expire(question, at)
    if question.status not in OPEN:
        raise ApprovalError(
            f"{question.id} is {question.status} already; this answer came too late and changes nothing"
        )
    if not yes:
        return _moved(question, DENIED)
    ends = at + counts_for
    if pair is None and question.status == PENDING:
        return _moved(question, APPROVED).replace(expires=ends)
    # INVARIANT: one person and whoever started the run never get it approved, in whatever order they answer.
    why = _why_no_second(question, pair)
    if why:
        raise ApprovalError(f"{question.id} needs the yes of two persons, {why}; this answer changes nothing")
    if question.status == PENDING:
        return _moved(question, HALFWAY).replace(expires=ends)
    return _moved(question, APPROVED).replace(expires=min(question.expires, ends))


def _why_no_second(question: Question, pair: Pair | None) -> str:
    if pair is None or not pair.person:
        return "and nobody knows whose this one is"
    if pair.person == pair.starter:
        return f"and {pair.person} started the run"
    if question.status == HALFWAY and not pair.first:
        return "and whose the first one was is not known"
    if question.status == HALFWAY and pair.person == pair.first:
        return f"and {pair.person} has said yes already"
    return ""


def expire(question: Question, at: int) -> Question:
    """The question as it is at this moment: over, if nobody has answered in time."""
    return _moved(question, EXPIRED) if question.status in OPEN and _is_over(question, at) else question


def close(question: Question) -> Question:
    """It was settled elsewhere: no answer to it counts any more, and no yes fires."""
    return _moved(question, CLOSED)


def apply(question: Question, at: int) -> Question:
    """A person has put in place what a preview of the call has found. The call itself never fires."""
    question = expire(question, at)
    if question.status != PENDING:
        raise ApprovalError(f"{question.id} is {question.status} already; a preview of it is not applied")
    return _moved(question, APPLIED)


def redeem(question: Question, *, proof: str | None, at: int) -> Question:
    """The call has come again. What the id does not bind is compared here: the secrets in it, and the time."""
    if question.status != APPROVED:
        raise ApprovalError(f"{question.id} is {question.status}, not approved")
    if _is_over(question, at):
        raise ApprovalError(f"{question.id} was approved, and its time is over")
    if question.proof != proof:
        raise ApprovalError(f"{question.id} was approved for a call with another secret in it")
    return _moved(question, REDEEMED)


def reminders(question: Question, at: int, every: int) -> int:
    """How often a person should have been reminded of it by now."""
    return max(0, at - question.asked) // every if question.status in OPEN else 0


_OVER = {
    PENDING: "nobody answered in time",
    HALFWAY: "no second person answered in time",
    APPROVED: "the yes was not used in time",
}


def _is_over(question: Question, at: int) -> bool:
    return question.expires != 0 and at >= question.expires


def _moved(question: Question, status: str) -> Question:
    # INVARIANT: the table is the only way from one state to another.
    if status not in EDGES[question.status]:
        raise ApprovalError(f"{question.id} is {question.status}, and cannot become {status}")
    return question.replace(status=status)
