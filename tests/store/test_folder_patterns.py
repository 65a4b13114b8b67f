"""A loop over folders by a pattern is followed folder by folder, with what is on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap


def read(root: Path, command: str) -> Reading:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(root))
    return read_with_facts(call, Facts(root=str(root), home=str(root.parent)))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in ("a", "b", ".hidden"):
        (root / "packages" / name).mkdir(parents=True)
    (root / "packages" / "notes.txt").write_text("")
    return root


def test_each_folder_is_gone_through(root: Path) -> None:
    reading = read(root, 'for d in packages/*/; do (cd "$d" && cat README.md); done')
    assert reading.opaque == ()
    paths = [action.target["path"] for action in reading.actions if action.name == "fs:read"]
    assert paths == [f"{root}/packages/a/README.md", f"{root}/packages/b/README.md"]


def test_files_among_the_folders_are_gone_through_too(root: Path) -> None:
    reading = read(root, 'for d in packages/*; do (cd "$d" && cat README.md); done')
    assert reading.opaque == ()
    paths = [action.target["path"] for action in reading.actions if action.name == "fs:read"]
    assert [path for path in paths if "notes" not in str(path)] == [
        f"{root}/packages/a/README.md",
        f"{root}/packages/b/README.md",
    ]
    assert read(root, 'for d in packages/* docs; do (cd "$d" && go test ./...); done').opaque == ()


def test_a_loop_that_goes_nowhere_keeps_its_pattern(root: Path) -> None:
    paths = [action.target["path"] for action in read(root, "for f in packages/*; do cat $f; done").actions]
    assert paths == [f"{root}/packages/*"]


def test_code_of_each_folder_is_the_projects(root: Path) -> None:
    assert read(root, 'for d in packages/*/; do (cd "$d" && go test ./...); done').opaque == ()
    assert read(root, 'for d in nowhere/*/; do (cd "$d" && go test ./...); done').opaque == ()


@pytest.mark.parametrize(
    "command",
    [
        'mkdir packages/c; for d in packages/*/; do (cd "$d" && npm test); done',
        'ln -s / packages/c; for d in packages/*/; do (cd "$d" && npm test); done',
        'for d in ../*/; do (cd "$d" && npm test); done',
        'touch packages/c; for d in packages/*; do (cd "$d" && npm test); done',
        'for d in $X/*/; do (cd "$d" && npm test); done',
    ],
)
def test_any_other_folder_is_not_known(root: Path, command: str) -> None:
    assert read(root, command).opaque != ()


def test_a_link_among_them_and_too_many_are_not_followed(root: Path) -> None:
    (root / "packages" / "c").symlink_to("/etc")
    assert read(root, 'for d in packages/*/; do (cd "$d" && npm test); done').opaque != ()
    (root / "packages" / "c").unlink()
    for number in range(20):
        (root / "packages" / f"p{number}").mkdir()
    assert read(root, 'for d in packages/*/; do (cd "$d" && npm test); done').opaque != ()
