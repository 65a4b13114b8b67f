"""Between propose and commit: what a call would lose is held first, and the call is weighed again with that fact.

A checkpoint is made only where it takes the last ask away: the call is weighed as if it were there, then it is made,
durably, and then it is weighed with it. A call that is denied, or asked about for any other reason, makes none. A call
that is let through anyway is held where it makes commits anew or removes a build's folder, and where that can be; it
changes no decision.
"""

from __future__ import annotations

from ..approve.standing import Fire
from ..approve.undoable import held_anyway, is_in_flight, losses_of, lowered, only_losses, stays, touched_by
from ..approve.weigh import plainly
from ..model.errors import StoreError
from ..model.facts import NO_PROJECT, project_at
from ..value import TYPE_CHECKING, lazy
from .commit import Proposal, proposed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..approve.standing import Case
    from ..approve.undoable import Loss
    from ..model.action import Reading
    from ..model.call import Call
    from ..model.decision import Decision
    from ..model.facts import Facts
    from ..model.session import Run, Session
    from ..store.ledger.ledger import Ledger
    from ..store.undo.holding import Held, could_hold, hold, shelf_of
    from .commit import Reserved
    from .prepare import Read
    from .world import Outcome, World
else:
    Held = lazy(globals(), "..store.undo.holding", "Held")
    could_hold = lazy(globals(), "..store.undo.holding", "could_hold")
    hold = lazy(globals(), "..store.undo.holding", "hold")
    shelf_of = lazy(globals(), "..store.undo.holding", "shelf_of")

__all__ = ["foreseen_by", "let_go", "undone_by", "would_be"]


def undone_by(
    found: Proposal, read: Read, run: Run | None, reserved: Reserved, ledger: Ledger
) -> tuple[Proposal | Outcome, Read]:
    """The proposal with what is held, and the call as it is read then; both as they were where that is not to be."""
    if isinstance(found.found, Fire):
        return _let_through(found, read, run, reserved, ledger)
    losses, _ = _as_if_held(found, read, run, reserved, ledger)
    if not losses:
        return found, read

    try:
        wanted = _wanted(read.reading, losses, read.world, read.facts)
        shelf = shelf_of(read.world.folders, read.world.policy)
        checkpoint = hold(wanted, shelf, session=read.call.kept_session, call=read.reading.call)
    except StoreError:
        return found, read
    held = read.replace(reading=lowered(read.reading, losses, checkpoint.id))
    again = proposed(held, run, reserved, ledger)
    if isinstance(again, Proposal) and not _lets_through(found, again):
        let_go(held)
        return found, read
    return again, held


def _as_if_held(
    found: Proposal, read: Read, run: Run | None, reserved: Reserved, ledger: Ledger
) -> tuple[tuple[Loss, ...], Proposal]:
    """The losses that would have to be held, and what would be proposed then; none where that would not help."""
    losses = _losses(found.case.reading, found.case.session, found.found.decision, read.world)
    if losses and not (read.found is not None and read.found.is_new):  # what is watched has something to say first
        as_if = proposed(read.replace(reading=lowered(read.reading, losses, "")), run, reserved, ledger)
        if isinstance(as_if, Proposal) and _lets_through(found, as_if):
            return losses, as_if
    return (), found


def would_be(found: Proposal, read: Read, reserved: Reserved, ledger: Ledger) -> Proposal:
    """What `undone_by` would propose. Whether a checkpoint could be made is looked at, and none is."""
    losses, as_if = _as_if_held(found, read, None, reserved, ledger)
    return as_if if losses and _can_be_held(read.call, read.reading, losses, read.world, read.facts) else found


def _let_through(
    found: Proposal, read: Read, run: Run | None, reserved: Reserved, ledger: Ledger
) -> tuple[Proposal | Outcome, Read]:
    losses = held_anyway(read.reading, read.world.root)
    if not losses:
        return found, read
    try:
        shelf = shelf_of(read.world.folders, read.world.policy)
        if not shelf.is_roomy(read.call.kept_session):
            return found, read
        wanted = _wanted(read.reading, losses, read.world, read.facts)
        checkpoint = hold(wanted, shelf, session=read.call.kept_session, call=read.reading.call)
    except StoreError:
        return found, read
    held = read.replace(reading=read.reading.replace(undo=checkpoint.id))
    again = proposed(held, run, reserved, ledger)
    if isinstance(again, Proposal) and again.found.decision == found.found.decision:
        return again, held
    let_go(held)
    return found, read


def let_go(read: Read) -> None:
    """Nothing was recorded that needs the checkpoint."""
    shelf_of(read.world.folders).drop(read.reading.undo, read.call.kept_session)


def foreseen_by(case: Case, decision: Decision, world: World, facts: Facts) -> Case:
    """The same where nothing is kept: whether a checkpoint could be made is looked at, and none is."""
    losses = _losses(case.reading, case.session, decision, world)
    if not losses:
        return case
    held = case.replace(reading=lowered(case.reading, losses, ""))
    plain = plainly(held, 0)
    if not isinstance(plain, Fire):
        return case
    return held if _can_be_held(case.call, case.reading, losses, world, facts) else case


def _can_be_held(call: Call, reading: Reading, losses: Sequence[Loss], world: World, facts: Facts) -> bool:
    try:
        shelf = shelf_of(world.folders, world.policy)
        could_hold(_wanted(reading, losses, world, facts), shelf, session=call.kept_session)
    except StoreError:
        return False
    return True


def _losses(reading: Reading, session: Session, decision: Decision, world: World) -> tuple[Loss, ...]:
    if not only_losses(decision) or is_in_flight(session):
        return ()
    if project_at(world.root, world.folders.home) == NO_PROJECT:  # a home folder is nobody's project to lose
        return ()
    return losses_of(reading, world.root)


def _lets_through(before: Proposal, after: Proposal) -> bool:
    return isinstance(after.found, Fire) and stays(before.found.decision, after.found.decision)


def _wanted(reading: Reading, losses: Sequence[Loss], world: World, facts: Facts) -> Held:
    return Held(
        root=world.root,
        losses=tuple(losses),
        touched=touched_by(reading, world.root),
        facts=facts,
    )
