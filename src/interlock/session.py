"""One agent session as the layers see it, and the only way in which it changes."""

from __future__ import annotations

from .decision import Decision
from .effects import Effect
from .posture import Posture, move
from .value import TYPE_CHECKING, Value
from .verdict import Verdict

if TYPE_CHECKING:
    from .action import Reading
    from .approve.grant import Grant

__all__ = ["OUTCOMES", "Session", "advance"]

OUTCOMES = ("ran", "failed", "not_run", "unknown")


class Session(Value):
    """
    posture  how the machine is being run for this session
    calls    how many calls were decided
    created  paths that this session wrote and that were not there before
    grants   what a person approved while it went on
    """

    id: str = ""
    posture: Posture = Posture.INTERACTIVE
    calls: int = 0
    created: frozenset[str] = frozenset()
    grants: tuple[Grant, ...] = ()


def advance(session: Session, reading: Reading, decision: Decision, outcome: str = "unknown") -> Session:
    """The session after a decision. A call that did not run leaves nothing but a count."""
    if outcome not in OUTCOMES:
        raise ValueError(f"`{outcome}` is not one of {', '.join(OUTCOMES)}")
    created = session.created
    if decision.verdict is Verdict.ALLOW and outcome in ("ran", "unknown"):
        made = [
            str(a.target["path"])
            for a in reading.actions
            # what is read as well is edited in place, and so was there, or the call fails
            if "new" in a.tags and Effect.WRITE in a.effects and Effect.READ not in a.effects and "path" in a.target
        ]
        created = created.union(made) if made else created
    return session.replace(
        posture=move(session.posture, decision.posture),
        calls=session.calls + 1,
        created=created,
    )
