"""The exact reading of every case in this folder, kept beside it in exact/: one file for each file of cases.

`make exact` writes them anew and prints what changed. It never touches the cases: their keys are written by hand and
say what each case is about. What is kept here is all the rest: every action with target, effects, tags, risk, and why a
part is opaque. So no reading moves without a line in the diff of a commit, and a reviewer can ask whether it should.

A file has a block for each case: its name as a JSON text; then, indented, the verdict (if the case is decided) and the
lines of `interlock.evals.exact`.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["EXACT", "Blocks", "block", "changed", "kept", "written"]

EXACT = Path(__file__).parent / "exact"
Blocks = Mapping[str, str]  # what names a case -> its lines, each of them indented


def block(lines: Iterable[str], verdict: str | None = None) -> str:
    return "".join(f"    {line}\n" for line in [*([] if verdict is None else [verdict]), *lines])


def kept(name: str) -> dict[str, str]:
    """The blocks of exact/NAME.txt; none if it is not there."""
    path = EXACT / f"{name}.txt"
    found: dict[str, str] = {}
    title = ""
    for line in path.read_text(encoding="utf-8").split("\n") if path.exists() else ():
        if line.startswith("    "):
            found[title] += line + "\n"
        elif line:
            title = json.loads(line)
            found[title] = ""
    return found


def written(blocks: Blocks) -> str:
    return "".join(json.dumps(title, ensure_ascii=False) + "\n" + text for title, text in blocks.items())


def changed(name: str, blocks: Blocks) -> str:
    """How the readings differ from what is kept, as lines for a person; empty if they do not."""
    before, after = written(kept(name)).split("\n"), written(blocks).split("\n")
    lines = difflib.unified_diff(before, after, f"exact/{name}.txt", "read now", lineterm="", n=2)
    return "\n".join(lines)
