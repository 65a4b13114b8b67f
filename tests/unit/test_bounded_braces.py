"""Long brace expansions: a set of names, read as the patterns that all of its words match."""

from __future__ import annotations

import subprocess
from fnmatch import fnmatchcase

import pytest

from interlock.evals.case import bash
from interlock.model.facts import Facts
from interlock.reading.read import read_call
from interlock.testing import decide_call


@pytest.mark.parametrize(
    "command",
    [
        "for i in {1..500}; do echo $i; done",
        "printf 'row %s\\n' {1..400} > /tmp/rows.txt",
        "mkdir -p /tmp/tree/d{1..300} && touch /tmp/tree/d{1..300}/f{1..50}.txt",
        "touch fixtures/a{001..999}.json",
        "echo {a..z}{a..z}{a..z}",
        "for n in {1..500}; do total=$((total + n)); done; echo $total",
    ],
)
def test_a_long_brace_expansion_is_read_as_a_set(command: str) -> None:
    assert decide_call(command).verdict.name == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "rm notes{1..500}.md",
        "rm -rf /srv/{1..500}",
        "rm -rf {1..500}/../../other",
        "cat .env.{1..500}",
        "kill {1..30000}",
        "tool{1..500}",
        "eval tool{1..500}",
        "npm install part{1..300}",
        "echo {-500..500}",
        "echo {1..100000000}",
        "echo {{1..99999},a}{{1..99999},b}",
        "echo rm\\ notes{1..500} | sh",
    ],
)
def test_a_set_of_names_is_judged_like_its_members(command: str) -> None:
    assert decide_call(command).verdict.name != "allow"


def _removed(word: str) -> list[str]:
    reading = read_call(bash(f"rm {word}", "/repo"), Facts(root="/repo", home="/home/user"))
    return [str(act.target["path"]) for act in reading.actions]


@pytest.mark.parametrize("word", ["x{0..10}", "x{00..10}", "x{-3..3}", "x{05..-3}", "x{9..1..3}", "{a..e}{1..3}"])
def test_a_short_one_is_read_word_by_word(word: str) -> None:
    words = subprocess.run(["bash", "-c", f"echo {word}"], capture_output=True, text=True, check=True).stdout.split()
    assert _removed(word) == [f"/repo/{one}" for one in words]


@pytest.mark.parametrize(
    "word",
    [
        "x{1..300}",
        "x{001..300}",
        "{97..1002}y",
        "x{1..9000..7}",
        "x{900..5}",
        "{a..z}{0..20}q",
        "x{0..300}",
        "x{00..300}",
        "{A..Z}{A..Z}",
    ],
)
def test_the_patterns_match_every_word_of_bash(word: str) -> None:
    words = subprocess.run(["bash", "-c", f"echo {word}"], capture_output=True, text=True, check=True).stdout.split()
    patterns = _removed(word)
    assert len(patterns) < len(words)
    assert [one for one in words if not any(fnmatchcase(f"/repo/{one}", pattern) for pattern in patterns)] == []
