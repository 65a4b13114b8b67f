"""Which tests `make test` leaves to CI, and how many minutes each suite has.

A test marked `slow` is left to CI. Of the cases of one marked `sampled(n)`, `make test` tries every nth, beginning with
the first; quotas.toml has suites of which it does so anyway. `smoke` keeps a test that would be left out.
`INTERLOCK_QUICK=1` is what `make test` sets. In CI a test of the suites under `[again]` that fails is run once more.

quotas.toml also gives each suite its minutes: what its tests take together, on all workers. A suite that takes longer
fails the run and says so; so do the tests of `make test`. `INTERLOCK_QUOTAS=off` counts nothing: for a machine that is
busy or slow, and for the long forms of `make full`. A machine on which a bare Python takes long to start, while the
tests run, gets as much more time.
"""

from __future__ import annotations

import gc
import os
import tomllib
from collections import Counter, defaultdict
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import settings

from pace import Pace
from sizes import IS_QUICK

# A busy machine is no failure, and only `make full` tries something else each time.
settings.register_profile("untimed", deadline=None, derandomize="INTERLOCK_EXAMPLES" not in os.environ)
settings.load_profile("untimed")

# Files that tests write may be read by others, as most people's may, also where whoever runs them keeps theirs closed.
os.umask(0o022)

TABLE = tomllib.loads((Path(__file__).parent / "quotas.toml").read_text(encoding="utf-8"))
SAMPLED: dict[str, int] = TABLE.get("sampled", {})
AGAIN: frozenset[str] = frozenset(TABLE["again"]["suites"])
SLOW = ("run", "CI")  # among the properties of a test that `make test` leaves out


def is_slow(item: pytest.Item, cases: Counter[str]) -> bool:
    if item.get_closest_marker("smoke") is not None:
        return False
    name = item.nodeid.partition("[")[0]
    mark = item.get_closest_marker("sampled")
    if mark is None and item.get_closest_marker("slow") is not None:
        return True
    each = mark.args[0] if mark else SAMPLED.get(suite_of(name), 1)
    cases[name] += 1
    return bool((cases[name] - 1) % each)


def pytest_collection() -> None:
    gc.disable()


def pytest_runtestloop() -> None:
    """Tens of thousands of tests stay until the end: looking through them for garbage took an eighth of the time."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    cases: Counter[str] = Counter()
    left_out = []
    for item in items:
        if is_slow(item, cases):
            item.user_properties.append(SLOW)
            left_out.append(item)
        if "CI" in os.environ and suite_of(item.nodeid) in AGAIN:
            item.add_marker(pytest.mark.flaky(reruns=1))
    if left_out and IS_QUICK:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if SLOW not in item.user_properties]


def suite_of(test: str) -> str:
    """`tests/security/live/test_x.py::test_y` belongs to `security/live`; a file that lies in no folder to `.`."""
    return test.partition("::")[0].removeprefix("tests/").rpartition("/")[0] or "."


class Quotas:
    def __init__(self, minutes: dict[str, float], quick: float) -> None:
        self.minutes = minutes
        self.quick = quick
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.quick_seconds = 0.0
        self.pace = Pace()

    def counts_for(self, suite: str) -> str:
        """A folder without a quota counts for the one around it."""
        around = map(str, PurePosixPath(suite).parents)
        return next((name for name in (suite, *around) if name in self.minutes), suite)

    def over(self) -> list[str]:
        took = [(f"tests/{suite}", took, self.minutes.get(suite, 0)) for suite, took in sorted(self.seconds.items())]
        took.append(("what make test runs", self.quick_seconds, self.quick))
        return [
            f"{what} took {seconds / 60:.1f} minutes; its quota is {minutes:g}"
            for what, seconds, minutes in took
            if seconds > minutes * 60 * self.pace.slowness()
        ]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.pace.look()
        self.seconds[self.counts_for(suite_of(report.nodeid))] += report.duration
        if SLOW not in map(tuple, report.user_properties):  # lists, from a worker
            self.quick_seconds += report.duration

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.over() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        longest = sorted(self.seconds.items(), key=lambda row: -row[1])
        if len(longest) > 1:
            terminalreporter.write_line(f"minutes: {', '.join(f'{name} {took / 60:.1f}' for name, took in longest)}")
            whole = sum(self.seconds.values())
            terminalreporter.write_line(f"of {whole / 60:.1f}, make test runs {self.quick_seconds / 60:.1f}")
            usual = f"a bare Python took {self.pace.usual() * 1000:.0f} ms"
            terminalreporter.write_line(f"{usual}: quotas x {self.pace.slowness():.2f}")
        if self.over():
            terminalreporter.section("over the quota of tests/quotas.toml")
            for line in self.over():
                terminalreporter.write_line(line)
            terminalreporter.write_line("Make them faster, or try again with INTERLOCK_QUOTAS=off on a busy machine.")


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("INTERLOCK_QUOTAS") != "off" and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Quotas(TABLE["minutes"], TABLE["quick"]))
