"""A suite that takes longer than its quota fails the run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
MINUTES = tomllib.loads((TESTS / "quotas.toml").read_text(encoding="utf-8"))["minutes"]


def ran(folder: Path, minutes: float, quotas: str = "", workers: str = "0") -> tuple[int, str]:
    """Two tests of a tenth of a second each, in a suite with this quota."""
    (folder / "tests/slow").mkdir(parents=True)
    shutil.copy(TESTS / "conftest.py", folder / "tests")
    (folder / "tests/quotas.toml").write_text(f"[minutes]\nslow = {minutes}\n")
    test = "import time, pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_it(n): time.sleep(0.1)\n"
    (folder / "tests/slow/test_slow.py").write_text(test)
    (folder / "pytest.ini").write_text("[pytest]\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", workers],
        cwd=folder,
        env={**os.environ, "INTERLOCK_QUOTAS": quotas},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_suite_over_its_quota_fails_the_run_and_says_so(workers: str, tmp_path: Path) -> None:
    code, out = ran(tmp_path, 0.003, workers=workers)
    assert code == 1
    assert "2 passed" in out
    assert "minutes; its quota is 0.003" in out


def test_a_suite_within_its_quota_passes(tmp_path: Path) -> None:
    code, out = ran(tmp_path, 5)
    assert (code, "quota" in out) == (0, False)


def test_a_person_can_switch_quotas_off(tmp_path: Path) -> None:
    code, out = ran(tmp_path, 0.003, "off")
    assert (code, "quota" in out) == (0, False)


def test_every_suite_has_a_quota_and_every_quota_a_suite() -> None:
    folders = {str(path.parent.relative_to(TESTS)) for path in TESTS.rglob("test_*.py")}
    assert {name for name in MINUTES if name not in folders} == set()
    assert {name for name in folders if name not in MINUTES and name.partition("/")[0] not in MINUTES} == set()


def test_all_quotas_together_fit_into_what_ci_can_hold() -> None:
    """On two cores. `.ci/run` aims at an hour, and fetches, lints and demonstrates besides."""
    assert sum(MINUTES.values()) / 2 <= 50
