"""Keeps the results of a scoreboard as the baseline in tests/baseline: `make baseline CORPORA=DIR`.

    interlock eval scoreboard DIR --results now.jsonl; python scripts/baseline.py now.jsonl

What changed is printed by `interlock eval diff tests/baseline now.jsonl`, which make runs before.
"""

from __future__ import annotations

import sys
from pathlib import Path

from interlock.evals.baseline import write_baseline
from interlock.evals.results import read_results

BASELINE = Path(__file__).parent.parent / "tests/baseline"


def main(path: str) -> int:
    write_baseline(str(BASELINE), read_results(path))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
