"""`git describe` prints a tag: a plain word, unless somebody has made a tag that is an option or leads elsewhere."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from interlock.decide import decide
from interlock.evals.lexical import bench_for
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.model.session import Session
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap

POLICY = bench_for().policy


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "home" / "project"
    root.mkdir(parents=True)
    for words in ("init -q", "-c user.name=a -c user.email=a@b.example commit -q --allow-empty -m one", "tag v1.0"):
        _git(root, *words.split())
    return root


def _git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, env={"PATH": "/usr/bin:/bin", "HOME": str(root.parent)})


def verdict(command: str, root: Path) -> str:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(root), session="s")
    reading = read_with_facts(call, Facts(root=str(root), home=str(root.parent)))
    return decide(call, reading, POLICY, Session(), ()).verdict.name


COMMANDS = (
    "git log $(git describe --tags --abbrev=0)..HEAD --oneline",
    'git log "$(git describe --tags --abbrev=0)..HEAD"',
    "git log $(git describe --tags --abbrev=0 2>/dev/null || git rev-list --max-parents=0 HEAD)..HEAD",
    "last=$(git describe --tags); git diff $last..HEAD --stat",
    "tar czf /tmp/app-$(git describe --always).tar.gz README.md",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_plain_tag_is_a_revision(command: str, project: Path) -> None:
    assert verdict(command, project) == "allow"


@pytest.mark.parametrize("tag", ["--output=made", "-x", "a;id", "$(id)", "up/there", "it's"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_tag_that_may_be_something_else_is_asked_about(command: str, tag: str, project: Path) -> None:
    _git(project, "update-ref", f"refs/tags/{tag}", "HEAD")
    assert verdict(command, project) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "git fetch -q https://git.example/other '+refs/tags/*:refs/tags/*'; git log $(git describe --tags)..HEAD",
        "git tag -- --output=x; git log $(git describe --tags)..HEAD",
        "GIT_DIR=/tmp/other git log $(GIT_DIR=/tmp/other git describe --tags)..HEAD",
        "git log $(git describe --tags; cat notes)..HEAD",
        "git log $(git describe --tags --dirty=--output=x)..HEAD",
        "git log $(cat notes)..HEAD",
        "git -C /tmp/other log $(git -C /tmp/other describe --tags)..HEAD",
        "git checkout $(git describe --tags --abbrev=0)",
        "git branch -D $(git describe --tags)",
        "git push origin $(git describe --tags)",
        "rm -rf /srv/$(git describe --tags)/data",
    ],
)
def test_what_else_prints_or_acts_is_asked_about(command: str, project: Path) -> None:
    assert verdict(command, project) != "allow"
