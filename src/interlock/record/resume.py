"""A session's state as the ledger keeps it between calls: canonical bytes, and back.

`start` is the posture that the session would begin with now: what a person or the policy set. The
kept posture counts only while that is still the same; a person's command takes effect at the next call. A lock of the
session itself is left by a person's `posture unlock` alone, which changes what is kept.
"""

from __future__ import annotations

from ..bytes.canon import Known, canonical, canonical_own
from ..bytes.strict import parse_object
from ..limits import MAX_STATE_BYTES
from ..model.errors import InputError, StoreError
from ..model.posture import MOVES, Posture
from ..model.session import Session, inherit
from ..model.verdict import Strength
from ..value import TYPE_CHECKING
from .sessions import paths_apart, session_from_wire, session_to_wire, step_fields

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["as_kept", "changed", "opened", "posture_now", "resumed", "state_of"]


# The last state of each session that this process has written, and what it stands for: one that stays need not take it
# apart at the session's next call.
_KNOWN = Known(names=2048, size=1 << 23)


def state_of(session: Session, start: Posture) -> bytes:
    # INVARIANT: names from outside are keys in these four and in grants alone, and the fast way is for plain ones.
    names = "".join([*session.spent, *session.accepted, *session.heard, *session.mods])
    is_plain = not session.grants and names.isascii() and "$" not in names
    if len(session.written) + len(session.created) < _MANY_PATHS:
        state = _written(session, start, is_plain=is_plain)
    else:
        state = _with_paths(_written(session.replace(created=_NONE, written=_NONE), start, is_plain=is_plain), session)
    # What is known of watched files is kept in another order, or not at all, and a name with a mark of the canonical
    # form in it as another: such a session is taken apart.
    if session.changed or session.accepted or session.heard or session.mods or "$" in names:
        _KNOWN.drop(session.id)
    else:
        _KNOWN.keep(session.id, len(state), (state, session, start.name))
    return state


def _written(session: Session, start: Posture, *, is_plain: bool) -> bytes:
    wire = {"session": session_to_wire(session), "start": start.name}
    return _with_recent(wire, session) if is_plain else canonical(wire)


_NONE = frozenset[str]()
_MANY_PATHS = 64
_FEW = 32  # paths that are put into what was written before; of more, all are written anew

# The paths of sessions that have many, in their order and as they are written, by session and list: all but a few are
# those of the state before, and to sort and write ten thousand takes longer than to decide.
_LISTED = Known(names=256, size=1 << 24)


def _with_paths(state: bytes, session: Session) -> bytes:
    """The canonical bytes of the session, from those that it has without what it wrote and created.

    INVARIANT: quotes inside of a text are escaped; nothing before the list of the one, and nothing behind the list of
    the other, can be taken for it.
    """
    before, _, more = state.partition(b'"created":[]')
    middle, _, after = more.rpartition(b'"written":[]')
    known = _LISTED.get(session.id)
    if known is None or known[0] is not session.created or known[1] is not session.written:
        lists = [
            _Listed(paths, None if known is None else known[2][at]) for at, paths in enumerate(paths_apart(session))
        ]
        size = sum([len(found.raw) for found in lists])
        known = session.created, session.written, lists
        _LISTED.keep(session.id, 3 * size, known)
    created, written, both = [found.raw for found in known[2]]
    new = b',"written_new":[%b]' % both if both else b""
    return b'%b"created":[%b]%b"written":[%b]%b%b' % (before, created, middle, written, new, after)


class _Listed:
    """Paths in their order, each as it is written, and all together."""

    paths: frozenset[str]
    texts: list[str]
    parts: list[bytes]

    def __init__(self, paths: frozenset[str], known: _Listed | None) -> None:
        new, gone = (paths, _NONE) if known is None else (paths - known.paths, known.paths - paths)
        self.paths = paths
        if known is None or len(new) + len(gone) > _FEW:
            self.texts = sorted(paths)
            self.parts = [canonical_own(path) for path in self.texts]
        else:
            from bisect import bisect_left

            self.texts, self.parts = list(known.texts), list(known.parts)
            for path in gone:
                at = bisect_left(self.texts, path)
                del self.texts[at], self.parts[at]
            for path in new:
                at = bisect_left(self.texts, path)
                self.texts.insert(at, path)
                self.parts.insert(at, canonical_own(path))
        self.raw = b",".join(self.parts)


# Calls that happened, as they are written: all but the last are those of the state before.
_WRITTEN: dict[tuple[str, str, str, int, str, str], bytes] = {}


def _with_recent(wire: dict[str, Any], session: Session) -> bytes:
    """The canonical bytes, most of which are of calls that were written before.

    INVARIANT: quotes inside of a text are escaped, and no other object has a list under this name.
    """
    if not session.recent:
        return canonical_own(wire)
    before, _, after = canonical_own({**wire, "session": {**wire["session"], "recent": ()}}).partition(_NO_RECENT)
    calls = []
    for ran in session.recent:
        fields = step_fields(ran)
        text = _WRITTEN.get(fields)
        if text is None:
            if len(_WRITTEN) >= _MOST_WRITTEN:
                _WRITTEN.clear()
            text = _WRITTEN[fields] = canonical_own(fields)
        calls.append(text)
    return b'%b"recent":[%b]%b' % (before, b",".join(calls), after)


_NO_RECENT = b'"recent":[]'
_MOST_WRITTEN = 4096


def resumed(state: bytes | None, fresh: Session) -> Session:
    """The kept session, or `fresh` where none is kept. StoreError for a state that is not one."""
    if state is None:
        return fresh
    known = _KNOWN.get(fresh.id)
    if known is not None and known[0] == state:
        session, start = as_kept(known[1]), known[2]
    else:
        session, start = _read(state)
    posture = posture_now(session.posture, start, fresh.posture)
    if session.id != fresh.id or session.posture is not posture or session.label != fresh.label:
        session = session.replace(id=fresh.id, posture=posture, label=fresh.label)
    if session.lock and (posture is not Posture.LOCKED or fresh.posture is Posture.LOCKED):  # a person has moved it
        session = session.replace(lock="")
    return inherit(session, fresh) if fresh.parent else session


def posture_now(kept: Posture, start: str, fresh: Posture) -> Posture:
    """The posture of a session that began with `start` and would begin with `fresh` now.

    INVARIANT: out of a lock there is one way, to interactive, and a person takes it. A session that was locked by
    itself stays so however it goes on. One that was locked with its project follows that; that nobody attends it makes
    it autonomous once the project is interactive.
    """
    if start == fresh.name or (kept is Posture.LOCKED and start != kept.name):
        return kept
    if kept is not Posture.LOCKED:
        return fresh
    unattended = fresh is Posture.AUTONOMOUS
    return fresh if unattended or fresh in MOVES[kept] else kept


def opened(state: bytes) -> tuple[Session, str]:
    """A kept session as it is, and the posture with which it began."""
    return _read(state)


def changed(state: bytes, change: Callable[[Session], Session], id: str = "") -> bytes:
    """The kept state with a session that moved on, and with nothing said about what it would begin with now. `id`: of
    the session, for a process that stays: it need not take its own last state apart.
    """
    known = _KNOWN.get(id) if id else None
    session, start = _read(state) if known is None or known[0] != state else (as_kept(known[1]), known[2])
    session = change(session)
    if start not in Posture.names():
        return canonical({"session": session_to_wire(session), "start": start})
    return state_of(session, Posture.of(start))


def as_kept(session: Session) -> Session:
    """INVARIANT: what taking its state apart gives. What is only of one call is not kept, and all that is is weak."""
    own = (session.run, session.closed, session.label, session.asking, session.asked_before, session.signing)
    if own != _OF_NO_CALL or session.off or session.applied or session.no or session.repeated is not None:
        session = session.replace(
            run=None,
            closed=frozenset(),
            repeated=None,
            label="",
            asking="",
            applied="",
            no="",
            asked_before=0,
            signing="",
            off=False,
        )
    if any(grant.strength is not Strength.WEAK or grant.persons for grant in session.grants):
        kept = [grant.replace(strength=Strength.WEAK, persons=()) for grant in session.grants]
        session = session.replace(grants=tuple(kept))
    return session


_OF_NO_CALL: tuple[Any, ...] = (None, frozenset(), "", "", 0, "")


def _read(state: bytes) -> tuple[Session, str]:
    try:
        wire: Any = parse_object(state, limit=MAX_STATE_BYTES)
        return session_from_wire(wire["session"]), str(wire["start"])
    except (InputError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"the kept state of the session cannot be read: {error}") from None
