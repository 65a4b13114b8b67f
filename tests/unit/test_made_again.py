"""What a build, a test run or a package manager makes again may be removed, by its name and in the project only."""

from __future__ import annotations

import pytest

from interlock.decide import decide
from interlock.evals.lexical import bench_for
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap

POLICY = bench_for().policy
HOME, ROOT = "/home/someone", "/home/someone/project"
FOLDERS = (
    "playwright-report test-results storybook-static .output builddir .build vendor/bundle web/vendor/bundle".split()
)
FILES = "coverage.xml coverage.json reports/junit.xml".split()


def verdict(command: str) -> str:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=ROOT, session="s")
    return decide(call, read_with_facts(call, Facts(root=ROOT, home=HOME)), POLICY, Session(), ()).verdict.name


@pytest.mark.parametrize("name", [*FOLDERS, *FILES])
def test_in_the_project_they_may_go(name: str) -> None:
    assert verdict(f"rm -rf {name}") == "allow"


@pytest.mark.parametrize("name", [*FOLDERS, *FILES, "junit.xml"])
def test_elsewhere_they_may_not(name: str) -> None:
    assert verdict(f"rm -rf ~/other/{name}") != "allow"


@pytest.mark.parametrize("name", ["vendor", "bundle", "vendor/bundles", "lib/bundle", ".terraform", "junit", "results"])
def test_names_that_say_too_little_are_asked_about(name: str) -> None:
    assert verdict(f"rm -rf {name}") != "allow"


def test_a_link_of_such_a_name_leads_elsewhere() -> None:
    assert verdict("ln -s ~/other test-results && rm -rf test-results/*") != "allow"
