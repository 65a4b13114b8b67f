"""Holds each suite to its minutes in quotas.toml: a suite that takes longer fails the run and says so.

Counted is what its tests take together, on all workers; a run of several suites ends with that. `INTERLOCK_QUOTAS=off`
counts nothing: for a machine that is busy or slow, and for the long forms of `make full`.
"""

from __future__ import annotations

import os
import tomllib
from collections import defaultdict
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # a busy machine is no failure
settings.load_profile("untimed")

TABLE = Path(__file__).parent / "quotas.toml"


def suite_of(test: str) -> str:
    """`tests/security/live/test_x.py::test_y` belongs to `security/live`; a file that lies in no folder to `.`."""
    return str(PurePosixPath(test.partition("::")[0]).relative_to("tests").parent)


class Quotas:
    def __init__(self, minutes: dict[str, float]) -> None:
        self.minutes = minutes
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def counts_for(self, suite: str) -> str:
        """A folder without a quota counts for the one around it."""
        around = map(str, PurePosixPath(suite).parents)
        return next((name for name in (suite, *around) if name in self.minutes), suite)

    def over(self) -> list[str]:
        quotas = {suite: self.minutes.get(suite, 0) for suite in self.seconds}
        return [
            f"tests/{suite} took {seconds / 60:.1f} minutes; its quota is {quotas[suite]:g}"
            for suite, seconds in sorted(self.seconds.items())
            if seconds > quotas[suite] * 60
        ]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[self.counts_for(suite_of(report.nodeid))] += report.duration

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.over() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        longest = sorted(self.seconds.items(), key=lambda row: -row[1])
        if len(longest) > 1:
            terminalreporter.write_line(f"minutes: {', '.join(f'{name} {took / 60:.1f}' for name, took in longest)}")
        if self.over():
            terminalreporter.section("over the quota of tests/quotas.toml")
            for line in self.over():
                terminalreporter.write_line(line)
            terminalreporter.write_line("Make them faster, or try again with INTERLOCK_QUOTAS=off on a busy machine.")


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("INTERLOCK_QUOTAS") != "off" and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Quotas(tomllib.loads(TABLE.read_text(encoding="utf-8"))["minutes"]))
