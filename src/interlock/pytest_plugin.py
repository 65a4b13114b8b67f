"""The pytest plug-in: the fixture `interlock_policy`, and case files as tests.

Loaded by every run of pytest where Interlock is installed, so it imports nothing of ours until
it is used. Files of cases are collected only from folders `.interlock/tests`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .value import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .evals.lexical import bench_for
    from .evals.pack import load_pack
    from .evals.runner import run_cases
    from .policy.model import Policy
    from .store.home.contracts import Catalogues
    from .testing import policy_from_file
else:
    bench_for = lazy(globals(), ".evals.lexical", "bench_for")
    load_pack = lazy(globals(), ".evals.pack", "load_pack")
    run_cases = lazy(globals(), ".evals.runner", "run_cases")
    Catalogues = lazy(globals(), ".store.home.contracts", "Catalogues")
    policy_from_file = lazy(globals(), ".testing", "policy_from_file")

__all__ = ["interlock_policy", "pytest_addoption", "pytest_collect_file"]

_SUFFIXES = (".jsonl", ".yaml", ".yml")


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "the policy file of the fixture `interlock_policy`, from the root folder of the tests"
    parser.addini("interlock_policy", text, default=".interlock/policy.toml")


@pytest.fixture(scope="session")
def interlock_policy(request: pytest.FixtureRequest) -> Policy:
    """The built-in policy with the file over it that the setting `interlock_policy` names."""
    return policy_from_file(_policy_file(request.config))


def _policy_file(config: pytest.Config) -> Path:
    return config.rootpath / str(config.getini("interlock_policy"))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    if file_path.suffix in _SUFFIXES and file_path.parts[-3:-1] == (".interlock", "tests"):
        collected: pytest.File = _CaseFile.from_parent(parent, path=file_path)
        return collected
    return None


class _CaseFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        file = _policy_file(self.config)
        project = self.path.parents[2]
        bench = bench_for(str(file) if file.exists() else None)
        bench = bench.replace(contracts=Catalogues(None, str(project)))
        for result in run_cases(load_pack(str(self.path)), bench):
            yield _CaseItem.from_parent(self, name=result.case.id, result=result)


class _CaseItem(pytest.Item):
    def __init__(self, *, result: Any, **more: Any) -> None:
        super().__init__(**more)
        self.result = result

    def runtest(self) -> None:
        if self.result.failures:
            raise AssertionError("\n".join([*self.result.failures, *(f"  {text}" for text in self.result.reasons)]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.result.case.line - 1, self.name
