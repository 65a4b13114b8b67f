"""Everything slow about a call, before the ledger is locked: the disk, processes, models, the run of a plan.

What comes out is a `Read`: the call as it was read for one state of its session, with all that deciding and recording
it will need to know of the world. Another call of the session may change that state meanwhile; then it is made anew.
"""

from __future__ import annotations

from ..approve.standing import Case, Snapshot, Standing
from ..approve.weigh import weigh
from ..bytes.canon import digest
from ..bytes.redact import redact, redacted
from ..limits import MODELS_SECONDS
from ..model.environment import CAMPAIGN
from ..model.session import Run
from ..model.verdict import Verdict
from ..policy.rules import windows_read
from ..record.resume import resumed
from ..store.clock import closed_windows, live_grants, now, seconds
from ..value import TYPE_CHECKING, Value, lazy
from .world import as_begun, facts_of, is_held_to, pages_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..follow.watching import Found
    from ..model.action import Judgement, Line, Reading
    from ..model.call import Call
    from ..model.decision import Decision
    from ..model.facts import Facts
    from ..model.session import Session
    from ..plan.match import line_of
    from ..store.facts.planned import with_planned
    from ..store.facts.reach import Places, places_of
    from ..store.home.calibrations import why_not_asked
    from ..store.home.nesting import below
    from ..store.home.runs import enter_run, look_at_run
    from ..store.ledger.ledger import Ledger
    from ..store.ledger.proofs import key_of, proof_of
    from ..store.outside.consult import doubts_of
    from ..store.outside.judges import judgements_of
    from ..store.people.surface import process_of
    from .world import World
else:
    line_of = lazy(globals(), "..plan.match", "line_of")
    with_planned = lazy(globals(), "..store.facts.planned", "with_planned")
    places_of = lazy(globals(), "..store.facts.reach", "places_of")
    why_not_asked = lazy(globals(), "..store.home.calibrations", "why_not_asked")
    below = lazy(globals(), "..store.home.nesting", "below")
    enter_run = lazy(globals(), "..store.home.runs", "enter_run")
    look_at_run = lazy(globals(), "..store.home.runs", "look_at_run")
    key_of = lazy(globals(), "..store.ledger.proofs", "key_of")
    proof_of = lazy(globals(), "..store.ledger.proofs", "proof_of")
    doubts_of = lazy(globals(), "..store.outside.consult", "doubts_of")
    judgements_of = lazy(globals(), "..store.outside.judges", "judgements_of")
    process_of = lazy(globals(), "..store.people.surface", "process_of")

__all__ = [
    "Ground",
    "Held",
    "Read",
    "case_of",
    "consulted",
    "entered",
    "ground_of",
    "held_to",
    "judged",
    "looked_at",
    "read_call",
    "traced_in",
]


class Held(Value):
    """What a plan says of the call, and how its run folder stands. `run` is None where there is no such folder."""

    line: Line | None
    run: Run | None


class Read(Value):
    """
    world    with the plan of the session above, where one is inherited
    fresh    the session as it would begin now
    before   what the ledger kept of the session when it was read; `session` is made of the two
    given    the call's redacted input
    proof    keyed digest of the whole call, where secrets were redacted
    process  that runs the agent, and when it began, where the session is new
    held     None where no plan is in force
    found    what is watched; None where nothing is
    is_off   somebody may be switched off
    """

    call: Call
    world: World
    fresh: Session
    before: bytes | None
    session: Session
    facts: Facts
    reading: Reading
    given: Mapping[str, Any]
    proof: str | None
    process: tuple[int, int] | None = None
    held: Held | None = None
    found: Found | None = None
    is_off: bool = False

    @property
    def resumes(self) -> bool:
        return self.world.resumes and self.call.kept_session != ""

    def is_for(self, session: Session) -> bool:
        """Whether the call would be read the same in this state of its session."""
        mine = self.session
        return (mine.created, mine.written, mine.kept, mine.values, pages_of(mine)) == (
            *(session.created, session.written, session.kept),
            *(session.values, pages_of(session)),
        )


class Ground(Value):
    """Where a call stands, looked up for one that the policy alone does not allow.

    places   the folders that grants may reach
    process  that runs the agent, and when it began
    starter  who runs it, such as `login:ann`; empty: not known
    """

    places: Places
    process: tuple[int, int] | None
    starter: str = ""


def ground_of(read: Read) -> Ground:
    process = read.process
    if process is None and read.resumes:
        process = _process(read.world)
    places = places_of(read.call, read.world.root, read.reading)
    return Ground(places=places, process=process, starter=_starter(read.world.starter))


def _starter(told: str) -> str:
    """Whoever runs the agent, by name. A number is looked up where somebody may be asked, and not on every call."""
    kind, _, number = told.partition(":")
    if kind != "uid":
        return told
    import pwd

    try:
        return f"login:{pwd.getpwuid(int(number)).pw_name}"
    except (KeyError, ValueError, OverflowError):
        return told


def _process(world: World) -> tuple[int, int] | None:
    return process_of(world.parent)


def read_call(call: Call, world: World, fresh: Session, ledger: Ledger, *, anew: bool = False) -> Read:
    """The call, read for its session as this process last knew it, which a turn compares with what it is then. `anew`:
    as the ledger keeps it now, for whoever takes no turn.
    """
    owner = call.kept_session
    resumes = world.resumes and owner != ""
    before, is_off = ledger.last_known(owner if resumes else "", anew=anew)
    if resumes and before is None:
        fresh = as_begun(fresh, world)
    session = resumed(before, fresh)
    if resumes and (before is None or session.parent):
        world, fresh = below(world, fresh, ledger, owner, None if before is None else session.parent)
        session = resumed(before, fresh)
    if world.policy.traces and session.values is None:
        from ..model.origins import NOTHING

        session, fresh = session.replace(values=NOTHING), fresh.replace(values=NOTHING)
    facts = facts_of(call, world, session)
    reading = world.read(call, facts, ledger.wrote)
    reading = traced_in(session, facts, call, reading, world)
    reading = consulted(call, world, session, reading, facts)
    given = redacted(call.input)
    proof = process = found = None
    if given is not call.input or redacted(call.state) is not call.state:
        proof = proof_of(call, world.folders)
    if resumes and before is None:
        process = _process(world)
    if resumes and world.watch is not None:
        found = world.watch.look(ledger, session)
    return Read(
        call=call,
        world=world,
        fresh=fresh,
        before=before,
        session=session,
        facts=facts,
        reading=reading,
        given=given,
        proof=proof,
        process=process,
        held=None if world.plan is None else looked_at(world, call, facts, reading, ledger.wrote),
        found=found,
        is_off=is_off,
    )


def case_of(call: Call, world: World, session: Session, reading: Reading, proof: str | None = None) -> Case:
    """What is weighed, with what the clock says of it."""
    policy, moment = world.policy, now()
    closed = frozenset[str]()
    if policy.windows:
        closed = closed_windows(windows_read(call, reading, policy, session.posture), moment)
    grants = live_grants(policy, moment, reading) if policy.grants else ()
    return Case(
        call=call,
        reading=reading,
        policy=policy,
        session=session,
        grants=grants,
        closed=closed,
        moment=moment,
        at=seconds(),
        proof=proof,
        elsewhere=world.elsewhere,
        here=world.here,
    )


def traced_in(session: Session, facts: Facts, call: Call, reading: Reading, world: World) -> Reading:
    """The reading with those of its values that neither the person nor a trusted result has brought."""
    spec = facts.declared
    if spec is None or not world.policy.traces:
        return reading
    from ..model.origins import NOTHING, is_traced, traced

    if not is_traced(spec):
        return reading

    known = session.values or NOTHING
    key = b"" if known == NOTHING else key_of(world.folders)  # where nothing is known, no key is made for it
    found = traced(known, key, spec, call.input)
    return reading.replace(origins=tuple([origin.replace(value=redact(origin.value)) for origin in found]))


def consulted(call: Call, world: World, session: Session, reading: Reading, facts: Facts) -> Reading:
    """The reading with what the consult doubts, where one is asked."""
    consult = world.policy.consult
    if consult is None or not facts.contracts or reading.broken:
        return reading
    from ..store.ledger.grants import Look, lent

    lender = world.looks
    if lender is None and world.ledger is not None:  # a grant of the ledger may lift what is denied without it
        lender = Look.on(world.ledger)
    source = None if lender is None else lender.lends()
    case = case_of(call, world, session, reading)
    tickets = () if source is None else lent(*source, case, places_of(call, world.root, reading))
    found = weigh(case, Snapshot(standing=Standing(tickets=tickets)), 0)
    if found.decision.verdict is Verdict.DENY:
        return reading

    return reading.replace(doubts=tuple([redact(doubt) for doubt in doubts_of(consult, call, facts.contracts)]))


def judged(read: Read, decision: Decision) -> tuple[Judgement, ...]:
    """What two models say of a call that this decision puts to a person; empty where they are not asked.

    INVARIANT: they are asked only where somebody has to say yes. What is allowed, refused, or only observed, was
    decided without them.
    """
    judging, world = read.world.policy.judge, read.world
    if judging is None or not decision.waits or world.observes:
        return ()

    if why_not_asked(judging, world.folders) is not None:
        return ()
    spent = 0.0 if world.policy.consult is None else world.policy.consult.timeout
    seconds = min(judging.timeout, MODELS_SECONDS - spent)
    return judgements_of(judging, read.call, read.reading, decision, world.policy, world.folders.home, seconds)


def looked_at(
    world: World, call: Call, facts: Facts, reading: Reading, wrote: Callable[[str], bool] | None = None
) -> Held | None:
    """What the plan says of the call, and how its run stands. Nothing is changed."""
    plan = world.plan
    planned = None if plan is None else plan.policy.planned
    if plan is None or planned is None:
        return None
    line = line_of(call, facts, plan.plan, planned)
    if line is not None:
        line = line.replace(unplanned=tuple([redact(name) for name in line.unplanned]))
        if world.environment.get(CAMPAIGN):
            line = with_planned(line, world, call, facts, reading, wrote)
    run = None if planned.missing else look_at_run(plan.folder, call, idle=plan.settings.idle, parent=facts.parent)
    return Held(line=line, run=run)


def entered(read: Read) -> Run | None:
    """The run, entered for this call: its lock renewed, a marker counted. Made once for an attempt, however often the
    call is weighed.
    """
    plan, held, call = read.world.plan, read.held, read.call
    planned = None if plan is None else plan.policy.planned
    if plan is None or planned is None or held is None or held.run is None:
        return None
    claim = "" if call.attempt is None else digest([call.kept_session, call.agent, call.attempt, read.reading.call])
    return enter_run(plan.folder, call, held.line, planned, read.facts, idle=plan.settings.idle, claim=claim)


def held_to(
    world: World, held: Held | None, run: Run | None, reading: Reading, session: Session
) -> tuple[Reading, Session]:
    """What the plan says of the call, in its reading, and how the run stands: the decision replays from them."""
    plan = world.plan
    if plan is None or held is None:
        return reading, session
    reading = reading.replace(line=held.line)
    if held.run is None:
        # INVARIANT: however an agent gets rid of its plan, it is not rid of being held to one.
        return reading, session.replace(run=Run(gone=plan.name) if is_held_to(plan, session) else session.run)
    return reading, session.replace(run=run or held.run, plan=plan.name)
