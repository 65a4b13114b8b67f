"""What a front tells its host: a decision, in the neutral words of `events.Decided`.

Who may be asked, and whether the host's own rules are left to decide, is settled here, once for every host. How a host
is told is in its file of `hosts/`.
"""

from __future__ import annotations

from ..approve.lifecycle import NOT_ASKED
from ..model.answer import DENY, HELD
from ..model.effects import Effect
from ..model.events import Decided
from ..model.verdict import Verdict
from ..policy.model import Headless, OnAllow
from ..value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from ..model.action import Action
    from ..model.events import Proposed
    from ..words.standing import words_for
    from ..words.told import told
    from .world import Outcome
else:
    words_for = lazy(globals(), "..words.standing", "words_for")
    told = lazy(globals(), "..words.told", "told")

__all__ = ["reply_to", "sentences_of"]

# Marks of what was let through without having been read to its end.
_NOT_READ = ("fetched", "unread", "written-here")
_STAYS_HERE = (Effect.READ, Effect.WRITE, Effect.EXECUTE)


def reply_to(event: Proposed, outcome: Outcome, *, has_rules: bool) -> Decided:
    """The answer. `has_rules`: the host has rules of its own, which decide where it is told nothing."""
    if outcome.observed and (outcome.decision.verdict is not Verdict.ALLOW or outcome.decision.used):
        # What a grant lets through is not told either: nothing is used up, so it would lift the host's prompt for ever.
        passed = outcome.decision.replace(verdict=Verdict.ALLOW, reasons=(), approval=None)
        return Decided(decision=passed, warnings=outcome.warnings, silent=True)
    decision, answer = outcome.decision, outcome.answer
    held = answer.approval if answer.kind == HELD else ""
    # A sub-agent's call cannot be resumed, and a person in front of the host is asked there.
    can_defer = outcome.policy.headless is Headless.DEFER and not event.place.attended and not event.call.agent
    person, agent = sentences_of(outcome)
    return Decided(
        decision=decision,
        person=person,
        agent=agent,
        notes=decision.notes,
        warnings=outcome.warnings,
        held=held,
        defers=can_defer and held != "" and decision.verdict is Verdict.DENY,
        silent=has_rules and _is_silent(event, outcome),
    )


def sentences_of(outcome: Outcome, *, by_id: bool = False) -> tuple[str, str]:
    """What the person and the agent are told of the call. `by_id`: the person answers the approval by its id."""
    decision = outcome.decision
    if not decision.reasons:
        return "", ""

    person, agent = told(outcome.call, outcome.reading, decision, outcome.policy, by_id=by_id)
    if decision.verdict is Verdict.ASK and outcome.answer.kind == DENY:  # nobody is asked, so nobody will answer
        why = NOT_ASKED.get(outcome.body["session"].get("asking", ""), "no approver is configured")
        agent = words_for("autonomous").agent.format(why=why)
    return person, agent


def _is_silent(event: Proposed, outcome: Outcome) -> bool:
    """Whether the host's own rules are left to decide: an allow of ours would stand in their place."""
    decision, on_allow = outcome.decision, outcome.policy.on_allow
    if decision.verdict is not Verdict.ALLOW:
        return False
    if event.planning and any(effect is not Effect.READ for effect in decision.effects):
        return True
    said = on_allow.get(event.mode, on_allow["default"])
    return said is OnAllow.SILENT or (said is OnAllow.APPROVE and not _is_read_in_full(outcome))


def _is_read_in_full(outcome: Outcome) -> bool:
    """Whether all of the call was read, or a person has permitted what was not."""
    reading, decision = outcome.reading, outcome.decision
    # A yes to this very call; and what is opaque is allowed in no other way, but for Interlock being off.
    if reading.opaque or any(grant.kind == "once" for grant in decision.used):
        return True
    permitted = [at for found in decision.satisfied for at in found.actions]
    # Who said yes to a program of the session said yes to the tool that runs it.
    ran = [reading.actions[at].span for at in permitted if reading.actions[at].name == "exec:written"]
    return not any(
        at not in permitted
        and any(mark in action.tags for mark in _NOT_READ)
        and not (action.name == "exec:project" and action.span in ran)
        and not _is_kept_task(action)
        for at, action in enumerate(reading.actions)
    )


def _is_kept_task(action: Action) -> bool:
    """Whether it is a test or build task of the project that nobody has changed (reading/runs/kept_tasks.py)."""
    own = action.name[:5] == "exec:" and {*action.tags} == {"committed", "unread"}
    return own and all(effect in _STAYS_HERE for effect in action.effects)
