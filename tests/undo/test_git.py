"""Work that git commands throw away for real comes back: files, the index, names, stashes, and objects nobody keeps."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from machine import Machine
from made_repositories import ENV, decided, everything, git


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    project = machine.project
    os.rmdir(project / ".git")
    git(project, "init", "-q", "-b", "main")
    (project / ".gitignore").write_text("build/\n*.log\n")
    (project / "sub").mkdir()
    for name in ("a.txt", "b.txt", "sub/c.txt", "sub/d.sh"):
        (project / name).write_text(f"{name}\n" * 5)
    (project / "sub/d.sh").chmod(0o755)
    (project / "link").symlink_to("a.txt")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    (project / "a.txt").write_text("second\n")
    (project / "later.txt").write_text("later\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "second")
    git(project, "tag", "-a", "-m", "a tag", "v1")
    git(project, "branch", "other", "HEAD~1")
    git(project, "checkout", "-qb", "feature")
    (project / "only-here.txt").write_text("only here\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "work of the feature")
    git(project, "branch", "-m", "feature", "develop")
    git(project, "branch", "feature", "main")
    git(project, "config", "branch.develop.description", "mine")
    git(project, "tag", "-a", "-m", "of the feature", "v2", "main")
    git(project, "checkout", "-q", "main")
    git(project, "tag", "-d", "v1")
    for at in range(3):
        (project / "b.txt").write_text(f"stashed {at}\n")
        (project / f"stash-{at}").write_text(f"untracked {at}\n")
        git(project, "stash", "push", "-q", "-u", "-m", f"number {at}")
    (project / "b.txt").write_text("changed\n")
    (project / "sub/d.sh").write_text("changed\n")
    (project / "sub/d.sh").chmod(0o644)
    (project / "staged.txt").write_text("staged, then changed\n")
    git(project, "add", "staged.txt")
    (project / "staged.txt").write_text("changed after it was staged\n")
    (project / "sub/c.txt").unlink()
    (project / "new.txt").write_text("nobody tracks this\n")
    (project / "folder/deep").mkdir(parents=True)
    (project / "folder/deep/x").write_text("x\n")
    (project / "build").mkdir()
    (project / "build/out").write_text("made\n")
    (project / "run.log").write_text("log\n")
    return machine


COMMANDS = (
    "git reset --hard",
    "git reset --hard HEAD~1",
    "git reset --hard other",
    "git checkout -- .",
    "git checkout .",
    "git checkout b.txt",
    "git checkout HEAD~1 -- a.txt b.txt",
    "git checkout -f other",
    "git checkout -f feature",
    "git switch -f other",
    "git switch --discard-changes other",
    "git restore .",
    "git restore --staged --worktree .",
    "git restore --source=HEAD~1 a.txt b.txt",
    "git clean -fd",
    "git clean -fdx",
    "git clean -fdX",
    "git clean -fd folder",
    "git branch -D develop",
    "git tag -d v2",
    "git stash drop",
    "git stash drop stash@{1}",
    "git stash clear",
    "cd sub && git checkout -- .",
    "rm -rf folder; git status",
)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_it_throws_away_comes_back(command: str, machine: Machine) -> None:
    project = machine.project
    before = everything(project)
    assert decided(machine, command) == "allow"
    subprocess.run(["bash", "-c", command], cwd=project, env=ENV, check=True, capture_output=True)
    after = everything(project)
    assert after != before
    if {"branch", "tag", "stash"} & set(command.split()):  # nothing leads to them any more
        git(project, "reflog", "expire", "--expire=now", "HEAD", "main", "other")
        git(project, "gc", "-q", "--prune=now")
    done = machine.run("undo", "--yes", "--json")
    assert done.code == 0, done.err
    assert everything(project) == before
    git(project, "fsck", "--strict")


def test_an_undo_of_git_is_undone(machine: Machine) -> None:
    project = machine.project
    before = everything(project)
    assert decided(machine, "git reset --hard HEAD~1") == "allow"
    git(project, "reset", "--hard", "-q", "HEAD~1")
    after = everything(project)
    done = machine.run("undo", "--yes", "--json").json
    assert everything(project) == before
    assert machine.run("undo", done["undone_by"], "--yes").code == 0
    assert everything(project) == after


def test_where_git_has_moved_on_nothing_is_put_back(machine: Machine) -> None:
    project = machine.project
    assert decided(machine, "git reset --hard HEAD~1") == "allow"
    git(project, "reset", "--hard", "-q", "HEAD~1")
    (project / "work.txt").write_text("work\n")
    git(project, "add", "work.txt")
    git(project, "commit", "-qm", "work since")
    after = everything(project)
    refused = machine.run("undo", "--yes")
    assert refused.code != 0
    assert "is somewhere else now" in refused.err
    assert everything(project) == after


ASKED = (
    "git stash && git stash drop",
    "git add -A && git reset --hard",
    "git -C inner reset --hard",
    "git clean -ffd",
    "git pull; git reset --hard",
    "git push --force",
    "git rebase -i HEAD~1 && git reset --hard",
    "git reset --hard; git clean -fd",
    "git checkout -p",
    "git reflog expire --expire=now --all",
    "git update-ref -d refs/heads/other",
    "GIT_WORK_TREE=inner git reset --hard",
    "export GIT_DIR=inner/.git; git reset --hard",
)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("command", ASKED)
def test_what_is_not_held_is_asked_about(command: str, machine: Machine) -> None:
    (machine.project / "inner").mkdir()
    git(machine.project / "inner", "init", "-q")
    (machine.project / "inner/x").write_text("x")
    assert decided(machine, command) in ("ask", "deny")
    assert machine.run("checkpoints", "list", "--json").json == []


def worktree(project: Path) -> None:
    git(project, "config", "core.worktree", "/elsewhere")


def split_index(project: Path) -> None:
    git(project, "update-index", "--split-index")


def sparse(project: Path) -> None:
    git(project, "update-index", "--skip-worktree", "a.txt")


def conflict(project: Path) -> None:
    git(project, "stash", "push", "-q")
    git(project, "checkout", "-q", "feature")
    (project / "a.txt").write_text("theirs\n")
    git(project, "commit", "-qam", "theirs")
    git(project, "checkout", "-q", "main")
    (project / "a.txt").write_text("ours\n")
    git(project, "commit", "-qam", "ours")
    git(project, "merge", "feature", check=False)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("make", [worktree, split_index, sparse, conflict], ids=lambda make: make.__name__)
def test_an_unusual_repository_is_asked_about(make: object, machine: Machine) -> None:
    assert callable(make)
    make(machine.project)
    assert decided(machine, "git reset --hard") == "ask"


def test_a_submodule_is_left_alone(machine: Machine, tmp_path: Path) -> None:
    project = machine.project
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "x").write_text("x")
    git(other, "add", "-A")
    git(other, "commit", "-qm", "x")
    git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "module")
    assert decided(machine, "git reset --hard") == "ask"  # the module would go
    git(project, "commit", "-qm", "module")
    assert decided(machine, "git checkout -- .") == "allow"


def test_a_file_of_lfs_comes_back_as_it_was(machine: Machine) -> None:
    """Its blob is a pointer, the file in the work tree is large: what lies in the work tree is held."""
    project = machine.project
    git(project, "config", "filter.lfs.clean", "sha256sum")
    git(project, "config", "filter.lfs.smudge", "cat")
    (project / ".gitattributes").write_text("*.bin filter=lfs\n")
    (project / "data.bin").write_bytes(b"large" * 1000)
    git(project, "add", ".gitattributes", "data.bin")
    git(project, "commit", "-qm", "lfs")
    (project / "data.bin").write_bytes(b"changed" * 1000)
    before = everything(project)
    assert decided(machine, "git checkout -- data.bin") == "allow"
    git(project, "checkout", "--", "data.bin")
    assert (project / "data.bin").read_bytes() != b"changed" * 1000
    assert machine.run("undo", "--yes").code == 0
    assert everything(project) == before
