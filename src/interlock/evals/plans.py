"""Another plan enforcer's own cases, put to the plan layer alone: plan, mode and command in, verdict and log row out.

Each row gets a run folder of its own and goes through the same code as a call in the hook: the plan is found
through the environment's names, read from YAML, and held against the command; the row of the log is read back. Other
layers are left out, since the file is about this one: exit code 2 is a deny, 0 an allow.
"""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

from ..decide import decide
from ..layers.plan import plan as plan_layer
from ..model.call import Call
from ..model.errors import Problem
from ..model.facts import Facts
from ..model.session import Session
from ..plan.match import line_of
from ..policy.model import Policy
from ..reading.read import read_call
from ..store.home.folders import folders_for
from ..store.home.plans import plan_in_force
from ..store.home.runs import LOG, enter_run
from ..value import FrozenMap, freeze
from .case import Case
from .corpora import Corpus
from .runner import Result

__all__ = ["PLANS", "run_plans"]

PLANS = "nous_plan_enforcer.jsonl"
_VERDICTS = {0: "allow", 2: "deny"}


def run_plans(path: str) -> tuple[Corpus, tuple[Result, ...]]:
    """The file's rows as cases, and what came of each."""
    cases, results, problems, count = [], [], [], 0
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            count += 1
            try:
                row = json.loads(line)
                case = _case(row, path, number)
                with tempfile.TemporaryDirectory() as folder:
                    results.append(_judged(row, case, folder))
                cases.append(case)
            except (KeyError, TypeError, ValueError) as error:
                text = f"the row does not have the shape of {PLANS}: {type(error).__name__} {error}"
                problems.append(Problem(file=path, line=number, column=1, text=text))
    corpus = Corpus(file=PLANS, rows=count, cases=tuple(cases), excluded=FrozenMap({}), problems=tuple(problems))
    return corpus, tuple(results)


def _case(row: dict[str, Any], path: str, number: int) -> Case:
    arguments = row["tool_input"] if row["command"] is None else {"command": row["command"]}
    call = Call(tool=row.get("tool_name", "Bash"), input=freeze(arguments), cwd="/repo", session="eval")  # type: ignore[arg-type]
    return Case(
        id=f"{row['test']}:{number}",
        file=path,
        line=number,
        call=call,
        expect=_VERDICTS[row["expected_exit"]],
        group=row["mode"],
    )


def _judged(row: dict[str, Any], case: Case, folder: str) -> Result:
    environment = {}
    if row["plan"] is not None:
        environment["NOUS_ITER_DIR"] = folder
        with open(f"{folder}/experiment_plan.yaml", "w", encoding="utf-8") as file:
            file.write(row["plan"])
    if "mode_source" not in row:  # else the mode is the default, and no variable says so
        environment["NOUS_PLAN_ENFORCEMENT"] = row["mode"]
    folders = folders_for(f"{folder}/home")
    found = plan_in_force(Policy(), folders, case.root, environment)
    planned = found.policy.planned
    assert planned is not None  # noqa: S101 - that is what a plan in force is
    facts = Facts(root=case.root, home=case.home)
    line = line_of(case.call, facts, found.plan, planned)
    session = Session(id=case.call.session)
    if not planned.missing:
        session = session.replace(
            run=enter_run(found.folder, case.call, line, planned, facts, idle=found.settings.idle)
        )
    reading = read_call(case.call, facts).replace(line=line)
    decision = decide(case.call, reading, found.policy, session, (), (plan_layer,))
    said = tuple([f"{finding.layer}/{finding.rule}: {finding.text}" for finding in decision.reasons])
    return Result(
        case=case,
        verdict=decision.verdict.name,
        reasons=said,
        failures=tuple(_failures(row, case, decision.verdict.name, " ".join(said), folder)),
    )


def _failures(row: dict[str, Any], case: Case, verdict: str, said: str, folder: str) -> list[str]:
    failures = []
    if verdict != case.expect:
        failures.append(f"expected {case.expect}, got {verdict}")
    kind = _logged(folder)
    if row["log_asserted"] and kind != row["logged_kind"]:
        failures.append(f"expected the log to say {row['logged_kind']}, it says {kind}")
    for words in row.get("stderr_contains", ()):
        if not any(word in said for word in words.split("|")):
            failures.append(f"expected the reason to name {words}")
    if row.get("stderr_equals") == "" and said:
        failures.append("expected no reason")
    return failures


def _logged(folder: str) -> str | None:
    if not os.path.exists(f"{folder}/{LOG}"):
        return None
    with open(f"{folder}/{LOG}", encoding="utf-8") as file:
        return ", ".join(str(json.loads(line)["kind"]) for line in file)
