"""The same attempt once more: a host that asks again about a call gets the recorded answer, while that still stands.

It does not stand where a person's approval plays a part in it, or where what it hung on has changed since: that
Interlock is off, which signatures can be had, the grants that it used. Then the call is decided anew.
"""

from __future__ import annotations

from ..record.receipt import decision_from_wire
from ..value import TYPE_CHECKING
from ..verdict import Verdict
from .ledger import uses_of
from .rows import open_decision

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..decision import Decision
    from ..policy.model import Policy
    from ..record.chain import Row
    from .ledger import Turn

__all__ = ["opens_again"]


def opens_again(turn: Turn, winner: Row, policy: Policy, *, off: bool, signing: Callable[[], str]) -> bool:
    """Whether an attempt that was decided in the row `winner` is decided anew. `off` and `signing` are as of now."""
    body = open_decision(winner)[1]
    decision = decision_from_wire(body)
    if not _stands(turn, body["session"], decision, off=off, signing=signing):
        return True
    used = any(grant.kind == "once" for grant in decision.used)
    waits = decision.approval is not None and (decision.verdict is Verdict.DENY or bool(policy.approvers))
    if not used and not waits:
        return False
    from .approvals import opens_again as is_answered

    return is_answered(turn, decision)


def _stands(turn: Turn, seen: Mapping[str, Any], decision: Decision, *, off: bool, signing: Callable[[], str]) -> bool:
    """INVARIANT: nothing that a person has ended, or that has run out, lets a call through that is made again."""
    if bool(seen.get("off")) != off:
        return False
    if (decision.reasons or decision.satisfied) and seen.get("signing", "") != signing():
        return False
    kept = [uses_of(turn.database, grant.id) for grant in decision.used]
    return not any(uses is not None and uses.is_over(turn.at) for uses in kept)
