"""OpenTelemetry: a span for each decision, a log record for each thing told, and metrics, as OTLP messages.

The messages are made from OpenTelemetry's own protocol package. Its SDK drops what does not fit its queue, and gives
spans ids by chance; here nothing leaves the ledger's order, and the same row has the same ids whenever it is sent, so
that a batch whose answer was lost can be sent again. Names of others' attributes are copied as text.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.metrics.v1.metrics_pb2 import ResourceMetrics, ScopeMetrics
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from .. import __version__
from ..model.errors import StoreError
from .collector import Collector, NotThereError
from .meters import Meters
from .told import LogEvent

__all__ = ["Otlp", "attributes_of", "ids_of", "log_of", "span_of"]

# our word -> number and text of OpenTelemetry's
_SEVERITIES = {"info": (9, "INFO"), "notice": (10, "INFO2"), "warning": (13, "WARN"), "error": (17, "ERROR")}
_METRICS_EACH = 15.0  # seconds
_TRY_AGAIN = 300.0  # seconds until a signal that had no place there is tried again


class Otlp:
    """A collector may take some signals only; the others are left out for a while, which is said."""

    def __init__(self, collector: Collector, *, service: str, machine: str) -> None:
        self.collector = collector
        self.resource = Resource(
            attributes=attributes_of(
                {"service.name": service, "service.version": __version__, "service.instance.id": machine}
            )
        )
        self.meters = Meters(time.time_ns())
        self._due = 0.0
        self._not_taken: dict[str, float] = {}
        self._arrived: tuple[int, int] | None = None  # the batch whose spans did, should its logs not

    def send(self, batch: list[LogEvent]) -> str:
        said = []
        name = (batch[0].row, batch[-1].row)
        spans = [span_of(told) for told in batch if told.is_decision]
        if spans and self._arrived != name:
            inside = ScopeSpans(scope=_SCOPE, spans=spans)
            traces = ExportTraceServiceRequest(
                resource_spans=[ResourceSpans(resource=self.resource, scope_spans=[inside])]
            )
            answer = self._posted("traces", traces)
            said.append(answer and _refused(ExportTraceServiceResponse(), answer, "spans"))
        self._arrived = name
        records = ScopeLogs(scope=_SCOPE, log_records=[log_of(told) for told in batch])
        logs = ExportLogsServiceRequest(resource_logs=[ResourceLogs(resource=self.resource, scope_logs=[records])])
        answer = self._posted("logs", logs)
        said.append(answer and _refused(ExportLogsServiceResponse(), answer, "log_records"))
        if {"traces", "logs"} <= set(self._not_taken):
            self._arrived = None
            raise StoreError(f"`{self.collector.address}` takes neither traces nor logs (404); is the address right?")
        for told in batch:  # what did not arrive is not counted, and so nothing is counted twice
            self.meters.count(told)
        self._due = min(self._due, time.monotonic() + 1.0)
        return "; ".join([words for words in said if words])

    def beat(self, waiting: Callable[[], int], *, now: bool = False) -> str:
        if not now and time.monotonic() < self._due:
            return ""
        self._due = time.monotonic() + _METRICS_EACH
        inside = ScopeMetrics(scope=_SCOPE, metrics=self.meters.metrics(time.time_ns(), waiting()))
        metrics = ExportMetricsServiceRequest(
            resource_metrics=[ResourceMetrics(resource=self.resource, scope_metrics=[inside])]
        )
        self._posted("metrics", metrics)
        return ""

    def _posted(self, signal: str, message: Any) -> bytes:
        """What the collector answers; nothing where it has no place for this signal."""
        if self._not_taken.get(signal, 0.0) > time.monotonic():
            return b""
        try:
            answer = self.collector.post(signal, message.SerializeToString())
        except NotThereError:
            self._not_taken[signal] = time.monotonic() + _TRY_AGAIN
            return b""
        self._not_taken.pop(signal, None)
        return answer


_SCOPE = InstrumentationScope(name="interlock", version=__version__)


def _refused(said: Any, answer: bytes, kind: str) -> str:
    """A collector may answer 200 and refuse some of it. By its rules these are not sent again."""
    try:
        said.ParseFromString(answer)
    except DecodeError:  # the words of a proxy; the status was good
        return ""
    count = getattr(said.partial_success, f"rejected_{kind}")
    return f"the collector refused {count} {kind.replace('_', ' ')}" if count else ""


def ids_of(told: LogEvent) -> tuple[bytes, bytes]:
    """Trace and span: what the request said, or else made from the row, the same each time."""
    made = hashlib.sha256(f"{told.row}:{told.hash}".encode()).digest()
    trace = told.trace.parent[0] if told.trace is not None and told.trace.parent is not None else made[:16]
    return trace, made[16:24]


def span_of(told: LogEvent) -> Span:
    trace, span = ids_of(told)
    at = told.at * 1_000_000
    denied = "error.type" in told.attributes
    return Span(
        trace_id=trace,
        span_id=span,
        parent_span_id=told.trace.parent[1] if told.trace is not None and told.trace.parent is not None else b"",
        name=f"interlock.decide {told.attributes['gen_ai.tool.name']}",
        kind=Span.SPAN_KIND_INTERNAL,
        start_time_unix_nano=at if told.trace is None else told.trace.began,
        end_time_unix_nano=at if told.trace is None else told.trace.ended,
        attributes=attributes_of({**told.attributes, "interlock.row": told.row}),
        status=Status(code=Status.STATUS_CODE_ERROR, message=told.text) if denied else None,
    )


def log_of(told: LogEvent) -> LogRecord:
    number, text = _SEVERITIES[told.severity]
    trace, span = ids_of(told) if told.is_decision else (b"", b"")
    return LogRecord(
        time_unix_nano=told.at * 1_000_000,
        observed_time_unix_nano=time.time_ns(),
        severity_number=number,  # type: ignore[arg-type]
        severity_text=text,
        event_name=told.name,
        body=AnyValue(string_value=told.text),
        attributes=attributes_of({**told.attributes, "interlock.row": told.row, "interlock.hash": told.hash}),
        trace_id=trace,
        span_id=span,
    )


def attributes_of(found: Mapping[str, Any]) -> Iterable[KeyValue]:
    return [KeyValue(key=name, value=_value(value)) for name, value in found.items()]


def _value(value: Any) -> AnyValue:
    if isinstance(value, bool):
        return AnyValue(bool_value=value)
    if isinstance(value, int):
        return AnyValue(int_value=value)
    if isinstance(value, float):
        return AnyValue(double_value=value)
    if isinstance(value, tuple):
        return AnyValue(array_value=ArrayValue(values=[_value(one) for one in value]))
    return AnyValue(string_value=str(value).encode("utf-8", "replace").decode())
