"""The one way through: read, propose, commit, answer.

    read      everything slow: the disk, processes, the consult (`prepare.py`)
    propose   weighed with what the ledger holds, while nothing is locked (`approve/weigh.py`)
    commit    written in one transaction that touches nothing but the ledger (`commit.py`)

What happens if a part of that fails is a table in docs/limits.md; `tests/faults` holds a test for each row.
"""

from __future__ import annotations

from .action import is_read_only
from .approve.standing import Fire, Snapshot
from .approve.weigh import plainly, weigh
from .commit import Proposal, Reserved, committed, ended_grants, marked, proposed, recorded
from .decision import unrecorded
from .errors import StoreError
from .limits import MAX_READ_AGAIN
from .prepare import case_of, consulted, entered, held_to, looked_at, read_call
from .record.receipt import receipt_body, receipt_of
from .value import TYPE_CHECKING, FrozenMap
from .world import Outcome, World, facts_of, notices_of, starting_posture, with_plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .approve.standing import Case
    from .call import Call
    from .session import Session
    from .store.ledger import AnyDatabase, Ledger
    from .store.shared import Redeeming

__all__ = ["Outcome", "World", "foreseen", "judge", "not_recorded", "notices_of", "starting_posture", "with_plan"]


def judge(call: Call, world: World, session: Session) -> Outcome:
    """One call, from facts to receipt."""
    if world.ledger is None:
        return marked(_looked_at(call, world, session), world)
    try:
        return _recorded(call, world, session, world.ledger)
    except StoreError as error:
        trouble = str(error)
    return not_recorded(call, world, session, trouble)


def foreseen(call: Call, world: World, session: Session) -> Outcome | None:
    """What `judge` would answer now, a person's approval counted, and nothing kept or used up. None where only entering
    the run of a plan would tell.
    """
    if world.ledger is None:
        return None
    read = read_call(call, world, session, world.ledger)
    if read.held is not None:
        return None
    found = proposed(read, None, Reserved(), world.ledger)
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
    entered once, and a use of a shared grant that was won stays won, however often that is.
    """
    reserved, redeeming, run, has_entered = Reserved(), None, None, False
    for _ in range(MAX_READ_AGAIN):
        read = read_call(call, world, fresh, ledger)
        if read.held is not None and not has_entered:
            before = recorded(read, ledger)
            if before is not None:
                return before
            run, has_entered = None if world.observes else entered(read), True
        found: Proposal | Outcome | None = proposed(read, run, reserved, ledger)
        while isinstance(found, Proposal):
            redeeming, reserved, asked = _reserved(found, world, ledger, redeeming, reserved)
            if asked:
                found = proposed(read, run, reserved, ledger)
            else:
                found = committed(read, run, reserved, found, ledger)
        if found is not None:
            refused = _not_counting(reserved.refused)
            return found.replace(warnings=(*found.warnings, *refused)) if refused else found
    raise StoreError(f"other calls of this session came in between {MAX_READ_AGAIN} times")


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
    reading = consulted(call, world, session, reading, facts)
    case = case_of(call, world, session, reading)
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
    from .store.ledger import uses_of

    found = [(name, uses_of(database, name)) for name in names]
    return [name for name, kept in found if kept is not None and kept.uses > 0]
