"""The shipped packs through the whole pipeline: what nobody is to be asked about, and what never passes unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.every_case import results_of
from interlock.evals.case import Case
from interlock.evals.pack import load_pack
from interlock.evals.runner import Result
from interlock.evals.shipped import shipped

PATHS = {pack.name: Path(pack.path) for pack in shipped()}
PACKS = {name: load_pack(str(path)) for name, path in PATHS.items()}
ENOUGH, OF_EACH, ALL = 30, 10, 800
# The kinds of work that people look for.
KINDS = {"shell", "files", "git", "network", "secrets", "self-protection", "plans", "contracts", "approvals", "loops"}


def _told(result: Result) -> str:
    return f"{result.case.id}: {'; '.join(result.failures)} ({'; '.join(result.reasons)})"


@pytest.mark.parametrize("name", PACKS)
def test_every_case_of_a_pack_is_decided_as_it_says(name: str) -> None:
    assert [_told(result) for result in results_of(PATHS[name]) if result.failures or result.trouble] == []


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_has_danger_and_benign_cases_and_each_says_why(name: str) -> None:
    cases: tuple[Case, ...] = PACKS[name]
    danger = [case for case in cases if case.expect in ("ask", "deny", "not_allow")]
    benign = [case for case in cases if case.expect == "allow"]
    assert len(cases) >= ENOUGH
    assert len(danger) >= OF_EACH
    assert len(benign) >= OF_EACH
    assert [case.id for case in cases if not case.why] == []


def test_the_packs_together_are_many() -> None:
    assert sum(map(len, PACKS.values())) >= ALL
    assert {*PACKS} >= KINDS


def test_sessions_with_files_on_disk_are_among_them() -> None:
    staged = {(case.file, case.call.session) for cases in PACKS.values() for case in cases if case.stage is not None}
    assert len(staged) >= 60
    assert sum(bool(case.stage and case.stage.files) for case in PACKS["sessions"]) == len(PACKS["sessions"])
