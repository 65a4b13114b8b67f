"""Through the real hook: rules, grants and approvals go by the branch that is meant, whatever a push calls it."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

import warm
from hook_process import ALLOW, ASK, DENY, NO_OPINION, Machine, Ran
from person import at_a_terminal

RULE = """\
version = 1
[approvals]
by = ["terminal"]

[[rules]]
id = "main-is-the-pipelines"
when = { action = "git:push", target = { branch = "main" } }
verdict = "deny"
reason = "Main is pushed by the pipeline."
"""
GRANT = """
[[grants]]
id = "features"
action = "git:push"
scope = { destination = "git.example/team/app", branch = "feature/*" }
"""
ALONE = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}


def git(machine: Machine, *words: str) -> None:
    who = ("-c", "user.email=a@b.example", "-c", "user.name=a")
    env = {"PATH": os.environ["PATH"], "HOME": str(machine.home), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *who, *words], cwd=machine.project, env=env, check=True, capture_output=True)


@pytest.fixture
def repository(machine: Machine) -> Machine:
    git(machine, "init", "-q", "-b", "main")
    git(machine, "commit", "-q", "--allow-empty", "-m", "one")
    git(machine, "remote", "add", "origin", "https://git.example/team/app.git")
    git(machine, "checkout", "-q", "-b", "feature/x")
    machine.user_policy.write_text(RULE)
    return machine


def bash(machine: Machine, command: str, *, attended: bool = True) -> Ran:
    return machine.run(machine.event("Bash", {"command": command}), environment={} if attended else ALONE)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "command",
    [
        "git push origin heads/main",
        "git push --all",
        "git push --mirror origin",
        "git push origin :",
        "git push origin 'refs/heads/*'",
        "git push origin HEAD:main",
        "git checkout main && git push origin HEAD",
        "git checkout main && git push origin @",
        "git checkout main && git push origin $(git branch --show-current)",
        "git checkout main; git push origin HEAD",
        "git symbolic-ref HEAD refs/heads/main && git push",
        "git symbolic-ref refs/heads/feature/y refs/heads/main && git push origin feature/y",
    ],
)
def test_a_rule_for_main_stops_every_way_to_push_it(repository: Machine, command: str) -> None:
    repository.user_policy.write_text(RULE + GRANT)
    assert bash(repository, command).taken == DENY


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "command",
    [
        "git push",
        "git push -u origin HEAD",
        "git push -u origin @",
        'git push -u origin "$(git rev-parse --abbrev-ref HEAD)"',
        "git switch -c feature/z && git commit --allow-empty -m x && git push -u origin HEAD",
        "git checkout README.md && git push",
        "npm test && git push",
    ],
)
def test_a_grant_for_feature_branches_covers_the_branch_that_is_meant(repository: Machine, command: str) -> None:
    repository.user_policy.write_text(RULE + GRANT)
    assert bash(repository, command).taken in (ALLOW, NO_OPINION)


def test_where_the_branch_is_not_known_the_rule_is_asked_about_and_denies_nothing(repository: Machine) -> None:
    repository.user_policy.write_text(RULE + GRANT)
    git(repository, "checkout", "-q", "--detach")
    ran = bash(repository, "git push origin HEAD")
    assert ran.taken == ASK
    assert "main-is-the-pipelines" in json.dumps(json.loads(ran.out))
    assert "HEAD is on no branch" in json.dumps(json.loads(ran.out))


def test_no_grant_is_offered_for_a_name_that_will_mean_another_branch(repository: Machine) -> None:
    told = json.dumps(json.loads(bash(repository, "git push origin HEAD").out))
    assert "branch=HEAD" not in told
    assert "branch=feature/*" in told


@pytest.mark.parametrize("command", ["git push origin HEAD", "git push --force origin HEAD", "git push"])
def test_an_approval_for_one_branch_is_none_for_another_that_head_is_on_later(
    repository: Machine, command: str
) -> None:
    repository.user_policy.write_text(RULE.replace('"main"', '"release"'))
    assert bash(repository, command, attended=False).taken == DENY
    listed = warm.command(("--home", str(repository.home), "approvals", "list", "--json"), cwd=repository.project)
    (asked,) = json.loads(listed.stdout)
    assert at_a_terminal(repository.home, "approvals", "approve", asked["id"], "--yes").code == 0
    git(repository, "checkout", "-q", "main")
    assert bash(repository, command, attended=False).taken == DENY
    git(repository, "checkout", "-q", "feature/x")
    assert bash(repository, command, attended=False).taken == ALLOW
