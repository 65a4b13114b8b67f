"""The files that hosts obey and the transcript, for a call: looked at before the ledger is locked, taken in inside.

Most calls find nothing new: one glance at attributes says so, and the rest is loaded where something is different or
waited for. What was looked at for one state of the session need not do for another; `fits` says whether it does.
"""

from __future__ import annotations

import os

from ..store.look import glance
from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from ..events import Place
    from ..session import Session
    from ..store.ledger import Ledger, Turn
    from ..store.watch import Looked
    from ..world import World
    from .hearing import Heard

__all__ = ["Found", "Watching"]

_NOT_ASKED = -2


class Found(Value):
    """
    size   of the transcript; -1: there is none, -2: nothing hung on it
    heard  what the transcripts tell, where somebody waits for that
    files  the watched files, where one was touched
    began  there was nothing to compare them with
    """

    size: int = _NOT_ASKED
    heard: Heard | None = None
    files: Looked | None = None
    began: bool = False

    @property
    def is_new(self) -> bool:
        """Whether the session may be another once it is taken in."""
        return self.heard is not None or (self.files is not None and not self.began)


class Watching:
    """What is watched for one call."""

    def __init__(self, world: World, place: Place) -> None:
        self.folders = world.folders
        self.place = place
        self.seen = glance(world.root, world.folders.home, world.folders.moved)

    def look(self, ledger: Ledger, session: Session) -> Found:
        """What this state of the session has to look at."""
        size = _size(self.place.transcript) if session.questions else _NOT_ASKED
        found = Found(size=size, began=not session.watch)
        if _waits(session, size):
            from .hearing import hear

            found = found.replace(heard=hear(session, self.place, self.folders))
        if not session.watch.startswith(self.seen.stamp):
            from ..store.watch import look_at
            from .described import describing

            with ledger.looking() as view:
                found = found.replace(files=look_at(view, session, self.seen, describing(self.folders)))
        return found

    def fits(self, session: Session, found: Found) -> bool:
        """Whether that was all that this state of the session has to look at."""
        if session.questions and found.size == _NOT_ASKED:
            return False
        if _waits(session, found.size) and (found.heard is None or not found.heard.fits(session)):
            return False
        return session.watch.startswith(self.seen.stamp) or found.files is not None

    def apply(self, turn: Turn, session: Session, found: Found) -> tuple[Session, tuple[str, ...]]:
        """The session with what is new, and what the person is told. Only the ledger is touched."""
        told: tuple[str, ...] = ()
        if found.heard is not None and _waits(session, found.size):
            from .hearing import listened

            session, told = listened(turn, session, self.place, found.heard)
        if found.files is not None and not session.watch.startswith(self.seen.stamp):
            from ..store.watch import compared

            session, changes = compared(turn, session, found.files)
            told = (*told, *changes)
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
