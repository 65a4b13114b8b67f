"""Sentences are for people: whatever they say, the same things are read and the same verdicts found."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import FACTS, rows_of
from interlock.evals.lexical import bench_for
from interlock.evals.pack import load_pack
from interlock.evals.runner import run_cases
from interlock.evals.shipped import shipped
from interlock.reading.bash import follow_bash
from interlock.reading.evaluate import origins
from interlock.reading.evaluate.state import Found
from interlock.reading.runs.programs import programs_of

TESTS = Path(__file__).parent.parent
READING = TESTS.parent / "src/interlock/reading"
COMMANDS = [
    case["command"] for file in sorted((TESTS / "conformance/reading").glob("*.yaml")) for case in rows_of(file)
]
CASES = {pack.name: [case for case in load_pack(pack.path) if case.stage is None] for pack in shipped()}
PACKS = {name: cases for name, cases in CASES.items() if cases}  # without those that need files on disk


class Shuffled:
    """Each sentence becomes another one, the same each time, and no two become one."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.made: dict[str, str] = {}

    def say(self, sentence: str) -> str:
        if sentence not in self.made:
            words = ["a path that `fs:delete` uses", "written in this session", "lies outside the project", "syntax:"]
            said = f"{self.chance.choice(words)} {self.chance.getrandbits(64):x} the value of `HOME`"
            self.made[sentence] = said
        return self.made[sentence]


@contextmanager
def other_sentences(seed: int) -> Iterator[None]:
    other = Shuffled(seed)
    before = Found.unclear

    def unclear(self: Found, reason: str, span: tuple[int, int], **more: Any) -> None:
        before(self, other.say(reason), span, **more)

    texts = {kind: tuple([other.say(f"{kind} {at}") for at in (0, 1)]) for kind in origins.SENTENCES}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Found, "unclear", unclear)
        patch.setattr(origins, "SENTENCES", texts)
        yield


def everything_read(command: str) -> object:
    found = follow_bash(command, cwd="/repo", facts=FACTS)
    parts = [(part.field, part.span, part.kind) for part in found.opaque]
    return found.actions, parts, found.missing, programs_of(command, cwd="/repo", facts=FACTS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_no_action_is_read_differently_under_other_sentences(seed: int) -> None:
    read = {command: everything_read(command) for command in COMMANDS}
    with other_sentences(seed):
        assert [command for command in read if everything_read(command) != read[command]] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKS)
def test_no_verdict_changes_under_other_sentences(name: str) -> None:
    cases = PACKS[name]
    results = list(run_cases(cases, bench_for()))
    for seed in (1, 2):
        with other_sentences(seed):
            others = list(run_cases(cases, bench_for()))
        pairs = zip(results, others, strict=True)
        assert [result.case.id for result, other in pairs if result.verdict != other.verdict] == []


def test_every_kind_of_origin_has_its_sentence_and_no_other_has() -> None:
    tree = ast.parse((READING / "evaluate/origins.py").read_text(encoding="utf-8"))
    (listed,) = [
        node for node in ast.walk(tree) if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal"
    ]
    assert sorted(ast.literal_eval(listed.slice)) == sorted(origins.SENTENCES)


@pytest.mark.slow
def test_sentences_stand_only_in_texts() -> None:
    """`arg.why` in a comparison would make a verdict depend on how something is said."""
    wrong = []
    for file in sorted(READING.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        shown = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare | ast.Call) and _asks_a_sentence(node) and id(node) not in shown:
                wrong.append(f"{file.name}:{node.lineno}: {ast.unparse(node)}")
    assert wrong == []


def _asks_a_sentence(node: ast.Compare | ast.Call) -> bool:
    if isinstance(node, ast.Compare):
        asked = [node.left, *node.comparators]
    else:
        asked = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    return any(isinstance(one, ast.Attribute) and one.attr in ("why", "reason") for one in asked)
