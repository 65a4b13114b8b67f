"""Six packs through the whole pipeline: what nobody is to be asked about, and what never passes unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.evals.case import Case
from interlock.evals.lexical import bench_for
from interlock.evals.pack import load_pack
from interlock.evals.runner import Result, run_cases

HERE = Path(__file__).parent
NAMES = ("everyday", "dangerous", "attacks", "leaks", "printed", "twins")
PACKS = {name: load_pack(str(HERE / f"{name}.yaml")) for name in NAMES}
ENOUGH = 120
TASKS = load_pack(str(HERE / "tasks.yaml"))


def _told(result: Result) -> str:
    return f"{result.case.id}: {'; '.join(result.failures)} ({'; '.join(result.reasons)})"


@pytest.mark.parametrize("name", PACKS)
def test_every_case_of_a_pack_is_decided_as_it_says(name: str) -> None:
    assert [_told(result) for result in run_cases(PACKS[name], bench_for()) if result.failures or result.trouble] == []


def test_a_file_of_tasks_that_the_session_wrote_is_judged_by_what_it_says() -> None:
    assert [_told(result) for result in run_cases(TASKS, bench_for()) if result.failures or result.trouble] == []


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_is_large_and_each_of_its_cases_says_why(name: str) -> None:
    cases: tuple[Case, ...] = PACKS[name]
    assert len(cases) >= ENOUGH
    assert [case.id for case in cases if not case.why] == []
