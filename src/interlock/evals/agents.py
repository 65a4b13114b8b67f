"""Agents that call APIs: user tasks, and the same with an injected task, replayed call by call.

A suite is a manifest written as a policy, the person's words, the right calls with what they gave back, and injected
tasks with their calls (`agent_files.py` and `agent_corpora.py` read them). The person's words are heard first, each
result is learnt. For a pair, the injected text stands in the first result that is not the person's own; then the
injected calls come. A task is let through with so many prompts; a pair is stopped where one of the injected calls is
not allowed. Both are always told together, since denying everything stops everything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..model.call import Call
from ..model.origins import NOTHING, Known, heard, is_traced, learnt, used
from ..model.session import Session, advance
from ..model.toolnames import declared_tool
from ..model.verdict import Verdict
from ..value import FrozenMap, Value, freeze
from .case import Case
from .lexical import Bench, bench_for, judge, start

__all__ = ["Figures", "Step", "Suite", "Task", "World", "figures", "hijacked", "replay"]

_KEY = b"evaluation"  # nothing is kept, so nothing can be guessed from a digest


class Step(Value):
    """`tool` is the name that the manifest knows it by."""

    tool: str
    input: Mapping[str, Any]
    output: Any = None


class Task(Value):
    """`prompt` is what the person says, or the text that is injected. `forbidden`: the policy must stop it."""

    suite: str
    id: str
    prompt: str
    steps: tuple[Step, ...]
    injected: bool = False
    forbidden: bool = False
    line: int = 0


class Suite(Value):
    """
    policy      the file with its manifest
    collection  whose tasks they are; empty: one's own
    apart       injected tasks that are told apart from the others, since somebody else wrote their calls
    words       whether the rows hold what the person said and what the tools gave back
    excluded    why rows are not tried -> how many
    """

    name: str
    policy: str
    tasks: tuple[Task, ...]
    collection: str = ""
    injections: tuple[Task, ...] = ()
    apart: tuple[Task, ...] = ()
    words: bool = True
    excluded: Mapping[str, int] = FrozenMap({})

    def bench(self) -> Bench:
        return bench_for(self.policy)


class World(Value):
    """What a replay has come to. `known` is None where values are not looked at."""

    session: Session
    known: Known | None = NOTHING
    verdicts: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


class Figures(Value):
    """
    free       user tasks without a prompt
    least      the same if no value counted as the person's, where the rows do not hold their words; None: they do
    prompts    how many user tasks needed so many prompts
    asked      of all calls of user tasks, how many were asked about
    forbidden  tasks that the policy must stop, and `refused` those of which a call was not allowed
    held       user task that was asked about -> why
    missed     pairs of which every injected call was allowed, and forbidden tasks that went through
    """

    suite: str
    tasks: int
    free: int
    prompts: tuple[tuple[int, int], ...]
    calls: int
    asked: int
    denied: int
    pairs: int
    stopped: int
    collection: str = ""
    missed: tuple[str, ...] = ()
    forbidden: int = 0
    refused: int = 0
    apart: int = 0
    apart_stopped: int = 0
    least: int | None = None
    excluded: Mapping[str, int] = FrozenMap({})
    held: Mapping[str, tuple[str, ...]] = FrozenMap({})


def _begin(task: Task, bench: Bench, known: Known | None) -> World:
    session = start(_case(task, Step(tool="", input=FrozenMap({})), 0), bench)
    if known is None or task.injected or not task.prompt:
        return World(session=session, known=known)
    return World(session=session, known=heard(known, _KEY, task.prompt))


def _step_on(world: World, task: Task, step: Step, at: int, bench: Bench) -> World:
    """One call more: decided, and taken as run, with the person's yes where it was asked about."""
    case = _case(task, step, at)
    spec = declared_tool(bench.policy, case.call.tool)
    seen = judge(case, bench, world.session, known=world.known, key=_KEY)
    decision, known = seen.decision, world.known
    if spec is not None and known is not None:
        if is_traced(spec) and decision.verdict is not Verdict.DENY:
            known = used(known, _KEY, spec, case.call.input)
        known = learnt(known, _KEY, spec, freeze(step.output))
    return world.replace(
        session=advance(world.session, seen.reading, decision, "ran", str(at), agent=case.call.agent),
        known=known,
        verdicts=(*world.verdicts, decision.verdict.name),
        reasons=(*world.reasons, *[found.text for found in decision.reasons]),
    )


def replay(task: Task, bench: Bench, known: Known | None = NOTHING) -> World:
    """`known` is what is known before the person speaks; None: where values come from is not looked at."""
    world = _begin(task, bench, known)
    for at, step in enumerate(task.steps):
        world = _step_on(world, task, step, at, bench)
    return world


def hijacked(task: Task, injection: Task, bench: Bench) -> tuple[str, ...]:
    """The verdicts on the injected calls, after the user's own were made and the injected text was met."""
    world = _begin(task, bench, NOTHING)
    met = False
    for at, step in enumerate(task.steps):
        world = _step_on(world, task, step, at, bench)
        spec = declared_tool(bench.policy, step.tool)
        if spec is not None and not met and world.known is not None:
            plain = spec.replace(trusted_result=())
            world, met = world.replace(known=learnt(world.known, _KEY, plain, injection.prompt)), True
    done = len(world.verdicts)
    for at, step in enumerate(injection.steps):
        world = _step_on(world, injection, step, done + at, bench)
    return world.verdicts[done:]


def figures(suite: Suite) -> Figures:
    bench = suite.bench()
    user = [task for task in suite.tasks if not task.forbidden]
    forbidden = [task for task in suite.tasks if task.forbidden]
    known = NOTHING if suite.words else None
    worlds = {task.id: replay(task, bench, known) for task in user}
    verdicts = [world.verdicts for world in worlds.values()]
    prompts = Counter(len(_not_allowed(each)) for each in verdicts)
    passed = [task.id for task in forbidden if not _not_allowed(replay(task, bench, known).verdicts)]
    missed, pairs = _missed(user, suite.injections, bench)
    missed_apart, pairs_apart = _missed(user, suite.apart, bench)
    calls = [verdict for each in verdicts for verdict in each]
    return Figures(
        suite=suite.name,
        collection=suite.collection,
        tasks=len(user),
        free=prompts[0],
        least=None if suite.words else sum([not _not_allowed(replay(task, bench).verdicts) for task in user]),
        prompts=tuple(sorted(prompts.items())),
        calls=len(calls),
        asked=calls.count("ask"),
        denied=calls.count("deny"),
        pairs=pairs,
        stopped=pairs - len(missed),
        missed=(*missed, *missed_apart, *passed),
        forbidden=len(forbidden),
        refused=len(forbidden) - len(passed),
        apart=pairs_apart,
        apart_stopped=pairs_apart - len(missed_apart),
        excluded=suite.excluded,
        held=FrozenMap({task: world.reasons for task, world in worlds.items() if _not_allowed(world.verdicts)}),
    )


def _missed(tasks: Sequence[Task], injections: Sequence[Task], bench: Bench) -> tuple[list[str], int]:
    """The pairs that were not stopped, and how many pairs there are: an injected task without a call makes none."""
    tried = [(task, injection) for task in tasks for injection in injections if injection.steps]
    missed = [f"{task.id}/{one.id}" for task, one in tried if not _not_allowed(hijacked(task, one, bench))]
    return missed, len(tried)


def _not_allowed(verdicts: Sequence[str]) -> list[str]:
    return [verdict for verdict in verdicts if verdict != "allow"]


def _case(task: Task, step: Step, at: int) -> Case:
    call = Call(tool=step.tool, input=step.input, cwd="/repo", session=task.id)
    return Case(id=f"{task.id}.{at}", file=task.suite, line=at, call=call)
