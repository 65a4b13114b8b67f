"""`npx NAME`: a known tool is free where the project has it, and code that is fetched where the disk says not."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.call import Call
from interlock.decide import decide
from interlock.evals.lexical import bench_for
from interlock.facts import Facts, project_at
from interlock.session import Session
from interlock.store.facts import read_with_facts
from interlock.testing import assert_allows
from interlock.value import FrozenMap

POLICY = bench_for().policy
MANIFEST = '{"name": "acme", "devDependencies": {"typescript": "^5", "eslint": "^9", "@angular/cli": "19"}}'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "home/acme"
    for name in ("vitest", "prettier"):
        tool = made / "node_modules/.bin" / name
        tool.parent.mkdir(parents=True, exist_ok=True)
        tool.write_text("#!/usr/bin/env node\n")
    (made / "packages/web").mkdir(parents=True)
    (made / "package.json").write_text(MANIFEST)
    return made


def verdict(project: Path, command: str, folder: str = "") -> str:
    home = str(project.parent)
    facts = Facts(root=project_at(str(project), home), home=home, temp=("/tmp-of-nobody/",))
    cwd = f"{project}/{folder}".rstrip("/")
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=cwd, session="s")
    return str(decide(call, read_with_facts(call, facts), POLICY, Session(), ()).verdict)


HAS = (
    "npx tsc --noEmit",
    "npx eslint src",
    "npx vitest run",
    "npx prettier --check .",
    "npx ng build",
    "bunx eslint .",
)
HAS_NOT = (
    *("npx madge --circular src", "npx tsx --version", "npx turbo run build", "npx nx affected:test"),
    *("npx playwright test --list", "npm exec -- jest", "pnpm dlx madge src", "npx -y jest"),
)


@pytest.mark.parametrize("command", HAS)
def test_a_tool_of_the_project_is_free(project: Path, command: str) -> None:
    assert verdict(project, command) == "allow"
    assert verdict(project, command, "packages/web") == "allow"


@pytest.mark.parametrize("command", HAS_NOT)
def test_a_tool_that_would_be_fetched_is_asked_about(project: Path, command: str) -> None:
    assert verdict(project, command) == "ask"
    assert verdict(project, f"cd packages/web && {command}") == "ask"


def test_what_is_not_fetched_is_not_asked_about(project: Path) -> None:
    assert verdict(project, "npx --no-install jest") == "allow"


@pytest.mark.parametrize("command", [*HAS, *HAS_NOT[:6]])
def test_without_a_disk_a_known_tool_is_taken_for_the_projects(command: str) -> None:
    assert_allows(command)
