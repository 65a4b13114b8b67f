"""Figures over time, as shapes: what was decided, how often a person was asked, how long they took, and why.

Read from the ledger, newest rows first, so many at most; a page that did not see all of its time says so. Shapes are in
a square of 100 by 100 that the browser stretches; words stand beside it, where they keep their size.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ...store import sql
from ...store.ledger.ledger import View
from ...value import Value

__all__ = ["SPANS", "Bar", "Bars", "Charts", "Curve", "Reason", "charts"]

_BATCH = 1000
_MOST_READ = 60_000
_HOUR = 3_600_000
# what a person picks -> number of steps, milliseconds of each, how a step is told
SPANS = {"24h": (24, _HOUR, "%H:%M"), "7d": (28, 6 * _HOUR, "%b %d"), "30d": (30, 24 * _HOUR, "%b %d")}
_VERDICTS = ("allow", "ask", "deny")
_TIMES = (
    (10_000, "10 s"),
    (60_000, "1 min"),
    (300_000, "5 min"),
    (1_800_000, "30 min"),
    (7_200_000, "2 h"),
)
_TOP = 8


class Bar(Value):
    kind: str
    x: float
    y: float
    width: float
    height: float


class Bars(Value):
    """One step of time. `parts` are counts by kind."""

    label: str
    parts: tuple[tuple[str, int], ...]
    bars: tuple[Bar, ...]
    x: float
    width: float


class Curve(Value):
    """`steps` are label and value; None where nothing was decided. `path` is of a line through them."""

    steps: tuple[tuple[str, float | None], ...]
    path: str
    dots: tuple[tuple[float, float], ...]
    most: float
    mean: float | None


class Reason(Value):
    layer: str
    rule: str
    text: str
    asks: int
    denies: int
    share: float
    deny_share: float


class Charts(Value):
    """`cut`: there was more than could be looked at."""

    span: str
    calls: int
    counts: tuple[tuple[str, int], ...]
    verdicts: tuple[Bars, ...]
    most: int
    labels: tuple[str, ...]
    prompts: Curve
    times: tuple[Bars, ...]
    most_times: int
    answered: int
    median: str
    slow: str
    reasons: tuple[Reason, ...]
    cut: bool


class _Seen:
    """What one walk through the rows adds up."""

    def __init__(self, steps: int) -> None:
        self.verdicts = [Counter[str]() for _ in range(steps)]
        self.prompts = [0] * steps
        self.waited: list[int] = []
        self.asks: Counter[tuple[str, str]] = Counter()
        self.denies: Counter[tuple[str, str]] = Counter()
        self.words: dict[tuple[str, str], str] = {}
        self.answers: dict[int, int] = {}  # row of the question -> when it was answered


def charts(view: View, span: str) -> Charts:
    steps, each, form = SPANS[span]
    # Steps begin at whole hours, or days, so that a chart does not slide while somebody looks at it.
    end = (view.at // each + 1) * each
    first = end - steps * each
    seen, cut = _Seen(steps), True
    before, looked = 1 << 62, 0
    while looked < _MOST_READ:
        rows = list(view.database.entries(sql.BEFORE, (before, _BATCH)))
        for row in rows:
            before, looked = row.seq, looked + 1
            if row.at >= first and row.kind in _TAKES:
                _TAKES[row.kind](seen, row, json.loads(row.body), min(steps - 1, (row.at - first) // each))
        if len(rows) < _BATCH or rows[-1].at < first:
            cut = False
            break
    labels = [datetime.fromtimestamp((first + at * each) / 1000, UTC).strftime(form) for at in range(steps)]
    return _drawn(span, seen, labels, cut=cut)


def _decision(seen: _Seen, _row: Any, body: Mapping[str, Any], step: int) -> None:
    decision = body["receipt"]["decision"]
    seen.verdicts[step][decision["verdict"]] += 1
    for reason in decision["reasons"][:1]:  # the gravest is why
        rule = (str(reason["layer"]), str(reason["rule"]))
        (seen.denies if decision["verdict"] == "deny" else seen.asks)[rule] += 1
        seen.words.setdefault(rule, str(reason["text"]))


def _prompt(seen: _Seen, row: Any, _body: Mapping[str, Any], step: int) -> None:
    seen.prompts[step] += 1
    if row.seq in seen.answers:
        seen.waited.append(max(0, seen.answers.pop(row.seq) - row.at))


def _answer(seen: _Seen, row: Any, body: Mapping[str, Any], _step: int) -> None:
    if body.get("answer") in ("approved", "denied") and type(body.get("prompt")) is int:
        seen.answers[body["prompt"]] = row.at


_TAKES = {"decision": _decision, "prompt": _prompt, "answer": _answer}


def _drawn(span: str, seen: _Seen, labels: list[str], *, cut: bool) -> Charts:
    total = Counter[str]()
    for step in seen.verdicts:
        total.update(step)
    most = max([sum(step.values()) for step in seen.verdicts], default=0)
    verdicts = _stacked(labels, [[(name, step[name]) for name in _VERDICTS] for step in seen.verdicts], most)
    buckets = Counter([next((words for limit, words in _TIMES if took < limit), "longer") for took in seen.waited])
    names = [words for _, words in _TIMES] + ["longer"]
    most_times = max(buckets.values(), default=0)
    times = _stacked(names, [[("time", buckets[name])] for name in names], most_times)
    waited = sorted(seen.waited)
    return Charts(
        span=span,
        calls=total.total(),
        counts=tuple([(name, total[name]) for name in _VERDICTS]),
        verdicts=verdicts,
        most=most,
        labels=tuple(labels),
        prompts=_curve(labels, seen),
        times=times,
        most_times=most_times,
        answered=len(waited),
        median=_took(waited[len(waited) // 2]) if waited else "",
        slow=_took(waited[min(len(waited) - 1, len(waited) * 9 // 10)]) if waited else "",
        reasons=_reasons(seen),
        cut=cut,
    )


def _stacked(labels: list[str], steps: list[list[tuple[str, int]]], most: int) -> tuple[Bars, ...]:
    """Columns, each step's parts one above the other."""
    wide = 100 / max(1, len(labels))
    found = []
    for at, (label, parts) in enumerate(zip(labels, steps, strict=True)):
        top, bars = 100.0, []
        for kind, count in parts:
            if count:
                high = 100 * count / most
                top -= high
                bars.append(
                    Bar(
                        kind=kind,
                        x=round(at * wide + wide * 0.14, 3),
                        y=round(top, 3),
                        width=round(wide * 0.72, 3),
                        height=round(high, 3),
                    )
                )
        found.append(
            Bars(label=label, parts=tuple(parts), bars=tuple(bars), x=round(at * wide, 3), width=round(wide, 3))
        )
    return tuple(found)


def _curve(labels: list[str], seen: _Seen) -> Curve:
    calls = [step.total() for step in seen.verdicts]
    values = [100 * asked / count if count else None for asked, count in zip(seen.prompts, calls, strict=True)]
    most = max([value for value in values if value is not None], default=0.0)
    wide = 100 / max(1, len(labels))
    ceiling = max(most, 1.0)
    points = [
        None if value is None else (round((at + 0.5) * wide, 3), round(96 - 90 * value / ceiling, 3))
        for at, value in enumerate(values)
    ]
    path, pen = [], "M"
    for point in points:
        if point is not None:
            path.append(f"{pen}{point[0]} {point[1]}")
            pen = "L"
    return Curve(
        steps=tuple([(label, None if v is None else round(v, 1)) for label, v in zip(labels, values, strict=True)]),
        path=" ".join(path),
        dots=tuple([point for point in points if point is not None]),
        most=round(ceiling, 1),
        mean=round(100 * sum(seen.prompts) / sum(calls), 1) if sum(calls) else None,
    )


def _reasons(seen: _Seen) -> tuple[Reason, ...]:
    every = (seen.asks + seen.denies).most_common(_TOP)
    most = max([count for _, count in every], default=1)
    return tuple(
        [
            Reason(
                layer=rule[0],
                rule=rule[1],
                text=seen.words[rule],
                asks=seen.asks[rule],
                denies=seen.denies[rule],
                share=round(100 * seen.asks[rule] / most, 2),
                deny_share=round(100 * seen.denies[rule] / most, 2),
            )
            for rule, _ in every
        ]
    )


def _took(milliseconds: int) -> str:
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.0f} s" if seconds >= 1 else "under 1 s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
