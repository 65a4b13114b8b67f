"""What the layers found, and the decision that follows from it."""

from __future__ import annotations

from ..value import TYPE_CHECKING, Value
from ..words.said import Said
from .verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..approve.grant import Grant
    from .effects import Effect
    from .posture import Posture

__all__ = ["SAYS", "Decision", "Finding", "NearMiss", "gravest_first", "holds", "unrecorded"]

SAYS = {
    "unrecorded": Said(
        person="This decision could not be recorded: {trouble}. Until it can be, only read-only calls are allowed.",
        agent="Tell the person that this decision could not be recorded: {trouble}. Until it can be, only read-only "
        "calls are allowed.",
    )
}

# Of findings with the same verdict, those of a layer that stands first are told first.
_GRAVITY = (
    "record",
    "floor",
    "policy",
    "watch",
    "risk",
    "tier-3",
    "capability",
    "two",
    "strength",
    "rules",
    "obeyed",
    "flow",
)
_LESS_GRAVE = ("reading", "tier-2", "manifest", "plan", "loop", "judge", "answers", "posture")
_PLACES = {layer: at for at, layer in enumerate((*_GRAVITY, *_LESS_GRAVE))}


class Finding(Value):
    """One layer's word on one call.

    text      what would happen and why it is stopped: a sentence for the person
    instead   what to do instead: a sentence for the agent
    why       the part of `text` behind the colon, where the rest says what an action would do; else empty
    evidence  the field of the input and the characters of it that the finding is about, where it is about no action
    actions   which actions of the reading it is about, by position
    grant     the key of the grant that would satisfy this ask
    lifted_by which kinds of grant may satisfy it; none of them: nothing lifts it. A deny may name capabilities only
    remedy    what a person can run, or write into a policy, to permit just this
    locks     the session is to be locked, whatever the verdict
    binds     digest of the rule that asks, where a person wrote it: a yes to it is none to the rule as it is changed
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
    why: str = ""
    evidence: tuple[str, int, int] | None = None
    binds: str = ""


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

    @property
    def waits(self) -> bool:
        """Whether a person's yes is all that is missing. INVARIANT: a deny has an approval only where that is so."""
        return self.verdict is Verdict.ASK or (self.verdict is Verdict.DENY and self.approval is not None)


def gravest_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The strictest first, and of those the gravest."""
    return tuple(sorted(findings, key=lambda finding: (-finding.verdict.rank, _place(finding))))


def _place(finding: Finding) -> int:
    known = _PLACES.get(finding.layer)
    return _PLACES.get(finding.rule, len(_PLACES)) if known is None else known


# Layers whose refusals hold while everything else is only observed, and postures that a person, or the loop guard, set.
_HOLD = ("floor", "policy", "record")
_HELD_POSTURES = ("dry_run", "locked")


def holds(decision: Decision) -> bool:
    """Whether it refuses what is refused in observe mode too."""
    return any(
        found.verdict is Verdict.DENY
        and (found.layer in _HOLD or (found.layer == "posture" and found.rule in _HELD_POSTURES))
        for found in decision.reasons
    )


def unrecorded(decision: Decision, trouble: str) -> Decision:
    """A deny in place of a decision that could not be kept: no record, no action."""
    finding = Finding(
        layer="record",
        rule="unrecorded",
        verdict=Verdict.DENY,
        text=SAYS["unrecorded"].person.format(trouble=trouble),
        instead=SAYS["unrecorded"].agent.format(trouble=trouble),
    )
    return decision.replace(verdict=Verdict.DENY, reasons=(finding, *decision.reasons), approval=None)
