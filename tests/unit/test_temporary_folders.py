"""Temporary folders and the home folder: what this session made is free to change there, what it found is not."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from interlock.decide import decide
from interlock.evals.lexical import bench_for
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.facts import Facts, project_at
from interlock.model.more_wants import Stood
from interlock.model.session import Session
from interlock.store.facts.facts import read_with_facts
from interlock.store.facts.temporary import standing
from interlock.value import FrozenMap

POLICY = bench_for().policy


class World:
    """A temporary folder of its own beside a project; the session begins when `begin` is called."""

    def __init__(self, folder: Path) -> None:
        self.temp, self.project, self.home = folder / "tmp", folder / "project", folder / "home"
        for place in (self.temp, self.project, self.home):
            place.mkdir()
        self.since = ""

    def begin(self) -> None:
        time.sleep(1.1)  # a moment is told in whole seconds
        self.since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def read(self, command: str, *, root: Path | None = None, created: tuple[Path, ...] = ()) -> tuple[Call, Reading]:
        root = root or self.project
        made = frozenset(map(str, created))
        facts = Facts(
            root=project_at(str(root), str(self.home)),
            home=str(self.home),
            temp=(f"{self.temp}/",),
            since=self.since,
            created=made,
            written=made,
        )
        call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd=str(root), session="s")
        return call, read_with_facts(call, facts)

    def told(self, command: str, **more: object) -> list[str]:
        call, reading = self.read(command.replace("T/", f"{self.temp}/"), **more)  # type: ignore[arg-type]
        decision = decide(call, reading, POLICY, Session(), ())
        return [f"{reason.verdict} {reason.rule}: {reason.text}" for reason in decision.reasons]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = World(tmp_path_factory.mktemp("world"))
    for name in ("old.txt", "old.log", "old/a.txt", "repo/.git/HEAD", "repo/.git/config", "repo/a.txt", "empty/x"):
        path = made.temp / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (made.home / "notes.txt").write_text("x")
    (made.home / "work").mkdir()
    made.begin()
    for name in ("mine.txt", "mine/b.txt", "mine/.git/HEAD", "repo/later.txt", "old/later.txt"):
        path = made.temp / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return made


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("rm T/old.txt", "ask tier-3"),
        ("rm -rf T/old", "ask tier-3"),  # the file that was put into it since does not make it the session's
        ("rm -rf T/ol*", "ask tier-3"),
        ("rm -rf T/repo", "ask tier-3"),
        ("rm T/repo/later.txt", "ask tier-3"),  # in a repository of somebody else
        ("find T/old -delete", "ask tier-3"),
        ("echo x > T/old.txt", "ask tier-2"),
        ("sed -i s/a/b/ T/repo/a.txt", "ask tier-2"),
        ("mv T/old T/new", "ask tier-2"),
        ("chmod -R 700 T/old", "ask tier-2"),
        ('python3 -c \'open("T/old.txt", "w")\'', "ask tier-2"),
    ],
)
def test_what_was_there_before_is_asked_about(world: World, command: str, rule: str) -> None:
    assert {reason.partition(":")[0] for reason in world.told(command)} == {rule}


@pytest.mark.parametrize(
    "command",
    [
        "cat T/old.txt T/repo/a.txt",
        "echo x > T/fresh.txt",
        "echo x > T/old/fresh.txt",
        "echo x > T/repo/fresh.txt",
        "mkdir -p T/old",
        "make > T/old.log 2>&1",
        "rm T/mine.txt",
        "rm -rf T/mine",
        "echo x > T/mine/b.txt",
        "rm -rf T/nothing",
        "mkdir T/w && echo x > T/w/a && rm -r T/w",
    ],
)
def test_reading_new_files_and_what_the_session_made_is_free(world: World, command: str) -> None:
    assert world.told(command) == []


@pytest.mark.parametrize(
    "command", ['d=$(mktemp -d) && echo x > "$d/a" && rm -rf "$d"', "d=$(mktemp); echo x > $d; rm $d"]
)
def test_what_mktemp_names_is_free(command: str) -> None:
    call = Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/srv/project")
    reading = read_with_facts(call, Facts(root="/srv/project", home="/home/ada"))
    assert decide(call, reading, POLICY, Session(), ()).reasons == ()


def test_what_the_session_is_known_to_have_made_is_free_whenever_it_began(world: World) -> None:
    later = World.__new__(World)
    later.__dict__ = {**world.__dict__, "since": ""}
    assert later.told("rm T/old.txt", created=(world.temp / "old.txt",)) == []
    assert later.told("rm T/mine.txt") != []


def test_the_person_is_told_what_it_is(world: World) -> None:
    path = world.temp / "old.txt"
    assert world.told("rm T/old.txt") == [
        f"ask tier-3: Delete `{path}`: it cannot be undone; it was in a temporary folder before this session began."
    ]


def test_a_written_file_that_was_there_before_is_confirmed(world: World) -> None:
    path = str(world.temp / "old.txt")
    call = Call(tool="Write", input=FrozenMap({"file_path": path, "content": "y"}), cwd=str(world.project))
    facts = Facts(
        root=str(world.project),
        home=str(world.home),
        temp=(f"{world.temp}/",),
        since=world.since,
        declared=POLICY.tools["Write"],
    )
    found = decide(call, read_with_facts(call, facts), POLICY, Session(), ())
    assert [reason.text for reason in found.reasons] == [
        f"Change `{path}`: it was in a temporary folder before this session began."
    ]


def test_everything_in_the_temporary_folder_is_asked_about_and_not_refused(world: World) -> None:
    assert [reason.partition(":")[0] for reason in world.told("rm -rf T/*")] == ["ask tier-3"]


def test_a_file_that_cannot_be_looked_at_counts_as_anothers(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> os.stat_result:
        raise PermissionError

    path = world.temp / "mine.txt"
    monkeypatch.setattr("os.lstat", fails)
    facts = Facts(root="/p", home="/h", temp=(f"{world.temp}/",), since=world.since)
    assert standing(Stood(str(path), True), facts) == "earlier"


def test_a_file_that_an_earlier_session_wrote_may_be_written_again_and_not_removed(world: World) -> None:
    facts = Facts(root="/p", home="/h", temp=(f"{world.temp}/",), since=world.since)
    path = f"{world.temp}/old.txt"
    assert [standing(Stood(path, whole), facts, lambda at: at == path) for whole in (False, True)] == [
        "",
        "earlier",
    ]


# --- the home folder -----------------------------------------------------------------------------------------------

SAID = "there is no project in your home folder, and only what this session made there is free."


@pytest.mark.parametrize(
    "command", ["rm notes.txt", "echo x > notes.txt", "rm -rf work", "echo x > .newrc", "sed -i s/a/b/ notes.txt"]
)
def test_an_agent_in_the_home_folder_has_no_project_there(world: World, command: str) -> None:
    told = world.told(command, root=world.home)
    assert len(told) == 1
    assert told[0].startswith("ask tier-3")
    assert told[0].endswith(SAID)


@pytest.mark.parametrize(
    "command",
    [
        "cat notes.txt",
        "echo x > fresh.txt",
        "mkdir site && echo x > site/index.html",
        "mkdir site && echo x > site/index.html && rm -r site",
    ],
)
def test_what_an_agent_makes_in_the_home_folder_is_its_own(world: World, command: str) -> None:
    assert world.told(command, root=world.home) == []


def test_what_the_session_made_in_the_home_folder_stays_its_own(world: World) -> None:
    assert world.told("echo x > notes.txt", root=world.home, created=(world.home / "notes.txt",)) == []
    assert world.told("echo x > work/a", root=world.home, created=(world.home / "work",)) == []
