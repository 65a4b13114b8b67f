"""The published suites of API agents, recognised by the names of their files: AgentDojo, tau2 and Mind2Web-SC.

The rows stay where they are. Each suite is judged under a manifest that comes with Interlock (`suites/*.toml`). A row
that is not understood, a file that is not there and a file without rows are errors: nothing is left out without a word.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from .. import PACKAGE
from ..model.errors import Problem
from ..value import FrozenMap, freeze
from .agents import Step, Suite, Task
from .case import PackError

__all__ = [
    "AGENTDOJO",
    "CUSTOMER",
    "MIND2WEB",
    "PUBLISHED",
    "TAU2",
    "Row",
    "agentdojo",
    "mind2web",
    "read_rows",
    "tau2",
]

AGENTDOJO, TAU2, MIND2WEB = "agentdojo_tasks.jsonl", "tau2_actions.jsonl", "mind2web_sc.jsonl"
CUSTOMER = "made by the customer, not by the agent"
_SUPPLEMENT = "agentdojo_injection_supplement.jsonl"
_FOLDER = os.path.join(PACKAGE, "evals", "suites")
_DOJO_SUITES = ("banking", "slack", "travel", "workspace")
_TAU2_SUITES = ("airline", "retail", "banking_knowledge")

Row = dict[str, Any]


def read_rows(path: str, take: Callable[[int, Row], object]) -> None:
    """Gives each row of a JSONL file to `take`. PackError with every line that cannot be taken, or for no rows."""
    problems: list[Problem] = []
    count = 0

    def wrong(line: int, text: str) -> None:
        problems.append(Problem(file=path, line=line, column=1, text=text))

    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except OSError as error:
        raise PackError(
            [Problem(file=path, line=1, column=1, text=f"it could not be read: {error.strerror}")]
        ) from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        count += 1
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError("it is not an object")
            take(number, row)
        except KeyError as error:
            wrong(number, f"the row has no {error}")
        except (TypeError, ValueError, AttributeError) as error:
            wrong(number, f"the row cannot be taken: {error}")
    if not count:
        wrong(1, "it holds no rows")
    if problems:
        raise PackError(problems)


def agentdojo(folder: str) -> list[Suite]:
    """Tasks, the traces of user tasks with their results, and the calls of injected ones."""
    steps: dict[tuple[str, str], list[Step]] = defaultdict(list)
    outputs: dict[tuple[str, str], Any] = {}

    def trace(_: int, row: Row) -> None:
        suite, tool = _one_of(row, "suite", _DOJO_SUITES), row["function"]
        steps[suite, row["task"]].append(_step(suite, tool, row["args"], row["output"]))
        outputs.setdefault((suite, tool + json.dumps(row["args"], sort_keys=True)), row["output"])
        outputs.setdefault((suite, tool), row["output"])

    def injected(row: Row) -> Step:
        suite, tool = _one_of(row, "suite", _DOJO_SUITES), row["function"]
        exact = (suite, tool + json.dumps(row["args"], sort_keys=True))
        return _step(suite, tool, row["args"], outputs.get(exact, outputs.get((suite, tool))))

    def called(_: int, row: Row) -> None:
        if _one_of(row, "kind", ("user", "injection")) == "injection":
            steps[row["suite"], row["task"]].append(injected(row))

    by_hand: dict[tuple[str, str], list[Step]] = defaultdict(list)

    def supplemented(_: int, row: Row) -> None:
        by_hand[row["suite"], row["task"]].append(injected(row))

    tasks: dict[str, list[Task]] = {suite: [] for suite in _DOJO_SUITES}
    apart: dict[str, list[Task]] = {suite: [] for suite in _DOJO_SUITES}

    def said(line: int, row: Row) -> None:
        suite, kind = _one_of(row, "suite", _DOJO_SUITES), _one_of(row, "kind", ("user", "injection"))
        task = Task(
            suite=suite,
            id=row["task"],
            prompt=row["goal" if kind == "injection" else "prompt"],
            steps=tuple(steps[suite, row["task"]]),
            injected=kind == "injection",
            line=line,
        )
        tasks[suite].append(task)
        if kind == "injection" and by_hand[suite, row["task"]] and not task.steps:
            apart[suite].append(task.replace(steps=tuple(by_hand[suite, row["task"]])))

    read_rows(os.path.join(folder, "agentdojo_user_traces.jsonl"), trace)
    read_rows(os.path.join(folder, "agentdojo_calls.jsonl"), called)
    if os.path.exists(os.path.join(folder, _SUPPLEMENT)):
        read_rows(os.path.join(folder, _SUPPLEMENT), supplemented)
    read_rows(os.path.join(folder, AGENTDOJO), said)
    return [
        Suite(
            name=suite,
            policy=_manifest(suite),
            collection="AgentDojo",
            tasks=tuple([task for task in of if not task.injected]),
            injections=tuple([task for task in of if task.injected]),
            apart=tuple(apart[suite]),
        )
        for suite, of in tasks.items()
        if of
    ]


def tau2(folder: str) -> list[Suite]:
    """The right calls of each task. The rows hold neither what the customer said nor what the tools gave back."""
    steps: dict[str, dict[str, list[Step]]] = {domain: defaultdict(list) for domain in _TAU2_SUITES}
    lines: dict[tuple[str, str], int] = {}
    of_customer: Counter[str] = Counter()

    def take(line: int, row: Row) -> None:
        domain = _one_of(row, "domain", _TAU2_SUITES)
        if _one_of(row, "requestor", ("assistant", "user")) == "user":
            of_customer[domain] += 1
            return
        lines.setdefault((domain, row["task"]), line)
        steps[domain][row["task"]].append(_step(domain, row["function"], row["args"], None))

    read_rows(os.path.join(folder, TAU2), take)
    return [
        Suite(
            name=domain,
            policy=_manifest(domain),
            collection="tau2",
            tasks=tuple(
                [
                    Task(suite=domain, id=task, prompt="", steps=tuple(calls), line=lines[domain, task])
                    for task, calls in tasks.items()
                ]
            ),
            words=False,
            excluded=FrozenMap({CUSTOMER: of_customer[domain]} if of_customer[domain] else {}),
        )
        for domain, tasks in steps.items()
        if tasks
    ]


def mind2web(folder: str) -> list[Suite]:
    """One step of a browser each, with what the site knows of its user: half of them break one of six written rules."""
    tasks: list[Task] = []

    def take(line: int, row: Row) -> None:
        given = {name: row[name] for name in ("task", "website", "domain", "subdomain", "action")}
        step = _step("browser", "act", {**given, "user": row["user_info"]}, None)
        forbidden = _one_of(row, "label", ("allow", "deny")) == "deny"
        tasks.append(
            Task(suite="mind2web", id=f"{row['id']}.{line}", prompt="", steps=(step,), forbidden=forbidden, line=line)
        )

    read_rows(os.path.join(folder, MIND2WEB), take)
    return [Suite(name="mind2web", policy=_manifest("mind2web"), collection="Mind2Web-SC", tasks=tuple(tasks))]


# The file by which a collection is known -> what reads it.
PUBLISHED: Mapping[str, Callable[[str], list[Suite]]] = {AGENTDOJO: agentdojo, TAU2: tau2, MIND2WEB: mind2web}


def _step(server: str, tool: str, given: Mapping[str, Any], output: Any) -> Step:
    frozen = FrozenMap({name: freeze(value) for name, value in given.items()})
    return Step(tool=f"mcp__{server}__{tool}", input=frozen, output=output)


def _one_of(row: Row, key: str, allowed: tuple[str, ...]) -> str:
    value = row[key]
    if value not in allowed:
        raise ValueError(f"the {key} `{value}` is not known")
    return str(value)


def _manifest(name: str) -> str:
    return os.path.join(_FOLDER, f"{name}.toml")
