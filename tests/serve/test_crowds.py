"""Whoever opens every connection, or asks without end, keeps nobody else out."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from interlock.record.chain import Row
from interlock.serve import budgets, connections, records
from raw_http import connected, head, said
from serving import Serving

POLICY = """version = 1
profile = "serve"
[tools.lookup]
effects = ["read"]
[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true
"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Serving]:
    with Serving(tmp_path, policy=POLICY) as found:
        found.client("robot", "agent")
        found.client("quiet", "agent")
        yield found


def fresh(service: Serving, name: str, number: int = 0) -> int:
    """The status of a call on a connection of its own."""
    bearer = {"authorization": f"Bearer {service.tokens[name]}"}
    call = service.call("lookup", {"id": number}, session=name)
    return httpx.post(f"{service.url}/v1/decisions", headers=bearer, json=call, timeout=20).status_code


def test_connections_without_a_request_make_room_for_new_ones(
    service: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening all of them took no token, and nobody else could connect."""
    monkeypatch.setattr(connections, "MOST", 20)
    assert fresh(service, "quiet") == 200
    idle = []
    try:
        for number in range(60):
            idle.append(connected(service.settings.port))
            if number % 2:  # a head that never ends, and a body that never comes
                idle[-1].sendall(
                    b"GET / HTTP/1.1\r\nHost: x\r\n"
                    if number % 3
                    else head(service, "POST /v1/decisions HTTP/1.1", "Content-Length: 900", token="robot")
                )
        assert [fresh(service, "quiet", number) for number in range(1, 4)] == [200] * 3
    finally:
        for peer in idle:
            peer.close()


def test_connections_that_were_used_once_make_room_too(service: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 20)
    raw = json.dumps(service.call("lookup", {"id": 0}, session="robot")).encode()
    first = head(
        service,
        "POST /v1/decisions HTTP/1.1",
        f"Content-Length: {len(raw)}",
        token="robot",
    )
    used = []
    try:
        for _ in range(30):
            used.append(connected(service.settings.port))
            used[-1].sendall(first + raw)
            said(used[-1])
        assert fresh(service, "quiet") == 200
    finally:
        for peer in used:
            peer.close()


def test_a_request_that_waits_makes_room_for_nobody(service: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 20)
    assert service.api is not None
    call = service.call("refund", {"amount": 1}, session="waits")
    id = str(service.agent.post("/v1/decisions", json=call).json()["approval_id"])
    found: list[int] = []
    waits = threading.Thread(
        target=lambda: found.append(service.agent.post("/v1/decisions?wait=60", json=call).status_code)
    )
    waits.start()
    end = time.monotonic() + 20
    while id not in service.api.hub.waiters and time.monotonic() < end:
        time.sleep(0.01)
    idle = [connected(service.settings.port) for _ in range(60)]
    try:
        assert service.approver.post(f"/v1/approvals/{id}", json={"answer": "approve"}).status_code == 200
        waits.join(20)
        assert found == [200]
    finally:
        for peer in idle:
            peer.close()


def test_one_token_holds_a_part_of_all_connections(service: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "_UNDER_WAY", 5)
    assert fresh(service, "robot") == 200
    call = service.call("refund", {"amount": 1}, session="robot")
    id = str(service.client("robot", "agent").post("/v1/decisions", json=call).json()["approval_id"])

    refused = threading.Event()

    def waits(_: int) -> int:
        bearer = {"authorization": f"Bearer {service.tokens['robot']}"}
        code = httpx.get(f"{service.url}/v1/approvals/{id}?wait=60", headers=bearer, timeout=90).status_code
        if code == 429:
            refused.set()
        return code

    with ThreadPoolExecutor(12) as pool:
        found = [pool.submit(waits, number) for number in range(12)]
        assert refused.wait(30)
        assert fresh(service, "quiet") == 200
        assert service.approver.post(f"/v1/approvals/{id}", json={"answer": "approve"}).status_code == 200
        codes = [one.result() for one in found]
    assert set(codes) == {200, 429}
    assert codes.count(200) >= 5
    assert fresh(service, "robot", 1) == 200


def test_whoever_guesses_at_tokens_is_refused_ever_more_slowly(
    service: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert service.api is not None
    real = service.api.budgets.put_off
    put_off: list[str] = []

    async def noted(flow: str) -> None:
        put_off.append(flow)
        await real(flow)

    monkeypatch.setattr(service.api.budgets, "put_off", noted)
    found: list[int] = []
    with httpx.Client(base_url=service.url, timeout=20) as client:
        while 429 not in found and len(found) < 1000:
            bearer = {"authorization": f"Bearer ilt_{len(found):016x}.{'x' * 32}"}
            call = {"tool": "lookup", "input": {}}
            found.append(client.post("/v1/decisions", json=call, headers=bearer).status_code)
    assert set(found) == {401, 429}
    assert put_off == ["address:127.0.0.1"]


def test_a_row_is_written_out_once_for_all_who_listen_and_never_for_others(
    service: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fifty listeners of one token had the loop write out each call of everybody else fifty times."""
    assert service.api is not None
    hub = service.api.hub
    written: list[tuple[int, str, bool]] = []

    def event_of(row: Row) -> dict[str, Any] | None:
        try:
            asyncio.get_running_loop()
            written.append((row.seq, row.session, True))
        except RuntimeError:
            written.append((row.seq, row.session, False))
        return records.event_of(row)

    def listening(name: str) -> socket.socket:
        before = len(hub.listeners)
        peer = connected(service.settings.port)
        peer.sendall(head(service, "GET /v1/events HTTP/1.1", token=name))
        end = time.monotonic() + 20
        while len(hub.listeners) == before and time.monotonic() < end:
            time.sleep(0.01)
        return peer

    def heard(peer: socket.socket) -> bytes:
        """Up to the first row of the session `robot`."""
        raw = b""
        while b'"session": "robot"' not in raw:
            raw += peer.recv(65536)
        return raw

    monkeypatch.setattr("interlock.serve.stream.event_of", event_of)
    service.token("ann", "approver")
    robots = [listening("robot") for _ in range(4)]
    assert (fresh(service, "quiet"), fresh(service, "robot")) == (200, 200)
    assert not any(b'"session": "quiet"' in heard(peer) for peer in robots)
    assert {session for _, session, _ in written} == {"robot"}
    people = [listening("ann") for _ in range(4)]
    assert (fresh(service, "quiet", 2), fresh(service, "robot", 2)) == (200, 200)
    for peer in [*people, *robots]:
        heard(peer)
        peer.close()
    assert max(Counter(seq for seq, _, _ in written).values()) == 1
    assert not any(on_loop for _, _, on_loop in written)
