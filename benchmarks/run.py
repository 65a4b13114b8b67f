"""Speed, as ratios in one interleaved run: the machine may be slow or busy, the ratio is not.

    python benchmarks/run.py [--rounds N] [--json]

Prints each figure beside its bar, and ends with 1 where one is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from interlock.action import Reading
from interlock.call import Call
from interlock.decide import decide
from interlock.facts import Facts
from interlock.session import Session
from interlock.store.facts import read_with_facts
from interlock.store.folders import folders_for
from interlock.store.policies import load_policy
from interlock.toolnames import declared_tool
from interlock.value import FrozenMap

GUARD = Path(__file__).parent.parent / "src" / "interlock" / "hook" / "guard.py"
EVENT = {
    "session_id": "bench",
    "cwd": "/tmp",
    "permission_mode": "default",
    "hook_event_name": "PreToolUse",
    "tool_use_id": None,
}
WRITE = "Write"
CALLS: dict[str, tuple[str, dict[str, str]]] = {
    WRITE: ("Write", {"file_path": "/tmp/bench.txt", "content": "x" * 200}),
    "Read": ("Read", {"file_path": "/tmp/bench.txt"}),
    "ls": ("Bash", {"command": "ls"}),
    "git status": ("Bash", {"command": "git status"}),
    "npm test | tail": ("Bash", {"command": "npm test 2>&1 | tail -5"}),
    "inline Python": ("Bash", {"command": "python3 -c 'import json; print(json.dumps(1))'"}),
    "an MCP tool": ("mcp__mail__send", {"to": "ada"}),
}


def cold_hooks(rounds: int, home: str) -> tuple[float, dict[str, float]]:
    """Median milliseconds of a bare interpreter, and of the cold hook by call, recording on, all interleaved."""
    bare = [sys.executable, "-I", "-S", "-c", "pass"]
    hook = [sys.executable, "-I", "-S", str(GUARD), "claude-code", "--home", home]
    events = {
        name: json.dumps({**EVENT, "tool_name": tool, "tool_input": given}).encode()
        for name, (tool, given) in CALLS.items()
    }
    for event in (*events.values(), *events.values()):  # the policy's cache, and the bundle of modules
        subprocess.run(hook, input=event, stdout=subprocess.DEVNULL, check=True)
    times: dict[str, list[float]] = {"": [], **{name: [] for name in events}}
    for _ in range(rounds):
        for name, found in times.items():
            start = time.perf_counter()
            command = hook if name else bare
            subprocess.run(command, input=events.get(name, b""), stdout=subprocess.DEVNULL, check=True)
            found.append(time.perf_counter() - start)
    medians = {name: statistics.median(found) * 1e3 for name, found in times.items()}
    return medians.pop(""), medians


def decide_alone(home: str) -> float:
    """Median CPU time of decide() on a file-tool call, in microseconds."""
    folders = folders_for(home)
    policy = load_policy(folders, "/tmp")
    call = Call(tool="Write", input=FrozenMap({"file_path": "/tmp/bench.txt", "content": "x"}), cwd="/tmp")
    facts = Facts(root="/tmp", home=folders.home, declared=declared_tool(policy, "Write"))
    reading: Reading = read_with_facts(call, facts)
    session = Session()
    times = []
    for _ in range(300):
        start = time.process_time_ns()
        for _ in range(20):
            decide(call, reading, policy, session)
        times.append((time.process_time_ns() - start) / 20)
    return statistics.median(times) / 1e3


def stream(calls: int, home: str) -> float:
    """Calls per second through `interlock decide --jsonl`, start-up taken out."""
    lines = [
        json.dumps({"tool": "Write", "input": {"file_path": f"/tmp/f{n % 97}.txt", "content": "x"}, "cwd": "/tmp"})
        for n in range(calls)
    ]
    command = [sys.executable, "-m", "interlock.cli", "--home", home, "decide", "--jsonl", "--root", "/tmp"]

    def run(count: int) -> float:
        text = ("\n".join(lines[:count]) + "\n").encode()
        start = time.perf_counter()
        done = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True)
        took = time.perf_counter() - start
        assert done.stdout.count(b"\n") == count
        return took

    run(10)
    return max((calls - 10) / (run(calls) - run(10)) for _ in range(5))


def _cold(name: str, ms: float, bare: float) -> tuple[str, str, str, bool]:
    """Only the file tools have a bar; what a command costs hangs on what is read."""
    bar = "at most 4 x" if name == WRITE else ""
    return f"cold hook, {name}", f"{ms:.1f} ms, {ms / bare:.2f} x", bar, not bar or ms <= 4 * bare


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=60)
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as home:
        bare_ms, hooks = cold_hooks(given.rounds, home)
        decide_us = decide_alone(home)
        per_second = stream(20_000, home)
    rows = [
        ("bare interpreter, python -I -S", f"{bare_ms:.1f} ms", "", True),
        *[_cold(name, ms, bare_ms) for name, ms in hooks.items()],
        ("decide() on a file-tool call", f"{decide_us:.1f} us", "at most 30 us", decide_us <= 30),
        ("interlock decide --jsonl", f"{per_second:,.0f} calls/s", "at least 10,000", per_second >= 10_000),
    ]
    if given.json:
        print(json.dumps({name.strip(): {"figure": figure, "bar": bar, "met": met} for name, figure, bar, met in rows}))
    else:
        for name, figure, bar, met in rows:
            print(f"{name:36} {figure:>18}   {bar:18} {'' if not bar else 'met' if met else 'MISSED'}")
    return 0 if all(met for *_, met in rows) else 1


if __name__ == "__main__":
    os.environ.pop("INTERLOCK_HOME", None)
    sys.exit(main())
