"""An answer of `interlock decide` as the result of a case that was tried with files on disk."""

from __future__ import annotations

from typing import Any

from ..model.action import Opaque
from ..record.receipt import action_from_wire
from ..value import freeze
from .case import Case
from .exact import reading_lines
from .runner import Result

__all__ = ["result_of"]


def result_of(case: Case, verdict: str, answer: dict[str, Any]) -> Result:
    """`verdict` is the case's: of several calls it may be another one than the answer's."""
    actions = [action_from_wire(freeze(action)) for action in answer.get("actions", ())]  # type: ignore[arg-type]
    opaque = [Opaque(reason=part["reason"]) for part in answer.get("opaque", ())]
    reasons = [f"{reason['layer']}/{reason['rule']}: {reason['text']}" for reason in answer.get("reasons", ())]
    return Result(
        case=case,
        verdict=verdict,
        lines=reading_lines(actions, opaque),
        opaque=tuple([part.reason for part in opaque]),
        reasons=tuple(reasons),
        trouble="the call could not be answered" if verdict == "error" else None,
    )
