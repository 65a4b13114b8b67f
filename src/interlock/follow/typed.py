"""A skill or command that is typed: the host loads it, and runs its lines, without any tool call.

Whoever typed it wants it, so what a person would only be asked about passes. It is not loaded where a call of it would
be denied (the floor, a rule, posture locked or dry_run, nobody attended), nor where this session wrote it: then the
agent chose the lines, and the person sees only a name. Every such skill with an effect is recorded.
"""

from __future__ import annotations

from ..bytes.canon import canonical
from ..model.action import is_read_only
from ..model.errors import StoreError
from ..model.verdict import Verdict
from ..record.resume import resumed
from ..runtime import judge
from ..store.home.nesting import below
from ..store.ledger.grants import Look
from ..store.ledger.proofs import keyed
from ..value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from ..calls.world import Outcome, World
    from ..model.call import Call
    from ..model.session import Session
    from ..words.told import what_happens
else:
    what_happens = lazy(globals(), "..words.told", "what_happens")

__all__ = ["why_not_loaded"]


def why_not_loaded(call: Call, world: World, fresh: Session) -> str | None:
    """Why the skill is not loaded; None if it is."""
    ledger = world.ledger
    if ledger is None or not call.session:
        return None
    try:
        before = ledger.session(call.kept_session)
        session = resumed(before, fresh)
        if session.parent:
            world, fresh = below(world, fresh, ledger, call.kept_session, session.parent)
            session = resumed(before, fresh)
    except StoreError:  # what is kept of the session cannot be read: it counts as one that begins
        session = fresh
    outcome = judge(call, world.replace(ledger=None, looks=Look.on(ledger)), session)
    if outcome.decision.verdict is Verdict.ALLOW and is_read_only(outcome.reading):
        return None
    reason = _against(outcome)
    try:
        digest = keyed(canonical(call.input), world.folders)
        with ledger.deciding(call.kept_session) as turn:
            row = {
                "actions": [action.name for action in outcome.reading.actions],
                "characters": len(canonical(call.input)),
                "digest": digest,
                "loaded": reason is None,
                "raised": None,
                "receipt": outcome.receipt,
                "skill": str(call.input.get("skill", ""))[:200],
            }
            turn.append("message", canonical(row), key=turn.id)
    except StoreError as error:
        return reason or f"that `/{call.input.get('skill', '')}` was typed could not be recorded: {error}"
    return reason


def _against(outcome: Outcome) -> str | None:
    decision = outcome.decision
    if outcome.observed:
        return None
    wrote = any(part.kind == "written-here" for part in outcome.reading.opaque)
    if decision.verdict is not Verdict.DENY and not wrote:
        return None

    told = " ".join(what_happens(outcome.call, outcome.reading, decision))
    if decision.verdict is Verdict.DENY:
        return told
    return f"{told} Look at the file; to use it, start a new session, or ask the agent to do what it says."
