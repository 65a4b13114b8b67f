"""What stands between a proposal and its commit: a checkpoint to be made, uses of grants that a team shares.

All of it may wait for others, so it is done while nothing is locked.
"""

from __future__ import annotations

from ..approve.mode import mode_in_force
from ..bytes.canon import canonical
from ..model.action import is_held_anyway
from ..model.effects import Effect
from ..model.verdict import Verdict
from ..policy.model import ApprovalMode
from ..store.ledger.ledger import uses_of
from ..value import TYPE_CHECKING, FrozenMap, lazy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..approve.standing import Case
    from ..model.decision import Decision
    from ..store.ledger.ledger import AnyDatabase, Ledger
    from ..store.team.shared import Redeeming
    from .commit import Proposal, Reserved
    from .world import World
else:
    Redeeming = lazy(globals(), "..store.team.shared", "Redeeming")

__all__ = ["counted", "may_be_held", "needs_more", "not_counting", "reserved_for"]


def needs_more(proposal: Proposal, world: World, ledger: Ledger) -> bool:
    """INVARIANT: whatever `runtime.py` does between proposing a call and committing it, which may wait for others: a
    checkpoint, judges, a shared grant. A call that has none of it is committed as it would be there.
    """
    decision = proposal.found.decision
    if world.undo == "holds" and may_be_held(decision, proposal.case, world):
        return True
    is_allowed = decision.verdict is Verdict.ALLOW
    return (not is_allowed and (world.undo != "" or world.policy.judge is not None)) or bool(
        counted(ledger.database, proposal.shared)
    )


def may_be_held(decision: Decision, case: Case, world: World) -> bool:
    """Whether a checkpoint could take away what stands against the call. Cheap, since it is asked of every call."""
    policy, actions = world.policy, case.reading.actions
    if decision.verdict is Verdict.ALLOW:  # nothing stands against it
        is_candidate = any(map(is_held_anyway, actions))
    else:
        is_candidate = Effect.DESTRUCTIVE in decision.effects and any(
            Effect.DESTRUCTIVE in a.effects and Effect.NETWORK not in a.effects for a in actions
        )
    return (
        is_candidate
        and policy.undo_lowers
        and not world.observes
        and mode_in_force(policy, case.session) is not ApprovalMode.STRICT
    )


def reserved_for(
    proposal: Proposal, world: World, ledger: Ledger, redeeming: Redeeming | None, reserved: Reserved
) -> tuple[Redeeming | None, Reserved, bool]:
    """A grant that the team shares is redeemed in the team store while nothing is locked here; then the call is
    weighed again, with it, or without it where the team store does not let it go.
    """
    name = next((name for name in counted(ledger.database, proposal.shared) if name not in reserved.won), None)
    if name is None:
        return redeeming, reserved, False

    redeeming = redeeming or Redeeming(world.policy.store, world.folders)
    why = redeeming.redeem(name, canonical({"receipt": proposal.outcome.receipt}))
    if why is None:
        return redeeming, reserved.replace(won=reserved.won | {name}), True
    return redeeming, reserved.replace(refused=FrozenMap({**reserved.refused, name: why})), True


def not_counting(refused: Mapping[str, str]) -> tuple[str, ...]:
    return tuple([f"the shared grant {grant} does not count: {why}" for grant, why in refused.items()])


def counted(database: AnyDatabase, names: tuple[str, ...]) -> list[str]:
    """Those of the grants that have a number of uses."""
    if not names:
        return []

    found = [(name, uses_of(database, name)) for name in names]
    return [name for name, kept in found if kept is not None and kept.uses > 0]
