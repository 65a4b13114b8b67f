"""A call is read once by a guess; the reading must be the one that the facts alone would give."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from interlock.approve.approval import digest_of_call, projection_of
from interlock.bytes.canon import digest
from interlock.model.call import Call
from interlock.model.errors import InputError
from interlock.model.facts import Facts
from interlock.model.more_wants import Git, Stood
from interlock.model.wants import Real, Script, Want
from interlock.reading.bash import follow_bash
from interlock.reading.evaluate.state import Found
from interlock.reading.read import read_call, read_in_rounds
from interlock.reading.tools import calls
from interlock.store.facts.facts import read_with_facts
from interlock.value import FrozenMap

FACTS = Facts(root="/p", home="/h")
COMMANDS = (
    "ls",
    "cat a b",
    "cat /p/link/x > out.txt && rm -rf gone",
    "rm -rf link/*",
    "cd sub && cat ../a | tee new.txt",
    "cat /dev/sd* ; ls /p/link/../b",
    "./run.sh --fast; cat ~/.x",
    "cat $'a\\x01b'; cat a",
    "docker run -v $PWD:/w img cat /w/a",
    "rm a link/b; git branch -D old",
    "echo 1 > /tmp/a; rm -r /tmp/new /tmp/b; ./run.sh",
    "echo ls > fixed.sh; bash fixed.sh",
)


def bash(command: str) -> Call:
    return Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/p")


class Disk:
    """A world in a few rules: what lies behind `link` is elsewhere, `gone` and `new` are absent, `x` cannot be told.

    Nobody may write `fixed`. Git has every file, and in a temporary folder `b` was there before.
    """

    def __init__(self, links: bool = True, scripts: bool = False) -> None:
        self.links, self.scripts = links, scripts
        self.rounds = 0

    def gather(self, missing: tuple[Want[object], ...], facts: Facts) -> Facts | None:
        self.rounds += 1
        real, absent, scripts = dict(facts.real), set(facts.absent), dict(facts.scripts)
        fixed, known = set(facts.fixed), dict(facts.known)
        for want in missing:
            if isinstance(want, Script) and self.scripts:
                scripts[want.path] = "cat inside > written\n"
            elif isinstance(want, Git):
                known[want] = "clean"
            elif isinstance(want, Stood):
                known[want] = "an earlier file" if want.path.endswith("/b") else ""
            if not isinstance(want, Real) or want.path.endswith("/x"):
                continue
            path = want.path
            if "fixed" in path:
                fixed.add(path)
            moved = path.replace("/p/link", "/etc") if self.links else path
            real[path] = read_plainly(moved)
            if self.links and ("gone" in path or "new" in path):
                absent.add(path)
        found = facts.knowing(known).replace(
            real=FrozenMap(real),
            absent=frozenset(absent),
            scripts=FrozenMap(scripts),
            fixed=frozenset(fixed),
        )
        return None if found == facts else found


def read_plainly(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part:
            parts.append(part)
    return "/" + "/".join(parts)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("links", [False, True])
@pytest.mark.parametrize("scripts", [False, True])
def test_a_guess_changes_nothing_about_the_reading(command: str, links: bool, scripts: bool) -> None:
    call, disk = bash(command), Disk(links, scripts)
    facts, reading = FACTS, read_call(call, FACTS)
    while (more := disk.gather(reading.missing, facts)) is not None:
        facts, reading = more, read_call(call, more)
    assert read_in_rounds(call, FACTS, Disk(links, scripts).gather)[0] == reading


def test_where_every_path_leads_where_it_says_the_facts_are_gathered_once() -> None:
    disk = Disk(links=False)
    reading, facts = read_in_rounds(bash("cat a b > c"), FACTS, disk.gather)
    assert (disk.rounds, reading.opaque, reading.missing) == (1, (), ())
    assert facts.real == {"/p/a": "/p/a", "/p/b": "/p/b", "/p/c": "/p/c"}
    assert reading == read_call(bash("cat a b > c"), facts)


@pytest.mark.parametrize("command", ["rm a", "echo 1 > /tmp/b; cat a"])
def test_what_is_only_told_of_the_files_needs_no_second_reading(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def follow(text: str, **more: Any) -> Found:
        texts.append(text)
        return follow_bash(text, **more)

    monkeypatch.setattr(calls, "follow_bash", follow)
    read_in_rounds(bash(command), FACTS, Disk(links=False).gather)
    assert texts == [command]


def test_what_cannot_be_told_is_not_guessed() -> None:
    reading, facts = read_in_rounds(bash("cat a"), FACTS, lambda missing, known: None)
    assert reading == read_call(bash("cat a"), FACTS)
    assert (reading.missing, facts) == ((Real("/p/a"),), FACTS)


@pytest.mark.parametrize("name", ["run.sh", "./run.sh", "sub/../run.sh", ".//run.sh"])
def test_a_file_that_may_not_be_written_is_known_by_every_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "run.sh").write_text("rm -rf /srv/data\n")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # whoever runs the tests may write everywhere
    call = Call(tool="Bash", input=FrozenMap({"command": f"echo ls > {name}; bash {name}"}), cwd=str(tmp_path))
    reading = read_with_facts(call, Facts(root=str(tmp_path), home="/home/user"))
    assert "fs:delete" in [action.name for action in reading.actions]


def test_a_link_that_the_guess_did_not_see_is_seen() -> None:
    reading, _ = read_in_rounds(bash("cat link/shadow"), FACTS, Disk().gather)
    assert reading.actions[0].target == {"path": "/p/link/shadow", "real": "/etc/shadow"}
    assert "secret" in reading.actions[0].tags


@pytest.mark.parametrize(
    "given",
    [
        {"command": "ls"},
        {"command": "ls", "description": "look", "timeout": 5},
        {"$integer": "1"},
        {"$$integer": "1"},
        {"ä": "ö", "z": 'a"\\\n', "b": {"c": [1, 2.5, None, True, 2**60]}},
        {},
    ],
)
def test_digests_of_a_call_are_those_of_its_canonical_form(given: dict[str, object]) -> None:
    call = Call(tool="Bash", input=FrozenMap(given), cwd="/ü", session="s", agent='a"', host="h")
    bound = {key: value for key, value in given.items() if key not in ("description", "timeout")}
    rest = {key: value for key, value in given.items() if key in ("description", "timeout")}
    projection = digest({"agent": 'a"', "host": "h", "input": bound, "state": None, "tool": "Bash"})
    assert projection_of(call) == projection
    assert digest_of_call(call, projection) == digest(
        {"agent": 'a"', "cwd": "/ü", "projection": projection, "rest": rest, "session": "s"}
    )


def test_half_a_surrogate_pair_has_no_digest() -> None:
    with pytest.raises(InputError):
        projection_of(bash("ls \ud800"))
