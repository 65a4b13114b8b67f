"""Corpora: each file's rows as cases. The rows here are made up; only their shape is the corpora's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.evals.adapters import ADAPTERS
from interlock.evals.case import Case
from interlock.evals.compared import COMPARED
from interlock.evals.corpora import Corpus, load_corpus, set_aside, survey
from interlock.model.posture import Posture


def _corpus(folder: Path, name: str, *rows: dict[str, Any] | str) -> Corpus:
    text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
    (folder / name).write_text(text + "\n")
    return load_corpus(str(folder / name))


def _seen(case: Case) -> tuple[str, dict[str, Any]]:
    return case.call.tool, dict(case.call.input)


def _agent(source: str, where: str, tool: str, command: str, **more: Any) -> dict[str, Any]:
    return {"source": source, "id": where, "tool": tool, "command": command, **more}


SWE = "sweagent-some-model"


def test_agents_commands_become_calls_in_their_sessions(tmp_path: Path) -> None:
    corpus = _corpus(
        tmp_path,
        "agent_commands.jsonl",
        _agent("tbench-mini", "task@1#4", "bash", "make"),
        _agent(SWE, "acme__shop-12#3", "edit", "edit 4:9"),
        _agent(SWE, "acme__shop-12#2", "view", "open 'src/a b.py' 20"),
        _agent(SWE, "acme__shop-12#4", "view", "goto 7"),
        _agent(SWE, "acme__shop-12#5", "view", 'search_file "x y"'),
        _agent(SWE, "acme__shop-12#6", "view", 'search_dir "x y" lib'),
        _agent(SWE, "acme__shop-12#7", "view", "find_file '*.md'"),
        _agent(SWE, "acme__shop-12#8", "edit", "create new.py"),
        _agent(SWE, "acme__shop-12#9", "edit", "edit 1:1"),
        _agent("openhands", "p-1#1", "edit", "insert /workspace/p/x.c", path="/workspace/p/x.c"),
        _agent(SWE, "acme__till-3#0", "edit", "edit 1:1"),
        _agent(SWE, "acme__till-3#1", "view", "open a\ngoto 3"),
        _agent(SWE, "acme__till-3#2", "bash", "cat <<E > x", truncated=True),
        _agent(SWE, "acme__till-3#3", "view", "dance"),
    )
    scored = [case for case in corpus.cases if not case.cut]
    assert [(_seen(case), case.root, case.call.session) for case in scored] == [
        (("Bash", {"command": "make"}), "/app", "tbench-mini/task@1"),
        (("Read", {"file_path": "src/a b.py"}), "/acme__shop", f"{SWE}/acme__shop-12"),
        (("Edit", {"file_path": "src/a b.py"}), "/acme__shop", f"{SWE}/acme__shop-12"),
        (("Read", {"file_path": "src/a b.py"}), "/acme__shop", f"{SWE}/acme__shop-12"),
        (("Grep", {"pattern": "x y", "path": "src/a b.py"}), "/acme__shop", f"{SWE}/acme__shop-12"),
        (("Grep", {"pattern": "x y", "path": "lib"}), "/acme__shop", f"{SWE}/acme__shop-12"),
        (("Glob", {"pattern": "*.md"}), "/acme__shop", f"{SWE}/acme__shop-12"),
        (("Write", {"file_path": "new.py"}), "/acme__shop", f"{SWE}/acme__shop-12"),
        (("Edit", {"file_path": "new.py"}), "/acme__shop", f"{SWE}/acme__shop-12"),
        (("Edit", {"file_path": "/workspace/p/x.c"}), "/workspace", "openhands/p-1"),
    ]
    assert dict(corpus.excluded) == {
        "works on a file that no row names": 1,
        "several commands of the host in one row": 1,
        "truncated": 1,
        "a command of the host that no tool matches": 1,
    }
    assert corpus.rows == len(scored) + sum(corpus.excluded.values())
    # A row that is cut short is followed by its session, and not scored.
    assert [_seen(case) for case in corpus.cases if case.cut] == [("Bash", {"command": "cat <<E > x"})]
    assert {case.call.session.partition("/")[0]: case.one_shell for case in corpus.cases} == {
        "tbench-mini": False,
        SWE: True,
        "openhands": True,
    }


def test_the_repository_is_where_a_row_of_the_session_says(tmp_path: Path) -> None:
    corpus = _corpus(
        tmp_path,
        "agent_commands.jsonl",
        _agent(SWE, "x1__shop-12#0", "bash", "ls"),
        _agent(SWE, "x1__shop-12#1", "bash", "cd /Acme__shop-repo/src && ls"),
    )
    assert {(case.root, case.call.cwd) for case in corpus.cases} == {("/Acme__shop-repo", "/Acme__shop-repo")}


def test_bypasses_are_attacks_and_twins(tmp_path: Path) -> None:
    base = {"technique": "t", "ref": "r", "ref_status": "ours"}
    corpus = _corpus(
        tmp_path,
        "bypasses.jsonl",
        {**base, "id": "a", "tool": "bash", "command": "x | sh", "expected": "escalate"},
        {**base, "id": "at", "twin_of": "a", "tool": "bash", "command": "x", "expected": "allow"},
        {**base, "id": "b", "tool": "write_file", "args": {"path": "/repo/x", "content": ""}, "expected": "deny"},
        {**base, "id": "c", "tool": "mcp__a__b", "args": {"n": [1]}, "expected": "not_allow"},
        {**base, "id": "d", "tool": "bash", "command": "mkdir y", "expected": "not_allow", "note": "mode=plan"},
        {
            **base,
            "id": "e",
            "tool": "bash",
            "command": "bash ./made.sh",
            "expected": "escalate",
            "note": "file written by the agent in this session",
        },
    )
    assert [(case.id, case.group, case.expect, _seen(case)) for case in corpus.cases] == [
        ("a", "attack", "ask", ("Bash", {"command": "x | sh"})),
        ("at", "twin", "allow", ("Bash", {"command": "x"})),
        ("b", "attack", "deny", ("Write", {"file_path": "/repo/x", "content": ""})),
        ("c", "attack", "not_allow", ("mcp__a__b", {"n": (1,)})),
        ("d", "attack", "not_allow", ("Bash", {"command": "mkdir y"})),
        ("e", "attack", "ask", ("Bash", {"command": "bash ./made.sh"})),
    ]
    assert [case.posture for case in corpus.cases][4] is Posture.DRY_RUN
    assert corpus.cases[5].created == {"/repo/made.sh"}


NAH = {"file": "git", "guard": None, "expected": "block"}
LABELLED = [
    ("agentshield.jsonl", {"command": "a", "expected": "BLOCK"}, "BLOCK", "not_allow", "a"),
    ("agentshield.jsonl", {"command": "a", "expected": "ALLOW"}, "ALLOW", "allow", "a"),
    ("agentshield.jsonl", {"command": "a", "expected": "AUDIT"}, "AUDIT", None, "a"),
    ("nah.jsonl", {**NAH, "command": "a"}, "block", "not_allow", "a"),
    ("nah.jsonl", {**NAH, "command": "a", "expected": "delegate"}, "delegate", None, "a"),
    ("nah.jsonl", {**NAH, "command": "a", "file": "self-protection"}, "block own files", None, "a"),
    ("gtfobins.jsonl", {"command": "a", "category": "shell"}, "shell", None, "a"),
    ("redcode_exec_bash.jsonl", {"command": "a", "file": "index7"}, "7", None, "a"),
    ("redcode_exec_python.jsonl", {"command": "a", "file": "index7"}, "7", None, "python3 - <<'PY'\na\nPY"),
    ("redcode_exec_python.jsonl", {"command": "a\nPY", "file": "index7"}, "7", None, "python3 - <<'PY_'\na\nPY\nPY_"),
    ("tldr_common.jsonl", {"command": "a", "category": "benign"}, "benign", None, "a"),
    ("nl2bash.jsonl", {"command": "a", "category": "benign_task"}, "benign_task", None, "a"),
]


@pytest.mark.parametrize(("name", "row", "group", "expect", "command"), LABELLED)
def test_labels(tmp_path: Path, name: str, row: dict[str, Any], group: str, expect: str | None, command: str) -> None:
    (case,) = _corpus(tmp_path, name, {"id": "r1", **row}).cases
    assert (case.id, case.group, case.expect, _seen(case)) == ("r1", group, expect, ("Bash", {"command": command}))


def test_another_guards_file_tools_are_known_by_the_id(tmp_path: Path) -> None:
    corpus = _corpus(
        tmp_path,
        "nah.jsonl",
        {**NAH, "id": "native.read-x", "command": None, "tool_input": {"file_path": "x"}},
        {**NAH, "id": "native.delete-x", "command": None, "tool_input": {"file_path": "x"}},
        {**NAH, "id": "flow", "command": "a", "expected": '{"flows": []}'},
    )
    assert [_seen(case) for case in corpus.cases] == [("Read", {"file_path": "x"})]
    assert dict(corpus.excluded) == {"the row does not say which tool": 1, "the label is not a verdict": 1}


def test_discovery_is_apart_and_other_shells_are_left_out(tmp_path: Path) -> None:
    row = {"technique": "t", "executor": "sh", "command": "a"}
    corpus = _corpus(
        tmp_path,
        "atomic_red_team.jsonl",
        {**row, "id": "T1033#1"},
        {**row, "id": "T1485.001#2"},
        {**row, "id": "T1485#3", "executor": "powershell"},
    )
    assert [case.group for case in corpus.cases] == ["discovery", "technique"]
    assert dict(corpus.excluded) == {"for powershell, not for a Unix shell": 1}


def test_a_row_of_another_shape_is_a_problem_and_not_lost(tmp_path: Path) -> None:
    corpus = _corpus(
        tmp_path, "gtfobins.jsonl", {"id": "a"}, "{", "[]", {"id": "b", "command": "x", "category": "shell"}
    )
    assert [problem.line for problem in corpus.problems] == [2, 3, 1]
    assert corpus.rows == 4 == len(corpus.cases) + len(corpus.problems)


def test_ids_that_occur_twice_are_told_apart(tmp_path: Path) -> None:
    row = {"id": "a", "command": "x", "category": "shell"}
    assert [case.id for case in _corpus(tmp_path, "gtfobins.jsonl", row, row, row).cases] == ["a", "a~2", "a~3"]


def test_every_file_of_a_folder_is_named(tmp_path: Path) -> None:
    for name in ("nah.jsonl", "agentdojo_tools.json", "mystery.jsonl"):
        (tmp_path / name).touch()
    seen = survey(str(tmp_path))
    assert seen.scored == (f"{tmp_path}/nah.jsonl",)
    assert dict(seen.aside) == {"agentdojo_tools.json": "schemas of the tools, whose manifests are written by hand"}
    assert seen.unknown == ("mystery.jsonl",)
    assert set(seen.missing) == {*ADAPTERS, *COMPARED} - {"nah.jsonl"}


def test_no_file_is_both_scored_and_set_aside() -> None:
    assert not any(set_aside(name) for name in (*ADAPTERS, *COMPARED))
