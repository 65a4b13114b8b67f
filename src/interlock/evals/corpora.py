"""Other people's collections of commands, recognised by the name of the file, as cases.

The rows stay where they are: a corpus is read from the folder it lies in and never copied. An
adapter turns one row into a case, or says why that row is not scored; a row that it cannot
take at all is a problem. So rows in = scored cases + excluded rows + problems, and nothing is lost.
A row that is cut short is excluded and a case as well: its session goes on from what can be read of it.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping

from ..approve.glob import matches
from ..model.errors import InputError, Problem
from ..value import FrozenMap, Value
from .adapters import ADAPTERS, CUT, PREPARED, Excluded, Row
from .case import Case
from .compared import COMPARED

__all__ = ["ASIDE", "Corpus", "Survey", "load_corpus", "set_aside", "survey"]


class Corpus(Value):
    """`rows` is counted from the file itself, apart from what the adapter made of it."""

    file: str
    rows: int
    cases: tuple[Case, ...]
    excluded: Mapping[str, int]  # why -> how many
    problems: tuple[Problem, ...]


class Survey(Value):
    """The files of a folder: what is scored, what is known and set aside, what is neither, what is not there."""

    scored: tuple[str, ...]
    compared: tuple[str, ...]
    aside: Mapping[str, str]
    unknown: tuple[str, ...]
    missing: tuple[str, ...]


def survey(folder: str) -> Survey:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise InputError(f"`{folder}` could not be listed: {error.strerror}") from None
    aside = {name: why for name in names if (why := set_aside(name)) is not None}
    return Survey(
        scored=tuple(os.path.join(folder, name) for name in names if name in ADAPTERS),
        compared=tuple(os.path.join(folder, name) for name in names if name in COMPARED),
        aside=FrozenMap(aside),
        unknown=tuple(name for name in names if name not in ADAPTERS and name not in COMPARED and name not in aside),
        missing=tuple(name for name in (*ADAPTERS, *COMPARED) if name not in names),
    )


def set_aside(name: str) -> str | None:
    """Why a file of this name is known and not scored."""
    return next((why for pattern, why in ASIDE.items() if matches(pattern, name)), None)


def load_corpus(path: str) -> Corpus:
    name = os.path.basename(path)
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except OSError as error:
        raise InputError(f"`{path}` could not be read: {error.strerror}") from None
    problems: list[Problem] = []
    rows: list[tuple[int, Row]] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                rows.append((number, _object(line)))
            except ValueError as error:
                problems.append(Problem(file=path, line=number, column=1, text=f"the row cannot be read: {error}"))
    prepare = PREPARED.get(name)
    if prepare is not None:
        rows = prepare(rows)
    cases: list[Case] = []
    excluded: Counter[str] = Counter()
    ids: Counter[str] = Counter()
    for number, row in rows:
        try:
            fields = ADAPTERS[name](row)
        except Excluded as why:
            excluded[str(why)] += 1
        except (KeyError, TypeError, ValueError) as error:
            text = f"the row does not have the shape of {name}: {type(error).__name__} {error}"
            problems.append(Problem(file=path, line=number, column=1, text=text))
        else:
            own = fields.pop("id", None) or str(row.get("id", number))
            ids[own] += 1
            if fields.get("cut"):
                excluded[CUT] += 1
            cases.append(Case(id=own if ids[own] == 1 else f"{own}~{ids[own]}", file=path, line=number, **fields))
    count = sum(1 for line in lines if line.strip())
    return Corpus(
        file=name, rows=count, cases=tuple(cases), excluded=FrozenMap(dict(excluded)), problems=tuple(problems)
    )


def _object(line: bytes) -> Row:
    row = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError("it is not an object")
    return row


# Known by name, and why their rows are no cases. A `*` stands for any text. Those that the scoreboard runs on their own
# are scored there, and listed with the others.
ASIDE = {
    "README.md": "about the files",
    "agentdojo_tasks.jsonl": "API agents: run on their own, see `interlock eval agents`",
    "agentdojo_calls.jsonl": "the calls of the tasks in agentdojo_tasks.jsonl",
    "agentdojo_injection_supplement.jsonl": "calls of injected tasks in agentdojo_tasks.jsonl",
    "agentdojo_user_traces.jsonl": "the calls and results of the tasks in agentdojo_tasks.jsonl",
    "agentdojo_runs_*": "runs without what the tools gave back: where their values came from cannot be told",
    "agentdojo_tools.json": "schemas of the tools, whose manifests are written by hand",
    "mind2web_sc.jsonl": "API agents: run on their own, see `interlock eval agents`",
    "roleos_live_tool-contracts.json": "its rows carry their contracts",
    "nous_plan_enforcer.jsonl": "plans: run on their own, see the figure `plans`",
    "signet_tamper_shapes.txt": "ways to tamper with a ledger: run on their own, see the figure `tampering`",
    "spine_lite_manifests.json": "the manifests that the rows beside it hold",
    "tau2_actions.jsonl": "API agents: run on their own, see `interlock eval agents`",
}
