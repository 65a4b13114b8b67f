"""The user's own rules: they ask or deny. Loosening is a grant, never a rule.

A rule that may match, because what it names is not known, asks and says so: it denies only what is known.
"""

from __future__ import annotations

from ..approve.keys import key_of_action
from ..model.decision import Finding
from ..model.verdict import Verdict
from ..policy.rules import matching, unsettled
from ..value import TYPE_CHECKING
from ..words.said import Said, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..approve.grant import Grant
    from ..model.action import Reading
    from ..model.call import Call
    from ..model.session import Session
    from ..policy.model import Policy, Rule

__all__ = ["SAYS", "rules"]

SAYS = {
    "not ruled out": Said(
        person="The rule {rule} may be about this: which {field} is meant is not known{why}.",
        agent="Name the {field} in the command itself.",
    ),
}


def rules(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    return [
        finding
        for rule, matched in matching(call, reading, policy, session.posture)
        if rule.when.window not in session.closed
        for finding in _findings(rule, matched, reading, call.cwd)
    ]


def _findings(rule: Rule, matched: tuple[int, ...], reading: Reading, cwd: str) -> Iterator[Finding]:
    said = SAYS["not ruled out"]
    found = {at: unsettled(rule, reading.actions[at], cwd) for at in matched}
    open_ones = {at: field_and_why for at, field_and_why in found.items() if field_and_why is not None}
    for index, (field, why) in open_ones.items():
        yield Finding(
            layer="rules",
            rule=rule.id,
            verdict=Verdict.ASK,
            text=said.person.format(rule=quoted(rule.id), field=field, why=f" ({why})" if why else ""),
            instead=said.agent.format(field=field),
            binds=rule.digest,
            actions=(index,),
            lifted_by=("once",),
        )
    if open_ones:
        matched = tuple([index for index in matched if index not in open_ones])
        if not matched:
            return
    asks = rule.verdict is Verdict.ASK
    own = {"layer": "rules", "rule": rule.id, "verdict": rule.verdict, "text": rule.reason, "instead": rule.instead}
    if asks:
        own["binds"] = rule.digest
    if rule.when.contract is not None or rule.when.of_words:
        # It is about this input, so only an approval of this one call lifts it, and it needs no action to hold.
        yield Finding(**own, actions=matched, lifted_by=("once",) if asks else ())  # type: ignore[arg-type]
        return
    for index in matched:
        yield Finding(
            **own,  # type: ignore[arg-type]
            actions=(index,),
            grant=key_of_action(reading.actions[index]) if asks else None,
            lifted_by=("once", "capability", "remembered") if asks else (),
        )
