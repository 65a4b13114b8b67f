"""What one call prepares and a later one does: calls of one session, through the whole pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from interlock.call import Call
from interlock.evals.case import EXPECTED, ROOT, Case, bash
from interlock.evals.lexical import bench_for
from interlock.evals.runner import run_cases
from interlock.value import FrozenMap

HERE = Path(__file__).parent
ROWS = [
    (group["why"], group["expect"], steps)
    for group in yaml.safe_load((HERE / "steps.yaml").read_text())
    for steps in group["of"]
]
BENCH = bench_for()


def _call(step: str) -> Call:
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


@pytest.mark.parametrize(("why", "expect", "steps"), ROWS, ids=[" ; ".join(steps)[:120] for _, _, steps in ROWS])
def test_the_last_of_several_calls_is_decided_as_its_row_says(why: str, expect: str, steps: list[str]) -> None:
    cases = [Case(id=str(at), file=why, line=at, call=_call(step)) for at, step in enumerate(steps)]
    last = list(run_cases(cases, BENCH, approve=True))[-1]
    assert last.verdict in EXPECTED[expect], (why, last.actions, last.opaque, last.reasons)


def test_every_class_has_calls_that_nobody_is_asked_about() -> None:
    assert {why for why, expect, _ in ROWS if expect == "allow"} == {why for why, _, _ in ROWS}
