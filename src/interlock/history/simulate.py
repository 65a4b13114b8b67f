"""Recorded calls, decided again under another policy: what would change.

The recorded reading and the recorded slice of the session are what the decision is made from, so the disk of today
plays no part. One call at a time: what an agent would have done after another answer nobody knows.
"""

from __future__ import annotations

from ..approve.approval import approval_of
from ..decide import decide
from ..model.verdict import Verdict
from ..policy.facts import facts_under
from ..policy.rules import looks_for
from ..reading.looks import held_of
from ..value import TYPE_CHECKING, FrozenMap, Value
from .recorded import subject_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..approve.grant import Grant
    from ..model.action import Reading
    from ..model.decision import Decision, Finding
    from ..policy.model import Policy
    from .recorded import Recorded

    Live = Callable[[Policy, "int | None", Reading], tuple[Grant, ...]]
    Closed = Callable[[Recorded, Policy], frozenset[str]]

__all__ = ["KINDS", "Group", "Simulation", "keys_of", "kind_of", "redecide", "simulate", "unknowns"]

# what a change is called -> the verdicts before and after
KINDS: dict[str, tuple[tuple[str, str], ...]] = {
    "newly_denied": (("allow", "deny"), ("ask", "deny")),
    "newly_asked": (("allow", "ask"),),
    "newly_allowed": (("ask", "allow"), ("deny", "allow")),
    "asked_not_denied": (("deny", "ask"),),
}
_EXAMPLES = 3


class Group(Value):
    """Calls that change in the same way, under the same key."""

    kind: str
    before: str
    after: str
    key: str
    why: str
    count: int
    examples: tuple[str, ...]


class Simulation(Value):
    """`before` and `after` count verdicts; `others` are rows that another version of the engine decided."""

    calls: int
    before: Mapping[str, int]
    after: Mapping[str, int]
    groups: tuple[Group, ...]
    others: int = 0

    @property
    def prompts_saved(self) -> int:
        return self.before["ask"] - self.after["ask"]

    def count(self, kind: str) -> int:
        return sum([group.count for group in self.groups if group.kind == kind])


def redecide(
    recorded: Recorded, policy: Policy, grants: Sequence[Grant] = (), closed: frozenset[str] = frozenset()
) -> Decision:
    """What this policy says to the recorded call. `grants` are those that are live under the policy.

    A person's answer to this very call, and what they had remembered, still counts; what a policy file granted
    counts only if the new one grants it too.
    """
    session, decision = recorded.session, recorded.decision
    posture = max(session.posture, policy.posture_floor)
    mine = recorded.grants
    if session.pending or session.refused or any(grant.binds is not None for grant in mine):
        # The ids of then are told by what they did: this policy may give the call another one.
        new = approval_of(recorded.call, recorded.reading, policy, session)
        mine = tuple([g.replace(binds=new.id) if g.binds is not None and g in decision.used else g for g in mine])
        told = {found.rule for found in decision.reasons if found.layer == "answers"}
        asked = {decision.approval} if "pending" not in told else {a.approval for a in session.pending if a.approval}
        session = session.replace(
            pending=tuple([a.replace(approval=new.id) if a.approval in asked else a for a in session.pending])
        )
        if "refused" in told:
            noes = [tuple([new.first if _is_id(key) else key for key in no]) for no in session.refused]
            session = session.replace(refused=tuple(noes))
    kept = tuple([grant for grant in mine if grant.kind != "capability" or grant.by])
    session = session.replace(posture=posture, closed=closed)
    return decide(recorded.call, _looked_at(recorded, policy), policy, session, (*grants, *kept))


def _looked_at(recorded: Recorded, policy: Policy) -> Reading:
    """The reading with what this policy's rules ask of the call's words, as far as the ledger keeps them."""
    looks = looks_for(policy, recorded.call.tool)
    if not looks and not recorded.reading.holds:
        return recorded.reading
    call = recorded.call.replace(input=recorded.given)
    facts = facts_under(policy, call, root=call.cwd, home="/")
    return recorded.reading.replace(holds=held_of(looks, call, facts))


def _is_id(key: str) -> bool:
    """Whether a no is kept under the id of an approval, and not under what an action is called."""
    return key.startswith("ap_") and " " not in key


def keys_of(reasons: Iterable[Finding]) -> tuple[str, ...]:
    """What the strictest of the reasons are about: the key of a grant, else the rule."""
    found = list(reasons)
    strictest = max([finding.verdict for finding in found], default=Verdict.ALLOW)
    return tuple(dict.fromkeys([f.grant or f"{f.layer}/{f.rule}" for f in found if f.verdict is strictest]))


def kind_of(before: str, after: str) -> str | None:
    """What the change is called; None where there is none."""
    return next((kind for kind, pairs in KINDS.items() if (before, after) in pairs), None)


def simulate(
    rows: Iterable[Recorded],
    policy: Policy,
    *,
    live: Live,
    closed: Closed,
    engine: str,
    tick: Callable[[], object] = lambda: None,
) -> Simulation:
    """The sum over all rows. `live` and `closed` ask the clock of the row's own moment."""
    before, after = dict.fromkeys(Verdict.names(), 0), dict.fromkeys(Verdict.names(), 0)
    groups: dict[tuple[str, str, str], Group] = {}
    calls = others = 0
    for row in rows:
        decision = redecide(row, policy, live(policy, row.at, row.reading), closed(row, policy))
        old, new = row.decision.verdict.name, decision.verdict.name
        calls += 1
        others += row.engine != engine
        before[old] += 1
        after[new] += 1
        if old != new:
            _add(groups, row, decision)
        tick()
    ordered = sorted(groups.values(), key=lambda g: (list(KINDS).index(g.kind), -g.count, g.key, g.before))
    return Simulation(
        calls=calls, before=FrozenMap(before), after=FrozenMap(after), groups=tuple(ordered), others=others
    )


def _add(groups: dict[tuple[str, str, str], Group], row: Recorded, decision: Decision) -> None:
    old, new = row.decision.verdict, decision.verdict
    reasons = decision.reasons if new > old else row.decision.reasons  # those of the tighter of the two
    key = ", ".join(keys_of(reasons))
    subject = subject_of(row.call.tool, row.given)
    known = groups.get((old.name, new.name, key))
    if known is None:
        groups[old.name, new.name, key] = Group(
            kind=kind_of(old.name, new.name) or "",
            before=old.name,
            after=new.name,
            key=key,
            why=reasons[0].text if reasons else "",
            count=1,
            examples=(subject,),
        )
        return
    more = len(known.examples) < _EXAMPLES and subject not in known.examples
    groups[old.name, new.name, key] = known.replace(
        count=known.count + 1, examples=(*known.examples, subject) if more else known.examples
    )


def unknowns(policy: Policy, simulation: Simulation) -> tuple[str, ...]:
    """What these figures cannot say, in sentences for a person."""
    found = ["each call is decided by itself: after another answer the agent might have gone on differently"]
    found.append("a yes that a person would have given, and that would have been remembered, is not assumed")
    if policy.commands:
        found.append("the recorded readings are used: what `[commands]` says of programs does not show")
    if policy.budgets:
        found.append("of a session that was decided without these budgets, only what its rows hold is counted")
    if simulation.others:
        found.append(f"{simulation.others} calls were decided by another version; some changes may be the engine's")
    return tuple(found)
