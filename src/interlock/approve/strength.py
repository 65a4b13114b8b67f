"""How strong the yes must be to whatever loosens: what tier 3 needs.

The policy says the least. Once a key counts that can sign, a signature is the least: a medium one does, unless the
policy says more.
"""

from __future__ import annotations

from ..model.verdict import Strength
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..model.decision import Decision, Finding
    from ..policy.model import Policy

__all__ = ["needed_by", "needs_two", "strength_of_off", "strength_of_tier_3"]


def strength_of_tier_3(policy: Policy, signing: str) -> Strength:
    """`signing` is the strongest signature that can be had; empty: none."""
    return max(policy.strength, Strength.MEDIUM) if signing else policy.strength


def strength_of_off(policy: Policy, signing: str) -> Strength:
    """It lets every action through, so it needs what the action needs that needs most."""
    return max([strength_of_tier_3(policy, signing), *policy.strengths.values()])


def needs_two(findings: Iterable[Finding]) -> bool:
    """Whether what stands waits for the yes of two persons."""
    return any(finding.layer == "two" for finding in findings)


def needed_by(decision: Decision) -> Strength:
    """How strong a yes this decision waits for."""
    found = [finding.rule for finding in decision.reasons if finding.layer == "strength"]
    return Strength.of(found[0]) if found else Strength.WEAK
