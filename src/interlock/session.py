"""One agent session as the layers see it, and the only way in which it changes."""

from __future__ import annotations

from .decision import Decision
from .effects import Effect
from .limits import MAX_SESSION_PATHS
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
    written  paths whose content is this session's; `/` stands for too many to tell
    kept     paths to which something older was moved; `/` as above
    grants   what a person approved while it went on
    closed   time windows of rules that would match, and that are not open now
    """

    id: str = ""
    posture: Posture = Posture.INTERACTIVE
    calls: int = 0
    created: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    grants: tuple[Grant, ...] = ()
    closed: frozenset[str] = frozenset()


def advance(session: Session, reading: Reading, decision: Decision, outcome: str = "unknown") -> Session:
    """The session after a decision. A call that did not run leaves nothing but a count."""
    if outcome not in OUTCOMES:
        raise ValueError(f"`{outcome}` is not one of {', '.join(OUTCOMES)}")
    if outcome != "not_run" and decision.verdict is not Verdict.DENY:
        ran = outcome == "ran" or (outcome == "unknown" and decision.verdict is Verdict.ALLOW)
        session = _with_files(session, reading, ran=ran)
    return session.replace(
        posture=move(session.posture, decision.posture),
        calls=session.calls + 1,
    )


def _with_files(session: Session, reading: Reading, *, ran: bool) -> Session:
    """What the call leaves on the disk. What is read as well is edited in place: it was there, or the call fails.

    A call that failed, or of which nothing is known, may have written; it has made nothing for sure.
    """
    created, written, kept = set[str](), set[str](), set[str]()
    for action in reading.actions:
        path = action.target.get("path")
        if type(path) is not str or Effect.WRITE not in action.effects or Effect.READ in action.effects:
            continue
        if action.name == "fs:write":
            written.add(path)
        if "moved" in action.tags:
            kept.add(path)
        elif "new" in action.tags and ran:
            created.add(path)
    if not written and not kept and not created:
        return session
    return session.replace(
        created=_some(session.created | created),
        written=_all(session.written | written | created),
        kept=_all(session.kept | kept),
    )


def _some(paths: frozenset[str]) -> frozenset[str]:
    """Paths that make things free: beyond the limit none are added, and more is asked."""
    return paths if len(paths) <= MAX_SESSION_PATHS else frozenset(sorted(paths)[:MAX_SESSION_PATHS])


def _all(paths: frozenset[str]) -> frozenset[str]:
    """Paths that make things doubtful: beyond the limit everything is."""
    return paths if len(paths) <= MAX_SESSION_PATHS else frozenset(("/",))
