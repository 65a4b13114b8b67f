"""The MCP relay: what a tool call costs through `interlock mcp run`, beside the same call made directly.

    python benchmarks/relay.py [--calls N] [--rounds N] [--json]

A server of this file, as bare as a server can be, and the real server-everything where `scripts/mcp.sh` has put it.
Direct and relayed calls take turns, one at a time, each with another argument; medians, the best of the rounds. Also
how long it takes until `initialize` is answered, and the memory of the relay's process. Prints each figure beside its
bar, and ends with 1 where one is missed. The bar on time is that of the real server: the bare one is there to show
what the relay itself takes.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.result import Figure, ended

BAR_RATIO = 2.0
BAR_MEGABYTES = 60.0
POLICY = 'version = 1\n[tools."mcp__s__*"]\neffects = ["read"]\n'
BARE = r"""
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    r = {"content": [{"type": "text", "text": "ok " + str(m.get("params", {}).get("arguments"))}]}
    if m["method"] == "tools/list": r = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    if m["method"] == "initialize":
        r = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
        r["serverInfo"] = {"name": "b", "version": "1"}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}) + "\n"); sys.stdout.flush()
"""


class Client:
    def __init__(self, command: list[str]) -> None:
        began = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.id = 0
        info = {"name": "bench", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        self.ask("initialize", params)
        self.started = time.perf_counter() - began
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        if self.process.stdin is not None:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> float:
        """Seconds until the answer is there."""
        self.id += 1
        began = time.perf_counter()
        self._send({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
        while self.process.stdout is not None:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("the server is gone")
            data = json.loads(line)
            if data.get("id") == self.id and "method" not in data:
                if data.get("result", {}).get("isError"):
                    raise SystemExit(f"refused: {data}")
                break
        return time.perf_counter() - began

    def call(self, number: int) -> float:
        return self.ask("tools/call", {"name": "echo", "arguments": {"message": f"call {number}"}})

    def megabytes(self) -> float:
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("VmHWM:")[1].split()[0]) / 1024

    def close(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait(30)


def measured(home: str, server: list[str], calls: int, rounds: int) -> dict[str, float]:
    direct = Client(server)
    relay = Client([sys.executable, "-m", "interlock.cli", "--home", home, "mcp", "run", "--name", "s", "--", *server])
    try:
        number, best = 0, (0.0, 0.0)
        for _ in range(20):  # what is made once is made
            number += 1
            direct.call(number)
            relay.call(number)
        for _ in range(rounds):
            times: tuple[list[float], list[float]] = ([], [])
            for _ in range(calls):
                number += 1
                times[0].append(direct.call(number))
                times[1].append(relay.call(number))
            found = (statistics.median(times[0]), statistics.median(times[1]))
            if not best[0] or found[1] / found[0] < best[1] / best[0]:
                best = found
        return {
            "direct_ms": best[0] * 1000,
            "relayed_ms": best[1] * 1000,
            "ratio": best[1] / best[0],
            "start_direct_ms": direct.started * 1000,
            "start_relayed_ms": relay.started * 1000,
            "megabytes": relay.megabytes(),
        }
    finally:
        direct.close()
        relay.close()


def everything() -> list[str] | None:
    cache = os.environ.get("INTERLOCK_DEV_CACHE") or os.path.expanduser("~/.cache/interlock-dev")
    found = glob.glob(f"{cache}/mcp-*/servers/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
    node = shutil.which("node")
    return [node, sorted(found)[-1], "stdio"] if found and node else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        servers = {"bare": [sys.executable, "-c", BARE]}
        real = everything()
        if real is not None:
            servers["server-everything"] = real
        figures = {}
        for name, server in servers.items():
            policy = Path(folder) / name / ".config/interlock/policy.toml"
            policy.parent.mkdir(parents=True)
            policy.write_text(POLICY)
            figures[name] = measured(str(Path(folder) / name), server, given.calls, given.rounds)
    rows = []
    for name, found in figures.items():
        late = found["ratio"] > BAR_RATIO
        limits = {"bar": f"at most {BAR_RATIO:g} × direct", "met": not late} if name == "server-everything" else {}
        note = f"{found['ratio']:.2f} × the {found['direct_ms']:.2f} ms of a direct call"
        rows.append(Figure(f"{name}, a relayed call", found["relayed_ms"], "ms", note=note, **limits))  # type: ignore[arg-type]
        note = f"{found['start_direct_ms']:.0f} ms without the relay"
        rows.append(Figure(f"{name}, until initialize is answered", found["start_relayed_ms"], "ms", note=note))
        small, bar = found["megabytes"] <= BAR_MEGABYTES, f"at most {BAR_MEGABYTES:g} MB"
        rows.append(Figure(f"{name}, memory of the relay", found["megabytes"], "MB", bar=bar, met=small))
    if real is None:
        print("server-everything is not here: fetch it with scripts/mcp.sh", file=sys.stderr)
    return ended("relay", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
