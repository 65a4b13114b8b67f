"""Which commits a rebase or an amend makes anew is known after a fetch, a stash and a new branch in the same call."""

from __future__ import annotations

from pathlib import Path

import pytest

from placed import Ground


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """A branch with one commit that origin has, and one that it has not."""
    ground = Ground(tmp_path)
    ground.git("init", "-q")
    ground.write("a.py", "a = 1\n")
    ground.commit("first")
    ground.git("branch", "base")
    ground.git("remote", "add", "origin", "https://git.example/team/app.git")
    ground.git("update-ref", "refs/remotes/origin/main", "HEAD")
    ground.git("config", "branch.main.remote", "origin")
    ground.git("config", "branch.main.merge", "refs/heads/main")
    ground.write("a.py", "a = 2\n")
    ground.commit("second")
    return ground


def is_grave(ground: Ground, command: str) -> bool:
    return any("history" in action.tags for action in ground.reads(command).actions)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "command",
    [
        "git fetch && git rebase origin/main",
        "git fetch origin && git rebase",
        "git fetch --all --prune; git rebase origin/main",
        "git fetch origin main && git commit --amend --no-edit",
        "git remote update && git rebase origin/main",
        "git rebase base || git rebase --abort",
        "git pull --rebase || git rebase --abort",
        "git stash && git rebase base; git stash pop",
        "git stash push -u && git fetch && git rebase origin/main && git stash pop",
        "git switch -c x && git commit -m y && git rebase base",
        "git checkout -b x && git add -A && git commit --amend --no-edit",
        "git add -A && git rebase --continue",
        "git add -A && git commit --amend --no-edit",
        "git fetch && git stash && git switch -c x && git rebase base",
    ],
)
def test_what_leaves_head_at_its_commit_takes_nothing_from_what_is_known(ground: Ground, command: str) -> None:
    assert not is_grave(ground, command)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "command",
    [
        "git pull && git rebase origin/main",
        "git push && git rebase origin/main",
        "git push && git commit --amend --no-edit",
        "git reset --hard base && git rebase origin/main",
        "git reset --soft HEAD~1 && git commit --amend --no-edit",
        "git merge x && git rebase origin/main",
        "git switch base && git commit --amend --no-edit",
        "git switch -c x base && git commit --amend --no-edit",
        "git checkout -b x origin/main && git commit --amend --no-edit",
        "git switch -C x && git commit --amend --no-edit",
        "git switch --orphan x && git commit --amend --no-edit",
        "git switch -c x && git rebase",  # it has no upstream, or another
        "git switch -c x && git rebase -",
        "git fetch origin next:base && git rebase base",
        "git fetch origin +main:main && git commit --amend --no-edit",
        "git fetch --refmap=+refs/heads/*:refs/heads/* origin && git rebase base",
        "git fetch --set-upstream origin next && git rebase",
        "git fetch other main && git rebase FETCH_HEAD",
        "git fetch && git rebase origin/main base",
        "git stash branch x && git commit --amend --no-edit",
        "git stash pop && git rebase stash",
        "git update-ref HEAD base && git commit --amend --no-edit",
        "git rebase base && git commit --amend --no-edit",
        "git fetch && git rebase --root",
    ],
)
def test_what_moves_head_or_the_base_does(ground: Ground, command: str) -> None:
    ground.git("update-ref", "FETCH_HEAD", "HEAD~1")
    ground.git("update-ref", "refs/stash", "HEAD~1")
    assert is_grave(ground, command)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "command", ["git fetch && git rebase base", "git stash && git commit --amend", "git switch -c x && git rebase base"]
)
def test_commits_that_a_remote_has_stay_grave_after_them(ground: Ground, command: str) -> None:
    ground.git("update-ref", "refs/remotes/origin/feature", "HEAD")
    assert is_grave(ground, command)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", ["git stash pop && git reset --hard", "git fetch && git checkout -f origin/main"])
def test_of_the_work_tree_nothing_is_known_after_them(ground: Ground, command: str) -> None:
    assert any(action.irreversible for action in ground.reads(command).actions)
