"""The baseline in this repository: whole, small, and of the figures that the scoreboard has."""

from __future__ import annotations

from pathlib import Path

from interlock.evals.adapters import ADAPTERS
from interlock.evals.bars import BARS
from interlock.evals.baseline import read_baseline
from interlock.evals.figures import ANSWERED, better_when

BASELINE = Path(__file__).parent.parent / "baseline"
MOST_BYTES = 2_000_000


def test_every_corpus_has_the_digests_of_its_readings_and_every_bar_its_figure() -> None:
    kept = read_baseline(str(BASELINE))
    assert {*ADAPTERS, ANSWERED} <= set(kept.rows)
    assert {key for key in BARS if better_when(key) is not None} <= set(kept.figures)


def test_the_baseline_stays_small() -> None:
    assert sum(path.stat().st_size for path in BASELINE.rglob("*.*")) < MOST_BYTES
