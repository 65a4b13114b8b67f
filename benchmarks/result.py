"""What every benchmark gives: figures in one shape, so that they can be printed, kept and put on a page alike.

A figure is a number with its unit, beside it the spread of the single measurements where there is one, and a bar where
the project has set one. `--json` of each benchmark prints `report` of them.
"""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

__all__ = ["Figure", "ended", "report", "spread", "timed"]


class Figure(NamedTuple):
    """
    what   what was measured
    value  the number, in `unit`
    low    a tenth of the single measurements lie below it
    high   a tenth of them lie above it
    note   the same in other words: a ratio, a part of it
    bar    what it should be, in words; empty: nothing is asked of it
    met    whether it is
    """

    what: str
    value: float
    unit: str
    low: float | None = None
    high: float | None = None
    note: str = ""
    bar: str = ""
    met: bool = True

    @property
    def shown(self) -> str:
        return f"{number(self.value)} {self.unit}"

    @property
    def range(self) -> str:
        return "" if self.low is None or self.high is None else f"{number(self.low)} – {number(self.high)}"


def number(value: float) -> str:
    """Three digits that count."""
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3g}"


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """The median, and where the outer tenths begin."""
    ordered = sorted(values)
    tenth = len(ordered) // 10
    return statistics.median(ordered), ordered[tenth], ordered[-1 - tenth]


def timed(what: str, values: Sequence[float], unit: str, **other: Any) -> Figure:
    """A figure of many measurements."""
    middle, low, high = spread(values)
    return Figure(what, middle, unit, low, high, **other)


def report(name: str, figures: Sequence[Figure], **other: object) -> str:
    """As JSON, with the load that the machine had when the benchmark ended."""
    rows = [figure._asdict() for figure in figures]
    return json.dumps({"benchmark": name, "load": [round(x, 2) for x in os.getloadavg()], "figures": rows, **other})


def ended(name: str, figures: Sequence[Figure], *, as_json: bool, **other: object) -> int:
    """Prints the figures, and gives the exit code: 1 where a bar is missed."""
    if as_json:
        print(report(name, figures, **other))
    else:
        for one in figures:
            bar = f"{one.bar} {'met' if one.met else 'MISSED'}" if one.bar else ""
            print(f"{one.what:46} {one.shown:>16}  {one.range:>20}  {one.note:34} {bar}".rstrip())
    return 0 if all(one.met for one in figures) else 1
