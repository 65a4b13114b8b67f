"""The service under load, recording on: decisions a second against the same server's echo route, interleaved.

    python benchmarks/serve.py [--seconds 5] [--rounds 3] [--polls 500]

Best of the rounds. Then, at half the rate that was reached and with many long polls open, how long a decision takes;
then every poll is answered, and each must be released, once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

POLICY = """version = 1
profile = "serve"
[approvals]
max_pending = 1000
[tools.lookup]
effects = ["read"]
[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true
"""
CONNECTIONS = 32
SHARE, SLOWEST_MS = 0.25, 50.0


def serving(home: str, port: int) -> None:
    """The process that is measured."""
    import uvicorn
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    from interlock.serve.app import app_for
    from interlock.serve.run import api_for
    from interlock.serve.settings import Settings
    from interlock.store.folders import folders_for

    async def echo(request: Request) -> Response:
        return JSONResponse(json.loads(request.scope["body"]))

    api = api_for(folders_for(home), Settings(port=port, rate=1_000_000))
    app = app_for(api, [Route("/echo", echo, methods=["POST"])])
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False, ws="none", proxy_headers=False)


class Wire:
    """One connection that is kept, as an agent keeps one."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token

    async def open(self) -> Wire:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def post(self, path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        raw = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\n\r\n"
        )
        self.writer.write(head.encode() + raw)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        length = int(lines.partition(b"content-length:")[2].partition(b"\r\n")[0])
        return int(lines[9:12]), await self.reader.readexactly(length)


async def rate(port: int, token: str, path: str, seconds: float) -> float:
    """Requests a second that all connections get together."""
    wires = [await Wire(port, token).open() for _ in range(CONNECTIONS)]
    end = time.perf_counter() + seconds
    done = 0

    async def one(wire: Wire, number: int) -> None:
        nonlocal done
        body = {"tool": "lookup", "input": {"id": number}, "session": f"s{number}"}
        while time.perf_counter() < end:
            status, _ = await wire.post(path, body)
            assert status == 200, status
            done += 1

    began = time.perf_counter()
    await asyncio.gather(*[one(wire, number) for number, wire in enumerate(wires)])
    for wire in wires:
        wire.writer.close()
    return done / (time.perf_counter() - began)


async def paced(port: int, token: str, each: float, seconds: float) -> list[float]:
    """How long each of the decisions takes that begin at a steady pace."""
    idle = asyncio.Queue[Wire]()
    for _ in range(CONNECTIONS):
        idle.put_nowait(await Wire(port, token).open())
    took: list[float] = []
    running = set()

    async def one(number: int, due: float) -> None:
        wire = await idle.get()
        await wire.post("/v1/decisions", {"tool": "lookup", "input": {"id": number}, "session": f"p{number % 32}"})
        took.append(time.perf_counter() - due)
        idle.put_nowait(wire)

    began = time.perf_counter()
    for number in range(int(seconds * each)):
        due = began + number / each
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        task = asyncio.create_task(one(number, due))
        running.add(task)
        task.add_done_callback(running.discard)
    await asyncio.gather(*running)
    return sorted(took)


async def polls(port: int, agent: str, count: int) -> list[asyncio.Task[tuple[int, bytes]]]:
    async def one(number: int) -> tuple[int, bytes]:
        wire = await Wire(port, agent).open()
        body = {"tool": "refund", "input": {"amount": number}, "session": "polls" + str(number % 10)}
        return await wire.post("/v1/decisions?wait=300", body)

    return [asyncio.create_task(one(number)) for number in range(count)]


async def answers(port: int, approver: str, count: int) -> None:
    """Answers all that waits."""
    wire = await Wire(port, approver).open()
    for id in await prompts(port, approver, count):
        status, _ = await wire.post(f"/v1/approvals/{id}", {"answer": "approve"})
        assert status == 200, status


async def prompts(port: int, approver: str, count: int) -> list[str]:
    """What waits, once all of it is there."""
    wire = await Wire(port, approver).open()
    waiting: list[str] = []
    for _ in range(200):
        wire.writer.write(
            f"GET /v1/approvals HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {approver}\r\n\r\n".encode()
        )
        lines = (await wire.reader.readuntil(b"\r\n\r\n")).lower()
        raw = await wire.reader.readexactly(int(lines.partition(b"content-length:")[2].partition(b"\r\n")[0]))
        waiting = [asked["id"] for asked in json.loads(raw)["approvals"]]
        if len(waiting) == count:
            break
        await asyncio.sleep(0.5)
    assert len(waiting) == count, f"{len(waiting)} of {count} prompts are there"
    return waiting


async def measured(port: int, tokens: dict[str, str], seconds: float, rounds: int, count: int) -> dict[str, Any]:
    best = {"echo": 0.0, "decisions": 0.0}
    for _ in range(rounds):
        for name, path in (("echo", "/echo"), ("decisions", "/v1/decisions")):
            best[name] = max(best[name], await rate(port, tokens["agent"], path, seconds))
    waiting = await polls(port, tokens["agent"], count)
    await prompts(port, tokens["approver"], count)
    took = await paced(port, tokens["agent"], best["decisions"] / 2, seconds * 2)
    await answers(port, tokens["approver"], count)
    released = [status for status, _ in await asyncio.gather(*waiting)]
    return {
        "echo_per_second": round(best["echo"]),
        "decisions_per_second": round(best["decisions"]),
        "share": round(best["decisions"] / best["echo"], 3),
        "p50_ms": round(took[len(took) // 2] * 1000, 2),
        "p99_ms": round(took[int(len(took) * 0.99)] * 1000, 2),
        "polls": count,
        "released": released.count(200),
    }


def awaited(port: int) -> None:
    """Until it listens."""
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() < end, "the service did not start"
            time.sleep(0.05)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=5)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--polls", type=int, default=500)
    options.add_argument("--serving", nargs=2, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serving:
        serving(given.serving[0], int(given.serving[1]))
        return 0
    from interlock.store.folders import folders_for
    from interlock.store.ledger import Ledger
    from interlock.store.tokens import create

    with tempfile.TemporaryDirectory(prefix="interlock-bench-") as folder:
        home = Path(folder, "home")
        (home / ".config/interlock").mkdir(parents=True)
        (home / ".config/interlock/policy.toml").write_text(POLICY)
        ledger, tokens = Ledger(folders_for(str(home)).ledger, front="cli:token"), {}
        with ledger.deciding() as turn:
            for role in ("agent", "approver"):
                tokens[role] = create(turn, name=role, role=role, person=role, expires=0, by="bench")[1]
        ledger.close()
        port = 18000 + os.getpid() % 1000
        command = [sys.executable, __file__, "--serving", str(home), str(port)]
        with subprocess.Popen(command, cwd=folder) as service:
            try:
                awaited(port)
                found = asyncio.run(measured(port, tokens, given.seconds, given.rounds, given.polls))
            finally:
                service.terminate()
    print(json.dumps(found, indent=2))
    good = found["share"] >= SHARE and found["p99_ms"] <= SLOWEST_MS and found["released"] == found["polls"]
    print(f"bars: share {SHARE}, p99 {SLOWEST_MS} ms, every poll released: {'met' if good else 'MISSED'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
