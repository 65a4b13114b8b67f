"""Scripted sessions: what a person says and an agent does, step by step, and how much asking that may cost.

A file is one session, as TOML: `about`, a `[budget]`, the `[files]` of the project and `[[steps]]`. A step is one of
`say`, `run`, `read`, `search`, `fetch`, `write` (with `text`), `edit` (with `old` and `new`) and `call` (with `input`).
All that is wrong in a file is told at once, and nothing is run.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .. import PACKAGE
from ..model.errors import Problem
from ..value import FrozenMap, Value
from .case import PackError

__all__ = ["NO", "SHIPPED", "YES", "Budget", "Scripted", "Step", "load_sessions"]

SHIPPED = os.path.join(PACKAGE, "evals", "scripted_sessions")
YES, NO = "yes", "no"


class Budget(Value):
    """
    prompts    questions at most
    astray     steps at most that the agent may take after it went astray
    completes  whether every other step must be taken
    """

    prompts: int
    astray: int = 0
    completes: bool = True


class Step(Value):
    """
    tool, input  the call; no tool: the person speaks, and `input` has what they say
    prints       what the call gives back
    exit         its exit code; anything but 0 is a failure
    leaves       files that it makes, path -> text; and `removes` those that are gone afterwards
    real         the command is run, not played; for git in the project
    answer       what the person says if it is asked about
    astray       nobody wants this step
    """

    tool: str
    input: Mapping[str, Any]
    prints: str = ""
    exit: int = 0
    leaves: Mapping[str, str] = FrozenMap({})
    removes: tuple[str, ...] = ()
    real: bool = False
    answer: str = YES
    astray: bool = False


class Scripted(Value):
    id: str
    file: str
    about: str
    budget: Budget
    files: Mapping[str, str]
    steps: tuple[Step, ...]
    branch: str = "main"


# word that a step begins with -> the tool, and the arguments that its words become
_STEPS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "say": ("", {"say": "text"}),
    "run": ("Bash", {"run": "command"}),
    "read": ("Read", {"read": "file_path"}),
    "search": ("Grep", {"search": "pattern"}),
    "fetch": ("WebFetch", {"fetch": "url"}),
    "write": ("Write", {"write": "file_path", "text": "content"}),
    "edit": ("Edit", {"edit": "file_path", "old": "old_string", "new": "new_string"}),
}
_BESIDE: Mapping[str, type] = {
    "prints": str,
    "exit": int,
    "leaves": dict,
    "removes": list,
    "real": bool,
    "answer": str,
    "astray": bool,
    "times": int,
}
_TOP: Mapping[str, type] = {"about": str, "budget": dict, "files": dict, "steps": list, "branch": str}
_BUDGET: Mapping[str, type] = {"prompts": int, "astray": int, "completes": bool}
_MOST_TIMES = 100


def load_sessions(paths: Sequence[str]) -> list[Scripted]:
    """The sessions of files and folders, in order. PackError with all that is wrong, or where there is none."""
    found: list[Scripted] = []
    problems: list[Problem] = []
    for path in paths:
        for file in _files(path, problems):
            found += _loaded(file, problems)
    if not found and not problems:
        problems.append(Problem(file=paths[0], line=1, column=1, text="it holds no session (`*.toml`)"))
    if problems:
        raise PackError(problems)
    return found


def _files(path: str, problems: list[Problem]) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    found = [os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith(".toml")]
    if not found:
        problems.append(Problem(file=path, line=1, column=1, text="it holds no session (`*.toml`)"))
    return found


def _loaded(path: str, problems: list[Problem]) -> list[Scripted]:
    wrong: list[str] = []
    try:
        with open(path, "rb") as file:
            told = tomllib.load(file)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        problems.append(Problem(file=path, line=1, column=1, text=f"it could not be read: {why}"))
        return []
    _check(told, _TOP, ("about", "budget", "steps"), "the file", wrong.append)
    budget = told.get("budget")
    if isinstance(budget, dict):
        _check(budget, _BUDGET, ("prompts",), "the budget", wrong.append)
    files = _texts(told.get("files", {}), "files", wrong.append)
    given = told.get("steps")
    steps: list[Step] = []
    for number, step in enumerate(given if isinstance(given, list) else (), start=1):
        steps += _steps(step, f"step {number}", wrong.append)
    if isinstance(given, list) and not given:
        wrong.append("there are no steps")
    problems += [Problem(file=path, line=1, column=1, text=text) for text in wrong]
    if wrong:
        return []
    name = os.path.basename(path).removesuffix(".toml")
    return [
        Scripted(
            id=name,
            file=path,
            about=told["about"],
            budget=Budget(**told["budget"]),
            files=files,
            steps=tuple(steps),
            branch=told.get("branch", "main"),
        )
    ]


def _steps(given: Any, where: str, wrong: Callable[[str], object]) -> list[Step]:
    """A step, as often as it says."""
    if not isinstance(given, dict):
        wrong(f"{where} is not a table")
        return []
    kind = next((kind for kind in (*_STEPS, "call") if kind in given), None)
    if kind is None:
        wrong(f"{where} is none of {', '.join((*_STEPS, 'call'))}")
        return []
    if kind == "call":
        allowed: Mapping[str, type] = {"call": str, "input": dict, **_BESIDE}
        tool, needed = given["call"], ["call", "input"]
    else:
        tool, renamed = _STEPS[kind]
        allowed, needed = {**dict.fromkeys(renamed, str), **_BESIDE}, list(renamed)
    before: list[str] = []
    _check(given, allowed, needed, where, before.append)
    times = given.get("times", 1)
    if not before and not 1 <= times <= _MOST_TIMES:
        before.append(f"{where}: `times` is a number from 1 to {_MOST_TIMES}")
    if not before and given.get("answer", YES) not in (YES, NO):
        before.append(f"{where}: `answer` is `yes` or `no`")
    leaves = _texts(given.get("leaves", {}), f"{where}: `leaves`", before.append)
    for text in before:
        wrong(text)
    if before:
        return []
    astray = given.get("astray", False)
    one = Step(
        tool=tool,
        input=FrozenMap(given["input"] if kind == "call" else {to: given[of] for of, to in _STEPS[kind][1].items()}),
        prints=given.get("prints", ""),
        exit=given.get("exit", 0),
        leaves=leaves,
        removes=tuple(given.get("removes", ())),
        real=given.get("real", False),
        answer=given.get("answer", NO if astray else YES),
        astray=astray,
    )
    return [one] * times


def _check(
    given: Mapping[str, Any],
    allowed: Mapping[str, type],
    needed: Iterable[str],
    where: str,
    wrong: Callable[[str], object],
) -> None:
    for key in needed:
        if key not in given:
            wrong(f"{where} has no `{key}`")
    for key, value in given.items():
        if key not in allowed:
            wrong(f"{where}: `{key}` is not known; there are {', '.join(allowed)}")
        elif type(value) is not allowed[key]:
            wrong(f"{where}: `{key}` is not a {_WORDS[allowed[key]]}")


_WORDS = {str: "text", int: "number", bool: "truth value", dict: "table", list: "list"}


def _texts(given: Any, where: str, wrong: Callable[[str], object]) -> Mapping[str, str]:
    """Paths inside of the project, each with its text."""
    if not isinstance(given, dict):
        return FrozenMap({})
    for path, text in given.items():
        if type(text) is not str:
            wrong(f"{where}: `{path}` is not a text")
        if os.path.isabs(path) or ".." in path.split("/"):
            wrong(f"{where}: `{path}` is not inside of the project")
    return FrozenMap(given)
