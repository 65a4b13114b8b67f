"""Test files of Python that a session writes and then runs through a test runner: judged by what is in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.cases import calls_of_test_files, rows_of
from interlock.evals.case import EXPECTED, Case
from interlock.evals.lexical import bench_for
from interlock.evals.runner import Result, run_cases

HERE = Path(__file__).parent
ORDINARY = rows_of(HERE / "test_files_ordinary.yaml")
HOSTILE = rows_of(HERE / "test_files_hostile.yaml")
BENCH = bench_for()


def _last(row: dict[str, Any]) -> Result:
    calls = calls_of_test_files(row)
    cases = [Case(id=str(at), file="", line=at, call=call) for at, call in enumerate(calls)]
    return list(run_cases(cases, BENCH, answer="approve"))[-1]


@pytest.mark.parametrize("row", ORDINARY, ids=lambda row: row["why"])
def test_nobody_is_asked_about_an_ordinary_test(row: dict[str, Any]) -> None:
    last = _last(row)
    assert last.verdict == "allow", (last.actions, last.opaque, last.reasons)


@pytest.mark.parametrize("row", HOSTILE, ids=lambda row: row["why"])
def test_what_a_test_does_counts_as_if_it_had_been_typed(row: dict[str, Any]) -> None:
    last = _last(row)
    assert last.verdict in EXPECTED[row.get("expect", "not_allow")], (last.actions, last.opaque, last.reasons)


def test_there_are_many_of_both() -> None:
    assert len(ORDINARY) >= 40
    assert len(HOSTILE) >= 30
