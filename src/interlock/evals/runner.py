"""Runs cases and says, for each, what came out and in what it differs from what was expected.

Cases of one session share its state, in their order, as if each allowed call had run. A call
that makes the reading or a layer fail is told as `trouble`: an answer was given, since faults
only tighten, but a fault of ours it is. Results keep what figures and reports need, not the
reading itself, so that fifty thousand of them fit into memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import thread_time_ns
from typing import Any

from ..approve.answers import OPEN, settled
from ..model.action import Action, Reading, effects_of
from ..model.decision import Decision
from ..model.effects import Effect, effect_names
from ..model.errors import InputError, Problem
from ..model.session import Session
from ..model.verdict import Verdict
from ..model.wants import Script
from ..value import Value
from .adapters import ADAPTERS
from .case import EXPECTED, Case, PackError, WantedAction
from .corpora import load_corpus, set_aside
from .disk import Disk
from .exact import reading_lines
from .lexical import Bench, Judged, judge, start
from .pack import load_pack
from .pack_files import pack_files
from .stage import Stages

__all__ = ["Result", "Taken", "cases_of", "judge_one", "looks_harmless", "run_cases", "syntax_opaque"]

# How the reason of an opaque part begins where the shell's grammar is why it was not read.
_SYNTACTIC = frozenset(("syntax", "failed"))
# Marks that make more of a read than a look at the project.
_TELLING = {
    *("environment", "guard", "secret", "sends", "privileged", "unknown", "unread"),
    *("accounts", "disguised", "exhausts", "external", "hunts", "identity", "machine", "redirects", "security"),
}


_WITH_PATHS = ("actions", "opaque", "lines", "reasons", "broken", "failures")


class Result(Value):
    """
    lines     the whole reading, see exact.py
    rules     ids of the policy's rules that matched
    failures  in what it differs from what the case expects
    broken    what contracts prove wrong with the call
    trouble   a fault of ours, in a few words
    cut_off   all that is asked about is a file whose text the corpus has cut: what would be asked is not known
    harmless  the reading shows nothing but plain reads, all of it understood
    micros    processor time of reading and deciding
    """

    case: Case
    verdict: str
    effect: str | None = None
    effects: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    opaque: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    syntax_opaque: bool = False
    cut_off: bool = False
    harmless: bool = False
    failures: tuple[str, ...] = ()
    trouble: str | None = None
    micros: float = 0.0


class Taken(Value):
    """The cases to run, and a line for everything that was left out."""

    cases: tuple[Case, ...]
    left_out: tuple[str, ...]


def cases_of(paths: Iterable[str]) -> Taken:
    """The cases of packs and corpora; a folder stands for those in it. PackError with all problems at once."""
    cases: list[Case] = []
    left_out: list[str] = []
    problems: list[Problem] = []
    for path in pack_files(paths):
        name = os.path.basename(path)
        aside = set_aside(name)
        try:
            if aside is not None:
                left_out.append(f"{path}: {aside}")
            elif name in ADAPTERS:
                corpus = load_corpus(path)
                problems += corpus.problems
                cases += corpus.cases
                left_out += [f"{path}: {count} rows not scored: {why}" for why, count in corpus.excluded.items()]
            else:
                cases += load_pack(path)
        except PackError as error:
            problems += error.problems
    if problems:
        raise PackError(problems)
    if not cases:
        raise InputError(f"there is no case to run: {'; '.join(left_out) or 'no path was named'}")
    return Taken(cases=tuple(cases), left_out=tuple(left_out))


def run_cases(
    cases: Iterable[Case],
    bench: Bench,
    *,
    answer: str = OPEN,
    stateless: bool = False,
    tick: Callable[[], object] = lambda: None,
) -> Iterator[Result]:
    """The result of each case that is scored, in order. `stateless` takes every call for the first of its session."""
    sessions: dict[tuple[str, str], tuple[Session, Disk]] = {}
    with Stages(bench) as stages:
        for case in cases:
            if case.stage is None:
                result = _lexically(case, bench, sessions, answer=answer, stateless=stateless)
            else:
                result = _on_stage(case, stages, answer=answer)
            tick()
            if result is not None:
                yield result


def _lexically(
    case: Case,
    bench: Bench,
    sessions: dict[tuple[str, str], tuple[Session, Disk]],
    *,
    answer: str,
    stateless: bool,
) -> Result | None:
    """None where the case is not scored."""
    key = (case.file, case.call.session)
    shared = bool(case.call.session) and not stateless
    session, disk = sessions.get(key, (None, None)) if shared else (None, None)
    if session is None:
        session, disk = start(case, bench), Disk() if shared else None
    if case.cut:
        if shared and disk is not None:
            sessions[key] = _past_cut(session, disk, case, bench)
        return None
    try:
        case = _where_left(case, disk)
        began = thread_time_ns()
        judged = judge(case, bench, session, disk)
        took = thread_time_ns() - began
        if shared and disk is not None:
            sessions[key] = _after(session, disk, case, judged, answer=answer)
        return _result(case, judged, disk).replace(micros=took / 1000)
    except Exception as error:
        return _broken(case, error)


def _on_stage(case: Case, stages: Stages, *, answer: str) -> Result:
    try:
        judged, took = stages.judged(case, answer=answer)
        found = _result(case, judged, None)
        told = {name: tuple(map(stages.shown, getattr(found, name))) for name in _WITH_PATHS}
        return found.replace(micros=took, **told)
    except Exception as error:
        return _broken(case, error)


def _broken(case: Case, error: Exception) -> Result:
    trouble = f"{type(error).__name__}: {error}"
    return Result(case=case, verdict="error", trouble=trouble, failures=(f"failed with {trouble}",))


def judge_one(cases: Iterable[Case], case: Case, bench: Bench, *, answer: str = OPEN) -> Judged:
    """One case in full, after those of its session that stand before it."""
    if case.stage is not None:
        with Stages(bench) as stages:
            for step in cases:
                if (step.file, step.call.session) == (case.file, case.call.session):
                    judged, _ = stages.judged(step, answer=answer)
                    if step is case:
                        return judged
    session: Session | None = None
    disk = Disk() if case.call.session else None
    if disk is not None:
        for earlier in cases:
            if earlier is case:
                break
            if (earlier.file, earlier.call.session) == (case.file, case.call.session):
                session = session or start(earlier, bench)
                if earlier.cut:
                    session, disk = _past_cut(session, disk, earlier, bench)
                    continue
                moved = _where_left(earlier, disk)
                judged = judge(moved, bench, session, disk)
                session, disk = _after(session, disk, moved, judged, answer=answer)
    return judge(_where_left(case, disk), bench, session or start(case, bench), disk)


def _after(session: Session, disk: Disk, case: Case, judged: Judged, *, answer: str) -> tuple[Session, Disk]:
    """The session and its files once this call was answered: allowed calls have run, approved asks too."""
    said = None if answer == OPEN else answer
    after = settled(session, judged.reading, judged.decision, answer=said, agent=case.call.agent)
    yes = answer == "approve" and judged.decision.verdict is Verdict.ASK
    runs = judged.decision.verdict is Verdict.ALLOW or yes
    return after, disk.after(case.call, judged.reading, judged.facts) if runs else disk


def _past_cut(session: Session, disk: Disk, case: Case, bench: Bench) -> tuple[Session, Disk]:
    """The session after a row of which only the beginning is known: it ran, and left the files that it speaks of.

    Whether a person was asked is not known, so that nothing is remembered of an answer.
    """
    case = _where_left(case, disk)
    try:
        judged = judge(case, bench, session, disk)
        ran = judged.decision.replace(verdict=Verdict.ALLOW)
        after = settled(session, judged.reading, ran, agent=case.call.agent)
        return after, disk.after(case.call, judged.reading, judged.facts, cut_short=True)
    except Exception:
        return session, disk  # what is left of a row that is not scored is no reason to stop


def _where_left(case: Case, disk: Disk | None) -> Case:
    """The case in the folder in which the shell was left, where one shell serves the whole session."""
    if disk is None or disk.folder is None or not case.one_shell:
        return case
    return case.replace(call=case.call.replace(cwd=disk.folder))


def _is_cut_off(judged: Judged, disk: Disk | None) -> bool:
    if disk is None or not disk.cut or judged.decision.verdict is not Verdict.ASK:
        return False
    wanted = [path for path in disk.cut if Script(path) in judged.reading.missing]
    return all(any(f"`{path}`" in finding.text for path in wanted) for finding in judged.decision.reasons)


def _result(case: Case, judged: Judged, disk: Disk | None) -> Result:
    reading, decision = judged.reading, judged.decision
    trouble = _trouble(reading, decision)
    return Result(
        case=case,
        verdict=decision.verdict.name,
        effect=None if decision.effect is None else decision.effect.name,
        effects=effect_names(decision.effects),
        actions=tuple([_words(action) for action in reading.actions]),
        opaque=tuple([part.reason for part in reading.opaque]),
        lines=reading_lines(reading.actions, reading.opaque, reading.broken),
        reasons=tuple([f"{finding.layer}/{finding.rule}: {finding.text}" for finding in decision.reasons]),
        broken=tuple([f"{part.contract}: {part.text}" for part in reading.broken]),
        rules=_rules_in(decision),
        syntax_opaque=syntax_opaque(reading),
        cut_off=_is_cut_off(judged, disk),
        harmless=looks_harmless(reading),
        failures=(
            *_differences(case, reading, decision),
            *([] if trouble is None else [f"a fault of ours: {trouble}"]),
        ),
        trouble=trouble,
    )


def syntax_opaque(reading: Reading) -> bool:
    """True if a part was not read because of the shell's grammar, and not because of what it would do."""
    return any(part.kind in _SYNTACTIC for part in reading.opaque)


def looks_harmless(reading: Reading) -> bool:
    """True if all of it was understood and none of it does more than look at ordinary things."""
    return (
        not reading.opaque
        and all(effect is Effect.READ for effect in effects_of(reading))
        and not any(_TELLING.intersection(action.tags) for action in reading.actions)
    )


def _rules_in(decision: Decision) -> tuple[str, ...]:
    """The policy's rules that matched, lifted by a grant or not."""
    found = [finding.rule for finding in (*decision.reasons, *decision.satisfied) if finding.layer == "rules"]
    return tuple(dict.fromkeys(found))


def _trouble(reading: Reading, decision: Decision) -> str | None:
    """INVARIANT: faults are caught and only tighten, so that they must be looked for to be seen."""
    for part in reading.opaque:
        if part.kind == "failed":
            return part.reason
    for finding in (*decision.reasons, *decision.satisfied):
        if finding.rule == "failed":
            return finding.text
    return None


def _differences(case: Case, reading: Reading, decision: Decision) -> Iterator[str]:
    verdict = decision.verdict.name
    if case.expect is not None and verdict not in EXPECTED[case.expect]:
        yield f"expected {case.expect}, got {verdict}"
    for rule in case.rules:
        if rule not in _rules_in(decision):
            got = ", ".join(f"`{name}`" for name in _rules_in(decision)) or "none"
            yield f"expected the rule `{rule}` to match; matched: {got}"
    for wanted in case.actions:
        if not any(_is(wanted, action) for action in reading.actions):
            read = ", ".join(_words(action) for action in reading.actions) or "none"
            yield f"expected the action {_wanted_words(wanted)}, read: {read}"
    if isinstance(case.effects, str) and (decision.effect is None or decision.effect.name != case.effects):
        yield f"expected the dominant effect {case.effects}, got {decision.effect or 'no effect'}"
    if isinstance(case.effects, tuple) and set(case.effects) != set(effect_names(decision.effects)):
        got = ", ".join(effect_names(decision.effects)) or "none"
        yield f"expected the effects {', '.join(case.effects) or 'none'}, got {got}"
    for words in case.notes:
        if not any(words in note for note in decision.notes):
            yield f"expected a note with `{words}`, got: {'; '.join(decision.notes) or 'none'}"
    if case.opaque is True and not reading.opaque:
        yield "expected an opaque part, all was read"
    if case.opaque is False and reading.opaque:
        yield f"expected nothing opaque, but: {reading.opaque[0].reason}"


def _is(wanted: WantedAction, action: Action) -> bool:
    absent = object()
    return wanted.name == action.name and all(
        action.target.get(field, absent) == value for field, value in wanted.target.items()
    )


def _words(action: Action) -> str:
    return _named(action.name, action.target)


def _wanted_words(wanted: WantedAction) -> str:
    return _named(wanted.name, wanted.target)


def _named(name: str, target: Mapping[str, Any]) -> str:
    return " ".join([name, *(f"{field}={value}" for field, value in target.items())])
