"""A resident engine keeps what it made of files. A file that was touched, in whatever way, counts for the next call."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interlock.bytes.canon import digest_of_bytes
from interlock.engine import Engine
from interlock.model.call import Call
from interlock.model.events import Place, Proposed
from interlock.model.posture import Posture
from interlock.store.facts import remembered
from interlock.store.facts.obeyed_facts import obeyed_facts
from interlock.store.home import policies
from interlock.store.home.files import read_file
from interlock.store.home.folders import Folders, folders_for
from interlock.store.home.policies import write_trust
from interlock.store.home.postures import keep_posture
from interlock.value import FrozenMap

STEP = 0.05  # seconds that a file takes to come to rest here, instead of three


class Watched:
    """A resident engine beside one that looks at everything anew."""

    def __init__(self, folder: Path) -> None:
        self.folders: Folders = folders_for(str(folder / "home"))
        self.project = folder / "project"
        (self.project / ".git").mkdir(parents=True)
        (self.project / ".interlock").mkdir()
        Path(self.folders.config).mkdir(parents=True)
        Path(self.folders.state).mkdir(parents=True)
        self.place = Place(host="claude-code", session="s", cwd=str(self.project))
        self.resident = Engine(self.folders, front="cli:decide", resident=True)

    def seen_by(self, engine: Engine) -> tuple[Any, ...]:
        world = engine.world(self.place)
        session, warnings = engine.worlds.session(self.place, world)
        call = Call(tool="Read", input=FrozenMap({}), host="claude-code", cwd=str(self.project))
        assert world.contracts is not None
        found = world.contracts.for_call(call)
        hooks = obeyed_facts(world.folders, world.root, world.remembered)["hooks"]
        policy = (world.policy.digest, world.policy.notices, world.policy.faults)
        return policy, session.posture, warnings, found, world.contracts.warnings, hooks

    def is_up_to_date(self) -> bool:
        plain = Engine(self.folders, front="cli:decide")
        return self.seen_by(self.resident) == self.seen_by(plain)


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    monkeypatch.setattr(policies, "MANAGED_POLICY", str(tmp_path / "managed.toml"))
    return Watched(tmp_path)


def user(text: str) -> Callable[[Watched], object]:
    return lambda it: Path(it.folders.user_policy).write_text("version = 1\n" + text)


def project(text: str) -> Callable[[Watched], object]:
    return lambda it: (it.project / ".interlock/policy.toml").write_text("version = 1\n" + text)


def managed(text: str) -> Callable[[Watched], object]:
    return lambda it: managed_policy(it).write_text("version = 1\n" + text)


def trusted(it: Watched) -> None:
    file = it.project / ".interlock/policy.toml"
    write_trust(it.folders, {str(file.resolve()): digest_of_bytes(file.read_bytes())})


def relinked(it: Watched) -> None:
    """The folder with the project's policy is another one now, and the file in it is the same."""
    before = it.project / ".interlock"
    shutil.copytree(before, it.project / "elsewhere")
    shutil.rmtree(before)
    before.symlink_to(it.project / "elsewhere")


def a_folder(it: Watched) -> None:
    os.unlink(it.folders.user_policy)
    os.mkdir(it.folders.user_policy)


def managed_policy(it: Watched) -> Path:
    return it.project.parent / "managed.toml"


def catalogue(text: str) -> Callable[[Watched], object]:
    return lambda it: (it.project / ".interlock/contracts.json").write_text(text)


def hooks_path(it: Watched) -> None:
    (it.project / ".git/config").write_text("[core]\n\thooksPath = tools/hooks\n")


def work_tree(it: Watched) -> None:
    shutil.rmtree(it.project / ".git")
    other = it.project.parent / "main"
    other.mkdir()
    (other / "config").write_text("[core]\n\thooksPath = other/hooks\n")
    (it.project / ".git").write_text(f"gitdir: {other}\n")


READ = {"Read": {"inputSchema": {"type": "object", "required": ["why"]}}}

CHANGES: list[tuple[str, Callable[[Watched], object]]] = [
    ("a user's policy", user('posture = "dry_run"\n')),
    ("one of the same length that is broken", user('posture = "lock_it"\n')),
    ("one that is right again", user('posture = "locked"\n')),
    ("a profile", user('profile = "careful"\n')),
    ("a project's policy", project('[[rules]]\nid = "a"\nwhen = { tool = "Read" }\nverdict = "deny"\nreason = "no"\n')),
    ("one that loosens", project('[risk]\nunregistered = "allow"\n')),
    ("and is trusted", trusted),
    ("and lies elsewhere", relinked),
    ("and is trusted there", trusted),
    ("and was changed since", project('[risk]\nunregistered = "allow"\n\n')),
    ("managed policy", managed('posture = "dry_run"\n')),
    ("without it", lambda it: managed_policy(it).unlink()),
    ("a posture", lambda it: keep_posture(it.folders, str(it.project), Posture.LOCKED)),
    ("another", lambda it: keep_posture(it.folders, str(it.project), Posture.INTERACTIVE)),
    ("a posture that is none", lambda it: Path(it.folders.postures).write_text("{")),
    ("none", lambda it: Path(it.folders.postures).unlink()),
    ("contracts", catalogue(json.dumps(READ))),
    ("contracts that are none", catalogue("[")),
    ("no contracts", lambda it: (it.project / ".interlock/contracts.json").unlink()),
    ("hooks of git", hooks_path),
    ("a work tree", work_tree),
    ("a policy that is a folder", a_folder),
    ("no policy", lambda it: os.rmdir(it.folders.user_policy)),
]


@pytest.mark.slow
@pytest.mark.parametrize("rests", [True, False], ids=["at rest", "in motion"])
def test_a_changed_file_counts_for_the_next_call(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, rests: bool
) -> None:
    if rests:
        monkeypatch.setattr(remembered, "_REST", int(STEP * 1e9))
    before = None
    for name, change in CHANGES:
        if rests:
            time.sleep(2 * STEP)
            assert watched.is_up_to_date()  # and now it is kept
        change(watched)
        assert watched.is_up_to_date(), name
        now = watched.seen_by(watched.resident)
        assert now != before, f"{name} changes nothing, so nothing is shown by it"
        before = now


def test_a_file_that_hides_its_change_is_found_out(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same length and the same time, in place or by another file: its time of change cannot be set."""
    monkeypatch.setattr(remembered, "_REST", int(STEP * 1e9))
    file = Path(watched.folders.user_policy)
    user('posture = "dry_run"\n')(watched)
    for text in ('posture = "lock_it"\n', 'posture = "dry_run"\n'):
        time.sleep(2 * STEP)
        assert watched.is_up_to_date()
        at = file.stat()
        other = file.with_name("other")
        other.write_text("version = 1\n" + text)
        os.utime(other, ns=(at.st_atime_ns, at.st_mtime_ns))
        if text.startswith('posture = "lock'):
            other.replace(file)
        else:
            file.write_bytes(other.read_bytes())
            os.utime(file, ns=(at.st_atime_ns, at.st_mtime_ns))
        assert (file.stat().st_size, file.stat().st_mtime_ns) == (at.st_size, at.st_mtime_ns)
        assert watched.is_up_to_date()


def test_a_file_that_was_touched_a_moment_ago_is_read_again(watched: Watched) -> None:
    file = Path(watched.folders.user_policy)
    for word in ("dry_run", "lock_it", "dry_run", "lock_it"):  # as fast as the clock of the file system steps
        with file.open("r+b" if file.exists() else "wb") as open_file:
            open_file.write(f'version = 1\nposture = "{word}"\n'.encode())
        assert watched.is_up_to_date()


def test_files_at_rest_are_not_opened(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "_REST", int(STEP * 1e9))
    user('[approvals]\nby = ["terminal"]\n')(watched)
    project('[risk]\nunregistered = "deny"\n')(watched)
    time.sleep(2 * STEP)
    watched.seen_by(watched.resident)
    read: list[str] = []

    def noted(path: str, *, limit: int) -> bytes | None:
        read.append(path)
        return read_file(path, limit=limit)

    monkeypatch.setattr(remembered, "read_file", noted)
    watched.seen_by(watched.resident)
    assert read == []


def test_what_is_kept_is_bounded() -> None:
    kept = remembered.Remembered()
    for number in range(3 * remembered._MOST):
        assert kept.of(number, lambda disk, number=number: number) == number  # type: ignore[misc]
    assert len(kept._kept) <= remembered._MOST


def test_a_policy_that_is_changed_between_two_calls_decides_the_second(watched: Watched) -> None:
    call = Call(tool="Read", input=FrozenMap({"file_path": "a.txt"}), cwd=str(watched.project), session="s")
    event = Proposed(place=watched.place, call=call)
    assert watched.resident.propose(event).decision.verdict.name == "allow"
    user('[[rules]]\nid = "a"\nwhen = { tool = "Read" }\nverdict = "deny"\nreason = "no"\n')(watched)
    assert watched.resident.propose(event).decision.verdict.name == "deny"
    watched.resident.close()
