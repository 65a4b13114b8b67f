"""A call is read once by a guess; the reading must be the one that the facts alone would give."""

from __future__ import annotations

import pytest

from interlock.approve.approval import digest_of_call, projection_of
from interlock.call import Call
from interlock.errors import InputError
from interlock.facts import Facts
from interlock.reading.read import read_call, read_in_rounds
from interlock.record.canon import digest
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
)


def bash(command: str) -> Call:
    return Call(tool="Bash", input=FrozenMap({"command": command}), cwd="/p")


class Disk:
    """A world in a few rules: what lies behind `link` is elsewhere, `gone` and `new` are absent, `x` cannot be told."""

    def __init__(self, links: bool = True, scripts: bool = False) -> None:
        self.links, self.scripts = links, scripts
        self.rounds = 0

    def gather(self, missing: tuple[str, ...], facts: Facts) -> Facts | None:
        self.rounds += 1
        real, absent, scripts = dict(facts.real), set(facts.absent), dict(facts.scripts)
        for want in missing:
            kind, _, path = want.partition(":")
            if kind == "script" and self.scripts:
                scripts[path] = "cat inside > written\n"
            if kind != "real" or path.endswith("/x"):
                continue
            moved = path.replace("/p/link", "/etc") if self.links else path
            real[path] = read_plainly(moved)
            if self.links and ("gone" in path or "new" in path):
                absent.add(path)
        if real == facts.real and scripts == facts.scripts:
            return None
        return facts.replace(real=FrozenMap(real), absent=frozenset(absent), scripts=FrozenMap(scripts))


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


def test_what_cannot_be_told_is_not_guessed() -> None:
    reading, facts = read_in_rounds(bash("cat a"), FACTS, lambda missing, known: None)
    assert reading == read_call(bash("cat a"), FACTS)
    assert (reading.missing, facts) == (("real:/p/a",), FACTS)


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
