"""A call that another hook rewrote after it was decided about: what ran is judged once it is known.

No hook can prevent it: each is asked about the call as the agent made it, and the client runs what the last one made of
it. The event after the call shows what ran. It is judged with the same policy and session, recorded with what it would
have got, and told to the person; a session in which something ran that would not have been allowed is locked.
"""

from __future__ import annotations

from ..approve.approval import projection_of
from ..bytes.redact import redacted
from ..layers.loop import unlocking
from ..limits import MAX_FOLLOWED_ROWS
from ..model.posture import Posture, move
from ..model.verdict import Verdict
from ..record.receipt import replay_inputs
from ..record.resume import opened, resumed
from ..runtime import judge
from ..store.ledger.grants import Look
from ..store.ledger.rows import kept_input, posture_row
from ..value import TYPE_CHECKING, Value
from .outcomes import decision_about

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..calls.world import Outcome
    from ..engine import Engine
    from ..model.action import Reading
    from ..model.call import Call
    from ..model.events import Ended
    from ..model.session import Session
    from ..store.ledger.ledger import Turn

__all__ = ["Judged", "judged_if_rewritten"]

_SHOWN = 200


class Judged(Value):
    """What ran in place of a call, and what would have been decided about it."""

    call: Call
    outcome: Outcome

    @property
    def reading(self) -> Reading:
        return self.outcome.reading

    @property
    def verdict(self) -> Verdict:
        return self.outcome.decision.verdict

    @property
    def row(self) -> Mapping[str, Any]:
        return {
            "input": kept_input(redacted(self.call.input)),
            "reasons": [f"{found.layer}/{found.rule}: {found.text}" for found in self.outcome.decision.reasons][:20],
            "receipt": self.outcome.receipt,
            "verdict": self.verdict.name,
        }

    def learnt(self, session: Session) -> Session:
        if self.verdict is Verdict.ALLOW:
            return session
        return session.replace(posture=move(session.posture, Posture.LOCKED))

    def keep_lock(self, turn: Turn, before: bytes, after: bytes) -> None:
        was, now = opened(before)[0].posture, opened(after)[0].posture
        if was is not now:
            body = posture_row(was, now, self.outcome.receipt, by="a call that another hook rewrote")
            turn.append("posture", body, key=turn.id)

    def told(self, decided: Verdict) -> str:
        """For the person."""
        given = redacted(self.call.input)
        what = given.get("command") or given.get("file_path") or given.get("url")
        what = f"`{str(what)[:_SHOWN]}`" if what else "another input"
        tool = self.call.tool[:60]
        said = f"another hook rewrote a call of `{tool}` after it was decided about ({_WAS[decided.name]}): "
        if self.verdict is Verdict.ALLOW:
            return f"{said}{what} ran, which would have been allowed"
        why = "; ".join(dict.fromkeys([found.text for found in self.outcome.decision.reasons]))

        return (
            f"{said}{what} ran, which would {_WOULD[self.verdict.name]}: {why}. The session is locked. Look at the "
            f"hooks in your settings, then unlock it in a terminal of your own: {unlocking(self.call)}"
        )


_WAS = {"allow": "allowed", "ask": "asked about", "deny": "denied"}
_WOULD = {"ask": "have been asked about", "deny": "have been denied"}


def judged_if_rewritten(engine: Engine, told: Ended) -> Judged | None:
    """None where what ran is what was decided about, or where no decision is known. Nothing is locked meanwhile."""
    call = told.call
    owner = call.kept_session
    if not owner:
        return None
    ledger = engine.ledger()
    with ledger.looking(owner) as view:
        decided, again = decision_about(told, view.newest(owner, MAX_FOLLOWED_ROWS))
    if decided is None or again:
        return None
    if projection_of(call) == replay_inputs(decided.body)[1].projection:
        return None
    world = engine.world(told.place)
    fresh, _ = engine.worlds.session(told.place, world)
    session = resumed(ledger.session(owner), fresh)
    looks = Look.on(ledger)
    outcome = judge(call, world.replace(ledger=None, looks=looks, policy=world.policy.replace(consult=None)), session)
    if outcome.observed and outcome.decision.verdict is not Verdict.ALLOW:
        return None  # it is only observed, as the call that it stands in place of was
    return Judged(call=call, outcome=outcome)
