"""Telemetry of the service: each decision once, in the trace of its request, with the time that it took."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from collecting import Collected, attributes, collector, until
from hook_process import Machine
from interlock.model.errors import InputError
from interlock.serve.run import serve
from interlock.serve.settings import Settings
from interlock.telemetry.traces import Traces, parent_in
from interlock.value import FrozenMap
from serving import Serving, free_port

POLICY = """version = 1
profile = "serve"

[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true

[tools.lookup]
effects = ["read"]
"""
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"


@pytest.fixture
def got() -> Iterator[Collected]:
    with collector() as found:
        yield found


@pytest.fixture
def service(tmp_path: Path, got: Collected) -> Iterator[Serving]:
    settings = {"telemetry": FrozenMap({"otlp": got.url, "jsonl": str(tmp_path / "all.jsonl")})}
    with Serving(tmp_path, policy=POLICY, settings=settings) as found:
        yield found


@pytest.mark.slow
def test_a_decision_is_a_child_of_its_request_and_told_once(service: Serving, got: Collected, tmp_path: Path) -> None:
    before = time.time_ns()
    call = service.call("lookup", {"id": 7})
    assert service.agent.post("/v1/decisions", json=call, headers={"traceparent": PARENT}).status_code == 200
    assert service.agent.post("/v1/decisions", json=service.call("delete", {"id": 7})).status_code == 403
    after = time.time_ns()
    until(lambda: len(got.spans) == 2)
    time.sleep(1.2)  # long enough for a second teller to speak up
    looked, denied = got.spans
    assert (looked.trace_id.hex(), looked.parent_span_id.hex()) == (TRACE, SPAN)
    assert before <= looked.start_time_unix_nano < looked.end_time_unix_nano <= after
    assert denied.parent_span_id == b""
    assert denied.end_time_unix_nano > denied.start_time_unix_nano
    assert attributes(denied.attributes)["error.type"] == "interlock.denied"
    assert attributes(looked.attributes)["interlock.front"] == "serve"
    assert len(got.spans) == 2
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert [line["event"] for line in lines].count("interlock.decision") == 2


@pytest.mark.slow
def test_an_answer_is_told_with_the_time_that_it_took(service: Serving, got: Collected) -> None:
    call = service.call("refund", {"amount": 7}, session="asks")
    asked = service.agent.post("/v1/decisions", json=call)
    until(lambda: "interlock.prompts.pending" in got.metrics)
    until(lambda: got.metrics["interlock.prompts.pending"].gauge.data_points[0].as_int == 1, 40)
    service.approver.post(asked.headers["location"], json={"answer": "approve", "reason": "he is angry"})
    assert service.agent.post("/v1/decisions", json=call, headers={"traceparent": PARENT}).status_code == 200
    until(lambda: len(got.spans) == 2)
    until(lambda: any(record.event_name == "interlock.answer" for record in got.logs))
    first, second = (attributes(span.attributes) for span in got.spans)
    assert (first["interlock.verdict"], second["interlock.verdict"]) == ("ask", "allow")
    assert got.spans[1].trace_id.hex() == TRACE
    told = {record.event_name: attributes(record.attributes) for record in got.logs}
    assert told["interlock.answer"]["interlock.answer"] == "approved"
    assert told["interlock.answer"]["interlock.surface"] == "http"
    assert told["interlock.answer"]["interlock.approval"] == first["interlock.approval"]
    assert told["interlock.answer"]["interlock.waited"] > 0
    assert "interlock.why" not in told["interlock.answer"]
    until(lambda: got.metrics["interlock.answers"].sum.data_points, 40)
    assert got.metrics["interlock.answer.time"].histogram.data_points[0].count == 1
    until(lambda: got.metrics["interlock.prompts.pending"].gauge.data_points[0].as_int == 0, 40)


def test_hooks_of_the_same_machine_are_told_too(service: Serving, got: Collected) -> None:
    machine = Machine(home=service.home, project=service.project, warm=True)
    machine.call("Read")
    until(lambda: got.spans)
    assert attributes(got.spans[0].attributes)["interlock.front"] == "hook:claude-code"


@pytest.mark.slow
def test_a_collector_that_hangs_delays_no_answer(tmp_path: Path, got: Collected) -> None:
    got.hangs.set()
    settings = {"telemetry": FrozenMap({"otlp": got.url})}
    with Serving(tmp_path, policy=POLICY, settings=settings) as service:
        service.agent.post("/v1/decisions", json=service.call("lookup", {"id": 1}))
        until(lambda: got.tried)
        slowest = 0.0
        for number in range(30):
            began = time.monotonic()
            service.agent.post("/v1/decisions", json=service.call("lookup", {"id": number}))
            slowest = max(slowest, time.monotonic() - began)
        assert slowest < 2
    with Serving(tmp_path, policy=POLICY, settings=settings) as service:
        got.hangs.clear()
        got.given_up.set()
        until(lambda: len(got.spans) == 31, 30)


def test_a_wrong_table_stops_the_service_before_it_listens(tmp_path: Path) -> None:
    service = Serving(tmp_path, policy=POLICY)
    settings = Settings(port=free_port(), telemetry=FrozenMap({"otlp": "collector"}))
    from interlock.engine import Given

    with pytest.raises(InputError, match=r"serve\.toml: \[telemetry\]: `otlp` must be"):
        serve(service.folders, settings, Given(profile="serve"), lambda _address: None)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "junk",
        PARENT.upper(),
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE}-{SPAN}-01-more",
        f"00-{TRACE}-{SPAN}",
        f"00-{TRACE[:-1]}g-{SPAN}-01",
    ],
)
def test_a_traceparent_that_is_not_sound_is_none(header: str) -> None:
    assert parent_in(header) is None


def test_a_traceparent_of_a_later_version_is_read_as_far_as_it_is_known() -> None:
    assert parent_in(f"01-{TRACE}-{SPAN}-01-more") == (bytes.fromhex(TRACE), bytes.fromhex(SPAN))


def test_a_row_waits_for_the_request_that_still_decides_it() -> None:
    traces = Traces()
    traces.wanted = True
    found = []
    with traces.deciding(PARENT) as noted:
        thread = threading.Thread(target=lambda: found.append(traces.taken("r", time.time_ns() // 1_000_000)))
        thread.start()
        time.sleep(0.1)
        assert found == []
        noted("r")
    thread.join(2)
    assert found[0] is not None
    assert found[0].parent == (bytes.fromhex(TRACE), bytes.fromhex(SPAN))
    began = time.monotonic()
    assert traces.taken("r", time.time_ns() // 1_000_000) is None  # a note is for one row
    assert time.monotonic() - began < 0.5


def test_notes_that_nobody_takes_up_are_bounded() -> None:
    traces = Traces()
    traces.wanted = True
    for number in range(10_500):
        with traces.deciding(PARENT) as noted:
            noted(str(number))
    for _ in range(500):
        with traces.deciding(PARENT) as noted:
            noted("same")
    assert len(traces._noted) == 10_000
    assert len(traces._noted["same"]) <= 101
