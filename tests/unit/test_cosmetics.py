"""Commands that the loop guard takes for the same, and what it must not take for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.approve.approval import projection_of
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.reading.cosmetic import essence
from interlock.reading.read import read_call
from interlock.store.home.folders import find_root
from interlock.value import FrozenMap

SAME = [
    ("make test", "make  test"),
    ("make test", "make test # once more"),
    ("make test", "make test;"),
    ("make test", " make\ttest ;\n"),
    ("make test", "make 'test'"),
    ("make test", 'make "test"   # x'),
    ("make a b", "make a \\\n  b"),
    ("echo 'a  b'", "echo   'a  b'"),
    ("cd app\nmake", "cd app\n\n  make"),
    ('echo "a \\" b" c', 'echo  "a \\" b"   c'),
]
OTHER = [
    ("echo 'a  b'", "echo 'a b'"),
    ('echo "a  b"', 'echo "a b"'),
    ("echo a#b", "echo a"),
    ("echo '# x'", "echo"),
    ("echo ''", "echo"),
    ("echo a'b c'", "echo a 'b c'"),
    ("echo a\\ \\ b", "echo a\\ b"),
    ('echo "a \\"  b" c', 'echo "a \\" b" c'),
    ('echo "$(ls "a  b")"', 'echo "$(ls "a b")"'),
    ("cat <<E\na  b\nE", "cat <<E\na b\nE"),
    ("make test", "make tests"),
]


def _bash(command: str) -> Call:
    return Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/repo", session="s")


@pytest.mark.parametrize(("command", "again"), SAME)
def test_what_is_cosmetic_does_not_make_another_step_and_does_make_another_approval(command: str, again: str) -> None:
    facts = Facts(root="/repo", home="/home/u")
    first, second = read_call(_bash(command), facts), read_call(_bash(again), facts)
    assert first.step == second.step
    assert first.projection != second.projection
    assert second.projection == projection_of(_bash(again))


@pytest.mark.parametrize(("command", "other"), OTHER)
def test_what_changes_a_word_makes_another_step(command: str, other: str) -> None:
    assert essence(command) != essence(other)


@pytest.mark.parametrize("command", ["make test", "cd app && npm test 2>&1 | tail -20", "echo 'a  b'"])
def test_a_plain_command_is_known_by_its_projection(command: str) -> None:
    reading = read_call(_bash(command), Facts(root="/repo", home="/home/u"))
    assert (reading.same_as, reading.step) == ("", reading.projection)


def test_a_repository_in_a_home_folder_is_no_project_of_what_lies_below(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".git").mkdir(parents=True)
    (home / "notes" / "old").mkdir(parents=True)
    (home / "work" / ".git").mkdir(parents=True)
    (home / "work" / "src").mkdir()
    assert find_root(f"{home}/notes/old", str(home)) == f"{home}/notes/old"
    assert find_root(f"{home}/work/src", str(home)) == f"{home}/work"
