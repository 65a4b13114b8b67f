"""The user's own rules: they ask or deny. Loosening is a grant, never a rule."""

from __future__ import annotations

from ..approve.keys import key_of_action
from ..model.decision import Finding
from ..model.verdict import Verdict
from ..policy.rules import matching
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..approve.grant import Grant
    from ..model.action import Reading
    from ..model.call import Call
    from ..model.session import Session
    from ..policy.model import Policy, Rule

__all__ = ["rules"]


def rules(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    return [
        finding
        for rule, matched in matching(call, reading, policy, session.posture)
        if rule.when.window not in session.closed
        for finding in _findings(rule, matched, reading)
    ]


def _findings(rule: Rule, matched: tuple[int, ...], reading: Reading) -> Iterator[Finding]:
    asks = rule.verdict is Verdict.ASK
    said = {"layer": "rules", "rule": rule.id, "verdict": rule.verdict, "text": rule.reason, "instead": rule.instead}
    if asks:
        said["binds"] = rule.digest
    if rule.when.contract is not None or rule.when.of_words:
        # It is about this input, so only an approval of this one call lifts it, and it needs no action to hold.
        yield Finding(**said, actions=matched, lifted_by=("once",) if asks else ())  # type: ignore[arg-type]
        return
    for index in matched:
        yield Finding(
            **said,  # type: ignore[arg-type]
            actions=(index,),
            grant=key_of_action(reading.actions[index]) if asks else None,
            lifted_by=("once", "capability", "remembered") if asks else (),
        )
