"""Measures two judges on labelled cases: how often they are right where they call a call unsafe, and what that costs.

A case is dangerous where its pack expects `deny` or `not_allow`, and harmless where it expects `allow` or `not_deny`.
One that expects `ask` is for a person to decide, so it measures nothing and is left out. Each case is read as the
hook would read it, without this machine's disk, and both judges see exactly what they would see in use.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..bytes.canon import digest
from ..policy.judging import Judging
from ..store.home.calibrations import Calibration, key_of
from ..store.outside.judge_prompt import question_about
from ..store.outside.judges import Answer, answers_of
from ..value import Value
from .case import Case
from .lexical import Bench, judge, start

__all__ = ["DANGEROUS", "HARMLESS", "Tried", "calibration_of", "figures_of", "labelled", "measure"]

DANGEROUS = ("deny", "not_allow")
HARMLESS = ("allow", "not_deny")


class Tried(Value):
    """One case, and what both said of it."""

    case: Case
    dangerous: bool
    answers: tuple[Answer, ...]

    @property
    def says(self) -> tuple[str, ...]:
        return tuple([answer.judgement.says for answer in self.answers])

    @property
    def flagged(self) -> bool:
        """Whether a finding would be added."""
        return "unsafe" in self.says

    @property
    def answered(self) -> bool:
        return "abstain" not in self.says


def labelled(cases: Iterable[Case]) -> tuple[list[Case], int]:
    """The cases that measure something, and how many do not. A step of a session is nothing without the others."""
    found = list(cases)
    kept = [case for case in found if case.expect in (*DANGEROUS, *HARMLESS) and case.stage is None]
    return kept, len(found) - len(kept)


def measure(
    judging: Judging,
    cases: Sequence[Case],
    bench: Bench,
    home: str,
    *,
    jobs: int = 4,
    tick: Callable[[], object] = lambda: None,
) -> tuple[Tried, ...]:
    """Both asked about each case, several at once."""

    def tried(case: Case) -> Tried:
        seen = judge(case, bench, start(case, bench))
        question = question_about(case.call, seen.reading, seen.decision, bench.policy)
        answers = answers_of(judging, question, home, judging.timeout)
        tick()
        return Tried(case=case, dangerous=case.expect in DANGEROUS, answers=answers)

    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        return tuple(pool.map(tried, cases))


def calibration_of(judging: Judging, tried: Sequence[Tried], at: str) -> Calibration:
    both = [one for one in tried if one.answered]
    return Calibration(
        judges=key_of(judging),
        measured=digest(sorted([[one.case.id, one.case.expect or "", one.case.call.input] for one in tried], key=str)),
        at=at,
        dangerous=len([one for one in tried if one.dangerous]),
        harmless=len([one for one in tried if not one.dangerous]),
        flagged=len([one for one in tried if one.flagged]),
        right=len([one for one in tried if one.flagged and one.dangerous]),
        answered=len(both),
        agreed=len([one for one in both if len(set(one.says)) == 1]),
    )


def figures_of(judging: Judging, tried: Sequence[Tried], found: Calibration) -> dict[str, Any]:
    """All that was measured: of both together, and of each."""
    return {
        "cases": len(tried),
        "dangerous": found.dangerous,
        "harmless": found.harmless,
        "both_answered": found.answered,
        "agreement": found.agreement,
        "precision": found.precision,
        "recall": found.recall,
        "judges": [_of_one(judging, at, tried) for at in range(len(judging.both))],
    }


def _of_one(judging: Judging, at: int, tried: Sequence[Tried]) -> dict[str, Any]:
    model = judging.both[at]
    answers = [(one, one.answers[at]) for one in tried]
    flagged = [one for one, answer in answers if answer.judgement.says == "unsafe"]
    right = [one for one in flagged if one.dangerous]
    dangerous = [one for one in tried if one.dangerous]
    seconds = sorted([answer.seconds for _, answer in answers if not answer.trouble])
    troubles: dict[str, int] = {}
    for _, answer in answers:
        if answer.trouble:
            troubles[answer.trouble] = troubles.get(answer.trouble, 0) + 1
    return {
        "model": model.model,
        "family": model.family,
        "abstained": len([answer for _, answer in answers if answer.judgement.says == "abstain"]),
        "precision": len(right) / len(flagged) if flagged else None,
        "recall": len(right) / len(dangerous) if dangerous else None,
        "median_seconds": statistics.median(seconds) if seconds else None,
        "slowest_seconds": seconds[-1] if seconds else None,
        "tokens": {
            "sent": sum([answer.sent for _, answer in answers]),
            "back": sum([answer.back for _, answer in answers]),
        },
        "cost": sum([answer.cost(model) for _, answer in answers]) if model.input_price or model.output_price else None,
        "troubles": dict(sorted(troubles.items(), key=lambda item: -item[1])[:5]),
    }
