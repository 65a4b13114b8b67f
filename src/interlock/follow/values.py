"""What a session keeps of a result: keyed digests of its values, where the policy asks where values come from.

Whether it does is told by the session's own state, so that most outcomes look at no policy. Everything is worked out
before the ledger is locked, but for the joining itself.
"""

from __future__ import annotations

from ..model.session import HAPPENED
from ..model.toolnames import declared_tool
from ..model.verdict import Verdict
from ..policy.model import ToolSpec
from ..value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..engine import Engine
    from ..model.events import Ended
    from ..model.session import Session
    from ..store.ledger.proofs import key_of

    Learner = Callable[[Session, Verdict], Session]
else:
    key_of = lazy(globals(), "..store.ledger.proofs", "key_of")

__all__ = ["learner_of"]

_MARK = b'"values":'


def learner_of(engine: Engine, told: Ended, state: bytes | None) -> Learner | None:
    """What the session in this state learns from the outcome, given how the call was decided; None: nothing."""
    if state is None or _MARK not in state or told.outcome not in HAPPENED:
        return None
    from ..model.origins import NOTHING, is_traced, learnt, used

    world = engine.world(told.place)
    call = told.call
    spec = declared_tool(world.policy, call.tool, call.named)
    if spec is None:
        spec = ToolSpec(name=call.tool)  # nothing of it is trusted, and its result is met all the same
    key = key_of(world.folders)

    def learns(session: Session, verdict: Verdict) -> Session:
        known = session.values or NOTHING
        # INVARIANT: only where somebody sits in front of the host has a call that was asked about been permitted.
        permitted = verdict is Verdict.ALLOW or (verdict is Verdict.ASK and told.place.attended)
        if told.outcome == "ran" and permitted and is_traced(spec):
            known = used(known, key, spec, call.input)
        return session.replace(values=learnt(known, key, spec, told.result))

    return learns
