"""A call that was read, proposed and committed: weighed while nothing is locked, then written in one transaction.

INVARIANT: while the ledger is locked, nothing but the ledger is touched: no disk, no network, no process. What has to
be looked up is in the `Read`. Where the session has moved on since, so that something else would have to be looked up,
the lock is left and the caller reads again.
"""

from __future__ import annotations

from ..approve.lifecycle import asked_at
from ..approve.standing import Fire, Snapshot
from ..approve.weigh import as_seen, is_same, may_be_kept, plainly, weigh
from ..model.answer import ASK, DENY, HELD
from ..model.decision import holds
from ..model.heard import put
from ..model.session import advance, unlock, untold
from ..model.toolnames import ASKS_NOBODY
from ..model.touched import observed
from ..model.verdict import Verdict
from ..record.chain import Row
from ..record.receipt import (
    actions_to_wire,
    decision_from_wire,
    finding_to_wire,
    opaque_to_wire,
    receipt_body,
    receipt_of,
    replay_inputs,
)
from ..record.resume import resumed, state_of
from ..store.ledger.ledger import LeftError, uses_of
from ..store.ledger.rows import attempt_key, decision_row, open_decision, policy_row, posture_row, session_row
from ..store.ledger.snapshot import off_until, standing_of, standing_of_grants
from ..value import TYPE_CHECKING, FrozenMap, Value, lazy, preload
from .prepare import case_of, ground_of, held_to
from .world import Outcome, notices_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..approve.lifecycle import Question
    from ..approve.standing import Ask, Case, Deny, Standing
    from ..approve.undoable import is_in_flight
    from ..model.action import Reading
    from ..model.decision import Decision
    from ..model.posture import Posture
    from ..model.session import Run, Session
    from ..store.facts.reach import Places
    from ..store.facts.watch import keep_accepted
    from ..store.ledger.approvals import find, keep, keep_reminder, move, used
    from ..store.ledger.ended import ended_for
    from ..store.ledger.grants import redeem_used
    from ..store.ledger.ledger import AnyDatabase, Ledger, Turn, View
    from ..store.ledger.repeated import opens_again
    from ..store.people.switch import told_off
    from .prepare import Ground, Read
    from .world import World

    Weighed = Fire | Ask | Deny
else:
    is_in_flight = lazy(globals(), "..approve.undoable", "is_in_flight")
    keep_accepted = lazy(globals(), "..store.facts.watch", "keep_accepted")
    find = lazy(globals(), "..store.ledger.approvals", "find")
    keep = lazy(globals(), "..store.ledger.approvals", "keep")
    keep_reminder = lazy(globals(), "..store.ledger.approvals", "keep_reminder")
    move = lazy(globals(), "..store.ledger.approvals", "move")
    used = lazy(globals(), "..store.ledger.approvals", "used")
    ended_for = lazy(globals(), "..store.ledger.ended", "ended_for")
    redeem_used = lazy(globals(), "..store.ledger.grants", "redeem_used")
    opens_again = lazy(globals(), "..store.ledger.repeated", "opens_again")
    told_off = lazy(globals(), "..store.people.switch", "told_off")

__all__ = ["Attempt", "Proposal", "Reserved", "committed", "ended_grants", "marked", "proposed", "recorded"]

_OPENS_AGAIN = "opens again"


class Reserved(Value):
    """Shared grants that the team store was asked about: those of which it let one use go, and why not the others."""

    won: frozenset[str] = frozenset()
    refused: Mapping[str, str] = FrozenMap({})


class Proposal(Value):
    """What would be decided: the case, what the ledger held on it, and what came of that. `plain`: the policy alone
    allows it, and the rest of the ledger was not looked at; then there may be no `ground` either.
    """

    case: Case
    seen: Snapshot
    found: Weighed
    ground: Ground | None = None
    plain: bool = False
    ended: tuple[str, ...] = ()  # grants that would have covered it, and why they do not
    attempt: Attempt | None = None

    @property
    def outcome(self) -> Outcome:
        case, found = self.case, self.found
        body = receipt_body(case.call, case.reading, case.policy.digest, found.session, found.decision)
        warnings: tuple[str, ...] = ()
        if self.seen.off:
            warnings = (told_off(self.seen.off),)
        warnings += self.ended
        receipt, raw = receipt_of(body)
        return Outcome(
            call=case.call,
            reading=case.reading,
            decision=found.decision,
            policy=case.policy,
            body=body,
            receipt=receipt,
            warnings=warnings,
            raw=raw,
            question=None if isinstance(found, Fire) else found.question,
        )

    @property
    def shared(self) -> tuple[str, ...]:
        """Grants of the team that it would use."""
        uses = self.found.uses if isinstance(self.found, Fire) else ()
        return tuple([ticket.name for ticket in uses if ticket.name.startswith("team:")])


def recorded(read: Read, ledger: Ledger) -> Outcome | None:
    """What was decided about this attempt already, where that still stands. Nothing is locked."""
    with ledger.looking(read.call.kept_session if read.resumes else "") as view:
        known, _ = _untold(read, _known(read, view))
        found = _seen_before(view, read, known)[1]
        return found if isinstance(found, Outcome) else None


def proposed(read: Read, run: Run | None, reserved: Reserved, ledger: Ledger) -> Proposal | Outcome:
    """What would be decided now, or what was decided about this attempt already. Nothing is locked or written.

    Where the policy alone allows it, nothing of the ledger but what it was read with bears on it, and nothing more is
    looked at: whether that still stands is seen when it is committed.
    """
    first: tuple[Session, Decision] | None = None
    if read.call.attempt is None and not read.is_off:
        known, _ = _untold(read, read.session)
        first_case = _case(read, run, known)
        found_first = _plainly(read, first_case, 0, None)
        if isinstance(found_first, Proposal):
            return found_first
        first = found_first
    with ledger.looking(read.call.kept_session if read.resumes else "") as view:
        known, _ = _untold(read, _known(read, view))
        attempt, before = _seen_before(view, read, known)
        if before is not None:
            return before
        off = _off(view, read)
        if isinstance(first, tuple) and not off and view.state == read.before:
            case, plain = first_case, first
        else:
            case = _case(read, run, known)
            again = _plainly(read, case, off, attempt)
            if isinstance(again, Proposal):
                return again
            plain = again
        ground = _ground(read)
        seen = Snapshot(off=off, standing=_standing(view, read, case, ground, reserved))
        found = _unused(read, weigh(case, seen, view.at, plain))
        ended = ended_grants(view.database, view.at, case, ground.places, found.decision)
        return Proposal(case=case, seen=seen, found=found, ground=ground, attempt=attempt, ended=ended)


def _plainly(read: Read, case: Case, off: int, attempt: Attempt | None) -> Proposal | tuple[Session, Decision]:
    plain = plainly(case, off)
    if not isinstance(plain, Fire):
        return plain
    may_ask = case.session.changed or (read.found is not None and read.found.is_new)
    ground = _ground(read) if may_ask else None
    return Proposal(case=case, seen=Snapshot(off=off), found=plain, ground=ground, plain=True, attempt=attempt)


def _off(view: View, read: Read) -> int:
    """Until when all but the floor is switched off for this call. Few ledgers have a row that says so of anybody."""
    return off_until(view.database, view.at, read.call, read.world.policy) if view.has_off else 0


def _standing(view: View, read: Read, case: Case, ground: Ground, reserved: Reserved) -> Standing:
    """What counts for the call. Where it is only observed, grants do and questions do not: none is put or answered."""
    if read.world.observes:
        return standing_of_grants(view.database, view.at, case, ground.places, reserved.refused)
    return standing_of(view, case, ground.places, reserved.refused, ground.starter)


def _unused(read: Read, found: Weighed) -> Weighed:
    """INVARIANT: what is only observed uses nothing up, neither here nor in the team store."""
    return found.replace(uses=()) if read.world.observes and isinstance(found, Fire) else found


def marked(outcome: Outcome, world: World) -> Outcome:
    """The outcome, marked with what its answer hangs on besides: whether it is enforced, and who is in front."""
    if outcome.decision.verdict is not Verdict.ALLOW and (world.elsewhere or outcome.call.host in ASKS_NOBODY):
        outcome = outcome.replace(elsewhere=True)
    return outcome.replace(observed=True) if world.observes and not holds(outcome.decision) else outcome


def _seen_before(view: View, read: Read, known: Session) -> tuple[Attempt | None, Outcome | None]:
    """The attempt, and what came of it. Where something is new in what is watched, a turn takes that in first."""
    reading = _shown(read.reading, known)
    attempt = _attempt(read, known, reading, view.ledger.front, None)
    winner = _winner(view, read, attempt)
    if not isinstance(winner, Row) or (read.found is not None and read.found.is_new):
        return attempt, None
    return attempt, _as_recorded(view, read, reading, winner)


def ended_grants(database: AnyDatabase, at: int, case: Case, places: Places, decision: Decision) -> tuple[str, ...]:
    """Grants that would have covered the call and have ended, as a person is told."""
    if not any(reason.actions for reason in decision.reasons):
        return ()

    return ended_for(database, at, case, places, decision)


def _ground(read: Read) -> Ground:
    """Where the call stands. What a question needs is loaded with it: a turn loads nothing, which takes time too."""
    _preload_question(read)
    return ground_of(read)


def _preload_question(read: Read) -> None:
    preload(globals(), "..approve.approval", "..approve.lifecycle", "..approve.strength", "..layers.seen")
    preload(globals(), "..model.heard", "..store.facts.watch")
    preload(globals(), "..store.ledger.approvals", "..store.ledger.ended", "..store.ledger.grants")
    if read.given is not read.call.input:
        preload(globals(), "..bytes.masked")
    if read.world.policy.two_for:
        preload(globals(), "..record.approvers", "..store.people.pairs")


def committed(
    read: Read, run: Run | None, reserved: Reserved, proposal: Proposal, ledger: Ledger
) -> Outcome | Proposal | None:
    """The outcome, recorded. None where the call has to be read again; a proposal where grants that the team shares
    have to be redeemed for it first. Then nothing was written.
    """
    try:
        with ledger.deciding(read.call.kept_session if read.resumes else "", read.world.policy.digest) as turn:
            return _committed(turn, read, run, reserved, proposal)
    except _LeftError as left:
        return left.proposal


class _LeftError(LeftError):
    """The lock is left without a trace: something has to be looked up for this first."""

    def __init__(self, proposal: Proposal | None) -> None:
        self.proposal = proposal


def _committed(turn: Turn, read: Read, run: Run | None, reserved: Reserved, proposal: Proposal) -> Outcome:
    call, world, ledger = read.call, read.world, turn.ledger
    if turn.state is None and read.before is not None:  # how a session begins is looked up for it
        raise _LeftError(None)
    known = _known(read, turn)
    if not read.is_for(known):
        raise _LeftError(None)
    known, noticed = _noticed(turn, read, known)
    known, notices = _untold(read, known)
    reading = _shown(read.reading, known)
    attempt = _attempt(read, known, reading, ledger.front, proposal.attempt)
    winner = _winner(turn, read, attempt)
    if isinstance(winner, Row):
        return _as_recorded(turn, read, reading, winner)
    if reading.undo and _is_disturbed(known):
        raise _LeftError(None)
    made = _weighed(turn, read, _case(read, run, known), reserved, proposal)
    if reading.undo and not isinstance(made.found, Fire):  # held for a call that is asked about now: read without it
        raise _LeftError(None)
    case, found, outcome = made.case, made.found, marked(made.outcome, world)
    if any(name not in reserved.won and _is_counted(turn, name) for name in made.shared):
        raise _LeftError(made)
    _keep_moves(turn, found)
    if isinstance(found, Fire) and found.uses:
        redeem_used(turn, found.uses, outcome.receipt, reserved.won)
    if not turn.has_policy:  # INVARIANT: a receipt finds its policy in the ledger, so that it replays
        turn.append("policy", policy_row(world.policy, world.root), key=world.policy.digest)
    state, after = None, known
    if read.resumes:
        if turn.state is None:
            more = {"nested": known.parent} if known.parent else None
            turn.append("session", session_row(call, known, world.root, read.process, more), key=turn.id)
        after = known if known.plan == case.session.plan else known.replace(plan=case.session.plan)
        locked_before = after if after.lock and found.session.posture is not after.posture else None
        if locked_before is not None:  # a lock that retries caused was set aside; a yes that fires ends it
            after = unlock(after, found.session.posture)
        if world.observes:
            after = observed(after, case.reading, "ran" if outcome.decision.verdict is Verdict.ALLOW else "unknown")
        else:
            seen = found.session.repeated
            polled = seen is not None and seen.polls_again
            # What nobody can be asked about just now has not run either, and may come again.
            is_held = outcome.answer.kind == HELD or (outcome.answer.kind == DENY and found.session.asking != "")
            after = advance(
                after, case.reading, outcome.decision, held=is_held, agent=call.agent, at=case.at, polled=polled
            )
        if locked_before is not None and not isinstance(found, Fire):
            after = locked_before.replace(calls=after.calls)
        if outcome.answer.kind == ASK and call.attempt is not None and not world.observes:
            after = put(after, call.attempt, reading.projection)
        state = state_of(after, read.fresh.posture)
        if known.changed and known.changed != after.changed:
            keep_accepted(turn, known, after, "an approval")
    row = turn.append(
        "decision",
        decision_row(
            read.given, outcome.raw or outcome.body, call.attempt, ledger.front, enforced=not outcome.observed
        ),
        key=outcome.receipt,
        attempt=None if attempt is None or winner == _OPENS_AGAIN else attempt.key,
        proof=read.proof,
        state=state,
        session=call.kept_session,
        durable=outcome.decision.verdict is not Verdict.DENY
        and (reading.undo != "" or any(action.irreversible for action in reading.actions)),
    )
    if after.posture is not known.posture:
        turn.append("posture", posture_row(known.posture, after.posture, outcome.receipt), key=call.kept_session)
    question = _keep_question(turn, found, outcome, read, made.ground)
    return outcome.replace(row=row, question=question, warnings=(*outcome.warnings, *noticed, *notices))


def _is_disturbed(known: Session) -> bool:
    """Whether another call was let through since a checkpoint was made for this one."""
    return is_in_flight(known)


def _known(read: Read, view: View) -> Session:
    """The session as it is in this view."""
    return read.session if view.state == read.before else resumed(view.state, read.fresh)


def _noticed(turn: Turn, read: Read, known: Session) -> tuple[Session, tuple[str, ...]]:
    """The session with what was found in watched files and in the transcript, and what the person is told."""
    watch, found = read.world.watch, read.found
    if watch is None or found is None:
        return known, ()
    if not watch.fits(known, found):
        raise _LeftError(None)
    return watch.apply(turn, known, found)


def _untold(read: Read, known: Session) -> tuple[Session, tuple[str, ...]]:
    """The session once it was told how policy and contracts were found, and what of that is new to it."""
    return untold(known, notices_of(read.world)) if read.resumes else (known, ())


def _shown(reading: Reading, session: Session) -> Reading:
    """A yes is one to the changed files that it was shown with, so it binds them as it binds scripts."""
    if not session.changed:
        return reading
    return reading.replace(scripts=(*reading.scripts, *[change.digest for change in session.changed]))


class Attempt(Value):
    """One try of one call: its key, and what that hangs on besides the reading."""

    key: str
    posture: Posture
    glance: tuple[object, ...]


def _attempt(read: Read, known: Session, reading: Reading, front: str, before: Attempt | None) -> Attempt | None:
    call = read.call
    if call.attempt is None:
        return None
    glance = _at_a_glance(read, known, reading)
    if before is not None and (before.posture, before.glance) == (known.posture, glance):
        return before
    wire = [reading.call, actions_to_wire(reading), opaque_to_wire(reading), *glance]
    key = attempt_key(call, wire, read.world.policy.digest, known.posture, read.proof, front)
    return Attempt(key=key, posture=known.posture, glance=glance)


def _winner(view: View, read: Read, attempt: Attempt | None) -> Row | str | None:
    """The row in which the attempt was decided already, while that still stands; _OPENS_AGAIN where it does not."""
    found = None if attempt is None else view.decided(attempt.key)
    if found is None:
        return None
    return _OPENS_AGAIN if opens_again(view, found, read.call, read.world.policy, is_kept=_keeps(read)) else found


def _keeps(read: Read) -> Callable[[Decision], bool]:
    """Whether a question is kept with a decision about the call."""
    elsewhere = read.world.elsewhere or read.world.here
    return lambda made: may_be_kept(made, read.call, read.world.policy, elsewhere=elsewhere)


def _at_a_glance(read: Read, session: Session, reading: Reading) -> tuple[object, ...]:
    """What else a decision hangs on: changed files, windows of time, the run folder of a plan. An attempt is the
    same only while they are.
    """
    found: list[object] = ["observed"] if read.world.observes else []
    if session.changed:
        found.append([change.digest for change in session.changed])
    if read.world.policy.windows:
        case = case_of(read.call, read.world, session, reading)
        found.append(sorted(as_seen(case, session).closed))
    if read.held is not None and read.held.run is not None:
        found += [read.held.run.other, read.held.run.trouble]
    return tuple(found)


def _case(read: Read, run: Run | None, known: Session) -> Case:
    reading, session = held_to(read.world, read.held, run, _shown(read.reading, known), known)
    return case_of(read.call, read.world, session, reading, read.proof)


def _weighed(turn: Turn, read: Read, case: Case, reserved: Reserved, before: Proposal) -> Proposal:
    """The call, weighed with what the ledger holds now. What was proposed is taken over where neither the case nor the
    ledger has changed since.
    """
    is_as_before = is_same(case, before.case)
    off = _off(turn, read)
    if before.plain:
        if is_as_before and before.seen.off == off:
            return before
        plain = plainly(case, off)
        if isinstance(plain, Fire):
            return before.replace(case=case, seen=Snapshot(off=off), found=plain)
    if before.ground is None:
        raise _LeftError(None)
    seen = Snapshot(off=off, standing=_standing(turn, read, case, before.ground, reserved))
    if is_as_before and before.seen == seen:
        return before
    found = _unused(read, weigh(case, seen, turn.at))
    ended = ended_grants(turn.database, turn.at, case, before.ground.places, found.decision)
    return before.replace(case=case, seen=seen, found=found, plain=False, ended=ended)


def _is_counted(turn: Turn, grant: str) -> bool:
    kept = uses_of(turn.database, grant)
    return kept is not None and kept.uses > 0


def _keep_moves(turn: Turn, found: Weighed) -> None:
    """Questions that ended on the way, and that a person is to be reminded."""
    if not found.moves and (isinstance(found, Fire) or found.reminds is None):
        return

    for ended in found.moves:
        move(turn, ended.before, ended.after, ended.how)
    if not isinstance(found, Fire) and found.reminds is not None:
        keep_reminder(turn, found.reminds.question, found.reminds.count)


def _keep_question(turn: Turn, found: Weighed, outcome: Outcome, read: Read, ground: Ground | None) -> Question | None:
    """Keeps that an approval was used, or a new question; the one that is open for the call."""
    if isinstance(found, Fire):
        if found.redeems is not None:
            used(turn, found.redeems, outcome)
        return None
    if not found.is_new or found.question is None or ground is None:
        return found.question

    return keep(
        turn,
        asked_at(found.question, turn.at),
        outcome,
        root=read.world.root,
        parent=ground.process,
        starter=ground.starter,
        news=found.news,
        here=read.world.here,
    )


def _as_recorded(view: View, read: Read, reading: Reading, row: Row) -> Outcome:
    """The decision that another process recorded for the same attempt."""
    receipt, body = open_decision(row)
    decision = decision_from_wire(body)
    # A receipt keeps the sentences of findings and not what they are about: decided again, they know it.
    from ..decide import decide

    call, then, session, grants = replay_inputs(body)
    again = decide(call, then, read.world.policy, session, grants)
    for now, kept in ((again.reasons, decision.reasons), (again.satisfied, decision.satisfied)):
        if [finding_to_wire(finding) for finding in now] != [finding_to_wire(finding) for finding in kept]:
            break
    else:
        decision = decision.replace(reasons=again.reasons, satisfied=again.satisfied)
    question = None
    if decision.approval is not None and decision.verdict is not Verdict.ALLOW and _keeps(read)(decision):
        question = find(view, decision.approval)
    outcome = Outcome(
        call=read.call,
        reading=reading,
        decision=decision,
        policy=read.world.policy,
        body=body,
        receipt=receipt,
        question=question,
    )
    return marked(outcome, read.world)
