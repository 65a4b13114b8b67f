"""A plan as it is held against commands: its lines with the programs they run, and the outputs it promises."""

from __future__ import annotations

from ..reading.runs.programs import UNKNOWN, Program
from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["Output", "Plan", "Step", "plan_from_wire", "plan_to_wire"]


class Step(Value):
    """One planned or set-up line. `arm` is empty for set-up lines and in the plain form.

    alone  words of its commands that run as they would by themselves, wherever else in a line they stand
    """

    text: str
    arm: str = ""
    programs: tuple[Program, ...] = ()
    alone: tuple[tuple[str, ...], ...] = ()


class Output(Value):
    """A file that a condition promises; a relative one lies in the run folder or in the project."""

    arm: str
    condition: str
    path: str


class Plan(Value):
    steps: tuple[Step, ...] = ()
    outputs: tuple[Output, ...] = ()

    @property
    def unread(self) -> tuple[str, ...]:
        """Lines that are no shell, or whose programs cannot be told: they permit no line but themselves."""
        return tuple([step.text for step in self.steps if UNKNOWN in step.programs])


def plan_to_wire(plan: Plan) -> dict[str, Any]:
    return {
        "outputs": tuple([output.as_dict() for output in plan.outputs]),
        "steps": tuple(
            [
                {
                    "alone": step.alone,
                    "arm": step.arm,
                    "programs": tuple([program.as_dict() for program in step.programs]),
                    "text": step.text,
                }
                for step in plan.steps
            ]
        ),
    }


def plan_from_wire(wire: Mapping[str, Any]) -> Plan:
    return Plan(
        outputs=tuple([Output(**output) for output in wire["outputs"]]),
        steps=tuple(
            [
                Step(
                    alone=tuple([tuple(words) for words in step["alone"]]),
                    text=step["text"],
                    arm=step["arm"],
                    programs=tuple([Program(**program) for program in step["programs"]]),
                )
                for step in wire["steps"]
            ]
        ),
    )
