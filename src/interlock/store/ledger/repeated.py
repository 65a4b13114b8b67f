"""The same attempt once more: a host that asks again about a call gets the recorded answer, while that still stands.

It does not stand where a person's approval plays a part in it, or where what it hung on has changed since: that
Interlock is off, which signatures can be had, the grants that it used. Then the call is decided anew.
"""

from __future__ import annotations

from ...record.receipt import decision_from_wire
from ...value import TYPE_CHECKING
from .ledger import uses_of
from .rows import open_decision
from .snapshot import off_until, signing_now

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ...model.call import Call
    from ...model.decision import Decision
    from ...policy.model import Policy
    from ...record.chain import Row
    from .ledger import View

__all__ = ["opens_again"]


def opens_again(turn: View, winner: Row, call: Call, policy: Policy, *, is_kept: Callable[[Decision], bool]) -> bool:
    """Whether an attempt that was decided in the row `winner` is decided anew. `is_kept`: whether a question was kept
    with such a decision.
    """
    body = open_decision(winner)[1]
    decision = decision_from_wire(body)
    if not _stands(turn, body["session"], decision, call, policy):
        return True
    waits = decision.approval is not None and is_kept(decision)
    if not waits and not any(grant.kind == "once" for grant in decision.used):
        return False
    from .approvals import opens_again as is_answered

    return is_answered(turn, decision)


def _stands(turn: View, seen: Mapping[str, Any], decision: Decision, call: Call, policy: Policy) -> bool:
    """INVARIANT: nothing that a person has ended, or that has run out, lets a call through that is made again."""
    if bool(seen.get("off")) != bool(off_until(turn.database, turn.at, call, policy)):
        return False
    if decision.reasons or decision.satisfied:
        if seen.get("signing", "") != signing_now(turn.database, turn.at, policy):
            return False
    kept = [uses_of(turn.database, grant.id) for grant in decision.used]
    return not any(uses is not None and uses.is_over(turn.at) for uses in kept)
