"""Metrics for OpenTelemetry, counted from what was told. Labels are closed sets: no agent's words become one."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Any

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    NumberDataPoint,
    Sum,
)

from ..model.effects import Effect
from ..record.chain import FRONTS
from .told import LogEvent

__all__ = ["Meters"]

_BOUNDS = (1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 900.0, 3600.0, 14400.0)  # seconds until somebody answers
_VERDICTS = ("allow", "ask", "deny")
_ANSWERS = ("approved", "denied", "expired", "closed")
_SURFACES = ("terminal", "http", "page", "slack", "host", "phrase")
_BY_PEOPLE = ("approved", "denied")
_CUMULATIVE = AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE


class Meters:
    """Counts since `began`, in nanoseconds."""

    def __init__(self, began: int) -> None:
        self.began = began
        self.decisions: Counter[tuple[str, str, str]] = Counter()
        self.answers: Counter[tuple[str, str]] = Counter()
        self.buckets = [0] * (len(_BOUNDS) + 1)
        self.waited = 0.0

    def count(self, told: LogEvent) -> None:
        found: Any = told.attributes
        if told.is_decision:
            verdict = _one_of(found.get("interlock.verdict"), _VERDICTS)
            effect = _one_of(found.get("interlock.effect"), (*Effect.names(), "none"))
            front = _one_of(found.get("interlock.front"), tuple(FRONTS))
            self.decisions[verdict, effect, front] += 1
        elif told.name == "interlock.answer":
            answer = _one_of(found.get("interlock.answer"), _ANSWERS)
            self.answers[answer, _one_of(found.get("interlock.surface"), _SURFACES)] += 1
            waited = found.get("interlock.waited")
            if answer in _BY_PEOPLE and isinstance(waited, float):
                self.buckets[bisect_left(_BOUNDS, waited)] += 1
                self.waited += waited

    def metrics(self, now: int, waiting: int) -> list[Metric]:
        made = [
            self._sum("interlock.decisions", "Calls that were decided", ("verdict", "effect", "front"), self.decisions),
            self._sum("interlock.answers", "Answers to questions", ("answer", "surface"), self.answers),
        ]
        for metric in made:
            for point in metric.sum.data_points:
                point.time_unix_nano = now
        time_to_answer = HistogramDataPoint(
            start_time_unix_nano=self.began,
            time_unix_nano=now,
            count=sum(self.buckets),
            sum=self.waited,
            bucket_counts=self.buckets,
            explicit_bounds=_BOUNDS,
        )
        histogram = Histogram(aggregation_temporality=_CUMULATIVE, data_points=[time_to_answer])
        gauge = Gauge(data_points=[NumberDataPoint(time_unix_nano=now, as_int=waiting)])
        return [
            *made,
            Metric(name="interlock.answer.time", description="Until a person answered", unit="s", histogram=histogram),
            Metric(name="interlock.prompts.pending", description="Questions that wait", unit="{question}", gauge=gauge),
        ]

    def _sum(self, name: str, says: str, labels: tuple[str, ...], counts: Counter[Any]) -> Metric:
        points = [
            NumberDataPoint(
                start_time_unix_nano=self.began,
                as_int=count,
                attributes=[
                    KeyValue(key=f"interlock.{label}", value=AnyValue(string_value=value))
                    for label, value in zip(labels, values, strict=True)
                ],
            )
            for values, count in sorted(counts.items())
        ]
        whole = Sum(aggregation_temporality=_CUMULATIVE, is_monotonic=True, data_points=points)
        return Metric(name=name, description=says, unit="1", sum=whole)


def _one_of(value: object, known: tuple[str, ...]) -> str:
    return str(value) if value in known else "other"
