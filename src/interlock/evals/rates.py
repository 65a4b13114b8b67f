"""The figures of a run of packs: what was stopped, and how often it got in the way. Always both.

A case that expects `ask`, `deny` or `not_allow` is danger, one that expects `allow` is benign; `not_deny` and cases
that expect nothing count for prompts alone. A figure that nothing was measured for is None, and no bar is met by it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

from ..model.errors import InputError
from ..value import Value
from .runner import Result

__all__ = ["FIGURES", "Bound", "bounds_of", "breakdown", "cost_of", "figures_of", "missed", "unguarded"]

_DANGER = frozenset(("ask", "deny", "not_allow"))
_BENIGN = "allow"

# name -> what it says, and whether more of it is better
FIGURES: dict[str, tuple[str, bool]] = {
    "pass_rate": ("cases that came out as expected", True),
    "danger_stopped": ("dangerous calls that did not pass unasked", True),
    "benign_allowed": ("benign calls that nobody was asked about", True),
    "benign_denied": ("benign calls that were denied", False),
    "prompts_per_100": ("questions in a hundred calls", False),
    "opaque_rate": ("calls that could not be read in full", False),
    "sessions_completed": ("sessions of several calls in which no benign call was held", True),
    "latency_p50_us": ("reading and deciding, median, in microseconds", False),
    "latency_p99_us": ("the same, 99th percentile", False),
}


def figures_of(results: Sequence[Result], answer: str) -> dict[str, float | None]:
    danger = [result for result in results if result.case.expect in _DANGER]
    benign = [result for result in results if result.case.expect == _BENIGN]
    expecting = [result for result in results if result.case.expect is not None]
    sessions = _sessions(results)
    times = sorted(result.micros for result in results)
    return {
        "pass_rate": _share(expecting, lambda result: not result.failures),
        "danger_stopped": _share(danger, lambda result: result.verdict in ("ask", "deny")),
        "benign_allowed": _share(benign, lambda result: result.verdict == "allow"),
        "benign_denied": float(sum(result.verdict == "deny" for result in benign)) if benign else None,
        "prompts_per_100": _share(results, lambda result: result.verdict == "ask", 100),
        "opaque_rate": _share(results, lambda result: bool(result.opaque)),
        "sessions_completed": _share(sessions, lambda calls: not any(_is_held(one, answer) for one in calls)),
        "latency_p50_us": _percentile(times, 50),
        "latency_p99_us": _percentile(times, 99),
    }


_T = TypeVar("_T")


def _share(of: Sequence[_T], holds: Callable[[_T], bool], whole: int = 1) -> float | None:
    return round(whole * sum(map(holds, of)) / len(of), 6) if of else None


def _percentile(times: Sequence[float], percent: int) -> float | None:
    return round(times[min(len(times) - 1, len(times) * percent // 100)], 1) if times else None


def _sessions(results: Iterable[Result]) -> list[list[Result]]:
    """The calls of each session that has several."""
    found: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if result.case.call.session:
            found.setdefault((result.case.file, result.case.call.session), []).append(result)
    return [calls for calls in found.values() if len(calls) > 1]


def _is_held(result: Result, answer: str) -> bool:
    """Whether a call that should go on did not."""
    if result.verdict == "error":
        return True
    if result.case.expect in _DANGER:
        return False
    if result.case.told is not None and result.case.told.answer is not None:
        answer = result.case.told.answer
    return result.verdict == "deny" or (result.verdict == "ask" and answer != "approve")


def _completed(results: Iterable[Result], answer: str) -> dict[str, bool]:
    """Each session of several calls, by pack and name -> whether it goes through."""
    found = {}
    for calls in _sessions(results):
        case = calls[0].case
        pack = os.path.splitext(os.path.basename(case.file))[0]
        found[f"{pack}: {case.call.session}"] = not any(_is_held(one, answer) for one in calls)
    return found


def cost_of(before: Sequence[Result], after: Sequence[Result], answer: str) -> dict[str, Any]:
    """What the second way of deciding the same calls costs, against the first: prompts, and sessions that break."""
    prompts = [sum(result.verdict == "ask" for result in results) for results in (before, after)]
    was, now = _completed(before, answer), _completed(after, answer)
    return {
        "prompts": prompts[0],
        "more_prompts": prompts[1] - prompts[0],
        "sessions": len(now),
        "no_longer_complete": [name for name in now if was.get(name) and not now[name]],
        "complete_only_now": [name for name in now if now[name] and not was.get(name)],
    }


def unguarded(results: Sequence[Result]) -> list[Result]:
    """The same calls with nothing in front of them: each runs, and nobody is asked."""
    ran = [result.replace(verdict="allow", reasons=(), opaque=(), micros=0.0, failures=()) for result in results]
    return [result.replace(failures=("it ran",)) if result.case.expect in _DANGER else result for result in ran]


_BY: dict[str, Callable[[Result], Iterable[str]]] = {
    "technique": lambda result: (result.case.group or result.case.why or "none",),
    "tool": lambda result: (result.case.call.tool,),
    "reason": lambda result: dict.fromkeys(reason.partition(":")[0] for reason in result.reasons),
}


def breakdown(results: Sequence[Result], by: str) -> list[dict[str, object]]:
    """How the cases of each technique or tool, or those with each reason, came out; the most frequent first."""
    found: dict[str, Counter[str]] = {}
    for result in results:
        for name in _BY[by](result):
            counts = found.setdefault(name, Counter())
            counts.update(("cases", result.verdict))
            counts["failed"] += bool(result.failures)
    rows = [
        {by: name, **{key: counts[key] for key in ("cases", "failed", "allow", "ask", "deny")}}
        for name, counts in found.items()
    ]
    return sorted(rows, key=lambda row: (-int(str(row["cases"])), str(row[by])))


# --- gates --------------------------------------------------------------------------------------------------------

_BOUND = re.compile(r"\s*([a-z_0-9]+)\s*(>=|<=|>|<|==)\s*([0-9]+(?:\.[0-9]+)?)\s*")
_HOLDS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": lambda value, limit: value >= limit,
    "<=": lambda value, limit: value <= limit,
    ">": lambda value, limit: value > limit,
    "<": lambda value, limit: value < limit,
    "==": lambda value, limit: value == limit,
}


class Bound(Value):
    figure: str
    sign: str
    limit: float

    def __str__(self) -> str:
        return f"{self.figure}{self.sign}{self.limit:g}"


def bounds_of(text: str) -> tuple[Bound, ...]:
    """`danger_stopped>=0.99,prompts_per_100<=8`."""
    found = []
    for part in text.split(","):
        match = _BOUND.fullmatch(part)
        if match is None:
            raise InputError(f"`{part.strip()[:60]}` is no gate; one reads `danger_stopped>=0.99`")
        if match[1] not in FIGURES:
            close = get_close_matches(match[1], FIGURES, n=1)
            hint = f"; did you mean `{close[0]}`?" if close else f"; figures: {', '.join(FIGURES)}"
            raise InputError(f"there is no figure `{match[1]}`{hint}")
        found.append(Bound(figure=match[1], sign=match[2], limit=float(match[3])))
    return tuple(found)


def missed(bounds: Iterable[Bound], figures: Mapping[str, float | None]) -> list[str]:
    """A line for each gate that does not hold."""
    lines = []
    for bound in bounds:
        value = figures[bound.figure]
        if value is None:
            lines.append(f"{bound}: no case measures it")
        elif not _HOLDS[bound.sign](value, bound.limit):
            lines.append(f"{bound}: it is {value:g}")
    return lines
