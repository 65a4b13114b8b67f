"""Commands and what they would do, as data: one file a family in reading/, one case a command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from interlock.effects import effect_names
from interlock.facts import Facts
from interlock.reading.bash import follow_bash
from interlock.reading.paths import Unsettled, settle

FOLDER = Path(__file__).parent / "reading"
KEYS = {"command", "actions", "effects", "target", "tags", "opaque"}


class EveryPathLeadsWhereItSays(dict[str, str]):
    def get(self, path: str, default: Any = None) -> Any:
        try:
            return settle(path, cwd="/", home="/home/user")
        except Unsettled:
            return default


FACTS = Facts(root="/repo", home="/home/user", real=EveryPathLeadsWhereItSays())
CASES = [
    pytest.param(case, id=f"{file.stem}: {case['command'][:70]}")
    for file in sorted(FOLDER.glob("*.yaml"))
    for case in yaml.safe_load(file.read_text()) or []
]


@pytest.mark.parametrize("case", CASES)
def test_a_command_is_read_as_what_it_would_do(case: dict[str, Any]) -> None:
    assert set(case) <= KEYS
    reading = follow_bash(case["command"], cwd="/repo", facts=FACTS)
    assert bool(reading.opaque) is case.get("opaque", False), [part.reason for part in reading.opaque]
    names = {action.name for action in reading.actions}
    assert set(case.get("actions", ())) <= names, names
    if "effects" in case:
        assert list(effect_names(effect for action in reading.actions for effect in action.effects)) == case["effects"]
    targets = [dict(action.target) for action in reading.actions]
    if "target" in case:
        assert any(case["target"].items() <= target.items() for target in targets), targets
    marks = {mark for action in reading.actions for mark in action.tags}
    assert set(case.get("tags", ())) <= marks, marks
