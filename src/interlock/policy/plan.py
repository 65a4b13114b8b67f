"""What a policy says about plans, and what is in force once the plan itself was found.

`PlanSettings` is the `[plan]` table. `Planned` is what the plan layer reads: the settings after the environment had its
word, and the digest of the plan's file, so that the policy's digest binds the plan that a decision was held against.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, Scale, Value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

__all__ = [
    "PLAN_DEFAULTS",
    "Enforcement",
    "Matching",
    "PlanSettings",
    "Planned",
    "plan_from_wire",
    "plan_to_wire",
    "planned_from_wire",
    "planned_to_wire",
]


class Enforcement(Scale, words="warn strict"):
    """`warn` lets through and logs; `strict` denies and logs."""

    __slots__ = ()
    if TYPE_CHECKING:
        WARN: ClassVar[Enforcement]
        STRICT: ClassVar[Enforcement]


class Matching(Scale, words="program line prefix exact"):
    """How much of a command must be planned: its program, its first words, all of its words.

    `line`: its program, and the first words of a program that runs whatever it is given (runs_anything.py).
    """

    __slots__ = ()
    if TYPE_CHECKING:
        PROGRAM: ClassVar[Matching]
        LINE: ClassVar[Matching]
        PREFIX: ClassVar[Matching]
        EXACT: ClassVar[Matching]


class PlanSettings(Value):
    """
    dir              the run folder: plan, log and lock lie there; None: the project folder
    file             the plan's name in it
    marker           the comment that lifts the plan layer for one call
    markers_per_run  how often it may; None: no limit
    idle             minutes after which another session may take the run folder over; 0: anybody may
    require_outputs  the agent may not stop before the planned outputs are there
    programs         names of programs that may run besides the planned ones
    digest           of the content that the plan must have; empty: any
    """

    enforcement: Enforcement = Enforcement.WARN
    dir: str | None = None
    file: str = "experiment_plan.yaml"
    match: Matching = Matching.PROGRAM
    marker: str = "# nous: ad-hoc"
    markers_per_run: int | None = None
    idle: int = 10
    require_outputs: bool = True
    programs: tuple[str, ...] = ()
    digest: str = ""


PLAN_DEFAULTS = PlanSettings()


class Planned(Value):
    """
    file     the plan's file, as it is told to people
    digest   of its content; empty where there is none
    missing  why there is no plan to hold calls against: then everything passes, with a note
    fault    why the plan that is there cannot be used: then strict denies
    limit    how many calls of a run the marker may lift; None: any number
    programs names of programs that may run besides the planned ones
    """

    enforcement: Enforcement
    file: str
    match: Matching = Matching.PROGRAM
    marker: str = ""
    limit: int | None = None
    digest: str = ""
    missing: str = ""
    fault: str = ""
    programs: tuple[str, ...] = ()


def plan_to_wire(settings: PlanSettings) -> dict[str, Any]:
    return _words(settings)


def plan_from_wire(wire: Mapping[str, Any]) -> PlanSettings:
    return PlanSettings(**_scaled(wire))


def planned_to_wire(planned: Planned) -> dict[str, Any]:
    return _words(planned)


def planned_from_wire(wire: Mapping[str, Any]) -> Planned:
    return Planned(**_scaled(wire))


def _words(given: PlanSettings | Planned) -> dict[str, Any]:
    """As plain data. Where a newer field says nothing it is left out: digests hang on it."""
    fields = {**given.as_dict(), "enforcement": given.enforcement.name, "match": given.match.name}
    if not given.programs:
        del fields["programs"]
    if type(given) is PlanSettings and not given.digest:
        del fields["digest"]
    return fields


def _scaled(wire: Mapping[str, Any]) -> dict[str, Any]:
    fields = dict(wire)
    fields["enforcement"] = Enforcement.of(wire["enforcement"])
    fields["match"] = Matching.of(wire["match"])
    return fields
