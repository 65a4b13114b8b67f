"""Decided, and nothing of it kept: for whoever only looks, and where the ledger cannot be had.

Grants of the ledger count, and none is used up.
"""

from __future__ import annotations

from ..approve.standing import Fire, Snapshot
from ..approve.weigh import plainly, weigh
from ..model.action import is_read_only
from ..model.decision import unrecorded
from ..model.verdict import Verdict
from ..record.receipt import receipt_body, receipt_of
from ..store.ledger.snapshot import off_until, standing_of_grants
from ..value import TYPE_CHECKING, lazy
from .between import counted, may_be_held, not_counting
from .commit import Proposal, Reserved, ended_grants, marked, proposed
from .prepare import case_of, consulted, held_to, looked_at, read_call, traced_in
from .world import facts_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..approve.standing import Case
    from ..model.call import Call
    from ..model.facts import Facts
    from ..model.session import Session
    from ..store.facts.reach import places_of
    from ..store.team.shared import Redeeming
    from .undoing import foreseen_by, would_be
    from .world import Outcome, World
else:
    Redeeming = lazy(globals(), "..store.team.shared", "Redeeming")
    places_of = lazy(globals(), "..store.facts.reach", "places_of")
    foreseen_by = lazy(globals(), ".undoing", "foreseen_by")
    would_be = lazy(globals(), ".undoing", "would_be")

__all__ = ["foreseen", "looked", "not_recorded"]


def looked(call: Call, world: World, session: Session) -> Outcome:
    """Decided, and nothing of it kept."""
    facts = facts_of(call, world, session)
    reading = world.read(call, facts, None)
    held = None if world.plan is None else looked_at(world, call, facts, reading)
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
        new = [] if source is None else [name for name in counted(source[0], proposal.shared) if name not in asked]
        if not new:
            outcome = proposal.outcome
            return outcome.replace(warnings=(*outcome.warnings, *not_counting(refused)))
        # As `reserved_for` does it, but nothing is used up: the team store is only asked whether it would let go.
        redeeming = redeeming or Redeeming(world.policy.store, world.folders)
        asked.update(new)
        refused.update({name: why for name in new if (why := redeeming.look(name)) is not None})


def _foreseen_held(case: Case, world: World, facts: Facts) -> Case:
    """The case as it would be with a checkpoint, where one could be made. None is."""
    plain = plainly(case, 0)
    if isinstance(plain, Fire) or not may_be_held(plain[1], case, world):
        return case

    return foreseen_by(case, plain[1], world, facts)


def _lent(case: Case, world: World, refused: Mapping[str, str]) -> Proposal:
    source = None if world.looks is None else world.looks.lends()
    if source is None:
        return Proposal(case=case, seen=Snapshot(), found=weigh(case, Snapshot(), 0))

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
        if may_be_held(found.found.decision, found.case, world):
            found = would_be(found, read, Reserved(), world.ledger)
    return marked(found.outcome if isinstance(found, Proposal) else found, world)


def not_recorded(call: Call, world: World, session: Session, trouble: str) -> Outcome:
    """What is answered where the ledger cannot be had: only what reads passes."""
    outcome = marked(looked(call, world, session), world).replace(trouble=trouble)
    if is_read_only(outcome.reading):
        return outcome
    # nothing was kept, so the receipt is that of the answer and not of the decision
    decision = unrecorded(outcome.decision, trouble)
    body = receipt_body(call, outcome.reading, world.policy.digest, session, decision)
    receipt, raw = receipt_of(body)
    return outcome.replace(decision=decision, body=body, receipt=receipt, raw=raw)
