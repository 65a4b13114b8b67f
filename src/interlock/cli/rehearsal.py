"""A rehearsal of a plan: every line of it decided by the real engine, as if the unattended agent made the call now.

Nothing is run and nothing is recorded. A person reads before the run which lines would be refused or asked about, why,
and what to do about it.
"""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any

from ..approve.planned import keys_wanted
from ..model.call import Call
from ..model.environment import CAMPAIGN, looked_at
from ..model.events import Place, Proposed
from ..model.verdict import Verdict
from ..value import FrozenMap, Value
from .show import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..calls.world import Outcome
    from ..engine import Engine
    from ..model.decision import Finding
    from ..store.home.folders import Folders

__all__ = ["RUNS", "Rehearsed", "lines_for_a_person", "rehearse", "rehearse_under", "rows_of"]

RUNS, ASKS, REFUSED = "runs", "asks", "refused"
_HOST = "claude-code"
_ONLY_ANSWER = ("posture", "strength", "answers", "record")  # layers that only answer what others found

_PERMIT = "permit it: run `interlock campaign init` in a terminal of your own"
_WITHOUT = "run it yourself before the campaign, or take the line out of the plan"
_GRANT = f"permit it with `interlock grant`; or {_WITHOUT}"
_SIMPLER = f"write the line so that it can be read, or name who answers in `[approvals] by`; or {_WITHOUT}"


class Rehearsed(Value):
    """One line of the plan, as it would be decided.

    verdict  `runs`, `asks` (which is a refusal while nobody is there), or `refused`
    reasons  what stands against it, and what a person can do, pair by pair
    given    what a yes to this plan is kept under; empty: it cannot be given
    keys     the planned commands in the line that only a person's yes lets run
    """

    line: str
    arm: str
    verdict: str
    reasons: tuple[tuple[str, str], ...] = ()
    given: str = ""
    keys: tuple[str, ...] = ()


def rehearse_under(
    policy: bytes, digest: str, folders: Folders, root: str, lines: Iterable[tuple[str, str]]
) -> tuple[Rehearsed, ...]:
    """The rehearsal under a campaign's policy that is not written yet."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(os.path.realpath(folder), "campaign.toml")
        with open(file, "wb") as out:
            out.write(policy)
        return rehearse(folders, root, lines, campaign=f"{digest}:{file}")


def rehearse(
    folders: Folders, root: str, lines: Iterable[tuple[str, str]], *, campaign: str = ""
) -> tuple[Rehearsed, ...]:
    """Each line with its arm. `campaign` names the policy of a campaign with its digest; empty: as the person's own
    environment says.
    """
    environment = dict(looked_at(os.environ))
    if campaign:
        environment[CAMPAIGN] = campaign
    from ..engine import Engine  # late: `doctor` loads this module, and has to run beside layers that do not load

    engine = Engine(
        folders, front="cli:plan", records=False, resumes=False, answers=False, watches=False, undo="foresees"
    )
    place = Place(host=_HOST, cwd=root, root=root, attended=False, environment=FrozenMap(environment))
    return tuple([_rehearsed(engine, place, line, arm) for line, arm in lines])


def _rehearsed(engine: Engine, place: Place, line: str, arm: str) -> Rehearsed:
    call = Call(tool="Bash", input=FrozenMap({"command": line}), cwd=place.cwd, host=place.host)
    outcome = engine.propose(Proposed(place=place, call=call))
    decision, reading = outcome.decision, outcome.reading
    findings = [finding for finding in decision.reasons if finding.layer not in _ONLY_ANSWER]
    keys = [key for found in (*findings, *decision.satisfied) for key in keys_wanted(found, reading)]
    refusals = [finding for finding in findings if finding.verdict is Verdict.DENY]
    findings = refusals or findings  # where it is refused, nobody is asked about the rest
    verdict = RUNS if decision.verdict is Verdict.ALLOW else REFUSED if refusals or not findings else ASKS
    return Rehearsed(
        line=line,
        arm=arm,
        verdict=verdict,
        reasons=() if verdict == RUNS else tuple([(found.text, _to_do(found, outcome)) for found in findings]),
        given="" if reading.line is None else reading.line.given,
        keys=tuple(dict.fromkeys(keys)),
    )


def _to_do(finding: Finding, outcome: Outcome) -> str:
    if keys_wanted(finding, outcome.reading):
        return _PERMIT
    if finding.remedy:
        return finding.remedy.partition("\n")[0]
    if finding.verdict is Verdict.DENY:
        return _WITHOUT
    return _GRANT if "capability" in finding.lifted_by else _SIMPLER


def rows_of(rehearsed: Iterable[Rehearsed]) -> list[dict[str, Any]]:
    """For JSON."""
    return [
        {
            "arm": one.arm,
            "line": one.line,
            "reasons": [{"text": text, "to_do": to_do} for text, to_do in one.reasons],
            "verdict": one.verdict,
        }
        for one in rehearsed
    ]


def lines_for_a_person(rehearsed: tuple[Rehearsed, ...]) -> list[str]:
    """Lines that would not run, each with why and what to do; then how many do."""
    told = []
    for one in rehearsed:
        if one.verdict == RUNS:
            continue
        told.append(f"{one.verdict:8} {one.line}")
        for text, to_do in one.reasons:
            told += [f"         {text}", f"         -> {to_do}"]
    count = sum([one.verdict == RUNS for one in rehearsed])
    lines = "1 line" if len(rehearsed) == 1 else f"{len(rehearsed)} lines"
    told.append(f"{count} of {lines} of the plan would run with nobody there")
    return [harmless(line) for line in told]
