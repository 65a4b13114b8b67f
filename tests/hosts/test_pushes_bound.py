"""A yes to a push is for where its commits arrive: settings that change that need a new yes."""

from __future__ import annotations

import json
import subprocess

import pytest

from hook_process import ALLOW, ASK, Machine, Ran
from person import at_a_terminal

PUSH = "git push origin feature"


def bash(machine: Machine, command: str) -> Ran:
    return machine.run(machine.event("Bash", {"command": command}))


def git(machine: Machine, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", "-C", str(machine.project), *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def approved(machine: Machine) -> Machine:
    """A repository with a remote, and a push of `feature` that a person has approved."""
    machine.user_policy.write_text('version = 1\n[approvals]\nby = ["terminal"]\n')
    remote = f"{machine.project}-remote.git"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    git(machine, "init", "-q", "-b", "main")
    git(machine, "commit", "-q", "--allow-empty", "-m", "one")
    git(machine, "remote", "add", "origin", remote)
    git(machine, "push", "-q", "-u", "origin", "main")
    git(machine, "config", "push.default", "upstream")
    git(machine, "checkout", "-q", "-b", "feature")
    git(machine, "config", "branch.feature.remote", "origin")
    git(machine, "config", "branch.feature.merge", "refs/heads/feature")
    git(machine, "commit", "-q", "--allow-empty", "-m", "two")
    assert bash(machine, PUSH).taken == ASK
    (asked,) = json.loads(at_a_terminal(machine.home, "approvals", "list", "--json").out)
    assert at_a_terminal(machine.home, "approvals", "approve", asked["id"], "--yes").code == 0
    return machine


def test_the_approved_push_fires(approved: Machine) -> None:
    assert bash(approved, PUSH).taken == ALLOW


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "change",
    [
        ("config", "remote.origin.push", "refs/heads/feature:refs/heads/main"),
        ("branch", "-u", "origin/main", "feature"),
        ("config", "remote.origin.mirror", "true"),
        ("config", "push.default", "current"),
        ("config", "url.https://elsewhere.example/.insteadOf", "/"),
    ],
    ids=" ".join,
)
def test_a_push_that_arrives_elsewhere_is_asked_about_anew(approved: Machine, change: tuple[str, ...]) -> None:
    git(approved, *change)
    assert bash(approved, PUSH).taken == ASK
