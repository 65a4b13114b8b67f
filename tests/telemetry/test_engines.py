"""The same follower on SQLite and on PostgreSQL: it takes a tail, whatever the ledger lies in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from collecting import attributes, collector, until
from engines import ENGINES, Engine
from interlock.bytes.canon import canonical
from interlock.store.ledger.tail import Tail
from interlock.telemetry.receivers import Telling, followers_for
from interlock.telemetry.settings import Telemetry


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    return Engine(request.param, tmp_path / "home")


def moved(engine: Engine, *postures: str) -> None:
    ledger = engine.ledger()
    for posture in postures:
        with ledger.deciding("s1") as turn:
            turn.append("posture", canonical({"by": "ann", "from": "interactive", "to": posture}), key="s1")
    ledger.close()


def test_rows_arrive_as_they_are_written_and_after_a_restart(engine: Engine, tmp_path: Path) -> None:
    moved(engine, "locked")
    file = tmp_path / "all.jsonl"

    def told() -> list[str]:
        lines = file.read_text().splitlines() if file.exists() else []
        return [line["interlock.to"] for line in map(json.loads, lines) if line["event"] == "interlock.posture"]

    with collector() as got:
        settings = Telemetry(jsonl=str(file), otlp=got.url)

        def telling() -> Telling:
            return Telling(followers_for(engine.folders, settings, lambda: Tail(engine.ledger()), from_start=True))

        first = telling()
        until(lambda: told() == ["locked"])
        moved(engine, "dry_run", "autonomous")
        until(lambda: told() == ["locked", "dry_run", "autonomous"])
        first.end()
        moved(engine, "interactive")
        second = telling()
        until(lambda: told() == ["locked", "dry_run", "autonomous", "interactive"])
        until(lambda: len(got.logs) == 4)
        until(lambda: "interlock.prompts.pending" in got.metrics)
        second.end()
    assert [attributes(record.attributes)["interlock.by"] for record in got.logs] == ["ann"] * 4
