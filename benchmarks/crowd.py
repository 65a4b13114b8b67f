"""Fifty hooks at once on one ledger: how long the slowest wait. Two source trees, interleaved in one run.

    python benchmarks/crowd.py OLD NEW [--resident] [--hooks 50] [--rounds 5] [--json]

OLD and NEW are folders that hold the package `interlock`. Each round starts all hooks of one tree at the same moment,
each in a process of its own as a host starts it, then those of the other tree. `apart`: each call in a session of its
own; `together`: all in one session; `asked`: calls that are asked about, in sessions of their own. Starting fifty
interpreters takes most of that time, so the same is done with processes that have loaded everything before (`warm`),
where little but the ledger is left to wait for. Printed are medians over the rounds and the ratio new / old, which is
what counts on a machine that does other things as well. With `--resident` the hooks of NEW have a resident service to
ask; give the same tree twice to see what that alone changes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

SCENES = {
    "apart": ("session-{}", "Write"),
    "together": ("session", "Read"),
    "asked": ("session-{}", "Bash"),
}


# Run with a tree, a home, a project, a session, a tool and a number: prints the seconds of so many calls at once.
WARM = """
import json, os, sys, time
tree, home, project, session, tool, hooks = sys.argv[1:]
sys.path.insert(0, tree)
from interlock.model.call import Call
from interlock.engine import Engine
from interlock.model.events import Place, Proposed
from interlock.store.home.folders import folders_for
from interlock.value import FrozenMap

def propose(engine, number):
    given = {"command": "git push --force origin main"} if tool == "Bash" else {"file_path": f"{project}/n{number}"}
    if tool == "Write":
        given["content"] = "hello"
    name = session.format(f"{os.getpid()}-{number}")
    call = Call(tool=tool, input=FrozenMap(given), cwd=project, session=name, host="claude-code", attempt=f"a{number}")
    place = Place(host="claude-code", session=name, cwd=project, root=project, parent=os.getpid())
    return engine.propose(Proposed(place=place, call=call))

propose(Engine(folders_for(home), front="hook:claude-code"), -1)
gate, open_gate = os.pipe()
told, tell = os.pipe()
for number in range(int(hooks)):
    if os.fork() == 0:
        os.close(open_gate)
        engine = Engine(folders_for(home), front="hook:claude-code")
        os.read(gate, 1)
        before = time.monotonic()
        outcome = propose(engine, number)
        took = time.monotonic() - before
        os.write(tell, json.dumps([took, outcome.trouble is None]).encode() + b"\\n")
        os._exit(0)
os.close(open_gate)
os.close(tell)
with os.fdopen(told) as file:
    print(json.dumps([json.loads(line) for line in file]))
"""
COMMAND = "from interlock.cli.main import main; main()"


class Place:
    """A home and a project for one tree."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.guard = tree / "interlock/hook/guard.py"
        self.home, self.project = folder / "home", folder / "project"
        for path in (self.home, self.project):
            path.mkdir(parents=True)
        self.count = 0

    def event(self, session: str, tool: str) -> bytes:
        self.count += 1
        given: dict[str, Any] = {"file_path": str(self.project / f"notes-{self.count}.txt")}
        if tool == "Write":
            given["content"] = "hello\n"
        if tool == "Bash":
            given = {"command": "git push --force origin main"}
        told = {"session_id": session, "transcript_path": "", "cwd": str(self.project), "permission_mode": "default"}
        told |= {"hook_event_name": "PreToolUse", "tool_use_id": f"toolu_{self.count}"}
        return json.dumps({**told, "tool_name": tool, "tool_input": given}).encode()

    def warm(self, session: str, tool: str, hooks: int) -> list[tuple[float, bool]]:
        """The same for many calls at once, in processes that have loaded everything before."""
        where = [str(self.guard.parents[2]), str(self.home), str(self.project), session, tool, str(hooks)]
        done = subprocess.run([sys.executable, "-I", "-S", "-c", WARM, *where], capture_output=True, check=True)
        return [(took, answered) for took, answered in json.loads(done.stdout)]

    def resident(self, switch: str) -> None:
        """Switches the resident service of this home on or off."""
        words = ["-c", f"import sys; sys.path.insert(0, {str(self.guard.parents[2])!r}); {COMMAND}", "--home"]
        subprocess.run(
            [sys.executable, *words, str(self.home), "resident", switch], check=True, stdout=subprocess.DEVNULL
        )

    def hook(self, event: bytes) -> tuple[float, bool]:
        """How long one hook took, and whether it answered at all."""
        command = [sys.executable, "-I", "-S", str(self.guard), "claude-code", "--home", str(self.home)]
        before = time.monotonic()
        done = subprocess.run(
            command,
            input=event,
            capture_output=True,
            cwd=self.project,
            env={"PATH": os.defpath, "CLAUDE_PROJECT_DIR": str(self.project)},
            check=False,
        )
        answered = done.returncode == 0 and b"not recorded" not in done.stdout
        return time.monotonic() - before, answered


def round_of(place: Place, scene: str, hooks: int) -> tuple[list[float], int]:
    """The times of all hooks, and how many were not answered as they would be alone."""
    session, tool = SCENES[scene.removeprefix("warm ")]
    if scene.startswith("warm "):
        found = place.warm(session, tool, hooks)
        return sorted(took for took, _ in found), sum(not answered for _, answered in found)
    events = [place.event(session.format(place.count), tool) for _ in range(hooks)]
    gate = threading.Barrier(hooks)
    found = []

    def one(event: bytes) -> None:
        gate.wait()
        found.append(place.hook(event))

    threads = [threading.Thread(target=one, args=(event,)) for event in events]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(took for took, _ in found), sum(not answered for _, answered in found)


def at(times: list[float], part: float) -> float:
    return times[min(len(times) - 1, int(part * len(times)))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--hooks", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scenes", nargs="*", default=[*SCENES, *[f"warm {scene}" for scene in SCENES]])
    parser.add_argument("--resident", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        trees = {"old": given.old, "new": given.new}
        places = {name: Place(tree.resolve(), Path(folder) / name) for name, tree in trees.items()}
        for place in places.values():
            place.hook(place.event("warm", "Write"))  # compiles the policy
            place.hook(place.event("warm", "Bash"))
        if given.resident:
            places["new"].resident("on")
        for scene in given.scenes:
            kept: dict[str, list[tuple[float, float]]] = {name: [] for name in places}
            lost = dict.fromkeys(places, 0)
            for number in range(given.rounds):
                for name in list(places)[:: 1 if number % 2 else -1]:
                    times, missed = round_of(places[name], scene, given.hooks)
                    kept[name].append((at(times, 0.5), at(times, 0.99)))
                    lost[name] += missed
            found = {
                name: {
                    "p50": statistics.median(half for half, _ in rounds),
                    "p99": statistics.median(most for _, most in rounds),
                    "not answered": lost[name],
                }
                for name, rounds in kept.items()
            }
            report[scene] = {**found, "p99 new / old": found["new"]["p99"] / found["old"]["p99"]}
            if not given.json:
                print(f"{scene}: p99 new / old = {report[scene]['p99 new / old']:.2f}  {json.dumps(found)}", flush=True)
        if given.resident:
            places["new"].resident("off")
    if given.json:
        print(json.dumps(report, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
