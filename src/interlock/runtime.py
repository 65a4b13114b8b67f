"""The one seam: load, gather, decide, record, answer. Everything with a disk or a clock meets here.

What happens if a part of that fails is a table in docs/limits.md; `tests/faults` holds a test for each row.
"""

from __future__ import annotations

from .action import is_read_only
from .decide import decide
from .decision import unrecorded
from .environment import PLAN_VARIABLES
from .errors import ApprovalError
from .facts import Facts, project_at
from .policy.rules import windows_read
from .posture import Posture
from .record.receipt import actions_to_wire, decision_from_wire, opaque_to_wire, receipt_body, receipt_of
from .record.redact import redact, redacted
from .session import Run, Session, advance, until, untold
from .store import sql
from .store.clock import closed_windows, live_grants, now
from .store.facts import read_with_facts
from .store.obeyed_facts import obeyed_facts
from .toolnames import declared_tool
from .value import TYPE_CHECKING, FrozenMap, Value
from .verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .action import Reading
    from .approve.grant import Grant
    from .call import Call
    from .decision import Decision
    from .policy.model import Policy
    from .record.chain import Row
    from .store.contracts import Catalogues
    from .store.folders import Folders
    from .store.grants import Look
    from .store.ledger import Ledger, Turn
    from .store.plans import PlanInForce

    Watch = Callable[[Turn, Session], tuple[Session, tuple[str, ...]]]

__all__ = ["Outcome", "World", "judge", "notices_of", "starting_posture", "with_plan"]


class World(Value):
    """What stays the same for all calls of one session or stream.

    ledger   where decisions are recorded; None: nowhere
    looks    a ledger whose grants count although nothing is recorded in it; they are not used up
    resumes  whether a session goes on from what the ledger keeps of it
    parent   the process that runs the agent; 0: not known
    """

    folders: Folders
    root: str
    policy: Policy
    ledger: Ledger | None = None
    looks: Look | None = None
    resumes: bool = False
    contracts: Catalogues | None = None  # None: no contracts are checked
    plan: PlanInForce | None = None
    read: Callable[[Call, Facts, Callable[[str], bool] | None], Reading] = read_with_facts
    parent: int = 0
    environment: Mapping[str, str] = FrozenMap({})  # the variables that count (environment.py)
    watch: Watch | None = None  # compares the files that hosts obey with how they were when the session began


class Outcome(Value):
    call: Call
    reading: Reading
    decision: Decision
    policy: Policy
    body: Mapping[str, Any]  # of the receipt
    receipt: str
    trouble: str | None = None  # why the receipt was not kept, although it should have been
    warnings: tuple[str, ...] = ()  # what a person should know besides


def judge(call: Call, world: World, session: Session) -> Outcome:
    """One call, from facts to receipt."""
    if world.ledger is None:
        return _judged(call, world, session)
    from .errors import StoreError

    try:
        return _with_shared(call, world, session, world.ledger)
    except StoreError as error:
        trouble = str(error)
    outcome = _judged(call, world, session).replace(trouble=trouble)
    if is_read_only(outcome.reading):
        return outcome
    # nothing was kept, so the receipt is that of the answer and not of the decision
    decision = unrecorded(outcome.decision, trouble)
    body = receipt_body(call, outcome.reading, world.policy.digest, session, decision)
    return outcome.replace(decision=decision, body=body, receipt=receipt_of(body)[0])


def _with_shared(call: Call, world: World, session: Session, ledger: Ledger) -> Outcome:
    """Recorded, with grants that the team shares.

    One that has a number of uses is redeemed in the team store while nothing is locked here. Then the call is decided
    again: with it, or without it where the team store does not let it go.
    """
    refused = ledger.refused = {}
    ledger.won, ledger.wanted = set(), None
    redeeming = None
    while True:
        try:
            outcome = _recorded(call, world, session, ledger)
        except ApprovalError:
            if ledger.wanted is None:
                raise
            (grant, body), ledger.wanted = ledger.wanted, None
            if redeeming is None:
                from .store.shared import Redeeming

                redeeming = Redeeming(world.policy.store, world.folders)
            why = redeeming.redeem(grant, body)
            if why is None:
                ledger.won.add(grant)
            else:
                refused[grant] = why
            continue
        return outcome.replace(warnings=(*outcome.warnings, *_not_counting(refused))) if refused else outcome


def _not_counting(refused: Mapping[str, str]) -> tuple[str, ...]:
    return tuple([f"the shared grant {grant} does not count: {why}" for grant, why in refused.items()])


def _judged(call: Call, world: World, session: Session) -> Outcome:
    """Decided, and nothing of it kept."""
    facts = _facts(call, world, session)
    reading = world.read(call, facts, None)
    if world.plan is not None:
        reading, session = _held_against(world.plan, call, reading, facts, session, recording=False)
    reading = _consulted(call, world, session, reading, facts)
    looks = world.looks
    if looks is None:
        return _decided(call, world, session, reading)
    looks.tickets, looks.refused_grants = (), {}
    outcome = _decided(call, world, session, reading, lender=looks)
    if not any(grant.id.startswith("team:") for grant in outcome.decision.used):
        return outcome
    # As `_with_shared` does it, but nothing is used up: the team store is only asked whether it would let go.
    from .store.shared import Redeeming, shared_and_counted

    redeeming = Redeeming(world.policy.store, world.folders)
    asked: set[str] = set()
    while new := [name for name in shared_and_counted(looks, outcome.decision) if name not in asked]:
        asked.update(new)
        looks.refused_grants.update({name: why for name in new if (why := redeeming.look(name)) is not None})
        outcome = _decided(call, world, session, reading, lender=looks)
    return outcome.replace(warnings=(*outcome.warnings, *_not_counting(looks.refused_grants)))


def _facts(call: Call, world: World, session: Session) -> Facts:
    policy, plan = world.policy, world.plan
    return Facts(
        root=project_at(world.root, world.folders.home),
        home=world.folders.home,
        own=world.folders.own if plan is None or not _holds(plan, session) else world.folders.own + plan.own,
        declared=declared_tool(policy, call.tool, call.named),
        created=session.created,
        written=session.written,
        kept=session.kept,
        since=session.started,
        began=session.head if world.resumes else "HEAD",
        commands=policy.commands,
        **obeyed_facts(policy, world.folders, world.root),
        contracts=() if world.contracts is None else world.contracts.for_call(call),
        looks=_looks(policy, call) if policy.looked else (),
        parent=world.parent,
    )


def _looks(policy: Policy, call: Call) -> tuple[str, ...]:
    from .policy.looks import looks_for

    return looks_for(policy, call.tool, *((call.named,) if call.named else ()))


def _decision(
    call: Call,
    world: World,
    session: Session,
    reading: Reading,
    once: tuple[Grant, ...] = (),
    lender: Turn | Look | None = None,
) -> Decision:
    policy = world.policy
    grants = once + session.grants
    if policy.grants:
        grants = live_grants(policy, now(), reading) + grants
    decision = decide(call, reading, policy, session, grants)
    if lender is None or decision.verdict is Verdict.ALLOW:
        return decision
    # Only what is not allowed anyway pays for the look at the ledger's grants; they come last, so nothing else changes.
    from .store.grants import lend

    more = lend(lender, call, world.root, reading, policy)
    return decide(call, reading, policy, session, grants + more) if more else decision


def _as_seen(call: Call, world: World, session: Session, reading: Reading) -> Session:
    """The slice of the session that the layers look at, and that the receipt holds."""
    policy = world.policy
    if session.recent or session.spent or session.refused or session.pending or session.raised:
        from .layers.seen import seen

        session = seen(call, reading, policy, until(session, now()))
    if policy.windows:
        read = windows_read(call, reading, policy, session.posture)
        session = session.replace(closed=closed_windows(read, now()))
    return session


def _decided(
    call: Call,
    world: World,
    session: Session,
    reading: Reading,
    once: tuple[Grant, ...] = (),
    lender: Turn | Look | None = None,
) -> Outcome:
    """`once` is a person's approval of this very call, if there is one; `lender` knows the ledger's grants."""
    session = _as_seen(call, world, session, reading)
    warnings: tuple[str, ...] = ()
    if lender is not None:
        off = _off(call, world.policy, lender)
        if off:
            from .store.switch import told_off

            session, warnings = session.replace(off=True), (told_off(off),)
    decision = _decision(call, world, session, reading, once, lender)
    if lender is not None and (decision.reasons or decision.satisfied):
        signing = _signing(world.policy, lender)
        if signing:
            session = session.replace(signing=signing)
            decision = _decision(call, world, session, reading, once, lender)
    if lender is not None and any(reason.actions for reason in decision.reasons):
        from .store.ended import ended_for

        warnings += ended_for(lender, call, world.root, reading, world.policy, decision)
    body = receipt_body(call, reading, world.policy.digest, session, decision)
    return Outcome(
        call=call,
        reading=reading,
        decision=decision,
        policy=world.policy,
        body=body,
        receipt=receipt_of(body)[0],
        warnings=warnings,
    )


def _off(call: Call, policy: Policy, lender: Turn | Look) -> int:
    """Until when a person has switched all but the floor off for this call; 0: it is on."""
    source = lender.lends()
    if source is None or source[0].row(sql.BY_KEY, ("off", "override")) is None:
        return 0
    from .store.switch import is_off_for, off_now

    return is_off_for(call, off_now(source[0], policy, source[1]))


def _signing(policy: Policy, lender: Turn | Look) -> str:
    """The strongest signature that a person can give here. Only what is asked about hangs on it."""
    source = lender.lends()
    if source is None or (not policy.keys and source[0].row(sql.BY_KEY, ("keys", "approver")) is None):
        return ""
    from .store.approvers import signing_at

    return signing_at(source[0], policy, source[1])


def _consulted(call: Call, world: World, session: Session, reading: Reading, facts: Facts) -> Reading:
    """The reading with what the consult doubts, where one is asked."""
    consult = world.policy.consult
    if consult is None or not facts.contracts or reading.broken:
        return reading
    lender = world.looks
    if lender is None and world.ledger is not None:  # a grant of the ledger may lift what is denied without it
        from .store.grants import Look

        lender = Look(world.ledger.path)
    seen = _as_seen(call, world, session, reading)
    if _decision(call, world, seen, reading, lender=lender).verdict is Verdict.DENY:
        return reading
    from .store.consult import doubts_of

    return reading.replace(doubts=tuple([redact(doubt) for doubt in doubts_of(consult, call, facts.contracts)]))


def _recorded(call: Call, world: World, fresh: Session, ledger: Ledger) -> Outcome:
    """Reads the session, decides and appends in one transaction. What is slow comes before it."""
    from .record.resume import resumed, state_of
    from .store.rows import attempt_key, decision_row, policy_row, posture_row, session_row

    owner = call.kept_session
    resumes = world.resumes and owner != ""
    before = ledger.session(owner) if resumes else None
    if resumes and before is None:
        from .store.clock import now
        from .store.git_head import head_of

        fresh = fresh.replace(head=head_of(world.root), started=now())
    session = resumed(before, fresh)
    if resumes and (before is None or session.parent):
        from .store.nesting import below

        world, fresh = below(world, fresh, ledger, owner, None if before is None else session.parent)
        session = resumed(before, fresh)
    facts = _facts(call, world, session)
    reading = _consulted(call, world, session, world.read(call, facts, ledger.wrote), facts)
    with ledger.deciding(owner if resumes else "") as turn:
        known = session if turn.state == before else resumed(turn.state, fresh)
        if (known.created, known.written, known.kept) != (session.created, session.written, session.kept):
            facts = _facts(call, world, known)  # another call of this session was decided in between
            reading = world.read(call, facts, ledger.wrote).replace(doubts=reading.doubts)
        known, noticed = (known, ()) if world.watch is None or not resumes else world.watch(turn, known)
        if resumes:
            known, new = untold(known, notices_of(world))
            noticed = (*noticed, *new)
        if known.changed:
            # A yes is one to the changes that it was shown with, so it binds them as it binds scripts.
            reading = reading.replace(scripts=(*reading.scripts, *[change.digest for change in known.changed]))
        given = redacted(call.input)
        proof = None
        if given is not call.input or redacted(call.state) is not call.state:
            from .store.proofs import proof_of

            proof = proof_of(call, world.folders)
        attempt = None
        if call.attempt is not None:
            read = [
                reading.call,
                actions_to_wire(reading),
                opaque_to_wire(reading),
                *_at_a_glance(call, world, known, reading),
            ]
            attempt = attempt_key(call, read, world.policy.digest, known.posture, proof, ledger.front)
            winner = turn.decided(attempt)
            if winner is not None:
                from .store.repeated import opens_again

                off = bool(_off(call, world.policy, turn))
                if not opens_again(turn, winner, world.policy, off=off, signing=lambda: _signing(world.policy, turn)):
                    return _as_recorded(call, world, reading, winner)
                attempt = None
        at_work = known
        if world.plan is not None:
            reading, at_work = _held_against(world.plan, call, reading, facts, known, recording=True)
        outcome = _decided(call, world, at_work, reading, lender=turn)
        question = None
        if _is_asked(outcome.decision, world.policy):
            from .store.approvals import weighed

            outcome, question = weighed(
                turn, outcome, at_work, proof, lambda now, grants: _decided(call, world, now, reading, grants, turn)
            )
        if turn.tickets and outcome.decision.verdict is Verdict.ALLOW:
            from .store.grants import redeem_used

            redeem_used(turn, outcome.decision, outcome.receipt)
        digest = world.policy.digest
        if turn.find(digest, "policy") is None:
            turn.append("policy", policy_row(world.policy, world.root), key=digest)
        state, after = None, known
        if resumes:
            if turn.state is None:
                from .store.surface import process_of

                more = {"nested": known.parent} if known.parent else None
                turn.append("session", session_row(call, known, world.root, process_of(world.parent), more), key=owner)
            after = advance(known.replace(plan=at_work.plan), reading, outcome.decision)
            if outcome.decision.verdict is Verdict.ASK and call.attempt is not None:
                from .heard import put

                after = put(after, call.attempt, reading.projection)
            state = state_of(after, fresh.posture)
            if known.changed and known.changed != after.changed:
                from .store.watch import keep_accepted

                keep_accepted(turn, known, after, "an approval")
        allowed = outcome.decision.verdict is not Verdict.DENY
        turn.append(
            "decision",
            decision_row(given, outcome.body, call.attempt, ledger.front),
            key=outcome.receipt,
            attempt=attempt,
            proof=proof,
            state=state,
            session=owner,
            durable=allowed and any(action.irreversible for action in reading.actions),
        )
        if after.posture is not known.posture:
            turn.append("posture", posture_row(known.posture, after.posture, outcome.receipt), key=owner)
        if question is not None:
            from .store.approvals import keep
            from .store.surface import process_of

            keep(turn, question, outcome, root=world.root, parent=process_of(world.parent) if resumes else None)
    return outcome.replace(warnings=(*outcome.warnings, *noticed)) if noticed else outcome


def notices_of(world: World) -> tuple[str, ...]:
    """What a person should know of how policy and contracts were found. It is not about a call, and told once."""
    return (*world.policy.notices, *(() if world.contracts is None else world.contracts.warnings))


def _is_asked(decision: Decision, policy: Policy) -> bool:
    """Whether a question is kept or an answer looked for: somebody can answer elsewhere, or only a signature counts."""
    if not any(reason.verdict is Verdict.ASK for reason in decision.reasons):
        return False
    return bool(policy.approvers) or (decision.verdict is Verdict.DENY and decision.approval is not None)


def _at_a_glance(call: Call, world: World, session: Session, reading: Reading) -> list[Any]:
    """What else a decision hangs on: changed files, windows of time, the run folder of a plan. An attempt is the
    same only while they are.
    """
    found: list[Any] = []
    if session.changed:
        found.append([change.digest for change in session.changed])
    if world.policy.windows:
        found.append(sorted(_as_seen(call, world, session, reading).closed))
    planned = None if world.plan is None else world.plan.policy.planned
    if world.plan is not None and planned is not None and not planned.missing:
        from .store.runs import look_at_run

        run = look_at_run(world.plan.folder, call, idle=world.plan.settings.idle)
        found += [run.other, run.trouble]
    return found


def _as_recorded(call: Call, world: World, reading: Reading, row: Row) -> Outcome:
    """The decision that another process recorded for the same attempt."""
    from .store.rows import open_decision

    receipt, body = open_decision(row)
    decision = decision_from_wire(body)
    # A receipt keeps the sentences of findings and not what they are about: decided again, they know it.
    from .record.receipt import finding_to_wire, replay_inputs

    again = decide(*replay_inputs(body)[:2], world.policy, *replay_inputs(body)[2:]).reasons
    if [finding_to_wire(finding) for finding in again] == [finding_to_wire(finding) for finding in decision.reasons]:
        decision = decision.replace(reasons=again)
    return Outcome(call=call, reading=reading, decision=decision, policy=world.policy, body=body, receipt=receipt)


def with_plan(world: World, environment: Mapping[str, str]) -> World:
    """The world with the plan that is in force in it, if the policy or the environment asks for one."""
    if world.policy.plan is None and not any(name in environment for name in PLAN_VARIABLES):
        return world
    from .store.plans import plan_in_force

    found = plan_in_force(world.policy, world.folders, world.root, environment)
    return world.replace(policy=found.policy, plan=found)


def _holds(plan: PlanInForce, session: Session) -> bool:
    """Whether calls of the session are held to this plan: it is there, or it was when the session began with it."""
    planned = plan.policy.planned
    return planned is not None and (not planned.missing or plan.name == session.plan != "")


def _held_against(
    plan: PlanInForce, call: Call, reading: Reading, facts: Facts, session: Session, *, recording: bool
) -> tuple[Reading, Session]:
    """What the plan says of the call, and how the run folder stands: before the decision, which replays from it."""
    from .plan.match import line_of
    from .store.runs import enter_run, look_at_run

    planned = plan.policy.planned
    if planned is None:
        return reading, session
    line = line_of(call, facts, plan.plan, planned)
    if line is not None:
        line = line.replace(unplanned=tuple([redact(name) for name in line.unplanned]))
    if planned.missing:
        # INVARIANT: however an agent gets rid of its plan, it is not rid of being held to one.
        run = Run(gone=plan.name) if _holds(plan, session) else session.run
        return reading.replace(line=line), session.replace(run=run)
    idle = plan.settings.idle
    run = (
        enter_run(plan.folder, call, line, planned, facts, idle=idle)
        if recording
        else look_at_run(plan.folder, call, idle=idle)
    )
    return reading.replace(line=line), session.replace(run=run, plan=plan.name)


def starting_posture(policy: Policy, kept: Posture | None, *, attended: bool) -> Posture:
    """What a person set, else what the policy says; nobody in front of the host makes it autonomous."""
    posture = max(policy.posture if kept is None else kept, policy.posture_floor)
    return Posture.AUTONOMOUS if posture is Posture.INTERACTIVE and not attended else posture
