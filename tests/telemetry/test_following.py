"""Nothing is left out, whoever goes down: restarts, receivers that are away, hang or refuse, ledgers that change."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from collecting import Collected, Lines, attributes, collector, until
from hook_process import ALLOW, Machine, new_machine
from serving import free_port
from telling import command, decided, running, telemetry


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return new_machine(tmp_path, warm=True)


def rows_in(file: Path) -> list[int]:
    if not file.exists():
        return []
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return [line["row"] for line in lines if line["event"] == "interlock.decision"]


def rows_of(machine: Machine) -> list[int]:
    return [row["seq"] for row in machine.rows()]


@pytest.mark.slow
def test_a_service_tells_what_hooks_decide_as_they_go(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    telemetry(machine, jsonl=str(file))
    with running(machine):
        assert machine.call("Read").taken == ALLOW  # the ledger begins now, and its first row is told too
        until(lambda: rows_in(file) == rows_of(machine))
        file.rename(tmp_path / "old")
        assert machine.call("Read").taken == ALLOW
        until(lambda: rows_in(file) == rows_of(machine)[1:])


@pytest.mark.slow
def test_a_restart_leaves_no_gap_and_tells_nothing_twice(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    telemetry(machine, jsonl=str(file))
    for round_ in range(3):
        with running(machine, "--all"):
            decided(machine, 40, first=round_ * 80)
            until(lambda: rows_in(file) == rows_of(machine))
        decided(machine, 40, first=round_ * 80 + 40)
    command(machine, "run", "--once")
    assert rows_in(file) == rows_of(machine)
    assert len(rows_in(file)) == 240


@pytest.mark.slow
def test_a_kill_leaves_nothing_out(machine: Machine, tmp_path: Path) -> None:
    """At least once: what was handed over just before a kill may come again, and nothing is missing."""
    file = tmp_path / "all.jsonl"
    telemetry(machine, jsonl=str(file))
    decided(machine, 600)
    for wait in (0.0, 0.01, 0.03, 0.1):
        with running(machine, "--all") as process:
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
            process.wait()
        decided(machine, 10, first=1000 + int(wait * 100_000))
    command(machine, "run", "--once", "--all")
    assert sorted(set(rows_in(file))) == rows_of(machine)


@pytest.mark.slow
def test_a_collector_that_comes_back_gets_what_it_missed(machine: Machine, tmp_path: Path) -> None:
    port = free_port()
    got = Collected()
    telemetry(machine, otlp=f"http://127.0.0.1:{port}")
    with running(machine, "--all"):
        machine.call("Read")
        until(lambda: command(machine, "status", "--json").json[0]["trouble"])
        told = command(machine, "status")
        assert told.code == 1
        assert "could not be reached" in told.out
        with collector(port, got):
            until(lambda: len(got.spans) == 1)
        machine.call("Read")
        time.sleep(1)
        with collector(port, got):
            until(lambda: len(got.spans) == 2)
            until(lambda: command(machine, "status").code == 0)
    assert [attributes(span.attributes)["interlock.row"] for span in got.spans] == rows_of(machine)


@pytest.mark.slow
def test_syslog_by_tcp_that_comes_back_gets_what_it_missed(machine: Machine) -> None:
    port = free_port()
    telemetry(machine, syslog=f"tcp://127.0.0.1:{port}")
    with running(machine, "--all"):
        machine.call("Read")
        until(lambda: command(machine, "status", "--json").json[0]["trouble"])
        with Lines(port) as tcp:
            until(lambda: tcp.got)
            assert b'interlock.verdict="allow"' in tcp.got[-1]


@pytest.mark.slow
def test_a_collector_that_hangs_delays_no_verdict_and_piles_nothing_up(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    with collector() as got:
        got.hangs.set()
        telemetry(machine, otlp=got.url, jsonl=str(file))
        decided(machine, 5)
        machine.call("Read")
        with running(machine, "--all") as process:
            until(lambda: got.tried)
            before = _memory(process.pid)
            began = time.monotonic()
            assert machine.call("Read").taken == ALLOW
            assert time.monotonic() - began < 5
            decided(machine, 3000, first=10)
            until(lambda: rows_in(file) == rows_of(machine), 30)  # another receiver does not wait for it
            time.sleep(1)
            assert _memory(process.pid) - before < 40_000_000
            began = time.monotonic()
            process.terminate()
            process.wait(10)
            assert time.monotonic() - began < 8


def _memory(process: int) -> int:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096


def test_a_row_that_the_collector_refuses_holds_up_no_other(machine: Machine) -> None:
    decided(machine, 20)
    bad = rows_of(machine)[7]

    def refuses(path: str, message: Any) -> bool:
        return path == "/v1/traces" and str(bad) in [
            str(attributes(span.attributes)["interlock.row"]) for span in message.resource_spans[0].scope_spans[0].spans
        ]

    with collector() as got:
        got.refuses = refuses
        telemetry(machine, otlp=got.url)
        done = command(machine, "run", "--once", "--all")
        assert done.code == 0
        assert f"row {bad} was left out" in done.err
        found = {attributes(span.attributes)["interlock.row"] for span in got.spans}
        assert found == set(rows_of(machine)) - {bad}
        assert command(machine, "run", "--once").out.endswith(": 0 sent\n")


def test_a_collector_without_a_place_for_logs_still_gets_spans(machine: Machine) -> None:
    decided(machine, 3)
    with collector() as got:
        got.codes = {"/v1/logs": 404}
        telemetry(machine, otlp=got.url)
        assert command(machine, "run", "--once", "--all").code == 0
        assert len(got.spans) == 3
        decided(machine, 1, first=9)
        got.codes = {"/v1/logs": 404, "/v1/traces": 404}
        done = command(machine, "run", "--once")
        assert done.code == 1
        assert "takes neither traces nor logs" in done.err
        got.codes = {}
        assert command(machine, "run", "--once").code == 0
        assert len(got.spans) == 4


@pytest.mark.slow
def test_spans_that_arrived_are_not_sent_again_for_logs_that_did_not(machine: Machine) -> None:
    telemetry(machine, otlp="http://127.0.0.1:1")
    with collector() as got:
        got.codes = {"/v1/logs": 503}
        telemetry(machine, otlp=got.url)
        with running(machine, "--all"):
            machine.call("Read")
            until(lambda: len(got.spans) == 1)
            until(lambda: command(machine, "status", "--json").json[0]["trouble"])
            got.codes = {}
            until(lambda: got.logs)
        assert len(got.spans) == 1


@pytest.mark.slow
def test_one_process_at_a_time_sends_to_a_receiver(machine: Machine, tmp_path: Path) -> None:
    telemetry(machine, jsonl=str(tmp_path / "all.jsonl"))
    with running(machine):
        machine.call("Read")
        until(lambda: rows_in(tmp_path / "all.jsonl"))
        done = command(machine, "run", "--once")
        assert done.code == 1
        assert "another process sends to jsonl" in done.err
    machine.call("Read")
    assert command(machine, "run", "--once").code == 0
    assert rows_in(tmp_path / "all.jsonl") == rows_of(machine)


def test_by_default_a_receiver_gets_what_comes_from_now_on(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    telemetry(machine, jsonl=str(file))
    decided(machine, 3)
    assert command(machine, "run", "--once").out == f"jsonl {file}: 0 sent\n"
    decided(machine, 2, first=5)
    command(machine, "run", "--once")
    assert rows_in(file) == rows_of(machine)[3:]


def events(file: Path) -> list[str]:
    return [json.loads(line)["event"] for line in file.read_text().splitlines()]


def test_rows_that_were_taken_away_or_rewritten_are_told(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    telemetry(machine, jsonl=str(file))
    decided(machine, 5)
    command(machine, "run", "--once", "--all")
    database = sqlite3.connect(machine.ledger)
    database.execute("UPDATE ledger SET hash = ? WHERE seq = (SELECT MAX(seq) FROM ledger)", ("0" * 64,))
    database.commit()
    done = command(machine, "run", "--once")
    assert "rows were rewritten" in done.err
    database.execute("DELETE FROM ledger WHERE seq = (SELECT MAX(seq) FROM ledger)")
    database.execute("UPDATE tip SET seq = seq - 1")
    database.commit()
    database.close()
    assert "rows were taken away" in command(machine, "run", "--once").err
    assert events(file)[-2:] == ["interlock.rewritten", "interlock.rewritten"]
    assert command(machine, "run", "--once").err == ""


def test_rows_that_were_pruned_before_they_were_sent_are_told(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    telemetry(machine, jsonl=str(file))
    decided(machine, 5)
    command(machine, "run", "--once", "--all")
    sent = len(rows_in(file))
    decided(machine, 20, first=5)
    from interlock.store.home.folders import folders_for
    from interlock.store.ledger.upkeep import prune

    prune(folders_for(str(machine.home)), keep=3)
    command(machine, "run", "--once")
    assert events(file)[sent:].count("interlock.missed") == 1
    assert "interlock.pruned" in events(file)


def test_a_place_that_cannot_be_read_is_not_guessed(machine: Machine, tmp_path: Path) -> None:
    telemetry(machine, jsonl=str(tmp_path / "all.jsonl"))
    decided(machine, 1)
    command(machine, "run", "--once")
    (place,) = (machine.state / "telemetry").glob("*.json")
    place.write_text("{}")
    done = command(machine, "run", "--once")
    assert done.code == 1
    assert "does not say how far" in done.err


def test_a_closed_udp_port_on_this_machine_is_noticed(machine: Machine) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plug:
        plug.bind(("127.0.0.1", 0))
        port = plug.getsockname()[1]
    telemetry(machine, syslog=f"udp://127.0.0.1:{port}")
    decided(machine, 2)
    done = command(machine, "run", "--once", "--all")
    assert done.code == 1
    assert "could not be reached" in done.err
