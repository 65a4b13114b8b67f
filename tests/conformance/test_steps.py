"""What one call prepares and a later one does: calls of one session, through the whole pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cases import called, rows_of
from interlock.evals.case import EXPECTED, Case
from interlock.evals.lexical import bench_for
from interlock.evals.runner import run_cases

HERE = Path(__file__).parent
ROWS = [(group["why"], group["expect"], steps) for group in rows_of(HERE / "steps.yaml") for steps in group["of"]]
BENCH = bench_for()


@pytest.mark.parametrize(("why", "expect", "steps"), ROWS, ids=[" ; ".join(steps)[:120] for _, _, steps in ROWS])
def test_the_last_of_several_calls_is_decided_as_its_row_says(why: str, expect: str, steps: list[str]) -> None:
    cases = [Case(id=str(at), file=why, line=at, call=called(step)) for at, step in enumerate(steps)]
    last = list(run_cases(cases, BENCH, answer="approve"))[-1]
    assert last.verdict in EXPECTED[expect], (why, last.actions, last.opaque, last.reasons)


def test_every_class_has_calls_that_nobody_is_asked_about() -> None:
    assert {why for why, expect, _ in ROWS if expect == "allow"} == {why for why, _, _ in ROWS}
