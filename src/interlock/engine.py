"""The one door for every front: builds the world that an event happened in, and takes the event in.

    engine = Engine(folders, front="hook:claude-code")
    outcome = engine.propose(event)     # a call: decided, and recorded
    reply = engine.tell(event)          # anything else: what became of it, what was said, that a session begins

A front turns its host's event into one of `model/events.py`, hands it over, and puts the reply into its host's words.
An engine keeps nothing of a call. One that is `resident` serves the many threads of a process that stays: what was made
of a file is kept until the file is touched, and each event has a connection to the ledger for itself, out of a few.

`calls/worlds.py` builds the world, `runtime.py` is the way of a call, `follow/events.py` that of everything else.
"""

from __future__ import annotations

from _thread import _local

from .bytes.canon import use_openssl
from .calls.world import notices_of
from .calls.worlds import Given, Worlds
from .follow.watching import Watching
from .layers.obeyed import told_of
from .limits import HOOK_QUEUE_SECONDS, MAX_CONNECTIONS
from .model.errors import StoreError
from .model.verdict import Verdict
from .runtime import judge
from .store.ledger.ledger import Ledger
from .store.ledger.sqlite import LOG_PAGES, LONG_LOG_PAGES, Database
from .value import TYPE_CHECKING, lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .calls.forks import tell_forks
    from .calls.quick import quicken
    from .calls.together import judged_together
    from .calls.unrecorded import foreseen, not_recorded
    from .calls.world import Outcome, World
    from .follow.events import taken_in
    from .model.events import Event, Place, Proposed, Reply
    from .store.facts.remembered import Remembered
    from .store.home.folders import Folders
    from .store.ledger.grants import Look
    from .store.ledger.lending import Lending

    MakesLedger = Callable[[str, float], Ledger]
else:
    tell_forks = lazy(globals(), ".calls.forks", "tell_forks")
    quicken = lazy(globals(), ".calls.quick", "quicken")
    judged_together = lazy(globals(), ".calls.together", "judged_together")
    foreseen = lazy(globals(), ".calls.unrecorded", "foreseen")
    not_recorded = lazy(globals(), ".calls.unrecorded", "not_recorded")
    taken_in = lazy(globals(), ".follow.events", "taken_in")
    Remembered = lazy(globals(), ".store.facts.remembered", "Remembered")
    Lending = lazy(globals(), ".store.ledger.lending", "Lending")

__all__ = ["Engine", "Given"]


class Engine:
    def __init__(
        self,
        folders: Folders,
        *,
        front: str,
        records: bool = True,
        resumes: bool = True,
        answers: bool = True,
        patience: float = HOOK_QUEUE_SECONDS,
        given: Given = Given(),  # noqa: B008 - a frozen value
        watches: bool = True,
        elsewhere: bool = False,
        undo: str = "",
        resident: bool = False,
        ledger: MakesLedger | None = None,
        connections: int = MAX_CONNECTIONS,
        log_pages: int = LONG_LOG_PAGES,
    ) -> None:
        """
        front    the name that every row gets which is appended through this engine
        records  decisions are kept in the ledger; otherwise its grants count, and nothing is used up
        resumes  a session goes on from what the ledger keeps of it
        answers  what cannot be read of policy and posture lets only reads pass; otherwise it is an error
        patience how many seconds a call waits for others at the ledger
        watches  the files that a host obeys, and its transcript, are looked at with each call. A front without a host
                 has neither: its agent's settings are the program that calls it
        elsewhere nobody sits in front of whoever calls: every question is kept, to be answered elsewhere
        undo     whether what a call would lose is held first: see `World`. Where calls run elsewhere, nothing is
        resident the process stays: what was made of files is kept while none was touched, and connections are lent
        ledger   makes a ledger for a front and a patience, in any engine's database; otherwise it is the person's own
        connections  how many a resident engine has at once at most
        log_pages  how long a resident engine lets SQLite's log get before a turn writes it back
        """
        self.folders = folders
        self.front = front
        self.records = records
        self.patience = patience
        self.watches = watches
        self.log_pages = log_pages
        self._makes = self._own_ledger if ledger is None else ledger
        self._own = _local()
        self._lending: Lending | None = None
        remembered = None
        if resident:
            quicken()
            use_openssl()
            remembered = Remembered()
            self._lending = Lending(self._made_ledger, most=connections, patience=patience)
            tell_forks(self)
        self.worlds = Worlds(
            folders, given, resumes=resumes, answers=answers, elsewhere=elsewhere, undo=undo, remembered=remembered
        )

    def _own_ledger(self, front: str, patience: float) -> Ledger:
        stays = self._lending is not None
        pages = self.log_pages if stays else LOG_PAGES
        database = Database(self.folders.ledger, patience=patience, log_pages=pages)
        return Ledger.on(database, front=front, stays=stays)

    def _made_ledger(self) -> Ledger:
        return self._makes(self.front, self.patience)

    def ledger(self) -> Ledger:
        """The ledger of the event that this thread takes in; elsewhere with a connection of the thread's own."""
        found: Ledger | None = getattr(self._own, "ledger", None)
        if found is None:
            found = self._own.ledger = self._made_ledger()
        return found

    def lent(self) -> _Lent:
        """`with engine.lent() as ledger:`, for what a front does with the ledger besides its events."""
        return _Lent(self)

    def close(self) -> None:
        """Closes the connections that no event uses."""
        if self._lending is not None:
            self._lending.close()

    def before_fork(self, end: float) -> None:
        if self._lending is not None:
            self._lending.before_fork(end)

    def after_fork(self, *, child: bool) -> None:
        if child:
            self._own = _local()
        if self._lending is not None:
            self._lending.after_fork(child=child)

    def world(self, place: Place) -> World:
        """The world of that place, for what a front does besides its events."""
        return self._at(place, self.ledger() if self.records else None)

    def _at(self, place: Place, ledger: Ledger | None) -> World:
        return self.worlds.world(place, ledger, None if self.records else self._look())

    def propose(self, event: Proposed) -> Outcome:
        """A call, decided and recorded. Its warnings are all that the person is to be told."""
        if not self.records:
            return self._judged(event, self._at(event.place, None))
        try:
            with self.lent() as ledger:
                return self._judged(event, self._at(event.place, ledger))
        except _NoneFreeError as error:
            return self._judged(event, self._at(event.place, None), str(error))

    def propose_together(self, events: Sequence[Proposed]) -> list[Outcome | None]:
        """Calls that wait at the same time, as `propose` would decide them one after the other; None for one that
        is left to it. Files are looked at once for all: what was changed before the last of these calls came is seen.
        """
        if not self.records or self.watches or self.worlds.remembered is None:
            return [None] * len(events)

        with self.lent() as ledger:
            found = judged_together(events, self.worlds, self.worlds.remembered.at_once(), ledger)
        return [
            None if each is None else _with_warnings(event, *each) for event, each in zip(events, found, strict=True)
        ]

    def foresee(self, event: Proposed) -> Outcome | None:
        """What `propose` would answer now. Nothing is recorded, no approval is used; None where that is not known."""
        with self.lent() as ledger:
            world = self._at(event.place, ledger)
            return foreseen(event.call, world, self.worlds.session(event.place, world)[0])

    def _judged(self, event: Proposed, world: World, trouble: str = "") -> Outcome:
        """`trouble`: why nothing can be recorded."""
        session, warnings = self.worlds.session(event.place, world)
        if event.definition is not None or event.malformed or event.here:
            world = world.replace(definition=event.definition, malformed=event.malformed, here=event.here)
        if trouble:
            outcome = not_recorded(event.call, world, session, trouble)
        else:
            world = world.replace(watch=Watching(world, event.place)) if self.watches else world
            outcome = judge(event.call, world, session)
        return _with_warnings(event, world, warnings, outcome)

    def tell(self, event: Event, decided: Outcome | None = None) -> Reply:
        """Any event but a proposed call: what follows from it, and what there is to say. `decided`: what `propose` gave
        for the call that has ended, where the front still holds it; then nothing is searched in the ledger.
        """
        with self.lent():
            return taken_in(self, event, decided)

    def _look(self) -> Look:
        from .store.ledger.grants import Look

        return Look(self.folders.ledger) if self._makes == self._own_ledger else Look.on(self.ledger())


def _with_warnings(event: Proposed, world: World, warnings: tuple[str, ...], outcome: Outcome) -> Outcome:
    if outcome.trouble is not None or not event.call.session:  # then nobody remembers what was told
        warnings = (*warnings, *notices_of(world))
    warnings = (*warnings, *outcome.warnings)
    if outcome.decision.notes and outcome.decision.verdict is Verdict.ALLOW:
        warnings = (*warnings, *told_of(outcome.reading))
    if outcome.trouble is not None:
        warnings = (*warnings, f"not recorded: {outcome.trouble}")
    return outcome.replace(warnings=warnings) if warnings else outcome


class _NoneFreeError(StoreError):
    """No connection to the ledger got free in time."""


class _Lent:
    """A ledger for one event, or for one errand of a front. Inside of an event it is that event's."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lent: Ledger | None = None

    def __enter__(self) -> Ledger:
        engine = self._engine
        if engine._lending is not None and getattr(engine._own, "ledger", None) is None:
            try:
                self._lent = engine._own.ledger = engine._lending.take()
            except StoreError as error:
                raise _NoneFreeError(str(error)) from None
        return engine.ledger()

    def __exit__(self, _kind: object, _error: object, _trace: object) -> None:
        engine, lent = self._engine, self._lent
        if lent is not None and engine._lending is not None:
            engine._own.ledger = None
            engine._lending.give_back(lent)
