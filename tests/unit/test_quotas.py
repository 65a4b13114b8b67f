"""A suite that takes longer than its quota fails the run, and so does what `make test` runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pace import Pace

TESTS = Path(__file__).parents[1]
TABLE = tomllib.loads((TESTS / "quotas.toml").read_text(encoding="utf-8"))
MINUTES = TABLE["minutes"]
ROOT = TESTS.parent

WAITS = """
import time, pytest
@pytest.mark.parametrize('n', [1, 2])
def test_it(n): time.sleep(0.1)
"""
MARKED = """
import pytest
pytestmark = pytest.mark.slow
def test_left_out(): pass
@pytest.mark.smoke
def test_smoke(): pass
@pytest.mark.sampled(3)
@pytest.mark.parametrize('n', range(5))
def test_sampled(n): pass
"""
FAILS_ONCE = """
from pathlib import Path
def test_it():
    seen = Path('seen')
    assert seen.exists() or seen.touch()
"""


def ran(
    folder: Path,
    minutes: float,
    quotas: str = "",
    workers: str = "0",
    *,
    quick: float = 5,
    test: str = WAITS,
    options: tuple[str, ...] = (),
    is_quick: bool = False,
    sampled: int = 1,
    again: str = "",
    is_ci: bool = False,
    usual: str = "",
) -> tuple[int, str]:
    """Tests in a suite with this quota: two of a tenth of a second each."""
    (folder / "tests/some").mkdir(parents=True)
    for name in ("conftest.py", "pace.py", "sizes.py"):
        shutil.copy(TESTS / name, folder / "tests")
    if usual:
        own = folder / "tests/pace.py"
        own.write_text(own.read_text().replace(f"USUAL = {Pace.USUAL}", f"USUAL = {usual}"))
    (folder / "tests/quotas.toml").write_text(
        f"quick = {quick}\n[minutes]\nsome = {minutes}\n[sampled]\nsome = {sampled}\n[again]\nsuites = [{again!r}]\n"
    )
    (folder / "tests/some/test_some.py").write_text(test)
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = tests\nmarkers =\n  slow\n  sampled\n  smoke\n")
    given = {"INTERLOCK_QUOTAS": quotas, "INTERLOCK_QUICK": "1" * is_quick, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    plugins = ("no:cacheprovider", "xdist", "rerunfailures")
    around = {name: value for name, value in os.environ.items() if name != "CI"} | ({"CI": "1"} if is_ci else {})
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *(f"-p{name}" for name in plugins), "-n", workers, *options],
        cwd=folder,
        env={**around, **given},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.sampled(3)
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_suite_over_its_quota_fails_the_run_and_says_so(workers: str, tmp_path: Path) -> None:
    code, out = ran(tmp_path, 0.0005, workers=workers)
    assert code == 1
    assert "2 passed" in out
    assert "minutes; its quota is 0.0005" in out


def test_a_suite_within_its_quota_passes(tmp_path: Path) -> None:
    code, out = ran(tmp_path, 5)
    assert (code, "quota" in out) == (0, False)


@pytest.mark.slow
def test_a_person_can_switch_quotas_off(tmp_path: Path) -> None:
    code, out = ran(tmp_path, 0.0005, "off")
    assert (code, "quota" in out) == (0, False)


def test_a_slow_machine_has_more_time(tmp_path: Path) -> None:
    code, out = ran(tmp_path, 0.0005, usual="0.000001")
    assert (code, "its quota" in out) == (0, False)


def test_what_make_test_runs_has_a_quota_of_its_own(tmp_path: Path) -> None:
    """Also where everything is run, so that CI tells of it."""
    code, out = ran(tmp_path, 5, quick=0.0005)
    assert code == 1
    assert "what make test runs took" in out


def test_what_is_slow_does_not_count_for_it(tmp_path: Path) -> None:
    code, out = ran(tmp_path, 5, quick=0.0005, test=WAITS.replace("def", "@pytest.mark.slow\ndef"))
    assert (code, "2 passed" in out) == (0, True)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("workers", ["0", "2"])
def test_make_test_leaves_out_what_is_slow_but_smoke_and_every_nth_case(workers: str, tmp_path: Path) -> None:
    code, out = ran(tmp_path, 5, workers=workers, test=MARKED, options=("-rp",), is_quick=True)
    assert code == 0
    found = {line.partition("::")[2] for line in out.splitlines() if line.startswith("PASSED")}
    assert found == {"test_smoke", "test_sampled[0]", "test_sampled[3]"}


def test_of_some_suites_every_nth_case_is_tried_anyway(tmp_path: Path) -> None:
    test = MARKED.replace("pytestmark = pytest.mark.slow", "").replace("sampled(3)", "skipif(False, reason='')")
    code, out = ran(tmp_path, 5, test=test, options=("-rp",), is_quick=True, sampled=2)
    assert code == 0
    found = {line.partition("::")[2] for line in out.splitlines() if line.startswith("PASSED")}
    assert found == {"test_left_out", "test_smoke", "test_sampled[0]", "test_sampled[2]", "test_sampled[4]"}


def test_suites_that_are_sampled_are_there() -> None:
    assert set(TABLE["sampled"]) <= set(MINUTES)


def test_ci_runs_everything() -> None:
    assert "\nmake whole\n" in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_every_suite_has_a_quota_and_every_quota_a_suite() -> None:
    folders = {str(path.parent.relative_to(TESTS)) for path in TESTS.rglob("test_*.py")}
    assert {name for name in MINUTES if name not in folders} == set()
    assert {name for name in folders if name not in MINUTES and name.partition("/")[0] not in MINUTES} == set()


def test_all_quotas_together_fit_into_what_ci_can_hold() -> None:
    """On two cores. `.ci/run` aims at an hour, and fetches, lints and demonstrates besides."""
    assert sum(MINUTES.values()) / 2 <= 60


@pytest.mark.parametrize(
    ("again", "is_ci", "code"), [("some", True, 0), ("some", False, 1), ("other", True, 1)], ids=str
)
def test_in_ci_some_suites_try_a_failed_test_once_more_and_say_so(
    again: str, is_ci: bool, code: int, tmp_path: Path
) -> None:
    found, out = ran(tmp_path, 5, test=FAILS_ONCE, again=again, is_ci=is_ci, options=("-rR",))
    assert (found, "RERUN tests/some/test_some.py::test_it" in out) == (code, code == 0)


def test_only_suites_that_exist_are_tried_once_more() -> None:
    assert all((TESTS / suite).is_dir() for suite in TABLE["again"]["suites"])
