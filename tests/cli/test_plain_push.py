"""A push that names nothing goes where git's files say, and grants and rules on branches hold for it."""

from __future__ import annotations

import subprocess

import pytest

from machine import Machine

POLICY = """\
version = 1

[capability]
actions = ["git:push"]

[[grants]]
id = "feature-pushes"
action = "git:push"
scope = { destination = "git.example/team/app", remote = "origin", branch = "feature/*" }
"""


def git(machine: Machine, *words: str) -> None:
    who = ("-c", "user.email=a@example.com", "-c", "user.name=a")
    subprocess.run(["git", *who, *words], cwd=machine.project, check=True, capture_output=True)


@pytest.fixture
def repository(machine: Machine) -> Machine:
    git(machine, "init", "-q", "-b", "feature/login")
    git(machine, "remote", "add", "origin", "https://git.example/team/app.git")
    git(machine, "commit", "-q", "--allow-empty", "-m", "first")
    machine.user_policy(POLICY)
    return machine


def verdict(machine: Machine, command: str) -> str:
    return str(machine.decide("Bash", command=command).json["verdict"])


def target(machine: Machine, command: str) -> dict[str, object]:
    (action,) = machine.decide("Bash", command=command).json["actions"]
    return {field: action["target"].get(field) for field in ("remote", "branch")}


@pytest.mark.slow
def test_a_plain_push_has_the_remote_and_the_branch_of_the_files(repository: Machine) -> None:
    assert target(repository, "git push") == {"remote": "origin", "branch": "feature/login"}
    assert target(repository, "git push -u origin") == {"remote": "origin", "branch": "feature/login"}
    assert [verdict(repository, line) for line in ("git push", "git push origin main")] == ["allow", "deny"]
    assert verdict(repository, "git add -A && git commit -m x && git push") == "allow"
    git(repository, "checkout", "-q", "-b", "main")
    assert target(repository, "git push") == {"remote": "origin", "branch": "main"}
    assert verdict(repository, "git push") == "deny"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "command",
    [
        "git checkout main && git push",
        "git -c push.default=matching push",
        "git config push.default matching; git push",
        "echo 'ref: refs/heads/main' > .git/HEAD; git push",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=push.default GIT_CONFIG_VALUE_0=matching git push",
        "git push --all",
        "git push --force",
    ],
)
def test_a_push_that_may_go_elsewhere_is_not_covered(repository: Machine, command: str) -> None:
    assert verdict(repository, command) == "deny"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("key", "value", "branch"),
    [
        ("push.default", "current", "feature/login"),
        ("push.default", "simple", "feature/login"),
        ("push.default", "matching", "feature/login"),
        ("push.default", "nothing", None),
        ("push.followTags", "true", "feature/login"),
        ("remote.origin.push", "refs/heads/*:refs/heads/*", "feature/login"),
        ("remote.origin.mirror", "true", "feature/login"),
    ],
)
def test_settings_say_where_a_plain_push_goes(repository: Machine, key: str, value: str, branch: str | None) -> None:
    git(repository, "config", key, value)
    assert target(repository, "git push")["branch"] == branch


def test_the_upstream_says_the_branch_where_pushes_go_by_it(repository: Machine) -> None:
    git(repository, "config", "push.default", "upstream")
    assert target(repository, "git push")["branch"] is None
    git(repository, "config", "branch.feature/login.merge", "refs/heads/main")
    assert target(repository, "git push")["branch"] == "main"
    git(repository, "config", "branch.feature/login.pushRemote", "fork")
    assert target(repository, "git push")["remote"] == "fork"


def test_named_actions_alone_are_gated_without_enforce(repository: Machine) -> None:
    assert verdict(repository, "npm publish") == "ask"
    repository.user_policy(POLICY.replace("[capability]", "[capability]\nenforce = true"))
    assert verdict(repository, "npm publish") == "deny"
    repository.user_policy(POLICY.replace('"git:push"]', '"npm:*"]'))
    assert [verdict(repository, line) for line in ("npm publish", "git push origin main")] == ["deny", "ask"]
