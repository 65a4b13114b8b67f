"""The user's own rules: they ask or deny. Loosening is a grant, never a rule."""

from __future__ import annotations

from ..approve.keys import key_of_action
from ..decision import Finding
from ..policy.rules import rule_matches
from ..value import TYPE_CHECKING
from ..verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..action import Reading
    from ..approve.grant import Grant
    from ..call import Call
    from ..policy.model import Policy
    from ..session import Session

__all__ = ["rules"]


def rules(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    return [
        Finding(
            layer="rules",
            rule=rule.id,
            verdict=rule.verdict,
            text=rule.reason,
            instead=rule.instead,
            actions=(index,),
            grant=key_of_action(action) if rule.verdict is Verdict.ASK else None,
            lifted_by=("once", "capability", "remembered") if rule.verdict is Verdict.ASK else (),
        )
        for rule in policy.rules
        for index, action in enumerate(reading.actions)
        if rule_matches(rule, call, action, session.posture)
    ]
