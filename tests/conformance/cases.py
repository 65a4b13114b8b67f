"""How a row of each file here becomes calls: shared by the tests and by what keeps the exact readings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from interlock.evals.case import ROOT, bash
from interlock.model.call import Call
from interlock.model.facts import Facts
from interlock.reading.places.paths import Unsettled, settle
from interlock.value import FrozenMap

__all__ = ["FACTS", "called", "calls_of_test_files", "rows_of"]


class EveryPathLeadsWhereItSays(dict[str, str]):
    def get(self, path: str, default: Any = None) -> Any:
        try:
            return settle(path, cwd="/", home="/home/user")
        except Unsettled:
            return default


FACTS = Facts(root="/repo", home="/home/user", real=EveryPathLeadsWhereItSays())


def rows_of(file: Path) -> list[Any]:
    return list(yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader) or [])


def called(step: str) -> Call:
    """A step of steps.yaml: a command, `write PATH: TEXT` or `edit PATH: OLD -> NEW`."""
    tool, _, rest = step.partition(" ")
    if tool not in ("write", "edit"):
        return bash(step, ROOT, "s")
    path, _, text = rest.partition(": ")
    if tool == "write":
        given = {"file_path": f"{ROOT}/{path}", "content": text + "\n"}
        return Call(tool="Write", input=FrozenMap(given), cwd=ROOT, session="s")
    old, _, new = text.partition(" -> ")
    given = {"file_path": f"{ROOT}/{path}", "old_string": old, "new_string": new}
    return Call(tool="Edit", input=FrozenMap(given), cwd=ROOT, session="s")


def calls_of_test_files(row: dict[str, Any]) -> list[Call]:
    """The files of a row are written, then the tests are run."""
    files = row.get("files") or {"tests/test_it.py": row["text"]}
    written = [
        Call(tool="Write", input=FrozenMap({"file_path": f"{ROOT}/{path}", "content": text}), cwd=ROOT, session="s")
        for path, text in files.items()
    ]
    return [*written, bash(row.get("run", "pytest"), ROOT, "s")]
