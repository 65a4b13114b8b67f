"""Commands and what they would do, as data: one file a family in reading/, one case a command.

A case says by hand what it is about. The rest of its reading is compared too, with what exact/ keeps (test_exact.py).

command   the command line, run in /repo, which is the project; the home is /home/user
actions   names that must be among the actions; what else is read stands in exact/
effects   exactly the effects of all of them, the dominant one first
target    fields that one action must have
tags      tags that must be among the actions' tags
opaque    true if a part is not understood; otherwise everything must be
why       what the case is about; in bypasses.yaml, the row of docs/bypasses.md
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import FACTS, rows_of
from interlock.model.effects import effect_names
from interlock.reading.bash import follow_bash

FOLDER = Path(__file__).parent / "reading"
ROOT = FOLDER.parent.parent.parent
KINDS = {"command": str, "actions": list, "effects": list, "target": dict, "tags": list, "opaque": bool, "why": str}


FILES = sorted(FOLDER.glob("*.yaml"))
CASES = [(file.stem, case) for file in FILES for case in rows_of(file)]


def name_of(family: str, case: Any) -> str:
    command = case.get("command", "") if isinstance(case, dict) else ""
    return f"{family}: {command if len(command) <= 70 else command[:67] + '...'}"


@pytest.mark.parametrize("case", [pytest.param(case, id=name_of(family, case)) for family, case in CASES])
def test_a_command_is_read_as_what_it_would_do(case: dict[str, Any]) -> None:
    assert set(case) <= set(KINDS), "keys that mean nothing"
    assert set(case) > {"command"}, "a case that expects nothing"
    for key, value in case.items():
        assert isinstance(value, KINDS[key]), f"`{key}` must be a {KINDS[key].__name__}"
    reading = follow_bash(case["command"], cwd="/repo", facts=FACTS)
    assert bool(reading.opaque) is case.get("opaque", False), [part.reason for part in reading.opaque]
    names = {action.name for action in reading.actions}
    assert set(case.get("actions", ())) <= names, names
    if "effects" in case:
        assert list(effect_names(effect for action in reading.actions for effect in action.effects)) == case["effects"]
    targets = [dict(action.target) for action in reading.actions]
    if "target" in case:
        assert any(case["target"].items() <= target.items() for target in targets), targets
    tags = {tag for action in reading.actions for tag in action.tags}
    assert set(case.get("tags", ())) <= tags, tags


def test_no_command_is_there_twice() -> None:
    for file in FILES:
        commands = [case["command"] for family, case in CASES if family == file.stem]
        assert len(commands) == len(set(commands)), [name for name in commands if commands.count(name) > 1]


@pytest.mark.parametrize("filler", ["true; ", "ls && ", "echo a | ", "cd src; "])
@pytest.mark.parametrize("count", [60, 1500])
def test_the_last_of_many_commands_is_read(filler: str, count: int) -> None:
    """Some guards give up after fifty commands, or after ten thousand characters, and let the rest pass."""
    reading = follow_bash(filler * count + "rm -rf /srv/data", cwd="/repo", facts=FACTS)
    assert any(action.target.get("path") == "/srv/data" for action in reading.actions)


def test_what_is_too_long_to_follow_is_opaque() -> None:
    reading = follow_bash("true; " * 9000 + "rm -rf /srv/data", cwd="/repo", facts=FACTS)
    assert reading.opaque


def test_every_bypass_has_its_row_and_every_row_its_test() -> None:
    page = (ROOT / "docs/bypasses.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .*\| ([^|]+) \|$", page, re.MULTILINE)
    closed_by = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    labels = {case["why"] for family, case in CASES if family == "bypasses"}
    tests = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/**/test_*.py"))
    assert labels <= set(closed_by), labels - set(closed_by)
    for name in closed_by:
        assert name in labels or f"def {name}(" in tests, name
