"""The completion gate: what a plan promises must be there before the agent may stop."""

from __future__ import annotations

from ..model.errors import printable
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Output, Plan

__all__ = ["missing_outputs", "told_missing"]

_SHOWN = 20


def missing_outputs(plan: Plan, there: frozenset[str]) -> tuple[Output, ...]:
    """The outputs that are not among the paths that are there."""
    return tuple([output for output in plan.outputs if output.path not in there])


def told_missing(missing: tuple[Output, ...], file: str) -> str:
    """For the agent: what is missing, and of which part of the plan."""
    lines = [f"the plan {file} is not done; {len(missing)} of its outputs are missing or empty:"]
    for output in missing[:_SHOWN]:
        of = " / ".join([part for part in (output.arm, output.condition) if part])
        lines.append(f"  {output.path}" + (f"  ({of})" if of else ""))
    if len(missing) > _SHOWN:
        lines.append(f"  and {len(missing) - _SHOWN} more")
    lines.append("Run what produces them, or tell the person why that cannot be done.")
    return "\n".join(map(printable, lines))
