"""The files that hosts obey and the transcript, for a call: looked at before the ledger is locked, taken in inside.

Most calls find nothing new: one glance at attributes says so, and the rest is loaded where something is different or
waited for. What was looked at for one state of the session need not do for another; `fits` says whether it does.
"""

from __future__ import annotations

import os

from ..model.call import kept_session
from ..store.facts.look import glance
from ..value import TYPE_CHECKING, Value, lazy

if TYPE_CHECKING:
    from ..calls.world import World
    from ..model.events import Place
    from ..model.session import Session
    from ..store.facts.watch import Looked, compared, look_at
    from ..store.ledger.ledger import Ledger, Turn
    from .described import describing
    from .hearing import Heard, hear, listened
    from .inside import Inside, has_moved_on, look_inside, taken_in
    from .judging import judging
else:
    compared = lazy(globals(), "..store.facts.watch", "compared")
    look_at = lazy(globals(), "..store.facts.watch", "look_at")
    describing = lazy(globals(), ".described", "describing")
    hear = lazy(globals(), ".hearing", "hear")
    listened = lazy(globals(), ".hearing", "listened")
    has_moved_on = lazy(globals(), ".inside", "has_moved_on")
    look_inside = lazy(globals(), ".inside", "look_inside")
    taken_in = lazy(globals(), ".inside", "taken_in")
    judging = lazy(globals(), ".judging", "judging")

__all__ = ["Found", "Watching"]

_NOT_ASKED = -2


class Found(Value):
    """
    size   of the transcript; -1: there is none, -2: nothing hung on it
    heard  what the transcripts tell, where somebody waits for that
    files  the watched files, where one was touched
    inside what runs inside the host, where that or one of these was touched
    began  there was nothing to compare them with
    """

    size: int = _NOT_ASKED
    heard: Heard | None = None
    files: Looked | None = None
    inside: Inside | None = None
    began: bool = False

    @property
    def is_new(self) -> bool:
        """Whether the session may be another once it is taken in."""
        if self.heard is not None or (self.files is not None and not self.began):
            return True
        return self.inside is not None and bool(self.inside.found)


class Watching:
    """What is watched for one call."""

    def __init__(self, world: World, place: Place) -> None:
        self.world = world
        self.folders = world.folders
        self.place = place
        self.root = world.root
        self.seen = glance(world.root, world.folders.home, world.folders.moved)

    def look(self, ledger: Ledger, session: Session) -> Found:
        """What this state of the session has to look at."""
        size = _size(self.place.transcript) if session.questions else _NOT_ASKED
        found = Found(size=size, began=not session.watch)
        if _waits(session, size):
            found = found.replace(heard=hear(session, self.place, self.folders))
        if not self._is_same(session):
            inside = look_inside(self.place, self.folders, self.root)
            with ledger.looking(kept_session(self.place.session, self.place.host)) as view:
                judge = judging(lambda: self.world, self.place, session)
                files = look_at(view, session, self.seen, describing(self.folders), judge)
            found = found.replace(files=files, inside=inside)
        return found

    def fits(self, session: Session, found: Found) -> bool:
        """Whether that was all that this state of the session has to look at."""
        if session.questions and found.size == _NOT_ASKED:
            return False
        if _waits(session, found.size) and (found.heard is None or not found.heard.fits(session)):
            return False
        return found.files is not None or self._is_same(session)

    def _is_same(self, session: Session) -> bool:
        """Whether nothing was touched since this session looked."""
        if not session.watch.startswith(self.seen.stamp):
            return False
        if not session.mods:
            return True

        return not has_moved_on(session)

    def apply(self, turn: Turn, session: Session, found: Found) -> tuple[Session, tuple[str, ...]]:
        """The session with what is new, and what the person is told. Only the ledger is touched."""
        told: tuple[str, ...] = ()
        if found.heard is not None and _waits(session, found.size):
            session, told = listened(turn, session, self.place, found.heard)
        if found.files is not None and found.inside is not None and not self._is_same(session):
            session, changes = compared(turn, session, found.files)
            session, inside = taken_in(turn, session, found.inside)
            told = (*told, *changes, *inside)
        return session, told


def _waits(session: Session, size: int) -> bool:
    """Whether the transcript may have something to tell: it may have grown since it was looked through. Those of
    sub-agents are always looked at.
    """
    if session.phrase is not None:
        return True
    return bool(session.questions) and size >= 0 and (size != session.heard.get("", 0) or len(session.heard) > 1)


def _size(transcript: str) -> int:
    try:
        return os.stat(transcript).st_size
    except (OSError, ValueError):
        return -1
