"""Sentences are for people: whatever they say, the same things are read and the same verdicts found."""

from __future__ import annotations

import ast
import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from interlock.evals.lexical import bench_for
from interlock.evals.pack import load_pack
from interlock.evals.runner import run_cases
from interlock.facts import Facts
from interlock.reading.bash import follow_bash
from interlock.reading.evaluate import origins
from interlock.reading.evaluate.state import Found
from interlock.reading.paths import Unsettled, settle
from interlock.reading.programs import programs_of

TESTS = Path(__file__).parent.parent
READING = TESTS.parent / "src/interlock/reading"
COMMANDS = [
    case["command"]
    for file in sorted((TESTS / "conformance/reading").glob("*.yaml"))
    for case in yaml.safe_load(file.read_text(encoding="utf-8")) or []
]
PACKS = ("attacks", "dangerous", "everyday", "leaks", "printed", "tasks", "twins")


class WhereItSays(dict[str, str]):
    def get(self, path: str, default: Any = None) -> Any:
        try:
            return settle(path, cwd="/", home="/home/user")
        except Unsettled:
            return default


FACTS = Facts(root="/repo", home="/home/user", real=WhereItSays())


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


@pytest.fixture(params=[1, 2])
def shuffled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Shuffled(request.param)
    before = Found.unclear

    def unclear(self: Found, reason: str, span: tuple[int, int], **more: Any) -> None:
        before(self, other.say(reason), span, **more)

    monkeypatch.setattr(Found, "unclear", unclear)
    texts = {kind: tuple([other.say(f"{kind} {at}") for at in (0, 1)]) for kind in origins.SENTENCES}
    monkeypatch.setattr(origins, "SENTENCES", texts)


def everything_read(command: str) -> object:
    found = follow_bash(command, cwd="/repo", facts=FACTS)
    parts = [(part.field, part.span, part.kind) for part in found.opaque]
    return found.actions, parts, found.missing, programs_of(command, cwd="/repo", facts=FACTS)


READ = {command: everything_read(command) for command in COMMANDS}
VERDICTS = {
    name: [result.verdict for result in run_cases(load_pack(str(TESTS / f"conformance/{name}.yaml")), bench_for())]
    for name in PACKS
}


@pytest.mark.usefixtures("shuffled")
def test_no_action_is_read_differently_under_other_sentences() -> None:
    assert [command for command in COMMANDS if everything_read(command) != READ[command]] == []


@pytest.mark.usefixtures("shuffled")
@pytest.mark.parametrize("name", PACKS)
def test_no_verdict_changes_under_other_sentences(name: str) -> None:
    cases = load_pack(str(TESTS / f"conformance/{name}.yaml"))
    results = run_cases(cases, bench_for())
    pairs = zip(results, VERDICTS[name], strict=True)
    assert [result.case.id for result, verdict in pairs if result.verdict != verdict] == []


def test_every_kind_of_origin_has_its_sentence_and_no_other_has() -> None:
    tree = ast.parse((READING / "evaluate/origins.py").read_text(encoding="utf-8"))
    (listed,) = [
        node for node in ast.walk(tree) if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal"
    ]
    assert sorted(ast.literal_eval(listed.slice)) == sorted(origins.SENTENCES)


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
