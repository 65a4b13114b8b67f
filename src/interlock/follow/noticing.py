"""What every event of a session looks at besides its own matter: files that hosts obey, calls that no hook saw, and
variables that load code into this very process.

A `Notice` looks before the ledger is locked and is applied inside the transaction of the event, so that what was
noticed and the session that remembers it are kept together. What a person is to be told collects in `told`.
"""

from __future__ import annotations

from ..bytes.canon import canonical, digest
from ..bytes.strict import parse_object
from ..hosts import part_of
from ..limits import MAX_WATCHED_BYTES
from ..model.call import kept_session
from ..model.environment import loader_variables
from ..model.errors import InterlockError
from ..model.events import Began, Ended
from ..model.session import Session
from ..record.resume import changed, opened
from ..store.facts.look import glance
from ..store.home.files import read_file
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .turns import LookAgainError, in_turn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..engine import Engine
    from ..model.events import Event, Place
    from ..record.chain import Row
    from ..store.facts.watch import Looked, compared, cut_short, look_at, take_baseline
    from ..store.ledger.ledger import Ledger, Turn
    from .described import describing
    from .hearing import Heard, hear, listened
    from .inside import Inside, look_inside, taken_in
    from .judging import judging
    from .outcomes import decision_about
else:
    compared = lazy(globals(), "..store.facts.watch", "compared")
    cut_short = lazy(globals(), "..store.facts.watch", "cut_short")
    look_at = lazy(globals(), "..store.facts.watch", "look_at")
    take_baseline = lazy(globals(), "..store.facts.watch", "take_baseline")
    describing = lazy(globals(), ".described", "describing")
    hear = lazy(globals(), ".hearing", "hear")
    listened = lazy(globals(), ".hearing", "listened")
    look_inside = lazy(globals(), ".inside", "look_inside")
    taken_in = lazy(globals(), ".inside", "taken_in")
    judging = lazy(globals(), ".judging", "judging")
    decision_about = lazy(globals(), ".outcomes", "decision_about")

__all__ = ["Notice", "Unwatched", "keep_noticed"]


class Notice:
    def __init__(self, engine: Engine, event: Event) -> None:
        self.engine = engine
        self.event = event
        self.place = event.place
        self.folders = engine.worlds.folders_at(event.place)
        self.root = engine.worlds.root_at(event.place)
        self.starts = type(event) is Began
        self.anew = type(event) is Began and event.anew
        self.seen = glance(self.root, self.folders.home, self.folders.moved)
        self.loaders = _loaders(self.root, self.place)
        self.told: list[str] = []
        self.applied = False
        self.files: Looked | None = None
        self.inside: Inside | None = None
        self.heard: Heard | None = None

    def look(self, ledger: Ledger, owner: str) -> None:
        """Reads what the session, as it is kept now, has to look at. Nothing is locked."""
        state = ledger.session(owner) if owner else None
        session = Session(id="") if state is None else opened(state)[0]
        self.told, self.applied, self.files, self.inside, self.heard = [], False, None, None, None
        if self._wants_files(session):
            self.inside = look_inside(self.place, self.folders, self.root)
            with ledger.looking(owner) as view:
                judge = judging(lambda: self.engine.world(self.place), self.place, session)
                self.files = look_at(view, session, self.seen, describing(self.folders), judge, self._told)
        if self._listens(session):
            self.heard = hear(session, self.place, self.folders)

    def _told(self, rows: Iterable[Row]) -> int:
        """The row of the decision whose outcome is being told; 0: it is another event."""
        if type(self.event) is not Ended:
            return 0
        decided, again = decision_about(self.event, rows)
        return 0 if decided is None or again else decided.seq

    def _wants_files(self, session: Session) -> bool:
        if (self.anew and not session.changed) or not session.watch.startswith(self.seen.stamp):
            return True
        return self._wants_inside(session)

    def _wants_inside(self, session: Session) -> bool:
        """What lies where no stamp reaches is looked for at each start."""
        if not session.mods and not self.starts:
            return False
        from .inside import HOST, has_moved_on

        return (self.starts and self.place.host == HOST) or has_moved_on(session)

    def _listens(self, session: Session) -> bool:
        # A client that resumes a session shows nobody what is said at its start: the next event tells of gaps.
        return bool(self.place.transcript) and not (self.starts and session.since)

    def __call__(self, turn: Turn, session: Session) -> Session:
        self.applied = True
        if self._wants_files(session):
            if self.files is None or self.inside is None:
                raise LookAgainError

            if self.anew and not session.changed:
                session = take_baseline(turn, session, self.files)
                self.told.extend(cut_short(turn, self.seen))
            else:
                session, told = compared(turn, session, self.files)
                self.told.extend(told)
            session, told = taken_in(turn, session, self.inside)
            self.told.extend(told)
        if self._listens(session):
            if self.heard is None or not self.heard.fits(session):
                raise LookAgainError
            session, told = listened(turn, session, self.place, self.heard)
            self.told.extend(told)
        self.told.extend(_told_of_loaders(turn, self.loaders))
        return session


class Unwatched(Notice):
    """Of a front that has no host: no files that one obeys, and no transcript."""

    def __init__(self, engine: Engine, event: Event) -> None:
        self.place = event.place
        self.folders = engine.worlds.folders_at(event.place)
        self.told: list[str] = []
        self.applied = True

    def look(self, ledger: Ledger, owner: str) -> None:
        return None

    def __call__(self, turn: Turn, session: Session) -> Session:
        return session


def keep_noticed(engine: Engine, place: Place, notice: Notice) -> None:
    """For an event that keeps nothing of its own. What only moves on in the transcript is looked at again."""
    owner = kept_session(place.session, place.host)
    if not owner:
        return

    def keep(turn: Turn, _: None) -> None:
        if turn.state is None:
            return
        seq, found = turn.seq, list[bool]()

        def noticed(session: Session) -> Session:
            after = notice(turn, session)
            found.append(after.replace(heard=session.heard) != session)
            return after

        state = changed(turn.state, noticed)
        if any(found) or turn.seq != seq:
            turn.append("watch", canonical({"says": "noticed"}), key=owner, session=owner, state=state)

    in_turn(engine.ledger(), owner, notice, lambda: None, keep)


def _loaders(root: str, place: Place) -> list[tuple[str, str]]:
    """Variables in this process that load code and that a settings file of the project sets, with the file."""
    names = loader_variables(place.environment)
    reader = part_of(place.host, "settings") if names else None
    if reader is None:
        return []

    found = []
    for path in reader.project_files(root):
        try:
            variables = parse_object(read_file(path, limit=MAX_WATCHED_BYTES) or b"{}").get("env")
        except InterlockError:
            continue
        found += [(path, name) for name in names if type(variables) is FrozenMap and name in variables]
    return found


def _told_of_loaders(turn: Turn, loaders: list[tuple[str, str]]) -> list[str]:
    """Once a session."""
    told = []
    for path, name in loaders:
        key = digest(["loader", turn.id, path, name])
        if turn.find(key, "watch") is None:
            turn.append("watch", canonical({"path": path, "says": "loader", "variable": name}), key=key)
            told.append(
                f"`{path}` sets `{name}`: code of the project may run inside every program, this guard among them. "
                "You cannot rely on what Interlock says here. Remove the variable and start a new session."
            )
    return told
