"""The process is killed while people are asked and calls are decided: nothing is lost, and nothing fires twice."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import httpx
import pytest

from interlock.store.ledger.verify import verify
from ledger_rows import ledger_rows
from serve_process import ServeProcess

POLICY = """version = 1
profile = "serve"

[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true

[tools.lookup]
effects = ["read"]
"""
WAITING = 50
SESSIONS = 10  # each has at most so many questions open as the policy lets it


@pytest.mark.slow
def test_a_kill_in_the_middle_of_fifty_waits_loses_nothing(tmp_path: Path) -> None:
    service = ServeProcess(tmp_path, policy=POLICY)
    service.start()
    try:
        token = service.token("robot", "agent")
        asyncio.run(_through_a_kill(service, token))
    finally:
        for client in service.clients.values():
            client.close()
        service.stop()
    assert verify(service.folders).damage is None
    rows = ledger_rows(Path(service.folders.ledger))
    redeemed = [row["key"] for row in rows if row["kind"] == "redemption"]
    assert len(redeemed) == len(set(redeemed)) == WAITING


async def _through_a_kill(service: ServeProcess, token: str) -> None:
    head = {"authorization": f"Bearer {token}"}
    approver = service.approver
    stop = asyncio.Event()
    fired: list[int] = []
    told: list[httpx.Response] = []

    async with httpx.AsyncClient(base_url=service.url, headers=head, timeout=60, limits=_LIMITS) as client:

        async def held(number: int) -> None:
            """What a client does: the same call, under the same key, until it has an answer."""
            call = service.call("refund", {"amount": number}, session=f"s{number % SESSIONS}")
            while True:
                try:
                    key = {"idempotency-key": f"refund-{number}"}
                    answer = await client.post("/v1/decisions?wait=30", json=call, headers=key)
                except httpx.TransportError:
                    await asyncio.sleep(0.1)
                    continue
                if answer.status_code == 202:
                    continue
                assert answer.status_code == 200, answer.text
                fired.append(number)
                return

        async def busy(number: int) -> None:
            """Decisions that run when the process is killed: each that was told is in the ledger."""
            call = service.call("lookup", {"id": number}, session=f"busy-{number}")
            while not stop.is_set():
                try:
                    told.append(await client.post("/v1/decisions", json=call))
                except httpx.TransportError:
                    await asyncio.sleep(0.1)

        waits = [asyncio.create_task(held(number)) for number in range(WAITING)]
        works = [asyncio.create_task(busy(number)) for number in range(4)]
        pending = await _asked(approver, WAITING)
        assert not fired
        chosen = random.Random(17).sample(pending, WAITING)
        # Some are answered just before the kill: who waited for them may or may not have heard of it.
        for id in chosen[:10]:
            answer = await asyncio.to_thread(approver.post, f"/v1/approvals/{id}", json={"answer": "approve"})
            assert answer.status_code == 200
        await asyncio.to_thread(service.kill)
        await asyncio.sleep(0.5)
        await asyncio.to_thread(service.start)
        still = await asyncio.to_thread(lambda: approver.get("/v1/approvals").json()["approvals"])
        assert {asked["id"] for asked in still if asked["status"] == "pending"} == set(chosen[10:])
        for id in chosen[10:]:
            answer = await asyncio.to_thread(approver.post, f"/v1/approvals/{id}", json={"answer": "approve"})
            assert answer.status_code == 200, answer.text
        await asyncio.wait_for(asyncio.gather(*waits), 60)
        stop.set()
        await asyncio.gather(*works)
    assert sorted(fired) == list(range(WAITING))
    kept = {row["key"] for row in ledger_rows(Path(service.folders.ledger)) if row["kind"] == "decision"}
    receipts = {answer.json()["receipt"] for answer in told if answer.status_code == 200}
    assert receipts
    assert receipts <= kept


_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=100)


async def _asked(approver: httpx.Client, count: int) -> list[str]:
    for _ in range(600):
        found = await asyncio.to_thread(lambda: approver.get("/v1/approvals").json()["approvals"])
        if len(found) == count:
            return [asked["id"] for asked in found]
        await asyncio.sleep(0.1)
    raise AssertionError(f"{len(found)} of {count} were asked")
