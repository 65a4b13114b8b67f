"""What git's own files tell about a command: commits on a remote, files that are committed as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.action import Action
from interlock.model.effects import Effect
from placed import Ground


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """A branch with one commit that origin has, and one that it has not."""
    ground = Ground(tmp_path)
    ground.git("init", "-q")
    ground.write("a.py", "a = 1\n")
    ground.write("docs/b.md", "b\n")
    ground.commit("first")
    ground.git("remote", "add", "origin", "https://git.example/team/app.git")
    ground.git("update-ref", "refs/remotes/origin/main", "HEAD")
    ground.git("config", "branch.main.remote", "origin")
    ground.git("config", "branch.main.merge", "refs/heads/main")
    ground.write("a.py", "a = 2\n")
    ground.commit("second")
    return ground


def main_action(ground: Ground, command: str, name: str) -> Action:
    (action,) = [action for action in ground.reads(command).actions if action.name == name]
    return action


def is_grave(ground: Ground, command: str, name: str) -> bool:
    action = main_action(ground, command, name)
    return "history" in action.tags or Effect.DESTRUCTIVE in action.effects


# --- commits ----------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("command", "grave"),
    [
        ("git commit --amend --no-edit", False),
        ("git -C . commit --amend -m better", False),
        ("git rebase -i HEAD~1", False),
        ("git rebase origin/main", False),
        ("git rebase", False),  # onto the upstream
        ("git rebase -i --autosquash HEAD~1", False),
        ("git rebase -i HEAD~2", True),  # HEAD~2 is not there: it cannot be told
        ("git rebase --root", True),
        ("git rebase --onto elsewhere nowhere", True),
        ("git rebase --abort", False),
        ("git rebase --continue", False),
        ("git rebase --skip", False),
        ("git rebase --quit", False),
        ("git reset --soft HEAD~1 && git commit --amend --no-edit", True),
        ("git push && git commit --amend --no-edit", True),
        ("git --git-dir /elsewhere/.git commit --amend", True),
    ],
)
def test_rewriting_is_grave_only_for_commits_that_a_remote_has(ground: Ground, command: str, grave: bool) -> None:
    name = "git:commit" if "commit" in command else "git:rebase"
    assert is_grave(ground, command, name) is grave


def test_amending_a_pushed_commit_is_grave(ground: Ground) -> None:
    ground.git("update-ref", "refs/remotes/origin/feature", "HEAD")
    ground.commit("third")
    assert not is_grave(ground, "git commit --amend", "git:commit")
    ground.git("update-ref", "refs/remotes/fork/x", "HEAD")
    ground.git("pack-refs", "--all")
    assert is_grave(ground, "git commit --amend", "git:commit")


def test_a_rebase_that_takes_pushed_commits_along_is_grave(ground: Ground) -> None:
    first = ground.git("rev-parse", "HEAD~1")
    ground.git("update-ref", "refs/remotes/origin/feature", "HEAD")
    ground.commit("third")
    ground.commit("fourth")
    assert not is_grave(ground, "git rebase -i HEAD~2", "git:rebase")
    assert is_grave(ground, f"git rebase -i {first}", "git:rebase")


def test_a_commit_that_a_remote_has_among_later_ones_is_found(ground: Ground) -> None:
    """The remote branch went on; it still holds the commit."""
    ground.git("checkout", "-q", "-b", "other")
    for text in ("one", "two", "three"):
        ground.commit(text)
    ground.git("update-ref", "refs/remotes/origin/other", "HEAD")
    ground.git("checkout", "-q", "main")
    assert is_grave(ground, "git commit --amend", "git:commit")


def test_without_a_remote_all_history_is_local(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    ground.git("init", "-q")
    ground.write("a.py", "a\n")
    ground.commit()
    assert not is_grave(ground, "git commit --amend --no-edit", "git:commit")
    assert not is_grave(ground, "git rebase -i --root", "git:rebase")


def test_outside_a_repository_nothing_is_known(tmp_path: Path) -> None:
    assert is_grave(Ground(tmp_path), "git commit --amend", "git:commit")


def test_a_todo_list_of_the_session_is_no_rebase_that_goes_on(ground: Ground) -> None:
    todo = str(ground.project / ".git/rebase-merge/git-rebase-todo")
    reading = ground.reads("git rebase --continue", written=frozenset((todo,)))
    assert any("history" in action.tags for action in reading.actions)


# --- work that is not committed ---------------------------------------------------------------------------------------

DISCARDS = [
    ("git checkout -- a.py", "git:checkout"),
    ("git checkout a.py", "git:checkout"),
    ("git checkout .", "git:checkout"),
    ("git checkout HEAD~1 a.py", "git:checkout"),
    ("git checkout -f main", "git:checkout"),
    ("git switch --discard-changes main", "git:switch"),
    ("git restore a.py", "git:restore"),
    ("git restore .", "git:restore"),
    ("git restore --source HEAD~1 a.py", "git:restore"),
    ("git restore --staged --worktree a.py", "git:restore"),
    ("git reset --hard", "git:reset"),
    ("git reset --hard HEAD~1", "git:reset"),
    ("git reset --hard origin/main", "git:reset"),
    ("git rm -f a.py", "git:rm"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("command", "name"), DISCARDS)
def test_where_all_is_committed_nothing_is_lost(ground: Ground, command: str, name: str) -> None:
    assert not is_grave(ground, command, name)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("command", "name"), DISCARDS)
def test_uncommitted_changes_are_lost_and_the_text_says_so(ground: Ground, command: str, name: str) -> None:
    ground.write("a.py", "a = 3\n")
    action = main_action(ground, command, name)
    assert Effect.DESTRUCTIVE in action.effects
    assert "uncommitted" in action.tags


@pytest.mark.parametrize(
    "command", ["git reset --hard", "git restore --staged --worktree a.py", "git checkout -f main"]
)
def test_staged_changes_are_uncommitted_too(ground: Ground, command: str) -> None:
    ground.write("a.py", "a = 3\n")
    ground.git("add", "a.py")
    ground.write("a.py", "a = 2\n")
    assert is_grave(ground, command, main_name(command))


def main_name(command: str) -> str:
    return "git:" + command.split()[1]


def test_an_untracked_file_in_the_way_of_a_reset_would_be_lost(ground: Ground) -> None:
    ground.git("checkout", "-q", "-b", "other")
    ground.write("notes.txt", "theirs\n")
    ground.commit()
    ground.git("checkout", "-q", "main")
    assert not is_grave(ground, "git reset --hard other", "git:reset")
    ground.write("notes.txt", "mine\n")
    assert is_grave(ground, "git reset --hard other", "git:reset")


def test_changes_in_another_file_do_not_matter(ground: Ground) -> None:
    ground.write("docs/b.md", "changed\n")
    assert not is_grave(ground, "git checkout -- a.py", "git:checkout")
    assert is_grave(ground, "git checkout -- docs", "git:checkout")
    assert is_grave(ground, "git checkout -- .", "git:checkout")
    assert is_grave(ground, "git checkout -- 'docs/*'", "git:checkout")  # git's own pattern


@pytest.mark.parametrize("first", ["git stash pop", "git merge x", "mv ../notes a.py", "git cherry-pick x"])
def test_what_the_same_call_brings_first_is_not_known(ground: Ground, first: str) -> None:
    assert is_grave(ground, f"{first}; git checkout -- a.py", "git:checkout")


# --- branches ---------------------------------------------------------------------------------------------------------


def test_a_deleted_branch_can_be_made_again_and_the_undo_names_its_commit(ground: Ground) -> None:
    ground.git("branch", "topic")
    commit = ground.git("rev-parse", "topic")
    action = main_action(ground, "git branch -D topic", "git:branch")
    assert Effect.DESTRUCTIVE not in action.effects
    assert action.compensator == f"git branch topic {commit}"


@pytest.mark.parametrize("command", ["git branch -D main", "git branch -D nowhere", "git branch -D release/1.2",
                                     "git branch -rD origin/main"])  # fmt: skip
def test_some_branches_are_asked_about_all_the_same(ground: Ground, command: str) -> None:
    ground.git("branch", "release/1.2")
    assert is_grave(ground, command, "git:branch")


# --- files ------------------------------------------------------------------------------------------------------------


def deletes(ground: Ground, command: str) -> list[Action]:
    return [action for action in ground.reads(command).actions if action.name == "fs:delete"]


@pytest.mark.parametrize("command", ["rm a.py", "rm -f ./a.py docs/b.md", "cd docs && rm b.md", "unlink a.py",
                                     "python3 -c 'import os; os.remove(\"a.py\")'"])  # fmt: skip
def test_a_committed_file_comes_back_and_the_undo_is_named(ground: Ground, command: str) -> None:
    for action in deletes(ground, command):
        assert action.effects == (Effect.WRITE,)
        assert not action.irreversible
        assert action.compensator == f"git restore -- {action.target['path']}"


def test_a_file_with_changes_does_not_come_back(ground: Ground) -> None:
    ground.write("a.py", "a = 3\n")
    (action,) = deletes(ground, "rm a.py")
    assert Effect.DESTRUCTIVE in action.effects
    assert "uncommitted" in action.tags


@pytest.mark.parametrize("command", ["rm -r docs", "rm *.py", "rm new.txt", "rm -rf .git", "mv new.txt a.py; rm a.py"])
def test_folders_patterns_and_what_git_does_not_have_stay_lost(ground: Ground, command: str) -> None:
    ground.write("new.txt", "mine\n")
    found = deletes(ground, command)
    assert found
    assert all(Effect.DESTRUCTIVE in action.effects for action in found)


def test_a_split_index_is_not_taken_for_a_clean_one(ground: Ground) -> None:
    ground.git("update-index", "--split-index")
    ground.write("a.py", "a = 3\n")
    assert is_grave(ground, "git reset --hard", "git:reset")
