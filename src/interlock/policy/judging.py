"""Two models of different families that are asked what they think of a call which a person is asked about anyway.

Off unless a person's own or managed policy has `[judge]`, and a calibration shows that these two are right often enough
(`store/home/calibrations.py`). What they say can only tighten. Loaded only where a policy has the table.
"""

from __future__ import annotations

from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["APIS", "Judge", "Judging", "judging_from_wire", "judging_to_wire", "judging_trouble"]

APIS = ("openai", "anthropic")


class Judge(Value):
    """
    api           how the endpoint is spoken to: `openai` (chat completions) or `anthropic` (messages)
    key           the variable of the environment that holds its key; `key_file` the file that does; neither: none
    input_price   of a million tokens that are sent, and `output_price` of a million that come back; 0: not known
    """

    endpoint: str
    model: str
    family: str
    api: str = "openai"
    key: str = ""
    key_file: str = ""
    input_price: float = 0.0
    output_price: float = 0.0


class Judging(Value):
    """
    unsafe         what follows where one of them says unsafe: `ask`, with a note for the person, or `deny`
    min_precision  the least share of what they call unsafe that a calibration must show to be so
    timeout        in seconds, for both together
    tools          globs of the tools that they are asked about; empty: all
    """

    first: Judge
    second: Judge
    unsafe: Verdict = Verdict.ASK
    min_precision: float = 0.9
    timeout: float = 3.0
    tools: tuple[str, ...] = ()

    @property
    def both(self) -> tuple[Judge, Judge]:
        return self.first, self.second


def judging_trouble(first: Judge, second: Judge) -> tuple[str, str] | None:
    """Why the two are not two, and the key that says so; None where they are."""
    if first.family.strip().lower() == second.family.strip().lower():
        return "family", "`first` and `second` are of the same family: models of one family share their mistakes"
    if (first.endpoint, first.model) == (second.endpoint, second.model):
        return "model", "`first` and `second` are the same model at the same endpoint"
    for judge in (first, second):
        if judge.key and judge.key_file:
            return "key_file", "`key` and `key_file` exclude each other"
    return None


def judging_to_wire(judging: Judging) -> dict[str, Any]:
    return {
        **judging.as_dict(),
        "first": judging.first.as_dict(),
        "second": judging.second.as_dict(),
        "unsafe": judging.unsafe.name,
    }


def judging_from_wire(wire: Mapping[str, Any]) -> Judging:
    return Judging(
        **{
            **wire,
            "first": Judge(**wire["first"]),
            "second": Judge(**wire["second"]),
            "unsafe": Verdict.of(wire["unsafe"]),
            "tools": tuple(wire["tools"]),
        }
    )
