"""What the layers found, and the decision that follows from it."""

from __future__ import annotations

from .value import TYPE_CHECKING, Value
from .verdict import Verdict

if TYPE_CHECKING:
    from .approve.grant import Grant
    from .effects import Effect
    from .posture import Posture

__all__ = ["Decision", "Finding", "NearMiss", "unrecorded"]


class Finding(Value):
    """One layer's word on one call.

    text      the reason, for a person
    instead   what the agent can do instead, in one sentence
    actions   which actions of the reading it is about, by position
    grant     the key of the grant that would satisfy this ask
    lifted_by which kinds of grant may satisfy it; none of them: nothing lifts it. A deny may name capabilities only
    remedy    what a person can run, or write into a policy, to permit just this
    locks     the session is to be locked, whatever the verdict
    """

    layer: str
    rule: str
    verdict: Verdict
    text: str
    instead: str = ""
    actions: tuple[int, ...] = ()
    grant: str | None = None
    lifted_by: tuple[str, ...] = ()
    remedy: str = ""
    locks: bool = False


class NearMiss(Value):
    """A grant that would have satisfied an ask, but for the reason given."""

    grant: str
    rule: str
    why: str


class Decision(Value):
    """The outcome. `reasons` are the findings that stand, the strictest first.

    `satisfied` are the asks that a grant lifted, `used` those grants. `posture` is the
    posture after this call. `approval` is the id under which a person could approve it.
    `notes` are advice: findings whose verdict is allow.
    """

    verdict: Verdict
    effect: Effect | None
    effects: tuple[Effect, ...]
    reasons: tuple[Finding, ...]
    satisfied: tuple[Finding, ...]
    used: tuple[Grant, ...]
    near_misses: tuple[NearMiss, ...]
    notes: tuple[str, ...]
    posture: Posture
    approval: str | None


def unrecorded(decision: Decision, trouble: str) -> Decision:
    """A deny in place of a decision that could not be kept: no record, no action."""
    finding = Finding(
        layer="record",
        rule="unrecorded",
        verdict=Verdict.DENY,
        text=f"the decision could not be recorded: {trouble}",
        instead="Only reads pass until the record can be written again; tell the person.",
    )
    return decision.replace(verdict=Verdict.DENY, reasons=(finding, *decision.reasons), approval=None)
