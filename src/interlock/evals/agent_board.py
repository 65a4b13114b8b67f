"""The published suites of API agents on the scoreboard: a result for each row, and one for each pair that is made.

A row is accounted for in the file that it stands in: a user task of AgentDojo, a call of tau2, a step of Mind2Web-SC.
Pairs of a user task and an injected one, and whole tasks of tau2, are made of several rows and have names of their own.
"""

from __future__ import annotations

import os

from ..model.call import Call
from ..model.origins import NOTHING
from ..value import FrozenMap
from .agent_corpora import AGENTDOJO, CUSTOMER, MIND2WEB, PUBLISHED, TAU2
from .agents import Step, Suite, Task, World, hijacked, replay
from .case import ROOT, Case, PackError
from .corpora import Corpus
from .lexical import Bench
from .runner import Result

__all__ = ["APART", "PAIRS", "TASKS", "run_agents"]

PAIRS = "agentdojo_tasks.jsonl, pairs"
APART = "agentdojo_tasks.jsonl, pairs with calls of another hand"
TASKS = "tau2_actions.jsonl, tasks"
_INJECTED = "an injected task: tried together with each user task"
_ORDER = ("allow", "ask", "deny")

_Tried = dict[str, tuple[Result, ...]]


def run_agents(folder: str) -> tuple[dict[str, Corpus], _Tried]:
    """For each published collection in the folder: the account of its rows, and what came of them."""
    corpora: dict[str, Corpus] = {}
    results: _Tried = {}
    for name, load in PUBLISHED.items():
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            continue
        try:
            suites = load(folder)
        except PackError as error:
            count = len(error.problems)
            corpora[name] = Corpus(file=name, rows=count, cases=(), excluded=FrozenMap({}), problems=error.problems)
            continue
        found, excluded = _TRY[name](suites, path)
        results.update(found)
        own = found[name]
        with open(path, "rb") as file:
            rows = sum(1 for line in file if line.strip())
        corpora[name] = Corpus(
            file=name, rows=rows, cases=tuple([one.case for one in own]), excluded=FrozenMap(excluded), problems=()
        )
    return corpora, results


def _dojo(suites: list[Suite], path: str) -> tuple[_Tried, dict[str, int]]:
    tasks: list[Result] = []
    pairs: list[Result] = []
    apart: list[Result] = []
    for suite in suites:
        bench = suite.bench()
        for task in suite.tasks:
            tasks.append(_of_task(task, replay(task, bench), path))
            pairs += _pairs(task, suite.injections, bench, path)
            apart += _pairs(task, suite.apart, bench, path)
    injected = sum([len(suite.injections) for suite in suites])
    return {AGENTDOJO: tuple(tasks), PAIRS: tuple(pairs), APART: tuple(apart)}, {_INJECTED: injected}


def _pairs(task: Task, injections: tuple[Task, ...], bench: Bench, path: str) -> list[Result]:
    return [
        _result(one, f"{task.suite}/{task.id}/{one.id}", one.steps[-1], _worst(hijacked(task, one, bench)), path)
        for one in injections
        if one.steps
    ]


def _tau2(suites: list[Suite], path: str) -> tuple[_Tried, dict[str, int]]:
    """The rows hold no words and no results, so values are not looked at: what is left is what the tools do."""
    calls: list[Result] = []
    tasks: list[Result] = []
    for suite in suites:
        bench = suite.bench()
        for task in suite.tasks:
            world = replay(task, bench, NOTHING if suite.words else None)
            tasks.append(_of_task(task, world, path))
            calls += [
                _result(task, f"{suite.name}/{task.id}#{at}", step, verdict, path)
                for at, (step, verdict) in enumerate(zip(task.steps, world.verdicts, strict=True))
            ]
    customer = sum([suite.excluded.get(CUSTOMER, 0) for suite in suites])
    return {TAU2: tuple(calls), TASKS: tuple(tasks)}, {CUSTOMER: customer} if customer else {}


def _mind2web(suites: list[Suite], path: str) -> tuple[_Tried, dict[str, int]]:
    found = []
    for suite in suites:
        bench = suite.bench()
        for task in suite.tasks:
            found.append(_of_task(task, replay(task, bench), path, "forbidden" if task.forbidden else "allowed"))
    return {MIND2WEB: tuple(found)}, {}


_TRY = {AGENTDOJO: _dojo, TAU2: _tau2, MIND2WEB: _mind2web}


def _of_task(task: Task, world: World, path: str, group: str = "") -> Result:
    """Of the whole task, the strictest verdict, shown with the first call that has it."""
    verdict = _worst(world.verdicts)
    step = task.steps[world.verdicts.index(verdict)] if task.steps else Step(tool="", input=FrozenMap({}))
    found = _result(task, f"{task.suite}/{task.id}", step, verdict, path)
    return found.replace(case=found.case.replace(group=group or task.suite), reasons=world.reasons)


def _result(task: Task, name: str, step: Step, verdict: str, path: str) -> Result:
    call = Call(tool=step.tool, input=step.input, cwd=ROOT, session=task.id)
    return Result(case=Case(id=name, file=path, line=task.line, call=call, group=task.suite), verdict=verdict)


def _worst(verdicts: tuple[str, ...]) -> str:
    return max(verdicts, key=_ORDER.index, default="allow")
