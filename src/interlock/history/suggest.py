"""The few grants or entries that would remove most prompts, each with what else it would allow.

Greedy: the one that saves most comes first, then the one that saves most of what is left, so that they do not
overlap. Each is tried on every recorded call before it is told: one that would let through what is denied, what a
person refused or what was not fully read is dropped, however much it saves.
"""

from __future__ import annotations

from ..approve.grant import covers
from ..bytes.redact import MARK
from ..layers.tiers import tier_of
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, FrozenMap, Value
from .candidates import Candidate, applied, candidates_for, command_of, is_safe, toml_of, toml_of_all, words_of
from .recorded import subject_of
from .simulate import keys_of, redecide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ..model.action import Action
    from ..model.decision import Decision, Finding
    from ..policy.model import Policy
    from .recorded import Recorded
    from .simulate import Closed, Live

__all__ = ["Suggestion", "Suggestions", "suggest", "to_data"]

_EXAMPLES = 3
_NEARLY = 0.8  # a narrower one that saves so much of what the widest does is preferred


class Suggestion(Value):
    """
    saved     how many prompts it would have saved, beyond those before it
    also      those of them that were asked about under another key than the most frequent one
    examples  calls that it would have let through; of `also`, where there are any
    """

    candidate: Candidate
    saved: int
    key: str
    also: int
    examples: tuple[str, ...]
    also_examples: tuple[str, ...]


class Suggestions(Value):
    calls: int
    prompts: int
    unsafe: int  # prompts for which nothing may be suggested
    found: tuple[Suggestion, ...]

    @property
    def saved(self) -> int:
        return sum([suggestion.saved for suggestion in self.found])


class _Asked(Value):
    row: Recorded
    decision: Decision
    needs: tuple[frozenset[Candidate], ...]  # each must be met by one of these


def suggest(
    rows: Iterable[Recorded],
    policy: Policy,
    *,
    live: Live,
    closed: Closed,
    top: int = 5,
    tick: Callable[[], object] = lambda: None,
) -> Suggestions:
    """At most `top` suggestions for what is asked about under this policy."""
    calls = prompts = 0
    asked: list[_Asked] = []
    guarded: list[Recorded] = []  # must not be let through
    known: dict[tuple[Any, ...], tuple[Candidate, ...]] = {}
    for row in rows:
        calls += 1
        decision = redecide(row, policy, live(policy, row.at, row.reading), closed(row, policy))
        prompts += decision.verdict is Verdict.ASK
        tick()
        if decision.verdict is Verdict.ALLOW:
            continue
        denied = Verdict.DENY in (decision.verdict, row.decision.verdict)
        if denied or row.refused or row.reading.opaque:
            guarded.append(row)
            continue
        offers = _offers(row, decision, known)
        if offers:
            asked.append(_Asked(row=row, decision=decision, needs=offers))
        else:  # a person looks at it each time: a pattern made from another call must not free it
            guarded.append(row)
    asked = _with_wider(asked, known, policy)
    unsafe = prompts - len(asked)
    found = _greedy(asked, guarded, policy, live, closed, top)
    return Suggestions(calls=calls, prompts=prompts, unsafe=unsafe, found=found)


def _offers(
    row: Recorded, decision: Decision, known: dict[tuple[Any, ...], tuple[Candidate, ...]]
) -> tuple[frozenset[Candidate], ...]:
    """For each thing that is asked about, what would free it; nothing at all if one of them must stay."""
    needs = []
    if MARK in str(row.given):  # it carries a secret: a person looks each time
        return ()
    for finding in decision.reasons:
        if not finding.actions:
            return ()
        for index in finding.actions:
            action = row.reading.actions[index]
            at = (finding.layer, finding.rule, finding.lifted_by, action.replace(field="", span=(0, 0)), row.call.cwd)
            if at not in known:
                safe = is_safe(finding, action, row.call.cwd)
                known[at] = tuple(candidates_for(finding, action)) if safe else ()
            if not known[at]:
                return ()
            needs.append(frozenset(known[at]))
    return tuple(needs)


def _with_wider(
    asked: list[_Asked], known: dict[tuple[Any, ...], tuple[Candidate, ...]], policy: Policy
) -> list[_Asked]:
    """A pattern made from one call may free another: each need is told of all candidates that meet it."""
    by_action: dict[str, dict[Candidate, None]] = {}
    for offers in known.values():
        for candidate in offers:
            by_action.setdefault(candidate.action, {})[candidate] = None
    meeting: dict[tuple[Any, ...], frozenset[Candidate]] = {}
    found = []
    for one in asked:
        needs = []
        for finding in one.decision.reasons:
            for index in finding.actions:
                action = one.row.reading.actions[index]
                at = (finding.layer, action.replace(field="", span=(0, 0)))
                if at not in meeting:
                    near = by_action.get(action.name, {})
                    meeting[at] = frozenset([c for c in near if _meets(c, finding, action, policy)])
                needs.append(meeting[at])
        found.append(one.replace(needs=tuple(dict.fromkeys(needs))))
    return found


def _meets(candidate: Candidate, finding: Finding, action: Action, policy: Policy) -> bool:
    if candidate.grant is not None:
        return covers(candidate.grant, action)
    if finding.layer != "tiers":
        return False
    tiers = policy.tiers
    entry = FrozenMap({**tiers.actions, candidate.action: 1})
    return tier_of(action, tiers.replace(actions=entry))[0] == 1


def _greedy(
    asked: list[_Asked], guarded: list[Recorded], policy: Policy, live: Live, closed: Closed, top: int
) -> tuple[Suggestion, ...]:
    chosen: tuple[Candidate, ...] = ()
    found: list[Suggestion] = []
    dropped: set[Candidate] = set()
    left = asked
    while len(found) < top and left:
        best = _best(left, chosen, dropped)
        if best is None:
            break
        trial = (*chosen, best)
        if not _is_harmless(trial, guarded, policy, live, closed):
            dropped.add(best)
            continue
        passed = [one for one in left if _frees(trial, one.needs) and _passes(trial, one.row, policy, live, closed)]
        if not passed:
            dropped.add(best)
            continue
        chosen = trial
        left = _without(left, passed)
        found.append(_suggestion(best, passed))
    return tuple(found)


def _without(left: list[_Asked], passed: list[_Asked]) -> list[_Asked]:
    gone = {id(one) for one in passed}
    return [one for one in left if id(one) not in gone]


def _best(left: list[_Asked], chosen: tuple[Candidate, ...], dropped: set[Candidate]) -> Candidate | None:
    gains: dict[Candidate, int] = {}
    have = set(chosen)
    for one in left:
        open_needs = [need for need in one.needs if have.isdisjoint(need)]
        for candidate in frozenset.intersection(*open_needs) if open_needs else ():
            if candidate not in dropped:
                gains[candidate] = gains.get(candidate, 0) + 1
    if not gains:
        return None
    widest = min(gains, key=lambda c: (-gains[c], c.action, c.form, sorted(c.scope.items())))
    near = [c for c in gains if c.action == widest.action and gains[c] >= _NEARLY * gains[widest]]
    return min(near, key=lambda c: (tuple(-n for n in c.narrowness), -gains[c], c.form, sorted(c.scope.items())))


def _frees(trial: tuple[Candidate, ...], needs: tuple[frozenset[Candidate], ...]) -> bool:
    return all(not need.isdisjoint(trial) for need in needs)


def _passes(trial: tuple[Candidate, ...], row: Recorded, policy: Policy, live: Live, closed: Closed) -> bool:
    other, grants = applied(trial, policy)
    decision = redecide(row, other, (*live(policy, row.at, row.reading), *grants), closed(row, policy))
    return decision.verdict is Verdict.ALLOW


def _is_harmless(
    trial: tuple[Candidate, ...], guarded: list[Recorded], policy: Policy, live: Live, closed: Closed
) -> bool:
    """INVARIANT: nothing that is denied, was refused, holds an opaque part or stays a person's is let through."""
    names = {candidate.action for candidate in trial}
    concerned = [row for row in guarded if any(action.name in names for action in row.reading.actions)]
    return not any(_passes(trial, row, policy, live, closed) for row in concerned)


def _suggestion(candidate: Candidate, passed: list[_Asked]) -> Suggestion:
    counts: dict[str, int] = {}
    for one in passed:
        key = " + ".join(keys_of(one.decision.reasons))
        counts[key] = counts.get(key, 0) + 1
    main = min(counts, key=lambda key: (-counts[key], key))
    mine = [one for one in passed if " + ".join(keys_of(one.decision.reasons)) == main]
    others = [one for one in passed if " + ".join(keys_of(one.decision.reasons)) != main]
    return Suggestion(
        candidate=candidate,
        saved=len(passed),
        key=main,
        also=len(others),
        examples=_subjects(mine),
        also_examples=_subjects(others),
    )


def _subjects(asked: list[_Asked]) -> tuple[str, ...]:
    subjects = dict.fromkeys([subject_of(one.row.call.tool, one.row.given) for one in asked])
    return tuple(subjects)[:_EXAMPLES]


def to_data(suggestions: Suggestions) -> dict[str, Any]:
    """As plain data, for `--json`."""
    return {
        "calls": suggestions.calls,
        "prompts": suggestions.prompts,
        "saved": suggestions.saved,
        "not_suggested": suggestions.unsafe,
        "toml": toml_of_all(tuple([one.candidate for one in suggestions.found])),
        "suggestions": [
            {
                "form": one.candidate.form,
                "action": one.candidate.action,
                "scope": dict(one.candidate.scope),
                "key": one.key,
                "saved": one.saved,
                "examples": list(one.examples),
                "also": {"count": one.also, "examples": list(one.also_examples)},
                "allows": words_of(one.candidate),
                "command": command_of(one.candidate),
                "toml": toml_of(one.candidate),
            }
            for one in suggestions.found
        ],
    }
