"""Each agent SDK in an environment of its own (`scripts/sdks.sh`), without network, through the one contract.

`INTERLOCK_SDKS` says which: all, rotate or names. Without an environment a test is skipped on a developer's machine,
and fails in CI.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from sdks.environments import NAMES, REQUIREMENTS, path_of, pin_of, turn, turn_at

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
SOURCE = ROOT / "src" / "interlock" / "sdks"
OWN = {"__init__", "common", "turns"}  # what is no adapter


@cache
def without_network() -> tuple[str, ...]:
    """A namespace with nothing but a loopback that is down, where the machine has namespaces."""
    apart = ("unshare", *(() if os.getuid() == 0 else ("-r",)), "-n", "--")
    try:
        works = subprocess.run([*apart, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        works = False
    assert works or not os.environ.get("CI"), "CI has no network namespaces, so nothing says that the SDKs stay offline"
    return apart if works else ()


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", turn())
def test_the_sdk_keeps_the_contract(name: str, tmp_path: Path) -> None:
    python = path_of(name) / "bin" / "python"
    if not (path_of(name) / ".ready").exists():
        missing = f"{pin_of(name)} is not installed: scripts/sdks.sh {name}"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    kept = ("PATH", "HOME", "LANG", "CI", "TMPDIR")
    environment = {name: os.environ[name] for name in kept if name in os.environ} | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(HERE.parent)]),
        "OTEL_SDK_DISABLED": "true",
    }
    case = HERE / "cases" / f"test_{name}.py"
    options = ["-q", "-rs", "-p", "no:cacheprovider", "-p", "sdks.contract", "--noconftest", "-c", os.devnull]
    done = subprocess.run(
        [
            *without_network(),
            str(python),
            "-m",
            "pytest",
            *options,
            f"--rootdir={HERE}",
            f"--basetemp={tmp_path}/t",
            str(case),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
        timeout=1200,
    )
    print(pin_of(name))
    print(done.stdout[-20_000:], done.stderr[-5_000:])
    assert done.returncode == 0, f"{pin_of(name)}:\n{done.stdout[-20_000:]}{done.stderr[-5_000:]}"


def test_every_adapter_has_pins_a_case_and_a_guide() -> None:
    adapters = {file.stem for file in SOURCE.glob("*.py")} - OWN
    assert adapters == set(NAMES)
    assert adapters == {file.stem.removeprefix("test_") for file in (HERE / "cases").glob("test_*.py")}
    assert adapters == {
        file.stem.removeprefix("sdk-").replace("-", "_") for file in (ROOT / "docs/guides").glob("sdk-*.md")
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_docs_name_the_version_that_is_tried(name: str) -> None:
    rows = [
        row for row in (ROOT / "docs/gate.md").read_text().splitlines() if f"sdk-{name.replace('_', '-')}.md" in row
    ]
    assert len(rows) == 1
    assert f" {pin_of(name).partition('==')[2]}" in rows[0]


@pytest.mark.parametrize("file", sorted(REQUIREMENTS.glob("*.txt")), ids=lambda file: file.stem)
def test_pins_are_exact(file: Path) -> None:
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    assert lines
    assert all(re.fullmatch(r"[A-Za-z0-9._\[\],-]+==[\w.]+", line) for line in lines)


def test_every_environment_has_what_interlock_needs() -> None:
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    pinned = {line.partition("==")[0] for line in (REQUIREMENTS / "all.txt").read_text().splitlines()}
    assert {re.split(r"[^\w-]", each)[0] for each in needed} <= pinned


def test_each_commit_tries_three_and_all_come_round() -> None:
    assert turn("all") == NAMES
    assert len(turn("rotate")) == 3
    assert {name for commits in range(5000, 5008) for name in turn_at(commits)} == set(NAMES)
    assert turn(NAMES[0]) == (NAMES[0],)
    with pytest.raises(SystemExit, match="there is no SDK nonsense"):
        turn("nonsense")


@pytest.mark.slow
def test_an_sdk_that_is_not_installed_fails_in_ci(tmp_path: Path) -> None:
    name = NAMES[0]
    environment = {**os.environ, "CI": "1", "INTERLOCK_DEV_CACHE": str(tmp_path), "INTERLOCK_SDKS": name}
    words = ["-m", "pytest", "-n", "0", "-q", "-k", "keeps_the_contract", str(HERE / "test_sdks.py")]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1, done.stdout
    assert f"{pin_of(name)} is not installed" in done.stdout
