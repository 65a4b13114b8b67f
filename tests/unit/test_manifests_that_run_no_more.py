"""A `pyproject.toml` that the session edited, compared with the commit in which it began."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.decide import decide
from interlock.evals.lexical import bench_for
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap
from made_repositories import git

POLICY = bench_for().policy
BEFORE = """[project]
name = "tide-tables"
version = "1.0.0"
dependencies = ["rich"]

[project.scripts]
tide = "tide_tables.cli:main"

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "home" / "project"
    root.mkdir(parents=True)
    (root / "pyproject.toml").write_text(BEFORE)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    return root


def verdict(command: str, root: Path, began: str) -> str:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(root), session="s")
    written = frozenset({f"{root}/pyproject.toml"})
    facts = Facts(root=str(root), home=str(root.parent), written=written, began=began)
    return decide(call, read_with_facts(call, facts), POLICY, Session(), ()).verdict.name


def after(root: Path, text: str, *, commit: bool = False) -> list[str]:
    began = git(root, "rev-parse", "HEAD").strip()
    (root / "pyproject.toml").write_text(text)
    if commit:
        git(root, "commit", "-qam", "two")
    return [verdict(command, root, began) for command in ("uv lock", "uv build", "pip install -e .")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.0.0", "1.1.0"),
        ('version = "1.0.0"', 'version = "1.0.0"\ndescription = "Tides."\nkeywords = ["sea"]'),
        ("tide =", 'tide-now = "tide_tables.cli:now"\ntide ='),
        ("cli:main", "app.cli:run"),
        ('name = "tide-tables"', 'name = "tide-tables"  # a comment'),
    ],
)
def test_what_runs_no_more_than_before_is_no_question(old: str, new: str, project: Path) -> None:
    assert after(project, BEFORE.replace(old, new)) == ["allow"] * 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('["rich"]', '["rich", "ritch"]'),
        ('["rich"]', '["rich @ https://files.example/rich.tar.gz"]'),
        ('"hatchling.build"', '"backend"\nbackend-path = ["."]'),
        ('["hatchling"]', '["hatchling", "other"]'),
        ("[build-system]", '[tool.hatch.build.hooks.custom]\npath = "x.py"\n[build-system]'),
        ("[build-system]", '[[tool.uv.index]]\nurl = "https://packages.example"\n[build-system]'),
        ("tide =", 'git = "tide_tables.cli:main"\ntide ='),
        ("tide =", 'tide-now = "os:abort"\ntide ='),
        ("tide =", 'tide-now = "tide_tables.cli:main; import os"\ntide ='),
        ('name = "tide-tables"', 'name = "tide-tables"\ndynamic = ["dependencies"]'),
        ("[project]", "[project"),
    ],
)
@pytest.mark.parametrize("commit", [False, True])
def test_what_may_run_more_is_asked_about(old: str, new: str, project: Path, *, commit: bool) -> None:
    assert after(project, BEFORE.replace(old, new), commit=commit) == ["ask"] * 3


def test_without_the_commit_of_the_beginning_it_is_asked_about(project: Path) -> None:
    (project / "pyproject.toml").write_text(BEFORE.replace("1.0.0", "1.1.0"))
    assert verdict("uv build", project, "") == "ask"


def test_an_edit_in_the_same_call_counts(project: Path) -> None:
    began = git(project, "rev-parse", "HEAD").strip()
    bump = 'sed -i \'s/^version = "1.0.0"/version = "1.1.0"/\' pyproject.toml && uv lock -q'
    assert verdict(bump, project, began) == "allow"
    assert verdict("sed -i 's/rich/ritch/' pyproject.toml && uv lock -q", project, began) == "ask"
