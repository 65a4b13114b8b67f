"""What a call leaves behind in its session besides counts: files, machines that it talked to, secrets that it read.

These are facts of the reading, and bounded in size. They are kept in observe mode too, where nothing else of a call is.
"""

from __future__ import annotations

from ..limits import MAX_PATH_CHARS, MAX_SESSION_HOSTS, MAX_SESSION_PATH_CHARS, MAX_SESSION_PATHS
from ..value import TYPE_CHECKING
from .effects import Effect

if TYPE_CHECKING:
    from collections.abc import Set

    from .action import Reading
    from .session import Session

__all__ = ["bounded", "observed", "with_files", "with_flow"]


def observed(session: Session, reading: Reading, outcome: str = "unknown") -> Session:
    """The session after a call that was only observed: what it may have touched, and nothing that counts."""
    session = with_flow(session, reading, asked=outcome == "unknown")
    return with_files(session, reading, ran=outcome == "ran")


def with_files(session: Session, reading: Reading, *, ran: bool) -> Session:
    """What the call leaves on the disk. What is read as well is edited in place: it was there, or the call fails.

    A call that failed, or of which nothing is known, may have written; it has made nothing for sure.
    """
    created, written, kept, built = set[str](), set[str](), set[str](), set[str]()
    for action in reading.actions:
        path = action.target.get("path")
        if type(path) is not str or Effect.WRITE not in action.effects:
            continue
        if Effect.READ in action.effects:
            if action.name == "fs:write":
                written.add(path)
            continue
        # The project's build filled it: it is no more this session's than the build is. Elsewhere that must be certain.
        if "built" in action.tags and not (reading.opaque and "temp" in action.tags):
            if "new" in action.tags and ran:
                built.add(path)
            continue
        if action.name == "fs:write":
            written.add(path)
        if "fetched" in action.tags:
            written.add(path + "/")
        if "moved" in action.tags:
            kept.add(path)
        elif "new" in action.tags and ran:
            created.add(path)
    if not written and not kept and not created and not built:
        return session
    return session.replace(
        created=_some(session.created, created | built),
        written=bounded(session.written, written | created),
        kept=bounded(session.kept, kept),
    )


def with_flow(session: Session, reading: Reading, *, asked: bool) -> Session:
    """What the call lets the agent know, and whom it talks to. `asked`: a person may have said no to it."""
    secret, hosts = session.secret, set[str]()
    for action in reading.actions:
        if "secret" in action.tags and Effect.READ in action.effects:
            secret = True
        host = action.target.get("host")
        if type(host) is str and Effect.NETWORK in action.effects and not asked:
            hosts.add(host)
    if secret is session.secret and hosts <= session.hosts:
        return session
    known = session.hosts | hosts
    return session.replace(secret=secret, hosts=known if len(known) <= MAX_SESSION_HOSTS else session.hosts)


def _some(known: frozenset[str], new: Set[str]) -> frozenset[str]:
    """Paths that make things free: beyond the limit none are added, and more is asked."""
    return known.union(_fitting(known, new))


def bounded(known: frozenset[str], new: Set[str]) -> frozenset[str]:
    """Paths that make things doubtful. Beyond the limit every path is, which `/` stands for; those that are known by
    name stay so, for this session and for others.
    """
    if "/" in known or new <= known:
        return known
    more = new - known - {"/"}
    fitting = _fitting(known, more)
    return known.union(fitting, ("/",) if "/" in new or len(fitting) < len(more) else ())


_SURELY_FIT = MAX_SESSION_PATH_CHARS // MAX_PATH_CHARS


def _fitting(known: frozenset[str], new: Set[str]) -> Set[str] | list[str]:
    """Those of the new ones that a session remembers beside the known: so many, and so long in all."""
    if len(known) + len(new) <= _SURELY_FIT:
        return new
    more = sorted(new - known)[: max(0, MAX_SESSION_PATHS - len(known))]
    room = MAX_SESSION_PATH_CHARS - sum(map(len, known))
    for at, path in enumerate(more):
        room -= len(path)
        if room < 0:
            return more[:at]
    return more
