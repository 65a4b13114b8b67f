"""Repositories that the real git makes and changes, and all that a person sees of one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from machine import Machine
from made_trees import picture

ENV = {
    **os.environ,
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "a"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@b.example"),
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
}


def git(project: Path, *words: str, check: bool = True) -> str:
    done = subprocess.run(["git", *words], cwd=project, env=ENV, capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, done.stderr
    return done.stdout


def everything(project: Path) -> tuple[object, ...]:
    """All that a person sees of the work tree and the repository."""
    files = {path: row for path, row in picture(project, times=False).items() if not path.startswith(".git")}
    told = [
        git(project, "status", "--porcelain", "--ignored"),
        git(project, "rev-parse", "HEAD"),
        git(project, "symbolic-ref", "-q", "HEAD", check=False),
        git(project, "stash", "list"),
        git(project, "for-each-ref"),
        git(project, "ls-files", "-s"),
        git(project, "config", "--local", "--list"),
    ]
    return files, told


def run(project: Path, command: str) -> bool:
    return (
        subprocess.run(["bash", "-c", command], cwd=project, env=ENV, check=False, capture_output=True).returncode == 0
    )


def held(machine: Machine) -> list[object]:
    return list(machine.run("checkpoints", "list", "--json").json)


def undone(machine: Machine) -> None:
    done = machine.run("undo", "--yes", "--json")
    assert done.code == 0, done.err
    git(machine.project, "fsck", "--strict")


def decided(machine: Machine, command: str) -> str:
    call = {"tool": "Bash", "input": {"command": command}, "cwd": str(machine.project), "session": "s"}
    return str(machine.run("decide", "--record", "--json", stdin=call).json["verdict"])
