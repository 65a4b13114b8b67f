"""How strong a person's yes must be for an action: a table of the policy, and the tier.

Tier 3 needs what the policy says, and a signature once a key is enrolled that counts. What could not be read may be
anything, so it needs the same. No layer: it finds nothing by itself, it says what satisfies what the layers find.
"""

from __future__ import annotations

from ..approve.glob import matches
from ..approve.strength import strength_of_tier_3
from ..model.verdict import Strength
from ..value import TYPE_CHECKING
from .tiers import tier_of

if TYPE_CHECKING:
    from ..approve.grant import Grant
    from ..model.action import Action, Reading
    from ..model.decision import Finding
    from ..model.session import Session
    from ..policy.model import Policy

__all__ = ["needed_for", "strength_of_action", "why_too_weak"]


def strength_of_action(action: Action, policy: Policy, session: Session) -> Strength:
    tier_3 = strength_of_tier_3(policy, session.signing)
    least = Strength.WEAK
    if tier_3 is not Strength.WEAK and tier_of(action, policy.tiers)[0] == 3:
        least = tier_3
    named = [strength for pattern, strength in policy.strengths.items() if matches(pattern, action.name)]
    return max([least, *named])


def needed_for(finding: Finding, reading: Reading, policy: Policy, session: Session) -> Strength:
    """What a yes must be worth to satisfy this finding."""
    least = Strength.MEDIUM if finding.layer == "two" else Strength.WEAK  # only a signature shows who somebody is
    if not session.signing and policy.strength is Strength.WEAK and not policy.strengths:
        return least
    if finding.actions:
        return max([least, *[strength_of_action(reading.actions[index], policy, session) for index in finding.actions]])
    every = [strength_of_action(action, policy, session) for action in reading.actions]
    opaque = strength_of_tier_3(policy, session.signing) if reading.opaque else Strength.WEAK
    return max([least, opaque, *every])


def why_too_weak(grant: Grant, needed: Strength, policy: Policy, session: Session) -> str | None:
    """None if the grant is strong enough. A weak one counts for one session at most where signatures can be had."""
    if grant.strength is Strength.WEAK and grant.reach not in ("once", "session"):
        needed = max(needed, strength_of_tier_3(policy, session.signing))
    if grant.strength >= needed:
        return None
    return f"it was given {_HOW[grant.strength.name]}, and this needs {_NEEDS[needed.name]}"


_HOW = {"weak": "without a signature", "medium": "with a key that is not in hardware"}
_NEEDS = {"medium": "a signed one", "strong": "one that is signed with a hardware key"}
