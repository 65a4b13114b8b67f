"""The weighing of a call: the policy, and what a person has said of it, as the ledger stood at one moment.

Pure: a `Case` is what is weighed, a `Snapshot` is what the ledger holds on it, and out comes `Fire`, `Ask` or `Deny`,
with all that is to be written down of it. Questions change only through `lifecycle.py`. Most calls are allowed by the
policy alone (`plainly`), and nothing more of the ledger is looked at for them.
"""

from __future__ import annotations

from ..decide import decide
from ..model.errors import ApprovalError
from ..model.posture import Posture
from ..model.session import remember_refusal, until
from ..model.toolnames import ASKS_NOBODY
from ..model.verdict import Verdict
from ..policy.model import OnTimeout
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .approval import approval_for, asks_of
from .grant import Grant
from .lifecycle import APPLIED, APPROVED, DENIED, EXPIRED, PENDING, Question, close, expire, redeem, reminders
from .standing import Ask, Deny, Fire, Move, Reminder, Snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.call import Call
    from ..model.decision import Decision
    from ..model.session import Session
    from ..policy.model import Policy
    from .approval import Approval
    from .standing import Asked, Case, Standing
    from .strength import needed_by, needs_two

    Proposed = tuple[Session, Decision]
else:
    needed_by = lazy(globals(), ".strength", "needed_by")
    needs_two = lazy(globals(), ".strength", "needs_two")

__all__ = ["as_seen", "is_same", "may_be_kept", "plainly", "weigh"]

_MINUTE = 60_000
_NONE: Mapping[str, int] = FrozenMap({})


def plainly(case: Case, off: int) -> Fire | Proposed:
    """The call, where the policy alone allows it. Else what the policy alone says: `weigh` goes on from there with what
    else the ledger holds.
    """
    session, decision = _proposed(case, Snapshot(off=off), case.session)
    plain = decision.verdict is Verdict.ALLOW and not decision.satisfied
    return Fire(decision=decision, session=session) if plain else (session, decision)


def weigh(case: Case, seen: Snapshot, at: int, first: Proposed | None = None) -> Fire | Ask | Deny:
    """The call, with all that the ledger holds on it. `at` is the ledger's moment; `first` is what the policy alone
    says, where that is known.
    """
    if first is None or seen.standing.tickets or seen.standing.signing:
        first = _proposed(case, seen, case.session)
    asked = seen.standing.asked
    if asked is not None and asked.no and _is_refused(first[1]):
        case = case.replace(session=case.session.replace(no=asked.no))
        first = _proposed(case, seen, case.session)
    if asked is not None and asked.live is not None and case.session.lock:
        # INVARIANT: what retries have locked holds up no question that is open, and no yes.
        case = case.replace(session=case.session.replace(posture=Posture.of(case.session.lock), lock=""))
        first = _proposed(case, seen, case.session)
    session, decision = first
    if asked is None or not _is_asked(decision, case):
        used = _used_first(case, seen, asked, decision, at)
        return _found(seen.standing, session, decision) if used is None else used
    return _answered(case, seen, asked, at, (session, decision))


def as_seen(case: Case, session: Session) -> Session:
    """The slice of the session that the layers look at, and that the receipt holds."""
    if session.recent or session.spent or session.refused or session.pending or session.raised:
        from ..layers.seen import seen

        session = seen(case.call, case.reading, case.policy, until(session, case.moment), case.at)
    return session.replace(closed=case.closed) if case.policy.windows else session


def is_same(case: Case, other: Case) -> bool:
    """Whether the two cannot be weighed differently. Both are about the same call under the same policy."""
    return (
        (case.grants, case.closed, case.proof) == (other.grants, other.closed, other.proof)
        and _is_same_session(case, other)
        and (case.reading is other.reading or case.reading == other.reading)
    )


def _is_same_session(case: Case, other: Case) -> bool:
    if case.session is other.session and case.session.raised is None:
        return True
    return _weighty(case) == _weighty(other)


def _weighty(case: Case) -> Session:
    """The session without what no layer looks at: where watching stopped, and what was told to whom."""
    session = until(case.session, case.moment)
    return session.replace(watch="", heard=_NONE, since="", told=frozenset(), questions=(), phrase=None, values=None)


def _proposed(case: Case, seen: Snapshot, session: Session, once: tuple[Grant, ...] = ()) -> Proposed:
    """`once` is a person's approval of this very call, if there is one."""
    session = as_seen(case, session)
    if seen.off:
        session = session.replace(off=True)
    standing = seen.standing
    decision = _decision(case, session, once, standing)
    if standing.signing and (decision.reasons or decision.satisfied):
        session = session.replace(signing=standing.signing)
        decision = _decision(case, session, once, standing)
    return session, decision


def _decision(case: Case, session: Session, once: tuple[Grant, ...], standing: Standing) -> Decision:
    call, reading, policy = case.call, case.reading, case.policy
    grants = case.grants + once + session.grants
    decision = decide(call, reading, policy, session, grants)
    if decision.verdict is Verdict.ALLOW or not standing.tickets:
        return decision
    # They come last and only for what is not allowed anyway, so nothing else changes.
    more = tuple([ticket.grant for ticket in standing.tickets])
    return decide(call, reading, policy, session, grants + more)


def _is_asked(decision: Decision, case: Case) -> bool:
    """Whether a question is kept or an answer looked for: somebody can answer elsewhere, or only a signature counts, or
    the host itself can ask nobody.
    """
    if not any(reason.verdict is Verdict.ASK for reason in decision.reasons):
        return False
    return may_be_kept(decision, case.call, case.policy, elsewhere=case.elsewhere or case.here)


def may_be_kept(decision: Decision, call: Call, policy: Policy, *, elsewhere: bool) -> bool:
    """Whether the question of such a decision is kept: somebody can answer it elsewhere than in front of the host."""
    if decision.verdict is Verdict.ASK and (elsewhere or call.host in ASKS_NOBODY):
        return True
    return bool(policy.approvers) or (decision.verdict is Verdict.DENY and decision.waits)


def _is_refused(decision: Decision) -> bool:
    """Whether a person has said no to it in this session."""
    return any((found.layer, found.rule) == ("answers", "refused") for found in decision.reasons)


def _used_first(case: Case, seen: Snapshot, asked: Asked | None, decision: Decision, at: int) -> Fire | None:
    """The call under a yes to this very call, where a grant covers it as well: the yes is for one, and is used up."""
    if asked is None or asked.live is None or decision.verdict is not Verdict.ALLOW or not decision.satisfied:
        return None

    session = case.session.replace(asked_before=asked.closed) if asked.closed else case.session
    counts = asked.live.status == APPROVED and not asked.void
    return _fired(case, seen, asked, asked.live, session, at) if counts else None


def _found(
    standing: Standing,
    session: Session,
    decision: Decision,
    moves: tuple[Move, ...] = (),
    *,
    question: Question | None = None,
    is_new: bool = False,
    news: tuple[str, ...] = (),
    reminds: Reminder | None = None,
) -> Fire | Ask | Deny:
    if decision.verdict is Verdict.ALLOW:
        uses = tuple([ticket for ticket in standing.tickets if ticket.grant in decision.used])
        return Fire(decision=decision, session=session, moves=moves, uses=uses)
    kind = Ask if decision.verdict is Verdict.ASK else Deny
    return kind(
        decision=decision,
        session=session,
        moves=moves,
        question=question,
        is_new=is_new,
        news=news,
        reminds=reminds,
    )


def _answered(case: Case, seen: Snapshot, asked: Asked, at: int, proposed: Proposed) -> Fire | Ask | Deny:
    """With what a person has said of this call. The policy is evaluated once more where that changes what it sees:
    with the approval, or with what stands against asking.
    """
    call, policy, standing, session = case.call, case.policy, seen.standing, case.session
    bound = _bound(case)
    live, last, closed = asked.live, asked.last, asked.closed
    moves: tuple[Move, ...] = ()
    ended: Mapping[str, Any] | None = None
    if asked.over is not None:
        moves = (Move(before=asked.over, after=expire(asked.over, at), how=FrozenMap({"by": "timeout"})),)
    if closed:  # the id of the question says how many came before it
        session = session.replace(asked_before=closed)
        proposed = _proposed(case, seen, session)
    if live is not None and live.status == APPROVED:
        fired = None if asked.void else _fired(case, seen, asked, live, session, at)
        if fired is not None:
            return fired.replace(moves=moves)
        alone = needs_two(proposed[1].reasons) and len(asked.persons) < 2
        if alone or asked.strength < needed_by(proposed[1]):  # it can never fire
            why = "it takes the signed yes of two persons" if alone else f"the yes is too weak: {asked.why}"
            ended = FrozenMap({"by": "strength", "why": why})
        if asked.void:
            ended = FrozenMap({"by": "policy", "why": asked.void})
    news = () if live is None else _not_shown(proposed[1], asked.shown)
    if news:  # INVARIANT: a yes is to what was shown, so nobody is left to answer a question that shows less than all
        ended = FrozenMap({"by": "policy", "why": "what it asks has changed", "new": list(news)})
    if live is not None and ended is not None:
        moves = (*moves, Move(before=live, after=close(live), how=ended))
        live, closed = None, closed + 1
        session = session.replace(asked_before=closed)
        proposed = _proposed(case, seen, session)
    if live is None and last is not None and call.kept_session and asked.last_of == call.kept_session:
        if last.status == APPLIED:  # INVARIANT: what was applied does not run as well; the agent is told once
            moves = (*moves, Move(before=last, after=close(last), how=FrozenMap({"by": "the agent was told"})))
            return _found(standing, *_proposed(case, seen, session.replace(applied=asked.applied or "applied")), moves)
        if last.status == DENIED:
            refused = remember_refusal(session.replace(no=asked.no), (bound.first,))
            return _found(standing, *_proposed(case, seen, refused), moves)
        if last.status == EXPIRED and session.posture is Posture.AUTONOMOUS:
            return _found(standing, *_proposed(case, seen, session.replace(asking="unanswered")), moves)
    if proposed[1].approval is None:
        return _found(standing, *proposed, moves)
    if live is not None:
        reminder = None
        if policy.on_timeout is OnTimeout.REMIND:
            due = reminders(live, at, policy.timeout * _MINUTE)
            reminder = Reminder(question=live, count=due) if due > asked.reminded else None
        if live.proof != case.proof:
            return _found(standing, *_proposed(case, seen, session.replace(asking="differs")), moves, reminds=reminder)
        return _found(standing, *proposed, moves, question=live, reminds=reminder)
    if asked.waiting >= policy.max_pending:
        return _found(standing, *_proposed(case, seen, session.replace(asking="crowded")), moves)
    new = Question(
        id=bound.replace(closed=closed).id,
        seq=0,
        holder=bound.run or call.kept_session,
        status=PENDING,
        proof=case.proof,
        asked=at,
        expires=at + policy.timeout * _MINUTE if policy.on_timeout is OnTimeout.DENY else 0,
    )
    return _found(standing, *proposed, moves, question=new, is_new=True, news=news)


def _not_shown(decision: Decision, shown: tuple[str, ...] | None) -> tuple[str, ...]:
    """What is asked now and was not when the question was put, as a person is told it."""
    if shown is None:
        return ()

    new = [found.text for found in decision.reasons if not set(asks_of((found,))).issubset(shown)]
    return tuple(dict.fromkeys(new))


def _bound(case: Case) -> Approval:
    return approval_for(case.call, case.reading, case.policy, run=case.session.label)


def _fired(case: Case, seen: Snapshot, asked: Asked, live: Question, session: Session, at: int) -> Fire | None:
    """The call under the approval, if that is what lets it through."""
    try:
        used = redeem(live, proof=case.proof, at=at)
    except ApprovalError:
        return None
    once = Grant(
        id=live.id,
        kind="once",
        binds=live.id,
        reach="once",
        by=asked.by,
        strength=asked.strength,
        persons=asked.persons,
        asks=asked.shown,
    )
    found = _found(seen.standing, *_proposed(case, seen, session, (once,)))
    if type(found) is not Fire or once not in found.decision.used:
        return None
    return found.replace(redeems=Move(before=live, after=used))
