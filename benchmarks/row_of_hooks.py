"""Cold hooks in a row, each a process of its own: what a later one costs against an early one, and SQLite's log.

    python benchmarks/row_of_hooks.py [--hooks N] [--json]

Each writes a file in one of a hundred sessions and is gone without closing the ledger, as a host's hooks are. Were the
log of SQLite to grow, every hook would read all of it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from benchmarks.result import Figure, ended, timed

from hook_process import Machine, new_machine

__all__ = ["hooks_in_a_row"]

HOOKS, SESSIONS, BAR, LOG = 2000, 100, 1.3, 1200


def hooks_in_a_row(machine: Machine, count: int) -> tuple[list[float], list[float], int]:
    """How often a bare Python each took, milliseconds of each, and how long the log was at most, in bytes."""
    against, took, longest = [], [], 0
    log = f"{machine.ledger}-wal"
    for number in range(count):
        given = {"file_path": str(machine.project / f"src/module_{number}.py"), "content": "x = 1\n"}
        event = machine.event("Write", given, session_id=f"00000000-0000-4000-8000-{number % SESSIONS:012d}")
        began = time.perf_counter()
        subprocess.run([machine.python, "-I", "-S", "-c", ""], check=True)
        bare = time.perf_counter() - began
        began = time.perf_counter()
        ran = machine.run(event)
        against.append((time.perf_counter() - began) / bare)
        took.append((time.perf_counter() - began) * 1000)
        if ran.taken != "allow":
            raise SystemExit(f"hook {number} was answered with: {ran}")
        longest = max(longest, os.stat(log).st_size if os.path.exists(log) else 0)
    return against, took, longest


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hooks", type=int, default=HOOKS)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        machine = new_machine(Path(folder))
        machine.call("Read")
        against, took, longest = hooks_in_a_row(machine, given.hooks)
        ledger = machine.ledger.stat().st_size
    part = max(1, len(took) // 10)
    ratio = statistics.median(against[-part:]) / statistics.median(against[:part])
    figures = [
        timed("the first tenth of the hooks", took[:part], "ms"),
        timed("the last tenth", took[-part:], "ms"),
        Figure("the last against the first, in bare Pythons", ratio, "×", bar=f"at most {BAR} ×", met=ratio <= BAR),
        Figure(
            "SQLite's log at its longest",
            longest / 1024,
            "KiB",
            note=f"after {given.hooks:,} hooks the ledger has {ledger / 1024:,.0f} KiB",
            bar=f"at most {LOG} KiB",
            met=longest <= LOG * 1024,
        ),
    ]
    return ended("row_of_hooks", figures, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
