"""One hostile token against the service: how much longer an honest agent waits than it does alone.

    python benchmarks/hostile.py [--seconds 4] [--rounds 3] [--database URL] [--only SCENE] [--json]

`interlock serve` runs with its default budgets. The honest agent makes one call after another, a few milliseconds
apart, on one connection. It is measured alone and then under each attack, in turn, so that a busy machine slows both.
The attacker is a process of its own with a token of its own. The figure of a round is the slowest percent under attack
over the slowest percent alone; the best of the rounds counts. Ends with 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.result import Figure, ended
from benchmarks.serve import AT_REST, Wire

from interlock.serve.config import made_by
from interlock.store.home.folders import folders_for
from interlock.store.people.tokens import create

POLICY = """version = 1
profile = "serve"
[tools.lookup]
effects = ["read"]
[tools.refund]
effects = ["network"]
risk = "high"
irreversible = true
"""
SLOWEST = 3.0  # times what it takes alone
PAUSE = 0.011  # seconds between two calls of the honest agent: it keeps within the rate of its token
BODY = 7_000_000


def call(given: object, session: str = "hostile") -> bytes:
    return json.dumps({"tool": "lookup", "input": {"id": given}, "session": session}).encode()


def head(port: int, token: str, length: int, path: str = "/v1/decisions") -> bytes:
    return (
        f"{'POST' if length else 'GET'} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


async def once(port: int, token: str, raw: bytes) -> None:
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head(port, token, len(raw)) + raw)
        await reader.readuntil(b"\r\n\r\n")
        writer.close()
    except (OSError, asyncio.IncompleteReadError):
        await asyncio.sleep(0.01)


async def posted(port: int, token: str, bodies: Iterable[bytes], path: str = "/v1/decisions") -> None:
    """One body after another, again and again, whatever comes back. An empty body is a GET."""
    while True:
        writer = None
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for raw in bodies:
                writer.write(head(port, token, len(raw), path) + raw)
                lines = (await reader.readuntil(b"\r\n\r\n")).lower()
                await reader.readexactly(int(lines.partition(b"content-length:")[2].partition(b"\r\n")[0]))
        except (OSError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.01)
        finally:
            if writer is not None:
                writer.close()


async def followed(port: int, token: str) -> None:
    """All events since the first, again and again."""
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(head(port, token, 0, "/v1/events?after=0"))
            await asyncio.wait_for(reader.readexactly(200_000), 1)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.01)
        finally:
            writer.close()


async def dripped(port: int, token: str) -> None:
    """A body that never gets done."""
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(head(port, token, 1_000_000))
            for _ in range(1000):
                writer.write(b" ")
                await asyncio.sleep(0.2)
        except OSError:
            await asyncio.sleep(0.05)


def long_command() -> bytes:
    """A command that takes long to read."""
    parts = [f'for x in a{at} b{at}; do x=$(cat "$x" | sed "s/$x/{at}/"); rm -f "$x.{at}"; done' for at in range(150)]
    return json.dumps({"tool": "Bash", "input": {"command": " && ".join(parts)}, "session": "hostile"}).encode()


def short_command() -> bytes:
    """As much work as fits into a body that is still decided with others."""
    parts = [f'for x in a{at} b{at}; do x=$(cat "$x" | sed "s/$x/{at}/"); rm -f "$x.{at}"; done' for at in range(45)]
    return json.dumps({"tool": "Bash", "input": {"command": " && ".join(parts)}, "session": "hostile"}).encode()


def now_and_then() -> Iterable[bytes]:
    """Calls that take no time, and between them some that do."""
    easy, hard = call(1, "hostile"), short_command()
    return itertools.cycle([*[easy] * 12, hard])


async def knocked(port: int) -> None:
    """Connections that send nothing, again and again: each is kept as long as the service keeps it."""
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            await reader.read(1)
            writer.close()
        except OSError:
            await asyncio.sleep(0.05)


async def guessed(port: int) -> None:
    """A token that was made up, another one each time."""
    for number in itertools.count(time.time_ns()):
        await once(port, f"ilt_{number & 0xFFFFFFFFFFFFFFFF:016x}.{'x' * 32}", call(number))


def asked(number: int) -> bytes:
    given = {"tool": "refund", "input": {"amount": number}, "session": f"asks-{number}"}
    return json.dumps(given).encode()


# what one connection of the attacker sends -> how many of them
def attacks(port: int, token: str, scene: str) -> list[asyncio.Task[None]]:
    number = itertools.count(time.time_ns())
    dense, long = call([1] * (BODY // 3)), call("x" * BODY)
    many: dict[str, tuple[int, Callable[[], Coroutine[Any, Any, None]]]] = {
        "dense bodies": (5, lambda: posted(port, token, itertools.cycle([dense]))),
        "long bodies": (5, lambda: posted(port, token, itertools.cycle([long]))),
        "burst": (64, lambda: posted(port, token, (call(at) for at in number))),
        "names": (16, lambda: posted(port, token, itertools.cycle([call(1, "s" * 1_000_000)]))),
        "questions": (32, lambda: posted(port, token, (asked(at) for at in number))),
        "slow bodies": (400, lambda: dripped(port, token)),
        "commands": (8, lambda: posted(port, token, itertools.cycle([long_command()]))),
        "short commands": (32, lambda: posted(port, token, itertools.cycle([short_command()]))),
        "now and then": (32, lambda: posted(port, token, now_and_then())),
        "retries": (32, lambda: posted(port, token, itertools.cycle([asked(0)]))),
        "polls": (64, lambda: posted(port, token, itertools.repeat(b""), "/v1/approvals/ap_0000000000000000?wait=60")),
        "connections": (5000, lambda: knocked(port)),
        "guesses": (64, lambda: guessed(port)),
        "nobody": (64, lambda: posted(port, "", (call(at) for at in number))),
        "previews": (8, lambda: posted(port, token, itertools.cycle([dense]), "/v1/decisions?mode=preview")),
        "outcomes": (
            8,
            lambda: posted(port, token, itertools.cycle([dense[:-1] + b', "outcome": "ran"}']), "/v1/outcomes"),
        ),
        "lists": (16, lambda: posted(port, token, itertools.repeat(b""), "/v1/approvals?state=all&limit=1000")),
        "events": (16, lambda: followed(port, token)),
        "waits": (200, lambda: posted(port, token, (asked(at) for at in number), "/v1/decisions?wait=60")),
        "strangers": (16, lambda: posted(port, "ilt_0000.made-up", itertools.cycle([long]))),
    }
    count, sends = many[scene]
    return [asyncio.ensure_future(sends()) for _ in range(count)]


SCENES = (
    *("dense bodies", "long bodies", "burst", "names", "questions", "slow bodies", "commands", "previews"),
    *("outcomes", "lists", "events", "waits", "strangers", "short commands", "now and then", "retries", "polls"),
    *("connections", "guesses", "nobody"),
)


async def attacking(port: int, token: str, scene: str) -> None:
    await asyncio.gather(*attacks(port, token, scene))


async def honest(port: int, token: str, seconds: float) -> list[float]:
    """How long each call of an agent takes that minds its own business."""
    wire = await Wire(port, token).open()
    end = time.perf_counter() + seconds
    took = []
    for number in itertools.count():
        began = time.perf_counter()
        if began > end:
            break
        status, _ = await wire.post("/v1/decisions", {"tool": "lookup", "input": {"id": number}, "session": "honest"})
        assert status == 200, status
        took.append(time.perf_counter() - began)
        await asyncio.sleep(PAUSE)
    wire.writer.close()
    return sorted(took)


def at(times: list[float], part: float) -> float:
    return times[min(len(times) - 1, int(part * len(times)))]


class Service:
    """`interlock serve` with a home of its own, as a person starts it."""

    def __init__(self, folder: Path, database: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        config = folder / ".config/interlock"
        config.mkdir(parents=True)
        (config / "policy.toml").write_text(POLICY)
        more = ["--database", database] if database else []
        words = [sys.executable, "-m", "interlock.cli", "--home", str(folder), "serve", "--port", str(self.port)]
        self.process = subprocess.Popen([*words, *more], stdout=subprocess.DEVNULL, cwd=folder)
        self.tokens: dict[str, str] = {}
        end = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=2).close()
                break
            except OSError:
                assert time.monotonic() < end, "the service did not start"
                time.sleep(0.1)
        ledger = made_by(folders_for(str(folder)), database)("cli:token", 5.0)
        for name in ("honest", "hostile"):
            with ledger.deciding() as turn:
                self.tokens[name] = create(turn, name=name, role="agent", person=name, expires=0, by="benchmark")[1]
        ledger.close()
        time.sleep(AT_REST)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def measured(service: Service, scene: str, seconds: float) -> list[float]:
    """The honest agent's times under this attack; under none, alone."""
    attacker = None
    if scene:
        words = [sys.executable, __file__, "--attack", scene, "--port", str(service.port)]
        attacker = subprocess.Popen([*words, "--token", service.tokens["hostile"]])
        time.sleep(0.7)
    try:
        return asyncio.run(honest(service.port, service.tokens["honest"], seconds))
    finally:
        if attacker is not None:
            attacker.kill()
            attacker.wait()
            time.sleep(1.0)  # what it sent last is dealt with


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--database", default="")
    parser.add_argument("--only", choices=SCENES)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--attack", choices=SCENES, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--token", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.attack:
        os.nice(10)  # an attacker brings a processor of its own, and this one has to share ours
        asyncio.run(attacking(options.port, options.token, options.attack))
        return 0
    scenes = (options.only,) if options.only else SCENES
    found: dict[str, list[tuple[float, float, float]]] = {scene: [] for scene in scenes}
    with tempfile.TemporaryDirectory() as folder:
        service = Service(Path(folder), options.database)
        try:
            measured(service, "", 1)
            for _ in range(options.rounds):
                for scene in scenes:
                    alone = measured(service, "", options.seconds)
                    under = measured(service, scene, options.seconds)
                    slow = at(under, 0.99)
                    found[scene].append((slow / at(alone, 0.99), at(alone, 0.99), slow))
                    if not options.json:
                        print(
                            f"  {scene:14} alone p99 {at(alone, 0.99) * 1e3:7.1f} ms, attacked p50 "
                            f"{at(under, 0.5) * 1e3:7.1f} p99 {slow * 1e3:7.1f} ms, {len(under)} calls",
                            flush=True,
                        )
        finally:
            service.stop()
    figures = [
        Figure(
            f"an honest agent's slowest percent, beside {scene}",
            min(rounds)[0],
            "× alone",
            note=f"{min(rounds)[2] * 1e3:.1f} ms",
            bar=f"at most {SLOWEST:g}",
            met=min(rounds)[0] <= SLOWEST,
        )
        for scene, rounds in found.items()
    ]
    return ended("hostile", figures, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
