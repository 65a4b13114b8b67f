"""Speed, as ratios in one interleaved run: the machine may be slow or busy, the ratio is not.

    python benchmarks/run.py [--rounds N] [--json]

Prints each figure beside its bar, and ends with 1 where one is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from interlock.decide import decide
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.model.toolnames import declared_tool
from interlock.store.facts.facts import read_with_facts
from interlock.store.home.folders import folders_for
from interlock.store.home.policies import load_policy
from interlock.value import FrozenMap

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.result import Figure, ended, timed

GUARD = Path(__file__).parent.parent / "src" / "interlock" / "hook" / "guard.py"
EVENT = {
    "session_id": "bench",
    "cwd": "/tmp",
    "permission_mode": "default",
    "hook_event_name": "PreToolUse",
    "tool_use_id": None,
}
WRITE, TRUE, BARE = "Write", "/bin/true", "bare"
CALLS: dict[str, tuple[str, dict[str, str]]] = {
    WRITE: ("Write", {"file_path": "/tmp/bench.txt", "content": "x" * 200}),
    "Read": ("Read", {"file_path": "/tmp/bench.txt"}),
    "ls": ("Bash", {"command": "ls"}),
    "git status": ("Bash", {"command": "git status"}),
    "npm test | tail": ("Bash", {"command": "npm test 2>&1 | tail -5"}),
    "inline Python": ("Bash", {"command": "python3 -c 'import json; print(json.dumps(1))'"}),
    "an MCP tool": ("mcp__mail__send", {"to": "ada"}),
}


def timed_hooks(rounds: int, home: str) -> dict[str, list[float]]:
    """Milliseconds of `/bin/true`, of a bare interpreter, and of the hook by call, recording on, all interleaved."""
    bare = [sys.executable, "-I", "-S", "-c", "pass"]
    hook = [sys.executable, "-I", "-S", str(GUARD), "claude-code", "--home", home]
    events = {
        name: json.dumps({**EVENT, "tool_name": tool, "tool_input": given}).encode()
        for name, (tool, given) in CALLS.items()
    }
    for event in (*events.values(), *events.values()):  # the policy's cache, and the bundle of modules
        subprocess.run(hook, input=event, stdout=subprocess.DEVNULL, check=True)
    commands = {TRUE: [shutil.which("true") or "/bin/true"], BARE: bare, **dict.fromkeys(events, hook)}
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, input=events.get(name, b""), stdout=subprocess.DEVNULL, check=True)
            times[name].append((time.perf_counter() - start) * 1e3)
    return times


def resident(home: str, switch: str) -> None:
    command = [sys.executable, "-m", "interlock.cli", "--home", home, "resident", switch]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def decide_alone(home: str) -> list[float]:
    """Microseconds of the processor for decide() on a file-tool call."""
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
        times.append((time.process_time_ns() - start) / 20e3)
    return times


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


def figures_of(cold: dict[str, list[float]], warm: dict[str, list[float]]) -> list[Figure]:
    """Only the file tools have a bar; what a command costs hangs on what is read. With the service, ratios to a bare
    interpreter are compared: the two were not measured at the same moment.
    """
    true, bare, bare_beside = (statistics.median(times) for times in (cold[TRUE], cold[BARE], warm[BARE]))
    rows = [timed("/bin/true", cold[TRUE], "ms")]
    rows.append(timed("bare interpreter, python -I -S", cold[BARE], "ms", note=f"{bare / true:.1f} × true"))
    for name in CALLS:
        ms = statistics.median(cold[name])
        note = f"{ms / true:.1f} × true, {ms / bare:.2f} × bare"
        limits = {"bar": "at most 4 × bare", "met": ms <= 4 * bare} if name == WRITE else {}
        rows.append(timed(f"cold hook, {name}", cold[name], "ms", note=note, **limits))
    for name in CALLS:
        ms = statistics.median(warm[name])
        share = (ms / bare_beside) / (statistics.median(cold[name]) / bare)
        note = f"{ms / bare_beside:.2f} × bare, {share:.2f} cold"
        limits = {"bar": "at most 0.6 cold", "met": share <= 0.6}
        rows.append(timed(f"hook with the service, {name}", warm[name], "ms", note=note, **limits))
    return rows


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=60)
    arguments.add_argument("--lines", type=int, default=20_000, help="calls that decide --jsonl is given")
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as home:
        cold = timed_hooks(given.rounds, home)
        resident(home, "on")
        warm = timed_hooks(given.rounds, home)
        resident(home, "off")
        alone = decide_alone(home)
        per_second = stream(given.lines, home)
    fast, many = statistics.median(alone) <= 30, per_second >= 10_000
    figures = [
        *figures_of(cold, warm),
        timed("decide() on a file-tool call", alone, "µs", bar="at most 30 µs", met=fast),
        Figure("interlock decide --jsonl", per_second, "calls/s", bar="at least 10,000", met=many),
    ]
    return ended("hook", figures, as_json=given.json)


if __name__ == "__main__":
    os.environ.pop("INTERLOCK_HOME", None)
    sys.exit(main())
