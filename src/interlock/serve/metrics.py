"""What `/metrics` tells, in Prometheus' words. Labels are closed sets: nothing an agent writes becomes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from ..model.effects import Effect
    from ..model.verdict import Verdict

__all__ = ["Metrics"]

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.decisions = Counter(
            "interlock_decisions", "Calls that were decided", ("verdict", "effect"), registry=self.registry
        )
        self.seconds = Histogram(
            "interlock_decision_seconds", "Time to decide one call", registry=self.registry, buckets=_BUCKETS
        )
        self.answers = Counter("interlock_answers", "Answers of people", ("answer", "surface"), registry=self.registry)
        self.refused = Counter(
            "interlock_refused_requests", "Requests that ended with an error", ("code",), registry=self.registry
        )
        self.waiting = Gauge("interlock_long_polls", "Requests that wait for an answer", registry=self.registry)
        self.listening = Gauge("interlock_listeners", "Streams of events that are open", registry=self.registry)

        self._decided: dict[tuple[Verdict, Effect | None], Counter] = {}  # looking one up costs more than counting

    def decided(self, verdict: Verdict, effect: Effect | None, seconds: float) -> None:
        counter = self._decided.get((verdict, effect))
        if counter is None:
            counter = self.decisions.labels(verdict.name, "none" if effect is None else effect.name)
            self._decided[verdict, effect] = counter
        counter.inc()
        self.seconds.observe(seconds)

    def text(self) -> bytes:
        return generate_latest(self.registry)
