"""Packs: what a case may say, and how mistakes are told."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from interlock.evals.case import Case, PackError, WantedAction
from interlock.evals.pack import load_pack
from interlock.model.call import Call
from interlock.model.errors import InputError
from interlock.value import FrozenMap

YAML = """\
- id: read
  call: {tool: Read, input: {file_path: a.txt}}
  expect: allow
  actions: [{name: fs:read, target: {path: /work/a.txt}}]
  effects: read
  opaque: false
  session: s
  root: /work
  why: reading is free

- id: list
  command: ls
  expect: not_deny
  effects: [execute]
"""


def _pack(folder: Path, text: str, name: str = "pack.yaml") -> str:
    file = folder / name
    file.write_text(text)
    return str(file)


def test_a_yaml_pack_in_full(tmp_path: Path) -> None:
    path = _pack(tmp_path, YAML)
    assert load_pack(path) == (
        Case(
            id="read",
            file=path,
            line=1,
            call=Call(tool="Read", input=FrozenMap({"file_path": "a.txt"}), cwd="/work", session="s"),
            root="/work",
            expect="allow",
            actions=(WantedAction(name="fs:read", target=FrozenMap({"path": "/work/a.txt"})),),
            effects="read",
            opaque=False,
            why="reading is free",
        ),
        Case(
            id="list",
            file=path,
            line=11,
            call=Call(tool="Bash", input=FrozenMap({"command": "ls"}), cwd="/repo"),
            expect="not_deny",
            effects=("execute",),
        ),
    )


def test_jsonl_says_the_same_as_yaml(tmp_path: Path) -> None:
    import yaml

    lines = "\n\n".join(json.dumps(case) for case in yaml.safe_load(YAML))
    found = load_pack(_pack(tmp_path, lines, "pack.jsonl"))
    same = load_pack(_pack(tmp_path, YAML))
    assert [case.line for case in found] == [1, 3]
    assert [c.replace(file="", line=0) for c in found] == [c.replace(file="", line=0) for c in same]


def test_every_mistake_is_told_at_once_with_its_place(tmp_path: Path) -> None:
    path = _pack(
        tmp_path,
        """\
- {id: typo, command: ls, expect: allow, expct: deny}
- {command: ls, expect: maybe}
- {id: two, command: ls, call: {tool: Bash, input: {}}, expect: allow}
- {id: none, expect: allow}
- {id: kinds, call: {tool: 3, input: {}}, expect: allow, actions: fs, effects: [burns], opaque: 1, root: here}
- just words
- {id: good, command: ls, expect: allow}
- {id: good, command: ls, expect: allow}
- {id: empty, command: ls}
- {id: dated, command: ls, expect: allow, why: 2026-01-01}
- {id: first, id: second, command: ls, expect: allow}
""",
    )
    with pytest.raises(PackError) as caught:
        load_pack(path)
    assert sorted((problem.line, problem.text) for problem in caught.value.problems) == [
        (1, "case `typo`: unknown key `expct`; did you mean `expect`?"),
        (2, "`expect` must be one of allow, ask, deny, not_allow, not_deny"),
        (2, "`id` is missing"),
        (3, "case `two`: `call` and `command` exclude each other"),
        (4, "case `none`: `call` (or `command`) is missing"),
        (5, "case `kinds`: `actions` must be a list"),
        (5, "case `kinds`: `call`: `tool` must be a text that names the tool"),
        (
            5,
            "case `kinds`: `effects` must be one of read, write, network, execute, spawn, destructive, "
            "or a list of them",
        ),
        (5, "case `kinds`: `opaque` must be true or false"),
        (5, "case `kinds`: `root` must be an absolute path"),
        (6, "a case is an object with `id`, `call` or `command`, and `expect`"),
        (8, "case `good`: line 7 has this `id` already"),
        (9, "case `empty`: `expect` is missing"),
        (10, "`2026-01-01` is not a JSON value; put it in quotes"),
        (11, "the key `id` occurs twice"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("- id: a\n  command: [\n", 3, "the file is not YAML"),
        ("id: a\n", 1, "a YAML pack is a list of cases"),
        ("", 1, "a YAML pack is a list of cases"),
        ("[]", 1, "the pack holds no cases"),
        ("- &a [*a]\n", 1, "cannot be used as YAML"),
        ("- id: 2026-99-99\n", 1, "cannot be used as YAML"),
        ("- id: \x07\n", 1, "not YAML"),
        ("- !!python/object/apply:os.getcwd []\n", 1, "not YAML"),
    ],
)
def test_bad_yaml_is_told_by_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(PackError) as caught:
        load_pack(_pack(tmp_path, text))
    (problem,) = caught.value.problems
    assert problem.line == line
    assert words in problem.text


def test_bad_json_is_told_by_line(tmp_path: Path) -> None:
    good = '{"id": "a", "command": "ls", "expect": "ask"}'
    with pytest.raises(PackError) as caught:
        load_pack(_pack(tmp_path, f'{good}\n{{"id": \n[]\n', "pack.jsonl"))
    assert [problem.line for problem in caught.value.problems] == [2, 3]


def test_without_pyyaml_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(InputError, match="pip install pyyaml"):
        load_pack(_pack(tmp_path, YAML))
