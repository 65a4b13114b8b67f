"""Applying a preview: what the command did, all of it or nothing, and only where nothing has moved."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from previewing import Project, needs_views, tree_of

pytestmark = needs_views


def test_what_is_applied_is_what_the_command_does_for_real(project: Project) -> None:
    project.write("old.txt", "old\n")
    project.write("lib/a.py", "a\n")
    project.write("lib/deep/b.py", "b\n")
    project.write("run.sh", "#!/bin/sh\n")
    project.write("file", "f")
    project.write("folder/x", "x")
    command = (
        "rm old.txt; echo more >> lib/a.py; mkdir -p new/er; echo hi > new/er/file; chmod +x run.sh; ln -s a l;"
        "mv lib/deep lib/moved; rm file; mkdir file; echo y > file/in; rm -r folder; echo z > folder; chmod 500 new;"
        "chmod 750 lib; echo one > first; ln first second; mkdir -m 1777 sticky; touch -d 2001-02-03 first"
    )
    copy = project.folder / "copy"
    shutil.copytree(project.root, copy, symlinks=True)
    project.owned()
    os.spawnvp(os.P_WAIT, "bash", ["bash", "-c", f"umask 022; cd {copy} && {command}"])
    found = project.asked(command=command, apply=True)
    assert "error" not in found
    assert tree_of(project.root) == tree_of(copy)
    first, second = project.root / "first", project.root / "second"
    assert first.stat().st_ino == second.stat().st_ino
    assert first.stat().st_mtime == (copy / "first").stat().st_mtime


def test_names_of_one_file_stay_one_file_where_one_of_them_was_there(project: Project) -> None:
    project.write("was", "1")
    found = project.asked(command="ln was also", apply=True)
    assert "error" not in found
    assert (project.root / "also").read_text() == "1"


def kept(project: Project, command: str) -> str:
    return str(project.preview(command, keep=True)["id"])


def applied(project: Project, id: str) -> str:
    """Why it was not; empty where it was."""
    return str(project.asked(of=id, apply=True, keep=True).get("error", ""))


MOVES: dict[str, Callable[[Path], object]] = {
    "a changed file": lambda root: (root / "other").write_text("moved on"),
    "the same bytes written again": lambda root: (root / "other").write_bytes((root / "other").read_bytes()),
    "a new file": lambda root: (root / "new file").write_text(""),
    "a removed file": lambda root: (root / "other").unlink(),
    "a mode": lambda root: (root / "other").chmod(0o600),
    "a file put in its place": lambda root: os.replace(root / "third", root / "other"),
}


@pytest.mark.parametrize("name", MOVES)
def test_nothing_is_applied_where_the_project_has_moved_on(project: Project, name: str) -> None:
    for path in ("target", "other", "third"):
        project.write(path, "before")
    id = kept(project, "echo after > target")
    MOVES[name](project.root)
    project.owned()
    moved = tree_of(project.root)
    assert "the project has changed since the command ran" in applied(project, id)
    assert tree_of(project.root) == moved


def test_a_folder_that_became_a_link_is_not_followed(project: Project) -> None:
    project.write("d/file", "before")
    (project.beside / "file").write_text("outside")
    id = kept(project, "echo after > d/file; echo new > d/new; rm -f d/none")
    shutil.rmtree(project.root / "d")
    (project.root / "d").symlink_to(project.beside)
    assert "has changed" in applied(project, id)
    assert tree_of(project.beside) == tree_of(project.beside)
    assert (project.beside / "file").read_text() == "outside"
    assert not (project.beside / "new").exists()


def test_a_link_that_the_command_made_is_not_followed(project: Project) -> None:
    (project.beside / "file").write_text("outside")
    project.owned()
    found = project.asked(
        command=f"ln -s {project.beside} d; echo x > d/file; ln -s {project.beside}/file f", apply=True
    )
    assert "error" not in found
    assert (project.beside / "file").read_text() == "outside"
    assert os.readlink(project.root / "f") == f"{project.beside}/file"


def test_a_link_in_place_of_a_file_is_replaced_and_not_written_through(project: Project) -> None:
    (project.beside / "file").write_text("outside")
    (project.root / "l").symlink_to(project.beside / "file")
    project.owned()
    found = project.asked(command="rm l; echo own > l", apply=True)
    assert "error" not in found
    assert (project.root / "l").read_text() == "own\n"
    assert not (project.root / "l").is_symlink()
    assert (project.beside / "file").read_text() == "outside"


def test_a_file_with_other_names_is_not_changed(project: Project) -> None:
    """The view breaks hard links: the other name would keep the old content, and for real it would not."""
    project.write("a", "1")
    os.link(project.root / "a", project.beside / "b")
    found = project.asked(command="echo 2 > a", apply=True)
    assert "has other names (hard links)" in found["error"]
    assert (project.beside / "b").read_text() == "1"
    assert (project.root / "a").read_text() == "1"


HINDRANCES = {
    "mkfifo p": "`p` is a pipe, a socket or a device",
    "echo x > s; chmod 4755 s": "`s` would run as its owner or group (setuid)",
    "touch $'a\\nb'": "cannot be judged",
    "touch $'\\xff'": "cannot be judged",
    "touch 'end '": "cannot be judged",
}


@pytest.mark.parametrize("command", HINDRANCES)
def test_what_cannot_be_judged_or_made_is_not_applied(project: Project, command: str) -> None:
    found = project.asked(command=f"echo other > other; {command}", apply=True)
    assert HINDRANCES[command] in found["error"]
    assert os.listdir(project.root) == []


def test_bytes_that_were_changed_after_they_were_shown_are_not_applied(project: Project) -> None:
    id = kept(project, "echo shown > a")
    stage = project.home / f".local/state/interlock/previews/{id}"
    for path in (stage / "bytes").iterdir():
        path.write_text("other")
    assert "is not what the command had written" in applied(project, id)
    assert os.listdir(project.root) == []


def test_a_list_that_was_changed_after_it_was_shown_is_not_applied(project: Project) -> None:
    id = kept(project, "echo shown > a")
    file = project.home / f".local/state/interlock/previews/{id}/preview.json"
    file.write_text(file.read_text().replace('"path": "a"', '"path": "b"'))
    assert "no preview of that name" in applied(project, id)
    assert os.listdir(project.root) == []


def test_a_folder_that_cannot_be_written_leaves_everything_as_it_was(project: Project) -> None:
    if project.user == "self" and os.getuid() == 0:
        pytest.skip("root writes anywhere")
    project.write("open/a", "1")
    project.write("shut/a", "1")
    id = kept(project, "echo 2 > open/a; echo 2 > shut/a; rm open/a; echo 3 > open/b")
    (project.root / "shut").chmod(0o555)
    before = tree_of(project.root)
    assert applied(project, id) != ""
    assert tree_of(project.root) == before


def test_access_times_and_extended_attributes(project: Project) -> None:
    path = project.write("a", "1")
    try:
        os.setxattr(path, "user.note", b"kept")
    except OSError:
        pytest.skip("this disk has no extended attributes")
    found = project.asked(command="echo 2 > a", apply=True)
    assert "error" not in found
    assert path.read_text() == "2\n"
    assert os.getxattr(path, "user.note") == b"kept"


@pytest.mark.slow
def test_many_files_are_applied(project: Project) -> None:
    found = project.asked(
        command="for i in $(seq 300); do mkdir -p d$((i % 7)); echo $i > d$((i % 7))/$i; done", apply=True
    )
    assert "error" not in found
    assert sum(stat.S_ISREG(path.lstat().st_mode) for path in Path(project.root).rglob("*")) == 300


def test_nothing_is_left_beside(project: Project) -> None:
    project.write("d/e", "1")
    project.asked(command="rm -r d; echo x > a", apply=True)
    assert os.listdir(project.root) == ["a"]
