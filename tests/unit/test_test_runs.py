"""Tests that a session wrote, on a disk: their texts are gathered, and what cannot be had is not taken for harmless."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.limits import MAX_SCRIPT_BYTES
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap

HOSTILE = 'import os, shutil\n\ndef test_a():\n    shutil.rmtree(os.path.expanduser("~/work"))\n'


def _reading(root: Path, command: str, *written: str) -> Reading:
    facts = Facts(
        root=str(root), home="/home/someone", temp=("/tmp/",), written=frozenset(f"{root}/{name}" for name in written)
    )
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(root))
    return read_with_facts(call, facts)


def _deleted(reading: Reading) -> list[object]:
    return [action.target["path"] for action in reading.actions if action.name == "fs:delete"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text(HOSTILE)
    return tmp_path


@pytest.mark.parametrize("command", ["pytest", "pytest -q tests", "python -m pytest", "python3 -m unittest discover"])
def test_the_text_comes_from_the_disk(root: Path, command: str) -> None:
    assert _deleted(_reading(root, command, "tests/test_a.py")) == ["/home/someone/work"]


def test_what_the_project_brought_along_is_its_own(root: Path) -> None:
    reading = _reading(root, "pytest", "README.md", "src/app.py")
    assert (_deleted(reading), reading.opaque) == ([], ())


def test_a_file_that_is_not_named_is_not_run(root: Path) -> None:
    (root / "tests" / "test_b.py").write_text("def test_b():\n    assert True\n")
    assert _deleted(_reading(root, "pytest tests/test_b.py", "tests/test_a.py", "tests/test_b.py")) == []


def test_a_program_that_only_names_a_runner_runs_no_tests(root: Path) -> None:
    assert _deleted(_reading(root, "pip install pytest", "tests/test_a.py")) == []


def test_a_test_that_was_removed_is_not_run(root: Path) -> None:
    (root / "tests" / "test_a.py").unlink()
    assert _reading(root, "pytest", "tests/test_a.py").opaque == ()


@pytest.mark.parametrize("text", ["x" * (MAX_SCRIPT_BYTES + 1), "\0"], ids=["too long", "no text"])
def test_a_test_whose_text_cannot_be_had_is_opaque(root: Path, text: str) -> None:
    (root / "tests" / "test_a.py").write_text(text)
    reasons = [part.reason for part in _reading(root, "pytest", "tests/test_a.py").opaque]
    assert reasons == [f"`{root}/tests/test_a.py` was written in this session, and its content was not read"]


def test_too_many_tests_are_not_all_read(root: Path) -> None:
    names = [f"tests/test_{number}.py" for number in range(60)]
    for name in names:
        (root / name).write_text("def test_it():\n    assert True\n")
    reasons = [part.reason for part in _reading(root, "pytest", *names).opaque]
    assert reasons == ["60 files with tests were written in this session: too many to read"]
