"""It cannot be worn out: where the shelf is full nothing more is held, and nothing goes early. And it is durable: a
write that fails anywhere leaves no checkpoint that somebody could rely on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import interlock.store.undo.shelf as shelf_module
from interlock.limits import UNDO_DAYS
from interlock.model.errors import StoreError
from interlock.store.undo.held import NotHeldError
from interlock.store.undo.keep import Wanted, keep
from interlock.store.undo.restore import restore, steps_of
from interlock.store.undo.shelf import Shelf

DAY = 86_400


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "x").mkdir(parents=True)
    for at in range(5):
        (root / f"x/{at}").write_text(f"{at}" * 1000)
    return root


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(str(tmp_path / "undo"))


def held(shelf: Shelf, root: Path, path: str = "x", session: str = "s", *, person: bool = False) -> str:
    wanted = [Wanted(path=path, after="absent")]
    made = keep(shelf, str(root), wanted, session=session, call="c", refuses=lambda _: "", person=person)
    return made.id


def test_a_full_shelf_holds_nothing_more_and_keeps_what_it_has(root: Path, tmp_path: Path) -> None:
    shelf = Shelf(str(tmp_path / "undo"), total=30_000)
    first = held(shelf, root)
    refused = 0
    for at in range(8):
        (root / "x/new").write_text(f"{at}" * 5000)
        try:
            held(shelf, root, session=f"s{at}")
        except NotHeldError:
            refused += 1
    assert refused > 4
    assert shelf.find(first) is not None
    assert sum(kept.size for kept in shelf.kept()) <= 30_000


def test_a_session_has_a_quota_and_a_person_has_not(root: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf_module, "MAX_UNDO_SESSION_COUNT", 3)
    for at in range(3):
        held(shelf, root, f"x/{at}")
    with pytest.raises(NotHeldError, match="as many checkpoints"):
        held(shelf, root, "x/4")
    held(shelf, root, "x/4", session="another")
    held(shelf, root, "x/4", person=True)
    monkeypatch.setattr(shelf_module, "MAX_UNDO_SESSION_BYTES", 1)
    with pytest.raises(NotHeldError, match="budget"):
        held(shelf, root, "x/4", session="third")


def test_only_what_is_old_goes_by_itself(root: Path, shelf: Shelf) -> None:
    old, younger = held(shelf, root, "x/1"), held(shelf, root, "x/2")
    for name, days in ((old, UNDO_DAYS + 1), (younger, UNDO_DAYS - 1)):
        kept = shelf.find(name)
        assert kept is not None
        os.utime(kept.path, (time.time() - days * DAY,) * 2)
    held(shelf, root, "x/3")
    assert shelf.find(old) is None
    assert shelf.find(younger) is not None


def test_a_policy_says_for_how_long_and_how_much(root: Path, tmp_path: Path) -> None:
    shelf = Shelf(str(tmp_path / "undo"), days=30)
    old = held(shelf, root, "x/1")
    kept = shelf.find(old)
    assert kept is not None
    os.utime(kept.path, (time.time() - 20 * DAY,) * 2)
    held(shelf, root, "x/2")
    assert shelf.find(old) is not None
    brief = Shelf(str(tmp_path / "undo"), days=1)
    held(brief, root, "x/3", person=True)  # an undo removes nothing
    assert shelf.find(old) is not None
    held(brief, root, "x/4")
    assert shelf.find(old) is None


def test_nothing_younger_than_a_day_goes_but_for_a_person(root: Path, shelf: Shelf) -> None:
    name = held(shelf, root)
    assert shelf.prune(before=time.time() + 1) == []
    assert [kept.id for kept in shelf.prune(before=time.time() + 1, person=True)] == [name]


CALLS = ("write", "fsync", "rename", "open", "copy_file_range", "pread", "read", "listdir", "readlink")


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("at", range(6))
def test_a_step_that_fails_leaves_no_checkpoint_or_a_whole_one(
    name: str, at: int, root: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "x/large").write_bytes(os.urandom(1 << 21))
    (root / "x/link").symlink_to("1")
    real: Callable[..., Any] = getattr(os, name)
    count = [0]

    def failing(*given: Any, **more: Any) -> Any:
        count[0] += 1
        if count[0] == at + 1:
            raise OSError(28, "No space left on device")
        return real(*given, **more)

    monkeypatch.setattr(os, name, failing)
    try:
        made = held(shelf, root)
    except StoreError:
        made = ""
    monkeypatch.undo()
    kept = shelf.kept()
    if made:
        assert [one.id for one in kept] == [made]
    for one in kept:  # whoever finds one can have all of it
        with shelf.open(one) as opened:
            restore(opened, steps_of(opened), {})
            for node in opened.checkpoint.nodes:
                if node.kind == "file":
                    assert b"".join(opened.pieces(node.at, node.size))
    assert [entry for entry in os.listdir(shelf.folder) if entry.endswith(".new")] == []


_KILLED = """
import os, sys
from interlock.store.undo.keep import Wanted, keep
from interlock.store.undo.shelf import Shelf

name, at = sys.argv[3], int(sys.argv[4])
real, count = getattr(os, name), [0]

def dying(*given, **more):
    count[0] += 1
    if count[0] == at:
        os.kill(os.getpid(), 9)
    return real(*given, **more)

setattr(os, name, dying)
keep(Shelf(sys.argv[1]), sys.argv[2], [Wanted(path="x")], session="s", call="c", refuses=lambda _: "")
"""


@pytest.mark.parametrize(("name", "at"), [("write", 1), ("fsync", 1), ("rename", 1), ("fsync", 2)])
def test_a_process_that_is_killed_leaves_nothing_half_made(name: str, at: int, root: Path, shelf: Shelf) -> None:
    words = [sys.executable, "-c", _KILLED, shelf.folder, str(root), name, str(at)]
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    for kept in shelf.kept():
        with shelf.open(kept) as opened:
            assert len(opened.checkpoint.nodes) == 6
    assert len(shelf.kept()) == (1 if (name, at) == ("fsync", 2) else 0)
    made = held(shelf, root)  # and nobody is in the way of the next
    assert shelf.find(made) is not None


def test_what_a_killed_process_left_is_swept_up(root: Path, shelf: Shelf) -> None:
    held(shelf, root)
    left = Path(shelf.folder) / "1.new"
    left.write_bytes(b"half")
    os.utime(left, (time.time() - 2 * 3600,) * 2)
    held(shelf, root, "x/1")
    assert not left.exists()
