"""A warm engine: what a call costs that is decided and recorded in a process that stays, by kind of call.

    python benchmarks/engine.py [--calls N] [--rounds N] [--json]

All in one interleaved run, beside `decide()` alone on the same reading and one bare row appended to SQLite's log: the
machine may be slow or busy, the ratios are not. Processor time, the best of the rounds. The engine is what
`Engine(…, watches=False, resident=True)` is: no host, a ledger in SQLite, no commit that waits for the disk. Each call
is another one, in one of twenty sessions. `Gate.check` is what a program pays: it copies the arguments, and hands the
call to a thread that it can give up at its deadline. Prints each figure beside its bar, and ends with 1 where one is
missed.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from interlock.decide import decide
from interlock.engine import Engine
from interlock.gate import Gate
from interlock.model.call import Call
from interlock.model.events import Place, Proposed
from interlock.model.session import Session
from interlock.store.home.folders import Folders, folders_for
from interlock.value import FrozenMap

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.result import Figure, ended

BAR_US = 300.0  # for a read on a quiet machine; what a command costs hangs on what is read
READ, DECLARED, CHECKED = "Read", "a declared tool", "Gate.check(), a declared tool"
POLICY = """version = 1
[tools.lookup]
effects = ["read"]
[approvals]
by = ["terminal"]
"""
SESSIONS = 20
AT_REST = 3.2  # seconds: what was made of a file is kept once the file has come to rest

# name -> tool, and the input of the call with this number
CALLS: dict[str, tuple[str, Callable[[str, int], dict[str, object]]]] = {
    READ: ("Read", lambda project, n: {"file_path": f"{project}/src/{n}.txt"}),
    "Write": ("Write", lambda project, n: {"file_path": f"{project}/out/{n % 50}.txt", "content": "x" * 200}),
    "ls -la": ("Bash", lambda project, n: {"command": "ls -la"}),
    "git status": ("Bash", lambda project, n: {"command": "git status"}),
    "an MCP tool": ("mcp__mail__search", lambda project, n: {"query": f"from ada {n}"}),
    DECLARED: ("lookup", lambda project, n: {"name": f"customer {n}"}),
    "an unknown tool, asks": ("refund", lambda project, n: {"amount": n}),
}


class Bench:
    def __init__(self, folder: Path) -> None:
        self.folders: Folders = folders_for(str(folder / "home"))
        self.project = folder / "home" / "project"
        (self.project / ".git").mkdir(parents=True)
        Path(self.folders.config).mkdir(parents=True)
        Path(self.folders.user_policy).write_text(POLICY)
        self.engine = Engine(self.folders, front="cli:decide", watches=False, resident=True)
        self.gate = Gate(home=self.folders.home, root=self.project)
        self.counts = dict.fromkeys(CALLS, 0)

    def event(self, name: str) -> Proposed:
        tool, given = CALLS[name]
        number = self.counts[name] = self.counts[name] + 1
        session = f"{name} {number % SESSIONS}"
        given_now = FrozenMap(given(str(self.project), number))
        call = Call(tool=tool, input=given_now, cwd=str(self.project), session=session)
        return Proposed(place=Place(host="", session=session, cwd=str(self.project)), call=call)

    def propose(self, name: str, calls: int) -> tuple[float, float]:
        """Microseconds of the processor, and of the clock, for a call."""
        events = [self.event(name) for _ in range(calls)]
        began, start = time.perf_counter_ns(), time.process_time_ns()
        for event in events:
            outcome = self.engine.propose(event)
            assert outcome.trouble is None, outcome.trouble
        return (time.process_time_ns() - start) / calls / 1e3, (time.perf_counter_ns() - began) / calls / 1e3

    def check(self, calls: int) -> tuple[float, float]:
        """The same through the library, with an id for each call."""
        _, given = CALLS[DECLARED]
        number = self.counts[DECLARED]
        self.counts[DECLARED] = number + calls
        began, start = time.perf_counter_ns(), time.process_time_ns()
        for at in range(number, number + calls):
            checked = self.gate.check("lookup", given(str(self.project), at), session="gate", call_id=f"{at}")
            assert checked.allowed, checked
        return (time.process_time_ns() - start) / calls / 1e3, (time.perf_counter_ns() - began) / calls / 1e3

    def close(self) -> None:
        self.gate.close()
        self.engine.close()

    def decide(self, name: str, calls: int) -> float:
        outcome = self.engine.propose(self.event(name))
        start = time.process_time_ns()
        for _ in range(calls):
            decide(outcome.call, outcome.reading, outcome.policy, Session(id="bench"))
        return (time.process_time_ns() - start) / calls / 1e3


class Bare:
    """A row of the same size in a log of its own, with nothing around it."""

    def __init__(self, folder: Path) -> None:
        self.connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = NORMAL")
        self.connection.execute("CREATE TABLE rows (seq INTEGER PRIMARY KEY, body BLOB NOT NULL)")

    def append(self, calls: int) -> float:
        start = time.process_time_ns()
        for _ in range(calls):
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.execute("INSERT INTO rows (body) VALUES (?)", (b"x" * 1500,))
            self.connection.execute("COMMIT")
        return (time.process_time_ns() - start) / calls / 1e3


def measured(calls: int, rounds: int) -> tuple[float, dict[str, tuple[float, float, float]]]:
    """The bare row; and by kind of call: processor, clock, `decide()` alone. Microseconds, the best of all rounds."""
    with tempfile.TemporaryDirectory() as name:
        bench, bare = Bench(Path(name)), Bare(Path(name))
        time.sleep(AT_REST)
        for kind in CALLS:
            bench.propose(kind, SESSIONS)  # every session has begun
        rows: list[float] = []
        bench.check(SESSIONS)
        found: dict[str, list[tuple[float, float, float]]] = {kind: [] for kind in (*CALLS, CHECKED)}
        for _ in range(rounds):
            rows.append(bare.append(calls))
            for kind, times in found.items():
                if kind == CHECKED:
                    times.append((*bench.check(calls), bench.decide(DECLARED, calls)))
                else:
                    times.append((*bench.propose(kind, calls), bench.decide(kind, calls)))
        bench.close()
        bare.connection.close()
    return min(rows), {
        kind: (min(t[0] for t in times), min(t[1] for t in times), min(t[2] for t in times))
        for kind, times in found.items()
    }


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--calls", type=int, default=60)
    arguments.add_argument("--rounds", type=int, default=12)
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    row, kinds = measured(given.calls, given.rounds)
    figures = [Figure("one bare row in SQLite", row, "µs")]
    for kind, (cpu, wall, alone) in kinds.items():
        note = f"{wall:.0f} µs by the clock, {cpu / alone:.1f} × decide(), {cpu / row:.1f} × a bare row"
        limits = {"bar": f"at most {BAR_US:.0f} µs", "met": cpu <= BAR_US} if kind in (READ, CHECKED) else {}
        what = kind if kind == CHECKED else f"decided and recorded, {kind}"
        figures.append(Figure(what, cpu, "µs", note=note, **limits))  # type: ignore[arg-type]
    return ended("engine", figures, as_json=given.json)


if __name__ == "__main__":
    os.environ.pop("INTERLOCK_HOME", None)
    sys.exit(main())
