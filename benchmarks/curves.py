"""How a decision's cost grows: with rules, with grants, with rows of the ledger, with the length of a command.

    python benchmarks/curves.py [--rounds N] [--rows 1000000] [--json] [--svg FILE]

Each point is the median processor time of many, with the tenth below and above it; the sizes of a curve take turns.
Rules and grants are those of growth.py, and decide() alone is timed. For the ledger it is appending a row, without
waiting for the disk. A command is read and decided: many arguments, or many commands, as long as the line is.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from interlock.approve.held import Held
from interlock.decide import decide
from interlock.model.call import Call
from interlock.model.session import Session
from interlock.policy.model import Policy
from interlock.value import FrozenMap

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.growth import CALLS, grants_of, loaded, read
from benchmarks.ledger import Timed, filled
from benchmarks.plot import Curve, Point, drawn
from benchmarks.result import Figure, ended, spread

__all__ = ["curves"]

RULES = (10, 100, 1_000, 10_000)
GRANTS = (0, 10, 100, 1_000, 10_000, 100_000)
ROWS = (1_000, 10_000, 100_000, 1_000_000)
LENGTHS = (10, 100, 1_000, 10_000, 100_000)

# a line of about so many characters
SHAPES: dict[str, Callable[[int], str]] = {
    "one command, many arguments": lambda length: ("ls" + "".join(f" src/{n:05}" for n in range(length // 10 + 1)))[
        : max(length, 2)
    ],
    "many commands": lambda length: " && ".join(["ls src"] * max(1, length // 10)),
}


def taken(works: dict[int, Callable[[], None]], rounds: int, each: int) -> list[Point]:
    """Microseconds of the processor for each size, the sizes in turns."""
    times: dict[int, list[float]] = {size: [] for size in works}
    for work in works.values():
        work()
    for _ in range(rounds):
        for size, work in works.items():
            start = time.process_time_ns()
            for _ in range(each):
                work()
            times[size].append((time.process_time_ns() - start) / each / 1e3)
    return [Point(size, *spread(found)) for size, found in times.items()]


def deciding(policy: Policy, grants: Held | tuple[()]) -> Callable[[], None]:
    """All calls of growth.py once; what is timed is divided by their number later."""
    calls = [Call(tool=tool, input=FrozenMap(given), cwd="/tmp/project") for tool, given in CALLS]
    cases = [(call, read(call, policy)) for call in calls]
    session = Session()

    def work() -> None:
        for call, reading in cases:
            decide(call, reading, policy, session, grants)

    return work


def commanding(policy: Policy, command: str) -> Callable[[], None]:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/tmp/project")
    session = Session()

    def work() -> None:
        decide(call, read(call, policy), policy, session)

    return work


def curves(folder: Path, rounds: int, most_rows: int) -> list[Curve]:
    policies = {count: loaded(folder / f"rules-{count}", count)[1] for count in RULES}
    rules = taken({count: deciding(policy, ()) for count, policy in policies.items()}, rounds, 2)
    held = {count: Held(grants_of(count)) if count else () for count in GRANTS}
    grants = taken({count: deciding(policies[10], given) for count, given in held.items()}, rounds, 2)
    del held
    found = [
        Curve("rules in the policy", "decide()", [point.over(len(CALLS)) for point in rules]),
        Curve("live grants", "decide()", [point.over(len(CALLS)) for point in grants]),
    ]
    ledgers = {rows: Timed(filled(folder / f"rows-{rows}", rows)) for rows in ROWS if rows <= most_rows}
    for timed in ledgers.values():
        timed.ledger.database.run("PRAGMA synchronous = OFF")
    points = taken({rows: timed.append for rows, timed in ledgers.items()}, rounds, 10)
    found.append(Curve("rows in the ledger", "append", points))
    for timed in ledgers.values():
        timed.ledger.close()
    for name, shape in SHAPES.items():
        lines = {length: commanding(policies[10], shape(length)) for length in LENGTHS}
        found.append(Curve("characters of a command", name, taken(lines, max(3, rounds // 4), 1)))
    return found


def figures_of(curve: Curve) -> Figure:
    first, last = curve.points[0], curve.points[-1]
    what = f"{curve.line}, {last.size:,} against {first.size:,} {curve.axis}"
    return Figure(what, last.middle / first.middle, "×", note=f"{first.middle:.0f} and {last.middle:.0f} µs")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--rows", type=int, default=ROWS[-1], help="the largest ledger that is filled")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--svg", type=Path, help="draw them into this file")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = curves(Path(folder), given.rounds, given.rows)
    if given.svg:
        given.svg.write_text(drawn(found), encoding="utf-8")
    told = [curve._replace(points=[point._asdict() for point in curve.points])._asdict() for curve in found]  # type: ignore[misc]
    return ended("curves", [figures_of(curve) for curve in found], as_json=given.json, curves=told)


if __name__ == "__main__":
    sys.exit(main())
