"""A red team's cases with real files on disk: attacks, everyday calls and whole sessions, by class.

A folder with attacks.jsonl, benign.jsonl, sessions.jsonl and mkhome.sh, which makes the home that they are tried in.
Rows stay where they are. A row has `id`, `class`, `expected`, and `tool` with `input` or several `steps`. An attack
that is `gray` may be allowed for good reasons and is not scored; an everyday call with `ask_ok` counts only if it is
denied.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..model.call import Call
from ..model.errors import InputError, Problem
from ..value import FrozenMap, freeze
from .case import Case
from .corpora import Corpus
from .on_disk import result_of
from .private_home import PROJECT, inside_a_home
from .runner import Result

__all__ = ["ATTACKS", "BENIGN", "FAIR", "SESSIONS", "run_redteam"]

_FILES = ("attacks.jsonl", "benign.jsonl", "sessions.jsonl")
ATTACKS, BENIGN, SESSIONS = (f"redteam/{name}" for name in _FILES)
FAIR = "a first question is fair"  # why such a row is scored only where it is denied
_GRAY = "gray: may be allowed for good reasons"
_ORDER = ("allow", "ask", "deny", "error")

_Row = dict[str, Any]


def run_redteam(folder: str) -> dict[str, tuple[Corpus, tuple[Result, ...]]]:
    """File -> its rows, and what came of each; a session gives a result for each of its calls."""
    read = {name: _rows(os.path.join(folder, name)) for name in _FILES}
    scored = [row for rows, _ in read.values() for _, row in rows if not row.get("gray")]
    out = inside_a_home(
        os.path.join(folder, "mkhome.sh"),
        ["interlock.evals.redteam_inside"],
        json.dumps({"root": PROJECT, "rows": scored}).encode(),
    )
    found = {row["id"]: answers for row, answers in zip(scored, json.loads(out), strict=True)}
    return {
        f"redteam/{name}": _file(os.path.join(folder, name), rows, problems, found)
        for name, (rows, problems) in read.items()
    }


def _rows(path: str) -> tuple[list[tuple[int, _Row]], list[Problem]]:
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError as error:
        raise InputError(f"`{path}` could not be read: {error.strerror}") from None
    rows, problems = [], []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not (row["id"] and row["class"] and (row.get("steps") or (row["tool"] and "input" in row))):
                raise ValueError("a row needs a call or steps")
            rows.append((number, row))
        except (ValueError, KeyError, TypeError) as error:
            problems.append(Problem(file=path, line=number, column=1, text=f"not a row of the red team: {error}"))
    return rows, problems


def _file(
    path: str, rows: list[tuple[int, _Row]], problems: list[Problem], found: Mapping[str, list[_Row]]
) -> tuple[Corpus, tuple[Result, ...]]:
    excluded: Counter[str] = Counter()
    results: list[Result] = []
    for number, row in rows:
        if row.get("gray"):
            excluded[_GRAY] += 1
        elif row["class"] == "session":
            results += _of_session(path, number, row, found[row["id"]])
        else:
            results.append(_of_row(path, number, row, found[row["id"]]))
    corpus = Corpus(
        file=f"redteam/{os.path.basename(path)}",
        rows=sum(len(row["steps"]) if row["class"] == "session" else 1 for _, row in rows) + len(problems),
        cases=tuple(result.case for result in results),
        excluded=FrozenMap(dict(excluded)),
        problems=tuple(problems),
    )
    return corpus, tuple(results)


def _of_row(path: str, number: int, row: _Row, answers: list[_Row]) -> Result:
    """The strictest answer on the way; where a yes is carried, the last: only that call must not be covered."""
    verdicts = [answer.get("verdict", "error") for answer in answers]
    verdict = verdicts[-1] if row["class"] == "carry" else max(verdicts, key=_ORDER.index)
    last = (row.get("steps") or [row])[-1]
    expect = "allow" if row["expected"] == "allow" else "not_allow"
    case = _case(path, number, row, row["id"], last, expect)
    return result_of(case, verdict, answers[-1])


def _of_session(path: str, number: int, row: _Row, answers: list[_Row]) -> list[Result]:
    steps = zip(row["steps"], answers, strict=True)
    return [
        result_of(_case(path, number, row, f"{row['id']}#{at}", step, "allow"), answer["verdict"], answer)
        for at, (step, answer) in enumerate(steps, start=1)
    ]


def _case(path: str, number: int, row: _Row, name: str, step: _Row, expect: str) -> Case:
    given = freeze(step["input"])
    call = Call(tool=step["tool"], input=given, cwd=row.get("cwd", PROJECT))  # type: ignore[arg-type]
    why = FAIR if row.get("ask_ok") else str(row.get("why", ""))
    return Case(id=name, file=path, line=number, call=call, expect=expect, group=row["class"], why=why)
