"""A checkpoint holds all of what lies at its paths, and puts it back byte for byte; what it cannot hold it refuses."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path
from random import Random

import pytest

from interlock.limits import MAX_UNDO_BYTES
from interlock.model.errors import StoreError
from interlock.store.undo.held import NotHeldError
from interlock.store.undo.keep import Wanted, keep
from interlock.store.undo.restore import MOVED, NEW, SAME, restore, steps_of
from interlock.store.undo.shelf import Kept, Shelf
from made_trees import grow, picture


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(str(tmp_path / "undo"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


def held(shelf: Shelf, root: Path, *paths: str, session: str = "s") -> Kept:
    wanted = [Wanted(path=path, after="absent") for path in paths]
    made = keep(shelf, str(root), wanted, session=session, call="c", refuses=lambda _: "")
    found = shelf.find(made.id)
    assert found is not None
    return found


def put_back(shelf: Shelf, kept: Kept) -> list[str]:
    with shelf.open(kept) as opened:
        return restore(opened, steps_of(opened), {})


@pytest.mark.parametrize("seed", range(60))
def test_a_tree_comes_back_byte_for_byte(seed: int, shelf: Shelf, root: Path) -> None:
    grow(Random(seed), root)
    before = picture(root)
    names = sorted(os.listdir(root))
    kept = held(shelf, root, *names)
    for name in names:
        path = root / name
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    assert picture(root) == {}
    put_back(shelf, kept)
    assert picture(root) == before
    with shelf.open(kept) as opened:
        assert {step.how for step in steps_of(opened)} == {SAME}


def test_the_same_is_held_once(shelf: Shelf, root: Path) -> None:
    (root / "a").write_text("a")
    assert held(shelf, root, "a").id == held(shelf, root, "a").id
    assert len(shelf.kept()) == 1


def test_its_folder_is_closed_to_others(shelf: Shelf, root: Path) -> None:
    (root / "a").write_text("a")
    kept = held(shelf, root, "a")
    assert os.stat(shelf.folder).st_mode & 0o777 == 0o700
    assert os.stat(kept.path).st_mode & 0o777 == 0o600
    os.chmod(shelf.folder, 0o755)
    with pytest.raises(NotHeldError, match="other users"):
        held(shelf, root, "a")


def test_a_huge_file_with_holes_is_held_by_its_data(shelf: Shelf, root: Path) -> None:
    with (root / "sparse").open("wb") as file:
        file.truncate(1 << 40)
        file.seek(1 << 39)
        file.write(b"data" * 1000)
    kept = held(shelf, root, "sparse")
    assert kept.size < 1 << 20
    (root / "sparse").unlink()
    put_back(shelf, kept)
    info = (root / "sparse").stat()
    assert (info.st_size, info.st_blocks < 100) == (1 << 40, True)
    with (root / "sparse").open("rb") as file:
        file.seek(1 << 39)
        assert file.read(4000) == b"data" * 1000


def a_fifo(root: Path) -> None:
    os.mkfifo(root / "x/fifo")


def a_socket(root: Path) -> None:
    here = os.getcwd()
    os.chdir(root / "x")  # the path of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("socket")
    finally:
        os.chdir(here)


def a_repository(root: Path) -> None:
    (root / "x/inner/.git").mkdir(parents=True)


def a_submodule(root: Path) -> None:
    (root / "x/inner").mkdir()
    (root / "x/inner/.git").write_text("gitdir: ../../.git/modules/inner\n")


def a_name_elsewhere(root: Path) -> None:
    (root / "x/a").write_text("a")
    os.link(root / "x/a", root / "elsewhere")


def a_private_key(root: Path) -> None:
    (root / "x/notes").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n")


def too_much(root: Path) -> None:
    with (root / "x/large").open("wb") as file:
        for _ in range((MAX_UNDO_BYTES >> 20) + 1):
            file.write(b"x" * (1 << 20))


def too_many(root: Path) -> None:
    for at in range(100):
        (root / f"x/{at}").mkdir()
    for at in range(100_000):
        os.symlink("a", root / f"x/{at % 100}/{at}")


def unreadable(root: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (root / "x/a").write_text("a")
    (root / "x/a").chmod(0)


def an_access_list(root: Path) -> None:
    (root / "x/a").write_text("a")
    try:
        os.setxattr(root / "x/a", "user.note", b"1")
    except OSError:
        pytest.skip("this file system has no attributes")


REFUSED = (
    *((a_fifo, "not a file"), (a_socket, "not a file"), (a_repository, "a repository of its own")),
    *((a_submodule, "a repository of its own"), (a_name_elsewhere, "another name"), (a_private_key, "private key")),
    *((too_much, "more than 64 MB"), (too_many, "more than 10000 files"), (unreadable, "cannot be read")),
    (an_access_list, "attributes"),
)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("make", "why"), REFUSED, ids=[make.__name__ for make, _ in REFUSED])
def test_what_could_not_be_put_back_is_refused(make: object, why: str, shelf: Shelf, root: Path) -> None:
    (root / "x").mkdir()
    assert callable(make)
    make(root)
    with pytest.raises(NotHeldError, match=why):
        held(shelf, root, "x")
    assert shelf.kept() == []
    assert sorted(os.listdir(shelf.folder)) == ["lock"]


@pytest.mark.parametrize("path", ["", ".git", ".git/config", "sub/.git/HEAD", "../out", "a/../../out"])
def test_no_path_leads_out_or_into_git(path: str, shelf: Shelf, root: Path) -> None:
    (root.parent / "out").write_text("out")
    with pytest.raises(StoreError):
        held(shelf, root, path)


def test_a_link_in_the_way_is_not_followed(shelf: Shelf, root: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/a").write_text("other")
    (root / "link").symlink_to(tmp_path / "other")
    with pytest.raises(StoreError):
        held(shelf, root, "link/a")


def test_a_file_that_changes_while_it_is_copied_is_refused(
    shelf: Shelf, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_text("before")
    (root / "b").write_text("b")
    reading = os.read

    def changing(fd: int, size: int) -> bytes:
        raw = reading(fd, size)
        (root / "a").write_text("after!")
        return raw

    monkeypatch.setattr(os, "read", changing)
    with pytest.raises(NotHeldError, match="changed while it was copied"):
        held(shelf, root, "a", "b")
    assert shelf.kept() == []


def test_what_came_into_a_folder_meanwhile_is_noticed(
    shelf: Shelf, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "x").mkdir()
    (root / "x/a").write_text("a")
    reading = os.read

    def adding(fd: int, size: int) -> bytes:
        (root / "x/b").write_text("b")
        return reading(fd, size)

    monkeypatch.setattr(os, "read", adding)
    with pytest.raises(NotHeldError, match="changed while it was copied"):
        held(shelf, root, "x")


def test_a_damaged_checkpoint_restores_nothing(shelf: Shelf, root: Path) -> None:
    (root / "a").write_text("a" * 100)
    (root / "b").write_text("b" * 100)
    kept = held(shelf, root, "a", "b")
    raw = bytearray(Path(kept.path).read_bytes())
    raw[raw.index(b"bbbb")] = ord("x")
    Path(kept.path).write_bytes(raw)
    (root / "a").unlink()
    (root / "b").unlink()
    with pytest.raises(StoreError, match="damaged"):
        put_back(shelf, kept)
    assert os.listdir(root) == []


def test_where_the_world_has_moved_on_nothing_is_overwritten(shelf: Shelf, root: Path) -> None:
    for name in "abc":
        (root / name).write_text(name)
    kept = held(shelf, root, "a", "b", "c")
    (root / "a").unlink()
    (root / "b").write_text("somebody's work")
    with shelf.open(kept) as opened:
        steps = steps_of(opened)
        assert [step.how for step in steps] == [NEW, MOVED, SAME]
        with pytest.raises(StoreError, match="has changed since"):
            restore(opened, steps, {})
        assert not (root / "a").exists()
        restore(opened, steps, {"b": "beside"})
    assert (root / "a").read_text() == "a"
    assert (root / "b").read_text() == "somebody's work"
    assert (root / "b.restored").read_text() == "b"
    with shelf.open(kept) as opened:
        restore(opened, steps_of(opened), {"b": "skip"})
        assert (root / "b").read_text() == "somebody's work"
        restore(opened, steps_of(opened), {"b": "force"})
    assert (root / "b").read_text() == "b"


def test_a_folder_that_became_a_link_is_not_entered(shelf: Shelf, root: Path, tmp_path: Path) -> None:
    (root / "x").mkdir()
    (root / "x/a").write_text("a")
    kept = held(shelf, root, "x/a")
    shutil.rmtree(root / "x")
    (tmp_path / "outside").mkdir()
    (root / "x").symlink_to(tmp_path / "outside")
    with shelf.open(kept) as opened:
        steps = steps_of(opened)
        assert [step.how for step in steps] == [MOVED, MOVED]
        with pytest.raises(StoreError):
            restore(opened, steps, {"x": "skip", "x/a": "force"})
    assert os.listdir(tmp_path / "outside") == []


def test_names_that_differ_by_case_alone_come_back_as_two(shelf: Shelf, root: Path) -> None:
    (root / "x").mkdir()
    (root / "x/name").write_text("lower")
    (root / "x/NAME").write_text("upper")
    before = picture(root)
    kept = held(shelf, root, "x")
    shutil.rmtree(root / "x")
    put_back(shelf, kept)
    assert picture(root) == before
