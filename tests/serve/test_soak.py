"""The service under steady use: what it keeps in memory, open files and threads does not grow.

A few seconds in CI; `INTERLOCK_SOAK=600` is what `make full` runs. Everything that a service does all day takes part:
calls that are allowed, denied and asked about, long polls that are answered and ones that are given up, outcomes,
listeners that come and go, the page, metrics, refusals.
"""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import pytest

from interlock.store.ledger.verify import verify
from ledger_rows import ledger_rows
from serve_process import ServeProcess

SECONDS = float(os.environ.get("INTERLOCK_SOAK", "12"))
SESSIONS = 40
POLICY = """version = 1
profile = "serve"
[approvals]
max_pending = 1000
[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true
[tools.lookup]
effects = ["read"]
"""


class Seen:
    """How the process stands, second by second."""

    def __init__(self, process: int) -> None:
        self.process = process
        self.samples: list[tuple[int, int, int]] = []

    def look(self) -> None:
        told = dict(
            line.split(":", 1) for line in Path(f"/proc/{self.process}/status").read_text().splitlines() if ":" in line
        )
        files = len(os.listdir(f"/proc/{self.process}/fd"))
        self.samples.append((int(told["VmRSS"].split()[0]), files, int(told["Threads"])))

    def grown(self, which: int) -> tuple[float, float]:
        """What it was in the middle, when everything had been met, and at the end."""
        values = [sample[which] for sample in self.samples]
        tenth = max(2, len(values) // 10)
        middle = len(values) // 2
        return median(values[middle : middle + tenth]), median(values[-tenth:])


@pytest.mark.slow
def test_memory_files_and_threads_stay_as_they_are(tmp_path: Path) -> None:
    service = ServeProcess(tmp_path, policy=POLICY)
    service.start()
    try:
        assert service.process is not None
        seen = Seen(service.process.pid)
        fired = asyncio.run(_used(service, seen))
    finally:
        for client in service.clients.values():
            client.close()
        service.stop()
    assert fired
    redeemed = [row["key"] for row in ledger_rows(Path(service.folders.ledger)) if row["kind"] == "redemption"]
    assert len(redeemed) == len(set(redeemed)) >= fired  # somebody may leave while a yes is used for them
    assert verify(service.folders).damage is None
    share, more = (0.03, 2048) if SECONDS >= 300 else (0.15, 8192)  # in KiB; a few seconds are mostly beginning
    middle, end = seen.grown(0)
    assert end <= middle * (1 + share) + more, f"memory grew from {middle} to {end} KiB: {seen.samples}"
    for which, most in ((1, 16), (2, 2)):
        middle, end = seen.grown(which)
        assert end <= middle + most, f"{('memory', 'open files', 'threads')[which]}: {middle} -> {end}"


async def _used(service: ServeProcess, seen: Seen) -> int:
    """How many approvals were redeemed."""
    stop = time.monotonic() + SECONDS
    agent = {"authorization": f"Bearer {service.token('soaked', 'agent')}"}
    person = {"authorization": f"Bearer {service.token('ann', 'admin')}"}
    fired = 0

    async with httpx.AsyncClient(base_url=service.url, timeout=60) as client:

        async def looked() -> None:
            while time.monotonic() < stop:
                seen.look()
                await asyncio.sleep(max(0.25, SECONDS / 600))

        async def called(worker: int) -> None:
            number = 0
            while time.monotonic() < stop:
                number += 1
                session = f"s{worker}-{number % SESSIONS}"
                call = service.call("lookup", {"id": number, "text": "x" * 200}, session=session)
                key = {"idempotency-key": f"k{worker}-{number}"} if number % 3 == 0 else {}
                answer = await client.post("/v1/decisions", json=call, headers={**agent, **key})
                assert answer.status_code == 200, answer.text
                told = await client.post("/v1/outcomes", json={**call, "outcome": "ran"}, headers=agent)
                assert told.status_code == 200, told.text
                denied = service.call("unheard_of", {"n": number}, session=session)
                await client.post("/v1/decisions", json=denied, headers=agent)

        async def asked(worker: int) -> None:
            nonlocal fired
            number = 0
            while time.monotonic() < stop:
                number += 1
                call = service.call("refund", {"amount": number}, session=f"a{worker}-{number % SESSIONS}")
                answer = await client.post("/v1/decisions?wait=5", json=call, headers=agent)
                assert answer.status_code in (200, 202, 403), answer.text
                fired += answer.status_code == 200

        async def answered() -> None:
            number = 0
            while time.monotonic() < stop:
                waiting = (await client.get("/v1/approvals", headers=person)).json()["approvals"]
                for found in waiting:
                    number += 1
                    say = {"answer": "deny" if number % 5 == 0 else "approve"}
                    done = await client.post(f"/v1/approvals/{found['id']}", json=say, headers=person)
                    assert done.status_code in (200, 409), done.text
                await asyncio.sleep(0.1)

        async def left() -> None:
            """Whoever asks and does not wait for the answer, and whoever listens for a moment."""
            number = 0
            while time.monotonic() < stop:
                number += 1
                call = service.call("refund", {"amount": -number}, session=f"l{number % SESSIONS}")
                try:
                    await client.post("/v1/decisions?wait=20", json=call, headers=agent, timeout=0.2)
                except httpx.TimeoutException:
                    pass
                async with client.stream("GET", "/v1/events", headers=person) as events:
                    assert events.status_code == 200

        async def shown() -> None:
            while time.monotonic() < stop:
                for path in ("/", "/activity", "/metrics", "/v1/audit?limit=20", "/readyz", "/nowhere"):
                    headers: dict[str, Any] = person
                    await client.get(path, headers=headers)
                await client.get("/v1/approvals", headers={"authorization": "Bearer ilt_wrong"})
                await asyncio.sleep(0.5)

        workers = [called(n) for n in range(3)] + [asked(n) for n in range(3)]
        await asyncio.gather(looked(), *workers, answered(), left(), shown())
        return fired
