"""`rm -rf build` asks nobody; what a person has put there, and git neither has nor ignores, comes back all the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.limits import MAX_UNDO_BY_HAND, MAX_UNDO_SESSION_COUNT
from machine import Machine
from made_repositories import decided, everything, git, held, run, undone


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A project that tracks a file of `dist`, ignores `target`, and says nothing of `build` and `out`."""
    machine = Machine(tmp_path)
    project = machine.project
    os.rmdir(project / ".git")
    git(project, "init", "-q", "-b", "main")
    (project / ".gitignore").write_text("target/\nnode_modules\n")
    for name in ("src/a.c", "dist/kept.txt"):
        (project / name).parent.mkdir()
        (project / name).write_text(name)
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    for name in ("build/sub/notes.txt", "dist/notes.txt", "out/x", "target/debug/app", "node_modules/a/index.js"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(f"by hand: {name}")
    return machine


@pytest.mark.parametrize("command", ["rm -rf build", "rm -rf build dist out", "rm -r build/sub && ls", "rm -rf ./dist"])
def test_what_a_person_put_where_a_build_writes_comes_back(command: str, machine: Machine) -> None:
    before = everything(machine.project)
    assert decided(machine, command) == "allow"
    assert run(machine.project, command)
    assert everything(machine.project) != before
    undone(machine)
    git(machine.project, "checkout", "-q", "--", ".")  # what git has is git's to bring back
    assert everything(machine.project) == before


def test_what_a_build_made_anew_meanwhile_stays_beside_it(machine: Machine) -> None:
    project = machine.project
    assert decided(machine, "rm -rf build") == "allow"
    assert run(project, "rm -rf build && mkdir -p build/sub && echo new > build/sub/app")
    undone(machine)
    assert (project / "build/sub/notes.txt").read_text() == "by hand: build/sub/notes.txt"
    assert (project / "build/sub/app").read_text() == "new\n"


@pytest.mark.parametrize("command", ["rm -rf target", "rm -rf node_modules target/debug", "rm -rf nothing/build"])
def test_what_git_ignores_is_not_held(command: str, machine: Machine) -> None:
    assert decided(machine, command) == "allow"
    assert held(machine) == []


def test_more_than_anybody_writes_by_hand_is_the_builds(machine: Machine) -> None:
    for at in range(MAX_UNDO_BY_HAND):
        (machine.project / f"build/{at}.o").write_text("")
    assert decided(machine, "rm -rf build") == "allow"
    assert held(machine) == []


def test_a_secret_there_is_kept_in_no_second_place(machine: Machine) -> None:
    (machine.project / "build/.env").write_text("TOKEN=1")
    assert decided(machine, "rm -rf build") in ("allow", "ask")
    assert held(machine) == []


@pytest.mark.slow
def test_what_nobody_is_asked_about_leaves_room_for_what_is(machine: Machine) -> None:
    for at in range(MAX_UNDO_SESSION_COUNT // 2 + 2):
        (machine.project / "build/notes.txt").write_text(str(at))
        assert decided(machine, "rm -rf build") == "allow"
    assert len(held(machine)) == MAX_UNDO_SESSION_COUNT // 2
    (machine.project / "src/mine.txt").write_text("nobody tracks this")
    assert decided(machine, "rm src/mine.txt") == "allow"
    assert len(held(machine)) == MAX_UNDO_SESSION_COUNT // 2 + 1
