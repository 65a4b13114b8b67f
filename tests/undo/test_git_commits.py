"""Commits that are rewritten and work trees that are removed, by the real git over made-up repositories, come back."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from chance import EXAMPLES
from machine import Machine
from made_repositories import decided, everything, git, held, run, undone
from made_trees import picture

ROUNDS = 4 if EXAMPLES <= 1000 else 100


def commit(project: Path, message: str) -> None:
    git(project, "add", "-A")
    git(project, "commit", "-qm", message)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """`main` and `topic` have gone apart: files changed, added, removed, in folders that only one of them has."""
    machine = Machine(tmp_path)
    project = machine.project
    os.rmdir(project / ".git")
    git(project, "init", "-q", "-b", "main")
    (project / ".gitignore").write_text("build/\n*.log\n")
    for name in ("a.txt", "b.txt", "sub/c.txt"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(f"{name}\n" * 20)
    commit(project, "first")
    git(project, "checkout", "-qb", "topic")
    for at in range(3):
        (project / f"topic{at}/deep").mkdir(parents=True)
        (project / f"topic{at}/deep/x").write_text(f"{at}\n")
        commit(project, f"topic {at}")
    git(project, "branch", "between", "HEAD~1")
    git(project, "checkout", "-q", "main")
    (project / "a.txt").write_text("from main\n")
    (project / "main/only").mkdir(parents=True)
    (project / "main/only/y").write_text("y\n")
    (project / "run.txt").write_text("tracked there\n")
    (project / "b.txt").unlink()
    commit(project, "main goes on")
    git(project, "checkout", "-q", "topic")
    return machine


AMENDS = (
    "git commit --amend --no-edit",
    "git commit --amend -m other",
    "git commit --amend -am all",
    "git add -A && git commit --amend --no-edit",
    "git commit --amend --no-edit --reset-author --date=2020-01-01T00:00:00",
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", AMENDS)
def test_an_amended_commit_comes_back(command: str, machine: Machine) -> None:
    project = machine.project
    (project / "a.txt").write_text("staged\n")
    git(project, "add", "a.txt")
    (project / "a.txt").write_text("changed after it was staged\n")
    (project / "new.txt").write_text("nobody tracks this\n")
    before = everything(project)
    assert decided(machine, command) == "allow"
    assert run(project, command)
    assert everything(project) != before
    undone(machine)
    assert everything(project) == before


REBASES = (
    "git rebase main",
    "git rebase -q main",
    "git rebase --onto main HEAD~1",
    "git rebase --onto HEAD~2 HEAD~1",
    "git rebase --update-refs main",
    "GIT_SEQUENCE_EDITOR=true git rebase -i main",
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", REBASES)
def test_a_rebased_branch_comes_back(command: str, machine: Machine) -> None:
    project = machine.project
    (project / "new.txt").write_text("nobody tracks this\n")
    (project / "run.log").write_text("ignored\n")
    before = everything(project)
    assert decided(machine, command) == "allow"
    assert run(project, command)
    assert everything(project) != before
    undone(machine)
    assert everything(project) == before


def test_what_git_ignores_and_a_rebase_writes_over_comes_back(machine: Machine) -> None:
    project = machine.project
    (project / ".git/info/exclude").write_text("run.txt\n")
    (project / "run.txt").write_text("mine, and ignored\n")
    before = everything(project)
    assert decided(machine, "git rebase main") == "allow"
    assert run(project, "git rebase main")
    assert (project / "run.txt").read_text() == "tracked there\n"
    undone(machine)
    assert everything(project) == before


def test_a_rebase_that_has_stopped_is_left_to_git(machine: Machine) -> None:
    project = machine.project
    (project / "a.txt").write_text("from topic\n")
    commit(project, "both have changed it")
    before = everything(project)
    assert decided(machine, "git rebase main") == "allow"
    assert not run(project, "git rebase main")
    done = machine.run("undo", "--yes", "--force")
    assert done.code != 0
    assert "git rebase --abort" in done.err
    git(project, "rebase", "--abort")
    assert everything(project) == before


def test_work_since_is_not_thrown_away(machine: Machine) -> None:
    project = machine.project
    assert decided(machine, "git rebase main") == "allow"
    assert run(project, "git rebase main")
    (project / "since.txt").write_text("since\n")
    commit(project, "since")
    after = everything(project)
    done = machine.run("undo", "--yes")
    assert done.code != 0
    assert "is somewhere else now" in done.err
    assert everything(project) == after


def test_an_undo_of_a_rebase_is_undone(machine: Machine) -> None:
    project = machine.project
    assert decided(machine, "git rebase main") == "allow"
    assert run(project, "git rebase main")
    after = everything(project)
    done = machine.run("undo", "--yes", "--json").json
    assert everything(project) != after
    again = machine.run("undo", done["undone_by"], "--yes")
    assert again.code == 0, again.err
    assert everything(project) == after


NOT_HELD = (
    "git rebase --continue",
    "git rebase -x 'true' main",
    "git rebase --autostash main",
    "git rebase main between",
    "git reset --soft HEAD~1 && git commit --amend --no-edit",
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("command", NOT_HELD)
def test_what_is_not_certain_is_not_held_and_decided_as_before(command: str, machine: Machine) -> None:
    with_it = decided(machine, command)
    assert held(machine) == []
    machine.user_policy("version = 1\n[undo]\nlowers = false\n")
    assert decided(machine, command) == with_it


def test_nothing_is_held_where_the_policy_says_so(machine: Machine) -> None:
    machine.user_policy("version = 1\n[undo]\nlowers = false\n")
    assert decided(machine, "git commit --amend --no-edit") == "allow"
    assert held(machine) == []


def linked(project: Path, *words: str) -> Path:
    """A second work tree inside the project, with work in it that is nowhere else."""
    git(project, "worktree", "add", "-q", *words, "wt/second")
    tree = project / "wt/second"
    (tree / "a.txt").write_text("changed\n")
    (tree / "staged.txt").write_text("staged\n")
    git(tree, "add", "staged.txt")
    (tree / "staged.txt").write_text("changed after\n")
    (tree / "new").mkdir()
    (tree / "new/file").write_text("nobody tracks this\n")
    (tree / "run.log").write_text("ignored\n")
    return tree


def of_work_tree(project: Path) -> dict[str, object]:
    """Content, modes and times of all files but the repository's own; folders without their times, which change where
    git has put a file there and taken it away again.
    """
    rows = {path: row for path, row in picture(project).items() if path.split("/")[0] != ".git"}
    return {path: row if row[-1] is not None else row[0] for path, row in rows.items()}


def of_linked(project: Path) -> tuple[object, ...]:
    tree = project / "wt/second"
    files = of_work_tree(project)
    if not tree.exists():
        return files, git(project, "worktree", "list")
    return files, git(project, "worktree", "list"), *everything(tree)[1:], git(tree, "reflog")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("words", [("-b", "second"), ("--detach",)], ids=["branch", "detached"])
@pytest.mark.parametrize("force", ["--force", "-f"])
def test_a_removed_work_tree_comes_back(words: tuple[str, ...], force: str, machine: Machine) -> None:
    project = machine.project
    tree = linked(project, *words)
    if words == ("--detach",):
        git(tree, "commit", "-qm", "only here")
    before = of_linked(project)
    command = f"git worktree remove {force} wt/second"
    assert decided(machine, command) == "allow"
    assert run(project, command)
    assert not tree.exists()
    git(project, "gc", "-q", "--prune=now")
    undone(machine)
    assert of_linked(project) == before


def test_an_undo_of_a_removed_work_tree_is_undone(machine: Machine) -> None:
    project = machine.project
    linked(project, "-b", "second")
    assert decided(machine, "git worktree remove --force wt/second") == "allow"
    assert run(project, "git worktree remove --force wt/second")
    after = of_linked(project)
    done = machine.run("undo", "--yes", "--json").json
    assert of_linked(project) != after
    again = machine.run("undo", done["undone_by"], "--yes")
    assert again.code == 0, again.err
    assert of_linked(project)[1] == after[1]
    assert not (project / "wt/second").exists()


def outside(project: Path) -> str:
    git(project, "worktree", "add", "-q", "-b", "far", "../far")
    return "../far"


def with_a_secret(project: Path) -> str:
    (linked(project, "-b", "second") / ".env").write_text("PASSWORD=hunter2hunter2\n")
    return "wt/second"


def with_another_repository(project: Path) -> str:
    inner = linked(project, "-b", "second") / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    return "wt/second"


def that_points_elsewhere(project: Path) -> str:
    tree = linked(project, "-b", "second")
    (tree / ".git").write_text(f"gitdir: {project}/.git/worktrees/other\n")
    return "wt/second"


def no_work_tree(project: Path) -> str:
    (project / "plain").mkdir()
    git(project / "plain", "init", "-q")
    return "plain"


MAKERS = (outside, with_a_secret, with_another_repository, that_points_elsewhere, no_work_tree)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_another_work_tree_is_asked_about(make: object, machine: Machine) -> None:
    assert callable(make)
    path = make(machine.project)
    assert decided(machine, f"git worktree remove --force {path}") in ("ask", "deny")
    assert held(machine) == []


def made_up(chance: Random, project: Path) -> None:
    """Changes some files, and commits or not."""
    names = ["a.txt", "b.txt", "sub/c.txt", "sub/new", f"d{chance.randrange(4)}/e/f", f"x{chance.randrange(3)}"]
    for name in chance.sample(names, chance.randint(1, 4)):
        path = project / name
        if path.exists() and chance.random() < 0.3:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(chance.randbytes(chance.choice((0, 3, 900))))
            path.chmod(chance.choice((0o644, 0o755)))


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_whatever_was_rewritten_comes_back(seed: int, machine: Machine) -> None:
    chance, project = Random(seed), machine.project
    for branch in ("topic", "main", "topic"):
        git(project, "checkout", "-q", branch)
        for at in range(chance.randint(1, 3)):
            made_up(chance, project)
            git(project, "add", "-A")
            git(project, "commit", "-qm", f"{branch} {at}", "--allow-empty")
    onto = chance.choice(("main", "main~1", "between", "HEAD~2"))
    command = chance.choice((f"git rebase {onto}", f"git rebase --onto {onto} HEAD~1", "git commit --amend -am x"))
    if "amend" in command:
        made_up(chance, project)
    before, times = everything(project), of_work_tree(project)
    assert decided(machine, command) == "allow"
    if not run(project, command):
        run(project, "git rebase --abort")
        return
    undone(machine)
    assert everything(project) == before
    assert of_work_tree(project) == times
