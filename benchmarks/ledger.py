"""The ledger: does it get slower as it grows, and what does a row cost? Ratios in one interleaved run.

    python benchmarks/ledger.py [--rows N] [--rounds N] [--json]

CPU time, and for growth without waiting for the disk. Prints each figure beside its bar, and ends with 1
where one is missed.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from interlock.bytes.canon import canonical
from interlock.store.home.folders import folders_for
from interlock.store.ledger.audit import open_for_reading, tail
from interlock.store.ledger.ledger import Ledger
from interlock.store.ledger.verify import verify

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.result import Figure, ended

SMALL = 1_000
BODY = canonical({"input": {"command": "git push origin feature/x"}, "receipt": {"decision": {"verdict": "allow"}}})
STATE = canonical({"calls": 1, "created": [], "grants": [], "posture": "interactive", "start": "interactive"})


def filled(home: Path, rows: int) -> Ledger:
    """A ledger with so many decisions of many sessions, and a grant for every hundredth of them."""
    ledger = Ledger(folders_for(str(home)).ledger)
    for start in range(0, rows, 50_000):
        with ledger.deciding() as turn:
            for n in range(start, min(start + 50_000, rows)):
                turn.append("decision", BODY, key=_name(n, "key"), attempt=_name(n, "attempt"), session=f"s{n // 200}")
                if n % 100 == 0:
                    turn.grant(f"g{n}", BODY, key=f"tool:{n}", uses=5)
    return ledger


def _name(n: int, what: str) -> str:
    """As spread out as digests are."""
    from hashlib import sha256

    return "sha256:" + sha256(f"{what} {n}".encode()).hexdigest()


class Timed:
    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.count = 0

    def append(self) -> None:
        self.count += 1
        with self.ledger.deciding("bench") as turn:
            key = _name(self.count, "new")
            turn.append("decision", BODY, key=key, attempt=key, state=STATE)

    def lookup(self) -> None:
        self.count += 1
        with self.ledger.deciding() as turn:
            turn.live_grants((f"tool:{self.count * 100 % 1000}",))

    def tail(self) -> None:
        database = open_for_reading(self.ledger.path)
        tail(database, 20)
        database.close()


def cpu_us(work: Callable[[], None], times: int) -> float:
    start = time.process_time_ns()
    for _ in range(times):
        work()
    return (time.process_time_ns() - start) / times / 1e3


def growth(folder: Path, rows: int, rounds: int) -> dict[str, tuple[float, float, float]]:
    """What each thing costs in a small and in a large ledger, and the ratio."""
    small, large = Timed(filled(folder / "small", SMALL)), Timed(filled(folder / "large", rows))
    for one in (small, large):
        one.ledger.database.run("PRAGMA synchronous = OFF")
    figures: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in ("append", "lookup", "tail")}
    for _ in range(rounds):
        for name, (of_small, of_large) in figures.items():
            of_small.append(cpu_us(getattr(small, name), 20))
            of_large.append(cpu_us(getattr(large, name), 20))
    small.ledger.close()
    large.ledger.close()
    found = {}
    for name, (of_small, of_large) in figures.items():
        in_small, in_large = statistics.median(of_small), statistics.median(of_large)
        found[name] = (in_small, in_large, in_large / in_small)
    return found


def pages_read(path: str) -> dict[str, float] | None:
    """Pages of 4 KiB that each thing reads on a connection that has read none yet, as a hook's is: the median of some.

    None where the system does not count what a process reads.
    """
    counter = "/proc/self/io"
    if not os.path.exists(counter):
        return None

    def so_far() -> int:
        return int(Path(counter).read_text().split()[1])  # rchar

    found = {}
    for name in ("append", "lookup", "tail"):
        counts = []
        for number in range(20):
            timed = Timed(Ledger(path))
            timed.count = 10_000_000 + number  # rows that no other measure has added
            if name != "tail":
                timed.ledger.connect()
            start = so_far()
            getattr(timed, name)()
            counts.append((so_far() - start) // 4096)
            timed.ledger.close()
        found[name] = statistics.median(counts)
    return found


def row_cost(folder: Path, rounds: int) -> dict[str, tuple[float, float]]:
    """Rows per second of wall time, and as a multiple of the time of a bare SQLite insert, for both sync levels."""
    ledger = filled(folder / "rows", 10)
    bare = sqlite3.connect(folder / "bare.db", isolation_level=None)
    bare.execute("PRAGMA journal_mode = WAL")
    bare.execute("CREATE TABLE rows (seq INTEGER PRIMARY KEY, body BLOB)")
    timed = Timed(ledger)

    def insert() -> None:
        bare.execute("BEGIN IMMEDIATE")
        bare.execute("INSERT INTO rows (body) VALUES (?)", (BODY,))
        bare.execute("COMMIT")

    def durable() -> None:
        timed.count += 1
        with ledger.deciding("bench") as turn:
            turn.append("decision", BODY, key=_name(timed.count, "d"), state=STATE, durable=True)

    found = {}
    for level, work in (("NORMAL", timed.append), ("FULL", durable)):
        bare.execute(f"PRAGMA synchronous = {level}")
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(rounds):
            for times, function in ((ours, work), (theirs, insert)):
                start = time.perf_counter()
                for _ in range(20):
                    function()
                times.append((time.perf_counter() - start) / 20)
        one, other = statistics.median(ours), statistics.median(theirs)
        found[level] = (1 / one, one / other)
    return found


def team_cost(folder: Path, rounds: int) -> dict[str, tuple[float, float]]:
    """The same on a PostgreSQL that waits for its disk: milliseconds, and as a multiple of a bare SQLite insert that
    does too. `redeem` is what a hook does for a shared grant: connect, use it up, leave. Empty where no server is.
    """
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from interlock.store.ledger.postgres import Database
    from postgres_server import Server, server_programs

    programs = server_programs()
    if programs is None:
        return {}
    server = Server(programs, fsync=True)
    try:
        bare = sqlite3.connect(folder / "bare-team.db", isolation_level=None)
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("PRAGMA synchronous = FULL")
        bare.execute("CREATE TABLE rows (seq INTEGER PRIMARY KEY, body BLOB)")
        url, head = server.new_database(), str(folder / "team")
        ledger = Ledger.on(Database(url, head=head))
        timed = Timed(ledger)
        with ledger.deciding() as turn:
            turn.grant("g", BODY, key="k", uses=1_000_000)

        def insert() -> None:
            bare.execute("INSERT INTO rows (body) VALUES (?)", (BODY,))

        def redeem() -> None:
            other = Ledger.on(Database(url, head=head))
            with other.deciding() as turn:
                assert turn.redeem("g", BODY)
            other.close()

        times: dict[str, list[float]] = {"append": [], "redeem": [], "bare": []}
        for _ in range(rounds):
            for name, function in (("append", timed.append), ("redeem", redeem), ("bare", insert)):
                start = time.perf_counter()
                for _ in range(10):
                    function()
                times[name].append((time.perf_counter() - start) / 10)
        ledger.close()
        bare.close()
    finally:
        server.remove()
    took = {name: statistics.median(found) for name, found in times.items()}
    return {name: (1e3 * took[name], took[name] / took["bare"]) for name in ("append", "redeem")}


def decision_cost(folder: Path, rounds: int) -> dict[str, tuple[float, float]]:
    """A whole decision of the core, from call to kept row, for both engines and both levels: milliseconds, and as a
    multiple of a bare SQLite insert at the same level in the same run. FULL is what cannot be taken back.
    """
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from interlock.store.ledger.postgres import Database
    from postgres_server import Server, server_programs

    programs = server_programs()
    server = None if programs is None else Server(programs, fsync=True)
    ledgers = {"SQLite": Ledger(folders_for(str(folder / "decide")).ledger)}
    if server is not None:
        ledgers["PostgreSQL"] = Ledger.on(Database(server.new_database(), head=str(folder / "decide-team")))
    found = {}
    try:
        for level, command in (("NORMAL", "git status"), ("FULL", "git push --force origin main")):
            bare = sqlite3.connect(folder / f"bare-{level}.db", isolation_level=None)
            bare.execute("PRAGMA journal_mode = WAL")
            bare.execute(f"PRAGMA synchronous = {level}")
            bare.execute("CREATE TABLE rows (seq INTEGER PRIMARY KEY, body BLOB)")

            def insert(to: sqlite3.Connection = bare) -> None:
                to.execute("INSERT INTO rows (body) VALUES (?)", (BODY,))

            works: dict[str, Callable[[], None]] = {name: decider(kept, command) for name, kept in ledgers.items()}
            times: dict[str, list[float]] = {name: [] for name in (*works, "alone", "bare")}
            for _ in range(rounds):
                for name, work in (*works.items(), ("alone", decider(None, command)), ("bare", insert)):
                    start = time.perf_counter()
                    for _ in range(5):
                        work()
                    times[name].append((time.perf_counter() - start) / 5)
            took = {name: statistics.median(measured) for name, measured in times.items()}
            for name in (*works, "alone"):
                found[f"{name}, {level}"] = (1e3 * took[name], took[name] / took["bare"])
    finally:
        for ledger in ledgers.values():
            ledger.close()
        if server is not None:
            server.remove()
    return found


def decider(ledger: Ledger | None, command: str) -> Callable[[], None]:
    """One decision after another, each of a call of its own; without a ledger, nothing is kept."""
    from itertools import count

    from interlock.calls.world import World
    from interlock.model.call import Call
    from interlock.model.session import Session
    from interlock.policy.model import Policy
    from interlock.runtime import judge
    from interlock.value import FrozenMap

    world = World(folders=folders_for("/nowhere"), root="/repo", policy=Policy(), ledger=ledger, resumes=True)
    numbers = count()

    def decide() -> None:
        call = Call(
            tool="Bash", input=FrozenMap({"command": command}), cwd="/repo", session="s", attempt=f"t{next(numbers)}"
        )
        outcome = judge(call, world, Session(id="s"))
        assert outcome.trouble is None, outcome.trouble

    return decide


def verified(folder: Path) -> float:
    """Rows per second of CPU time through `audit verify`."""
    folders = folders_for(str(folder))
    start = time.process_time()
    walked = verify(folders, deep=False)
    took = time.process_time() - start
    assert walked.damage is None, walked.damage
    return walked.count / took


def _pages(read: dict[str, dict[str, float]], name: str) -> str:
    if name not in read["small"]:
        return ""
    return f", {read['small'][name]:.0f} and {read['large'][name]:.0f} pages read"


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--rounds", type=int, default=40)
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = growth(Path(folder), given.rows, given.rounds)
        read = {size: pages_read(folders_for(str(Path(folder, size))).ledger) or {} for size in ("small", "large")}
        rate = verified(Path(folder, "large"))
        costs = row_cost(Path(folder), given.rounds)
        team = team_cost(Path(folder), given.rounds)
        decisions = decision_cost(Path(folder), given.rounds)
    rows = [
        Figure(
            f"{name}, {given.rows:,} rows against {SMALL:,}",
            ratio,
            "×",
            note=f"{one:.0f} and {other:.0f} µs" + _pages(read, name),
            bar="at most 1.5 ×",
            met=ratio <= 1.5,
        )
        for name, (one, other, ratio) in figures.items()
    ]
    rows.append(Figure("audit verify", rate, "rows/s", bar="at least 50,000", met=rate >= 50_000))
    rows += [
        Figure(f"append, synchronous {level}", rate, "rows/s", note=f"{ratio:.1f} × the time of a bare insert")
        for level, (rate, ratio) in costs.items()
    ]
    rows += [
        Figure(f"{name}, PostgreSQL", ms, "ms", note=f"{ratio:.1f} × a bare insert")
        for name, (ms, ratio) in team.items()
    ]
    rows += [
        Figure(f"decision, {name}", ms, "ms", note=f"{ratio:.1f} × a bare insert")
        for name, (ms, ratio) in decisions.items()
    ]
    return ended("ledger", rows, as_json=given.json)


if __name__ == "__main__":
    os.environ.pop("INTERLOCK_HOME", None)
    sys.exit(main())
