"""A repository with too many files to compare: the hook answers in time, and says what it could not look at."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hook_process import ASK, Machine
from interlock.limits import MAX_GIT_FILES
from made_repositories import git
from residing import Residence


def filled(project: Path, count: int) -> None:
    """That many tracked files, of one content, committed. Only one of them is on the disk."""
    git(project, "init", "-q")
    blob = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], cwd=project, input=b"x\n", capture_output=True, check=True
    )
    name = blob.stdout.decode().strip()
    rows = "".join([f"100644 {name}\tsrc/d{at // 100}/f{at}.txt\n" for at in range(count)])
    subprocess.run(["git", "update-index", "--add", "--index-info"], cwd=project, input=rows.encode(), check=True)
    git(project, "-c", "user.email=a@b", "-c", "user.name=a", "commit", "-q", "-m", "all")
    (project / "src/d0").mkdir(parents=True)
    (project / "src/d0/f0.txt").write_text("changed\n")


@pytest.mark.slow
@pytest.mark.parametrize("warm", [False, True], ids=["cold", "resident"])
def test_a_reset_in_a_very_large_repository_asks_and_says_why(warm: bool, machine: Machine) -> None:
    filled(machine.project, 5 * MAX_GIT_FILES)
    said = "too many files to tell whether there are any"
    if not warm:
        ran = machine.run(machine.event("Bash", {"command": "git reset --hard"}))
        assert (ran.taken, said in ran.out.decode()) == (ASK, True)
        return
    with Residence(machine).on():
        ran = machine.run(machine.event("Bash", {"command": "git reset --hard"}))
        assert (ran.taken, said in ran.out.decode()) == (ASK, True)
        assert machine.run(machine.event("Bash", {"command": "git status"})).taken != ASK
