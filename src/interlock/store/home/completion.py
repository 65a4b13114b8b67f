"""Whether a plan's run is finished: what it promises is looked for on the disk."""

from __future__ import annotations

from ...plan.gate import missing_outputs, told_missing
from ...value import TYPE_CHECKING
from .runs import outputs_there

if TYPE_CHECKING:
    from .plans import PlanInForce

__all__ = ["unfinished"]


def unfinished(found: PlanInForce) -> str | None:
    """Why the agent should not stop yet, for the agent to read; None where it may."""
    planned = found.policy.planned
    if planned is None or planned.missing or not found.settings.require_outputs:
        return None
    if found.plan is None:
        strict = planned.enforcement.name == "strict"
        return f"the plan cannot be used: {planned.fault}" if strict else None
    there = outputs_there((found.folder, found.root), tuple([output.path for output in found.plan.outputs]))
    missing = missing_outputs(found.plan, there)
    return told_missing(missing, planned.file) if missing else None
