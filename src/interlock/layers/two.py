"""Two persons: an action that the policy names in `[approvals] two_for` needs the yes of two of them to this one call.

It holds whatever else permits the call: no mode, phrase, remembered yes or grant made ahead is the word of two, and
`interlock off` does not lift it. A call that could not be read to its end may be any of these actions, so it needs two
as well. What only looks, and is free by its tier, is left alone: `kubectl:*` is not about `kubectl get`.
"""

from __future__ import annotations

from ..approve.glob import matches
from ..model.decision import Finding
from ..model.effects import Effect
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, lazy
from ..words.said import Said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..approve.grant import Grant
    from ..model.action import Action, Reading
    from ..model.call import Call
    from ..model.session import Session
    from ..policy.model import Policy
    from ..words.acts import does
else:
    does = lazy(globals(), "..words.acts", "does")

__all__ = ["SAYS", "two", "why_not_two"]

SAYS = {
    "two": Said(
        person="your policy wants the yes of two persons to it, neither of whom started the run",
        agent="Leave this step to the persons who approve it, and tell them what is ready.",
    ),
    "unread": Said(
        person="A part of this call could not be read, so it may be an action that needs two persons.",
        agent="Write the call so that all of it can be read.",
    ),
}

_LOOKS = frozenset((Effect.READ, Effect.NETWORK))


def two(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    if not policy.two_for:
        return ()

    found = []
    for index, action in enumerate(reading.actions):
        if any(matches(pattern, action.name) for pattern in policy.two_for) and not _only_looks(action, policy):
            why = SAYS["two"].person
            found.append(_finding("two", f"{does(action)}: {why}.", (index,), why))
    if reading.opaque:
        found.append(_finding("unread", SAYS["unread"].person))
    return found


def _finding(rule: str, text: str, actions: tuple[int, ...] = (), why: str = "") -> Finding:
    return Finding(
        layer="two",
        rule=rule,
        verdict=Verdict.ASK,
        text=text,
        instead=SAYS[rule].agent,
        actions=actions,
        lifted_by=("once",),
        why=why,
    )


def _only_looks(action: Action, policy: Policy) -> bool:
    from .tiers import tier_of

    looks = Effect.READ in action.effects and _LOOKS.issuperset(action.effects)
    return looks and tier_of(action, policy.tiers)[0] == 1


def why_not_two(grant: Grant) -> str | None:
    """None if two persons gave it."""
    return None if len(set(grant.persons)) > 1 else "it is one person's, and this needs two"
