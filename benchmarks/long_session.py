"""One session of thousands of writes through each front that stays: what a late call costs against an early one.

    python benchmarks/long_session.py [--writes N] [--front NAME …] [--json]

Each call writes another file, so what is kept of the session grows with each, and is read and written with each. The
fronts run as `tests/soak` runs them, which holds how much they may need; here is how long they take. A call that is not
allowed as the tenth was ends the run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from benchmarks.result import Figure, ended, timed

from soak.fronts import FRONTS, Front, opened
from soak.weather import built

__all__ = ["written_through"]

WRITES = 10_000


def written_through(front: Front, count: int) -> list[float]:
    """Milliseconds of each call."""
    took = []
    for number in range(count):
        given = {front.path: str(front.project / f"src/package_{number % 7}/module_{number}.py"), "content": "x = 1\n"}
        began = time.perf_counter()
        answer = front.call(front.named["write"], given)
        took.append((time.perf_counter() - began) * 1000)
        if answer.verdict != "allow":
            raise SystemExit(f"write {number} was answered with: {answer}")
    return took


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--writes", type=int, default=WRITES)
    parser.add_argument("--front", action="append", choices=list(FRONTS))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures: list[Figure] = []
    for name in given.front or FRONTS:
        with tempfile.TemporaryDirectory() as folder:
            library = built(Path(folder))
            with opened(FRONTS[name], Path(folder), library) as front:
                took = written_through(front, given.writes)
                with front.ledger() as ledger:
                    ((size,),) = ledger.connect().rows("SELECT max(length(state)) FROM sessions")
        part = max(1, len(took) // 10)
        note = f"{given.writes:,} writes, after which the session's state has {size / 1024:,.0f} KiB"
        figures += [
            timed(f"{name}: the first tenth of the calls", took[:part], "ms"),
            timed(f"{name}: the last tenth", took[-part:], "ms", note=note),
        ]
    return ended("long_session", figures, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
