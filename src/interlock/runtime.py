"""The one way through: read, propose, commit, answer.

    read      everything slow: the disk, processes, the consult and the judges (`calls/prepare.py`)
    propose   weighed with what the ledger holds, while nothing is locked (`approve/weigh.py`)
    commit    written in one transaction that touches nothing but the ledger (`calls/commit.py`)

What happens if a part of that fails is a table in docs/limits.md; `tests/faults` holds a test for each row.
"""

from __future__ import annotations

from .calls.between import may_be_held, not_counting, reserved_for
from .calls.commit import Proposal, Reserved, committed, marked, proposed, recorded
from .calls.prepare import entered, judged, read_call
from .limits import MAX_READ_AGAIN
from .model.errors import StoreError, crowded
from .model.verdict import Verdict
from .value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from .calls.undoing import let_go, undone_by
    from .calls.unrecorded import looked, not_recorded
    from .calls.world import Outcome, World
    from .model.action import Judgement
    from .model.call import Call
    from .model.session import Session
    from .store.ledger.ledger import Ledger
else:
    let_go = lazy(globals(), ".calls.undoing", "let_go")
    undone_by = lazy(globals(), ".calls.undoing", "undone_by")
    looked = lazy(globals(), ".calls.unrecorded", "looked")
    not_recorded = lazy(globals(), ".calls.unrecorded", "not_recorded")

__all__ = ["judge"]


def judge(call: Call, world: World, session: Session) -> Outcome:
    """One call, from facts to receipt."""
    trouble = ""
    if world.ledger is not None:
        try:
            return _recorded(call, world, session, world.ledger)
        except StoreError as error:
            trouble = str(error)

    return not_recorded(call, world, session, trouble) if trouble else marked(looked(call, world, session), world)


def _recorded(call: Call, world: World, fresh: Session, ledger: Ledger) -> Outcome:
    """Read again where another call of the session changed meanwhile what the reading hangs on. The run of a plan is
    entered once, judges are asked once, and a use of a shared grant that was won stays won, however often that is.
    """
    reserved, redeeming, run, has_entered = Reserved(), None, None, False
    said: tuple[Judgement, ...] | None = None
    for again in range(MAX_READ_AGAIN):
        read = read_call(call, world, fresh, ledger, anew=again > 0)
        if read.held is not None and not has_entered:
            before = recorded(read, ledger)
            if before is not None:
                return before
            run, has_entered = None if world.observes else entered(read), True
        found: Proposal | Outcome | None = proposed(read, run, reserved, ledger)
        if (
            world.undo == "holds"
            and isinstance(found, Proposal)
            and may_be_held(found.found.decision, found.case, world)
        ):
            found, read = undone_by(found, read, run, reserved, ledger)
        while isinstance(found, Proposal):
            redeeming, reserved, asked = reserved_for(found, world, ledger, redeeming, reserved)
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
            refused = not_counting(reserved.refused)
            return found.replace(warnings=(*found.warnings, *refused)) if refused else found
        if read.reading.undo:
            let_go(read)
    raise StoreError(crowded(call.kept_session, MAX_READ_AGAIN))
