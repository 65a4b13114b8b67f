"""A call that is held while a person answers elsewhere (`[approvals] wait`).

The question is in the ledger before anything waits: a hook that is killed loses nothing, and leaves the question to be
answered later. Nothing is locked meanwhile; the ledger is only looked at now and then.
"""

from __future__ import annotations

import time

from ..approve.lifecycle import is_open
from ..store.approvals import find
from ..value import TYPE_CHECKING
from ..verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..engine import Engine
    from ..events import Proposed
    from ..world import Outcome

__all__ = ["can_wait", "waited"]

_LOOKS_EACH = 0.2  # seconds


def can_wait(outcome: Outcome) -> bool:
    """Whether a person's answer is all that is missing, and somebody can give it elsewhere."""
    # INVARIANT: a deny has an approval only where nothing but a person's answer stands against the call.
    decision = outcome.decision
    return decision.verdict is Verdict.DENY and decision.approval is not None and not outcome.observed


def waited(engine: Engine, event: Proposed, outcome: Outcome, seconds: int, extend: Callable[[float], None]) -> Outcome:
    """The outcome once the question was answered, or as it is when the time is over. `extend` puts off the deadline."""
    end = time.monotonic() + seconds
    extend(seconds)
    while _is_pending(engine, str(outcome.decision.approval)):
        if time.monotonic() >= end:
            extend(0)
            return outcome
        time.sleep(_LOOKS_EACH)
    extend(0)
    return engine.propose(event)


def _is_pending(engine: Engine, approval: str) -> bool:
    with engine.ledger().looking() as view:
        kept = find(view, approval)
        return kept is not None and is_open(kept, view.at)
