"""The service under load, recording on: decisions a second against the same server's echo route, interleaved.

    python benchmarks/serve.py [--seconds 5] [--rounds 3] [--polls 500] [--json]

Best of the rounds. Then, at half the rate that was reached and with many long polls open, how long a decision takes,
beside how long the echo route takes at the same pace: on a busy machine both wait for the processor. Then every poll is
answered, and each must be released, once. Last, clients race for approvals while they are given: no prompt is lost,
each approval fires once, and the ledger holds. Ends with 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.result import Figure, ended

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
AT_REST = 3.5  # seconds: what was made of a file is kept once the file has come to rest
RACED = 60  # calls that two clients want at once
SHARE, SLOWEST_MS = 0.25, 50.0


def serving(home: str, port: int) -> None:
    """The process that is measured."""
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    from interlock.serve.app import app_for
    from interlock.serve.listening import seldom_collected
    from interlock.serve.run import api_for, configured
    from interlock.serve.server import Server
    from interlock.serve.settings import Settings
    from interlock.store.home.folders import folders_for

    async def echo(request: Request) -> Response:
        return JSONResponse(json.loads(request.scope["body"]))

    settings = Settings(port=port, rate=1_000_000, traffic=1 << 40, processor=1000.0, questions=100_000)
    api = api_for(folders_for(home), settings)
    app = app_for(api, [Route("/echo", echo, methods=["POST"])])
    server = Server(configured(app, settings), api)
    seldom_collected()
    server.run()


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


def processor(pid: int) -> float:
    """Seconds of the processor that the service has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def rate(port: int, token: str, path: str, seconds: float, pid: int) -> tuple[float, float]:
    """Requests a second that all connections get together, and seconds of the processor for each."""
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

    began, used = time.perf_counter(), processor(pid)
    await asyncio.gather(*[one(wire, number) for number, wire in enumerate(wires)])
    for wire in wires:
        wire.writer.close()
    return done / (time.perf_counter() - began), (processor(pid) - used) / done


async def paced(port: int, token: str, path: str, each: float, seconds: float) -> tuple[list[float], list[float]]:
    """How long each of the requests takes that begin at a steady pace. The sessions begin in the first second, all at
    once, which no crowd of agents does; what it costs is told apart.
    """
    idle = asyncio.Queue[Wire]()
    for _ in range(CONNECTIONS):
        idle.put_nowait(await Wire(port, token).open())
    first: list[float] = []
    took: list[float] = []
    running = set()

    async def one(number: int, due: float) -> None:
        wire = await idle.get()
        await wire.post(path, {"tool": "lookup", "input": {"id": number}, "session": f"p{number % 32}"})
        (took if due - began >= 1 else first).append(time.perf_counter() - due)
        idle.put_nowait(wire)

    began = time.perf_counter()
    for number in range(int(seconds * each)):
        due = began + number / each
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        task = asyncio.create_task(one(number, due))
        running.add(task)
        task.add_done_callback(running.discard)
    await asyncio.gather(*running)
    for _ in range(CONNECTIONS):
        idle.get_nowait().writer.close()
    return sorted(first), sorted(took)


def slowest(took: list[float]) -> float:
    """What 99 of 100 stay within."""
    return took[int(len(took) * 0.99)]


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
        waiting = await listed(wire)
        if len(waiting) == count:
            break
        await asyncio.sleep(0.5)
    assert len(waiting) == count, f"{len(waiting)} of {count} prompts are there"
    return waiting


async def listed(wire: Wire) -> list[str]:
    """The questions that wait for an answer."""
    head = f"Host: 127.0.0.1:{wire.port}\r\nAuthorization: Bearer {wire.token}\r\n\r\n"
    wire.writer.write(f"GET /v1/approvals HTTP/1.1\r\n{head}".encode())
    lines = (await wire.reader.readuntil(b"\r\n\r\n")).lower()
    raw = await wire.reader.readexactly(int(lines.partition(b"content-length:")[2].partition(b"\r\n")[0]))
    return [asked["id"] for asked in json.loads(raw)["approvals"] if asked["status"] == "pending"]


async def raced(port: int, tokens: dict[str, str], count: int) -> tuple[int, int]:
    """Two clients want each of many calls at the same time, while a person says yes to every question once. How often
    that was said, and how often a call was fired.
    """

    async def wants(number: int) -> int:
        wire = await Wire(port, tokens["agent"]).open()
        body = {"tool": "refund", "input": {"amount": -number}, "session": f"raced{number}"}
        status = 202
        while status == 202:
            status, _ = await wire.post("/v1/decisions?wait=60", body)
        wire.writer.close()
        return status

    wishes = [asyncio.create_task(wants(number)) for number in range(count) for _ in range(2)]
    said: set[str] = set()
    wire = await Wire(port, tokens["approver"]).open()
    end = time.monotonic() + 240
    while not all(wish.done() for wish in wishes):
        assert time.monotonic() < end, f"after {len(said)} answers some still wait"
        for id in await listed(wire):
            status, _ = await wire.post(f"/v1/approvals/{id}", {"answer": "approve"})
            assert status == 200, status
            said.add(id)
        await asyncio.sleep(0.02)
    return len(said), [wish.result() for wish in wishes].count(200)


async def measured(
    port: int, tokens: dict[str, str], seconds: float, rounds: int, count: int, pid: int
) -> dict[str, Any]:
    best, least = {"echo": 0.0, "decisions": 0.0}, {"echo": 1.0, "decisions": 1.0}
    for _ in range(rounds):
        for name, path in (("echo", "/echo"), ("decisions", "/v1/decisions")):
            each, used = await rate(port, tokens["agent"], path, seconds, pid)
            best[name], least[name] = max(best[name], each), min(least[name], used)
    waiting = await polls(port, tokens["agent"], count)
    await prompts(port, tokens["approver"], count)
    pace, calm, first, took = best["decisions"] / 2, [1e9], [1e9], [1e9]
    for _ in range(rounds):
        _, echoed = await paced(port, tokens["agent"], "/echo", pace, seconds + 1)
        began, decided = await paced(port, tokens["agent"], "/v1/decisions", pace, seconds + 1)
        calm, first = min(calm, echoed, key=slowest), min(first, began, key=slowest)
        took = min(took, decided, key=slowest)
    await answers(port, tokens["approver"], count)
    released = [status for status, _ in await asyncio.gather(*waiting)]
    said, fired = await raced(port, tokens, RACED)
    return {
        "echo_per_second": round(best["echo"]),
        "decisions_per_second": round(best["decisions"]),
        "share": round(best["decisions"] / best["echo"], 3),
        "echo_us_of_the_processor": round(least["echo"] * 1e6),
        "decision_us_of_the_processor": round(least["decisions"] * 1e6),
        "p50_ms": round(took[len(took) // 2] * 1000, 2),
        "p99_ms": round(slowest(took) * 1000, 2),
        "p99_ms_of_the_first_second": round(slowest(first) * 1000, 2),
        "p99_ms_of_an_echo": round(slowest(calm) * 1000, 2),
        "polls": count,
        "released": released.count(200),
        "raced_for": 2 * RACED,
        "approved": said,
        "fired": fired,
    }


def kept(home: Path) -> dict[str, Any]:
    """What the ledger says of it afterwards."""
    from interlock.store.home.folders import folders_for
    from interlock.store.ledger.verify import verify

    folders = folders_for(str(home))
    with closing(sqlite3.connect(folders.ledger)) as ledger:
        redeemed = [key for (key,) in ledger.execute("SELECT key FROM ledger WHERE kind = 'redemption'")]
    damage = verify(folders).damage
    return {"redeemed": len(redeemed), "redeemed_twice": len(redeemed) - len(set(redeemed)), "damage": damage}


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
    options.add_argument("--json", action="store_true")
    options.add_argument("--serving", nargs=2, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serving:
        serving(given.serving[0], int(given.serving[1]))
        return 0
    from interlock.store.home.folders import folders_for
    from interlock.store.ledger.ledger import Ledger
    from interlock.store.people.tokens import create

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
                time.sleep(AT_REST)
                found = asyncio.run(measured(port, tokens, given.seconds, given.rounds, given.polls, service.pid))
            finally:
                service.terminate()
        found |= kept(home)
    return ended("serve", figures_of(found), as_json=given.json)


def figures_of(found: dict[str, Any]) -> list[Figure]:
    redeemed = (found["redeemed"], found["redeemed_twice"]) == (found["polls"] + found["fired"], 0)
    share, most = found["share"], found["p99_ms"]
    return [
        Figure(
            "decisions over HTTP",
            found["decisions_per_second"],
            "a second",
            note=f"{share:.2f} of the echo route's {found['echo_per_second']:,}",
            bar=f"at least {SHARE:g} of the echo route",
            met=share >= SHARE,
        ),
        Figure("a decision, the processor's time", found["decision_us_of_the_processor"], "µs"),
        Figure("an echo, the processor's time", found["echo_us_of_the_processor"], "µs"),
        Figure(
            f"a decision at half that rate, {found['polls']} polls open",
            found["p50_ms"],
            "ms",
            note=f"99 of 100 within {most:.1f} ms, in the first second {found['p99_ms_of_the_first_second']:.1f} ms; "
            f"an echo {found['p99_ms_of_an_echo']:.1f} ms",
            bar=f"99 of 100 within {SLOWEST_MS:g} ms",
            met=most <= SLOWEST_MS,
        ),
        Figure("polls released", found["released"], "polls", bar="every one", met=found["released"] == found["polls"]),
        Figure(
            "approvals fired, with two clients after each",
            found["fired"],
            "calls",
            note=f"{found['approved']} approved, {found['redeemed_twice']} redeemed twice",
            bar="no prompt lost, each redeemed once",
            met=found["raced_for"] == found["fired"] == found["approved"] and redeemed and found["damage"] is None,
        ),
    ]


if __name__ == "__main__":
    sys.exit(main())
