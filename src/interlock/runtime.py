"""The one way through: read, propose, commit, answer.

    read      everything slow: the disk, processes, the consult and the judges (`prepare.py`)
    propose   weighed with what the ledger holds, while nothing is locked (`approve/weigh.py`)
    commit    written in one transaction that touches nothing but the ledger (`commit.py`)

What happens if a part of that fails is a table in docs/limits.md; `tests/faults` holds a test for each row.
"""

from __future__ import annotations

from .action import REWRITES, is_read_only
from .approve.mode import mode_in_force
from .approve.standing import Fire, Snapshot
from .approve.weigh import plainly, weigh
from .commit import Proposal, Reserved, committed, ended_grants, marked, proposed, recorded
from .decision import unrecorded
from .effects import Effect
from .errors import StoreError
from .limits import MAX_READ_AGAIN
from .policy.model import ApprovalMode
from .prepare import case_of, consulted, entered, held_to, judged, looked_at, read_call, traced_in
from .record.receipt import receipt_body, receipt_of
from .value import TYPE_CHECKING, FrozenMap
from .verdict import Verdict
from .world import Outcome, World, facts_of, notices_of, starting_posture, with_plan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .action import Judgement
    from .approve.standing import Case
    from .call import Call
    from .decision import Decision
    from .facts import Facts
    from .prepare import Read
    from .session import Session
    from .store.ledger import AnyDatabase, Ledger
    from .store.shared import Redeeming

__all__ = [
    "Outcome",
    "World",
    "foreseen",
    "judge",
    "judge_together",
    "not_recorded",
    "notices_of",
    "starting_posture",
    "with_plan",
]


def judge(call: Call, world: World, session: Session) -> Outcome:
    """One call, from facts to receipt."""
    if world.ledger is None:
        return marked(_looked_at(call, world, session), world)
    try:
        return _recorded(call, world, session, world.ledger)
    except StoreError as error:
        trouble = str(error)
    return not_recorded(call, world, session, trouble)


def judge_together(calls: Sequence[tuple[Call, World, Session]], ledger: Ledger) -> list[Outcome | None]:
    """Calls of many who wait, each read and proposed by itself, and kept by one transaction. None where a call has to
    be judged alone: something slow belongs to it, the session moved on, or not all of them could be kept.
    """
    from .store.together import Together

    ready = [_ready(*given, ledger) for given in calls]
    found: list[Outcome | None] = [each if isinstance(each, Outcome) else None for each in ready]
    kept = list(found)
    proposals = [(at, *each) for at, each in enumerate(ready) if isinstance(each, tuple)]
    try:
        with Together(ledger) if len(proposals) > 1 else _BY_ITSELF:
            for at, read, proposal in proposals:
                done = committed(read, None, Reserved(), proposal, ledger)
                kept[at] = done if isinstance(done, Outcome) else None
    except StoreError:
        return found
    return kept


class _ByItself:
    """In place of a transaction around several."""

    def __enter__(self) -> None: ...
    def __exit__(self, *_error: object) -> None: ...


_BY_ITSELF = _ByItself()


def _ready(call: Call, world: World, session: Session, ledger: Ledger) -> tuple[Read, Proposal] | Outcome | None:
    """What would be committed, or what was decided about this attempt already."""
    # The run of a plan is entered, a consult is asked, a team store lets a use go: these wait for others.
    if world.plan is not None or world.policy.consult is not None:
        return None
    try:
        read = read_call(call, world, session, ledger)
        if read.held is not None or read.world.policy.consult is not None:
            return None
        found = proposed(read, None, Reserved(), ledger)
    except Exception:  # INVARIANT: what is wrong with a call is told to its own caller, who has it judged alone
        return None
    if isinstance(found, Outcome):
        return found
    return None if _needs_more(found, world, ledger) else (read, found)


def _needs_more(proposal: Proposal, world: World, ledger: Ledger) -> bool:
    """INVARIANT: whatever `_recorded` does between proposing a call and committing it, which may wait for others: a
    checkpoint, judges, a shared grant. A call that has none of it is committed as it would be there.
    """
    decision = proposal.found.decision
    if world.undo == "holds" and _may_be_held(decision, proposal.case, world):
        return True
    is_allowed = decision.verdict is Verdict.ALLOW
    return (not is_allowed and (world.undo != "" or world.policy.judge is not None)) or bool(
        _counted(ledger.database, proposal.shared)
    )


def foreseen(call: Call, world: World, session: Session) -> Outcome | None:
    """What `judge` would answer now, a person's approval counted, and nothing kept or used up. None where only entering
    the run of a plan would tell.
    """
    if world.ledger is None:
        return None
    read = read_call(call, world, session, world.ledger, anew=True)
    if read.held is not None:
        return None
    found = proposed(read, None, Reserved(), world.ledger)
    if world.undo == "holds" and isinstance(found, Proposal) and found.found.decision.verdict is not Verdict.ALLOW:
        if _may_be_held(found.found.decision, found.case, world):
            from .undoing import would_be

            found = would_be(found, read, Reserved(), world.ledger)
    return marked(found.outcome if isinstance(found, Proposal) else found, world)


def not_recorded(call: Call, world: World, session: Session, trouble: str) -> Outcome:
    """What is answered where the ledger cannot be had: only what reads passes."""
    outcome = _looked_at(call, world, session).replace(trouble=trouble)
    if is_read_only(outcome.reading):
        return outcome
    # nothing was kept, so the receipt is that of the answer and not of the decision
    decision = unrecorded(outcome.decision, trouble)
    body = receipt_body(call, outcome.reading, world.policy.digest, session, decision)
    receipt, raw = receipt_of(body)
    return outcome.replace(decision=decision, body=body, receipt=receipt, raw=raw)


def _recorded(call: Call, world: World, fresh: Session, ledger: Ledger) -> Outcome:
    """Read again where another call of the session changed meanwhile what the reading hangs on. The run of a plan is
    entered once, judges are asked once, and a use of a shared grant that was won stays won, however often that is.
    """
    reserved, redeeming, run, has_entered = Reserved(), None, None, False
    said: tuple[Judgement, ...] | None = None
    for _ in range(MAX_READ_AGAIN):
        read = read_call(call, world, fresh, ledger)
        if read.held is not None and not has_entered:
            before = recorded(read, ledger)
            if before is not None:
                return before
            run, has_entered = None if world.observes else entered(read), True
        found: Proposal | Outcome | None = proposed(read, run, reserved, ledger)
        if (
            world.undo == "holds"
            and isinstance(found, Proposal)
            and _may_be_held(found.found.decision, found.case, world)
        ):
            from .undoing import undone_by

            found, read = undone_by(found, read, run, reserved, ledger)
        while isinstance(found, Proposal):
            redeeming, reserved, asked = _reserved(found, world, ledger, redeeming, reserved)
            if not asked and world.policy.judge is not None and not read.reading.judged:
                if said is None:
                    said = judged(read, found.found.decision)
                if said and found.found.decision.verdict is not Verdict.ALLOW:
                    read, asked = read.replace(reading=read.reading.replace(judged=said)), True
            if asked:
                found = proposed(read, run, reserved, ledger)
            else:
                found = committed(read, run, reserved, found, ledger)
        if found is not None:
            refused = _not_counting(reserved.refused)
            return found.replace(warnings=(*found.warnings, *refused)) if refused else found
        if read.reading.undo:
            from .undoing import let_go

            let_go(read)
    raise StoreError(f"other calls of this session came in between {MAX_READ_AGAIN} times")


def _may_be_held(decision: Decision, case: Case, world: World) -> bool:
    """Whether a checkpoint could take away what stands against the call. Cheap, since it is asked of every call."""
    policy, actions = world.policy, case.reading.actions
    if decision.verdict is Verdict.ALLOW:  # nothing stands against it; the commits that it makes anew are held
        is_candidate = any(a.at and a.name in REWRITES for a in actions)
    else:
        is_candidate = Effect.DESTRUCTIVE in decision.effects and any(
            Effect.DESTRUCTIVE in a.effects and Effect.NETWORK not in a.effects for a in actions
        )
    return (
        is_candidate
        and policy.undo_lowers
        and not world.observes
        and mode_in_force(policy, case.session) is not ApprovalMode.STRICT
    )


def _reserved(
    proposal: Proposal, world: World, ledger: Ledger, redeeming: Redeeming | None, reserved: Reserved
) -> tuple[Redeeming | None, Reserved, bool]:
    """A grant that the team shares is redeemed in the team store while nothing is locked here; then the call is
    weighed again, with it, or without it where the team store does not let it go.
    """
    name = next((name for name in _counted(ledger.database, proposal.shared) if name not in reserved.won), None)
    if name is None:
        return redeeming, reserved, False
    from .record.canon import canonical
    from .store.shared import Redeeming

    redeeming = redeeming or Redeeming(world.policy.store, world.folders)
    why = redeeming.redeem(name, canonical({"receipt": proposal.outcome.receipt}))
    if why is None:
        return redeeming, reserved.replace(won=reserved.won | {name}), True
    return redeeming, reserved.replace(refused=FrozenMap({**reserved.refused, name: why})), True


def _not_counting(refused: Mapping[str, str]) -> tuple[str, ...]:
    return tuple([f"the shared grant {grant} does not count: {why}" for grant, why in refused.items()])


def _looked_at(call: Call, world: World, session: Session) -> Outcome:
    """Decided, and nothing of it kept."""
    facts = facts_of(call, world, session)
    reading = world.read(call, facts, None)
    held = None if world.plan is None else looked_at(world, call, facts)
    reading, session = held_to(world, held, None, reading, session)
    reading = traced_in(session, facts, call, reading, world)
    reading = consulted(call, world, session, reading, facts)
    case = case_of(call, world, session, reading)
    if world.undo == "foresees":
        case = _foreseen_held(case, world, facts)
    refused: dict[str, str] = {}
    redeeming = None
    asked: set[str] = set()
    while True:
        proposal = _lent(case, world, refused)
        source = None if world.looks is None or not proposal.shared else world.looks.lends()
        new = [] if source is None else [name for name in _counted(source[0], proposal.shared) if name not in asked]
        if not new:
            outcome = proposal.outcome
            return outcome.replace(warnings=(*outcome.warnings, *_not_counting(refused)))
        # As `_reserved` does it, but nothing is used up: the team store is only asked whether it would let go.
        from .store.shared import Redeeming

        redeeming = redeeming or Redeeming(world.policy.store, world.folders)
        asked.update(new)
        refused.update({name: why for name in new if (why := redeeming.look(name)) is not None})


def _foreseen_held(case: Case, world: World, facts: Facts) -> Case:
    """The case as it would be with a checkpoint, where one could be made. None is."""
    plain = plainly(case, 0)
    if isinstance(plain, Fire) or not _may_be_held(plain[1], case, world):
        return case
    from .undoing import foreseen_by

    return foreseen_by(case, plain[1], world, facts)


def _lent(case: Case, world: World, refused: Mapping[str, str]) -> Proposal:
    source = None if world.looks is None else world.looks.lends()
    if source is None:
        return Proposal(case=case, seen=Snapshot(), found=weigh(case, Snapshot(), 0))
    from .store.reach import places_of
    from .store.snapshot import off_until, standing_of_grants

    database, at = source
    off = off_until(database, at, case.call, case.policy)
    plain = plainly(case, off)
    if isinstance(plain, Fire):
        return Proposal(case=case, seen=Snapshot(off=off), found=plain)
    places = places_of(case.call, world.root, case.reading)
    seen = Snapshot(off=off, standing=standing_of_grants(database, at, case, places, refused))
    found = weigh(case, seen, at, plain)
    ended = ended_grants(database, at, case, places, found.decision)
    return Proposal(case=case, seen=seen, found=found, ended=ended)


def _counted(database: AnyDatabase, names: tuple[str, ...]) -> list[str]:
    """Those of the grants that have a number of uses."""
    if not names:
        return []
    from .store.ledger import uses_of

    found = [(name, uses_of(database, name)) for name in names]
    return [name for name, kept in found if kept is not None and kept.uses > 0]
