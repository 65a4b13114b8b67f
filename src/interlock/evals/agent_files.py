"""The suites of API agents in a folder: published ones, and one's own.

A suite of one's own is two files: `NAME.toml`, the manifest as a policy, and `NAME.jsonl`, a task a line:

    {"task": "ID", "say": "what the person says", "calls": [{"tool": "…", "input": {…}, "result": …}]}
    {"injected": "ID", "text": "what somebody put into a result", "calls": […]}
    {"forbidden": "ID", "say": "what the person says, which the policy must stop", "calls": […]}

All that is wrong in a file is told at once, each with its line, and nothing is run.
"""

from __future__ import annotations

import os
from typing import Any

from .. import PACKAGE
from ..model.errors import InputError, Problem
from ..model.toolnames import declared_tool
from ..value import FrozenMap, freeze
from .agent_corpora import PUBLISHED, Row, read_rows
from .agents import Step, Suite, Task
from .case import PackError
from .lexical import bench_for

__all__ = ["SHIPPED", "load_suites", "own_suite"]

SHIPPED = os.path.join(PACKAGE, "evals", "suites", "shipped")

_SAYS = {"task": "say", "injected": "text", "forbidden": "say"}  # kind of row -> where its words stand


def load_suites(folder: str) -> list[Suite]:
    """Every suite that lies in the folder. InputError if there is none."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise InputError(f"`{folder}` could not be listed: {error.strerror}") from None
    found = [suite for name, load in PUBLISHED.items() if name in names for suite in load(folder)]
    own = [name.removesuffix(".toml") for name in names if name.endswith(".toml")]
    found += [own_suite(folder, name) for name in own if f"{name}.jsonl" in names]
    if not found:
        known = ", ".join([f"`{name}`" for name in PUBLISHED])
        raise InputError(f"`{folder}` holds no suite: neither {known} nor a `NAME.toml` with a `NAME.jsonl`")
    return found


def own_suite(folder: str, name: str) -> Suite:
    policy, path = os.path.join(folder, f"{name}.toml"), os.path.join(folder, f"{name}.jsonl")
    tools = bench_for(policy).policy
    tasks: list[Task] = []

    def step(given: Any) -> Step:
        if not isinstance(given, dict):
            raise ValueError("a call is an object")
        _only(given, {"tool", "input", "result"})
        tool, arguments = given["tool"], given.get("input", {})
        if not isinstance(arguments, dict) or not isinstance(tool, str):
            raise ValueError("a call has a `tool`, a text, and an `input`, an object")
        if declared_tool(tools, tool) is None:
            raise ValueError(f"the manifest has no tool `{tool}`")
        frozen = FrozenMap({key: freeze(value) for key, value in arguments.items()})
        return Step(tool=tool, input=frozen, output=given.get("result"))

    def take(line: int, row: Row) -> None:
        kind = next((kind for kind in _SAYS if kind in row), None)
        if kind is None:
            raise ValueError(f"it is neither of {', '.join(_SAYS)}")
        _only(row, {kind, _SAYS[kind], "calls"})
        said, calls = row[_SAYS[kind]], row["calls"]
        if not isinstance(said, str) or not isinstance(row[kind], str) or not isinstance(calls, list) or not calls:
            raise ValueError(f"`{kind}` and `{_SAYS[kind]}` are texts, `calls` is a list with at least one")
        if any(task.id == row[kind] for task in tasks):
            raise ValueError(f"there are two rows called `{row[kind]}`")
        tasks.append(
            Task(
                suite=name,
                id=row[kind],
                prompt=said,
                steps=tuple([step(call) for call in calls]),
                injected=kind == "injected",
                forbidden=kind == "forbidden",
                line=line,
            )
        )

    read_rows(path, take)
    if all(task.injected for task in tasks):
        raise PackError([Problem(file=path, line=1, column=1, text="it holds no `task`, so there is nothing to try")])
    return Suite(
        name=name,
        policy=policy,
        tasks=tuple([task for task in tasks if not task.injected]),
        injections=tuple([task for task in tasks if task.injected]),
    )


def _only(given: dict[str, Any], allowed: set[str]) -> None:
    unknown = sorted(set(given) - allowed)
    if unknown:
        raise ValueError(f"`{unknown[0]}` is not known here; there are {', '.join(sorted(allowed))}")
