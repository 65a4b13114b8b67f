"""The engine's judgement of what a preview would put into the project, with a person's yes where it asks.

The person has seen the changes. Their yes is an approval like any other: it is kept, it may have to be signed, and the
second try of the same call redeems it. One path that is denied, and nothing is applied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..model.errors import ApprovalError
from ..model.events import Place, Proposed
from ..value import Value
from .apply import calls_for

if TYPE_CHECKING:
    from ..calls.world import Outcome
    from ..engine import Engine
    from .kept import Preview

__all__ = ["Judged", "judged"]


class Judged(Value):
    """The receipts of all calls, or the outcome that stands against it."""

    receipts: tuple[str, ...] = ()
    against: Outcome | None = None

    @property
    def why(self) -> str:
        return "" if self.against is None else "; ".join([found.text for found in self.against.decision.reasons[:3]])


def judged(engine: Engine, preview: Preview, say_yes: Callable[[Outcome], None]) -> Judged:
    """`say_yes` answers the question of an outcome that asks, or raises."""
    place = Place(cwd=preview.order.root, root=preview.order.root)
    receipts: list[str] = []
    for call in calls_for(preview):
        outcome = engine.propose(Proposed(place=place, call=call))
        if outcome.answer.approval:
            say_yes(outcome)
            outcome = engine.propose(Proposed(place=place, call=call))
        if not outcome.answer.runs:
            return Judged(receipts=tuple(receipts), against=outcome)
        if outcome.trouble is not None:  # INVARIANT: no record, no action
            raise ApprovalError(f"the ledger cannot be written, so nothing is applied: {outcome.trouble}")
        receipts.append(outcome.receipt)
    return Judged(receipts=tuple(receipts))
