"""What every event of a session looks at besides its own matter: files that hosts obey, calls that no hook saw, and
variables that load code into this very process.

A `Notice` is applied inside the transaction of the event, so that what was noticed and the session that remembers it
are kept together. What a person is to be told collects in `told`.
"""

from __future__ import annotations

from ..call import kept_session
from ..environment import loader_variables
from ..errors import InterlockError
from ..events import Began
from ..hosts import part_of
from ..limits import MAX_WATCHED_BYTES
from ..store.look import glance
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from ..engine import Engine
    from ..events import Event, Place
    from ..session import Session
    from ..store.ledger import Turn

__all__ = ["Notice", "keep_noticed"]


class Notice:
    def __init__(self, engine: Engine, event: Event) -> None:
        self.place = event.place
        self.folders = engine.folders_at(event.place)
        self.root = engine.root_at(event.place)
        self.starts = type(event) is Began
        self.anew = type(event) is Began and event.anew
        self.seen = glance(self.root, self.folders.home, self.folders.moved)
        self.told: list[str] = []
        self.applied = False

    def __call__(self, turn: Turn, session: Session) -> Session:
        self.applied = True
        if self.anew and not session.changed:
            from ..store.watch import cut_short, look_at, take_baseline
            from .described import describing

            session = take_baseline(turn, session, look_at(turn, session, self.seen, describing(self.folders)))
            self.told.extend(cut_short(turn, self.seen))
        elif not session.watch.startswith(self.seen.stamp):
            from ..store.watch import compared, look_at
            from .described import describing

            session, told = compared(turn, session, look_at(turn, session, self.seen, describing(self.folders)))
            self.told.extend(told)
        # A client that resumes a session shows nobody what is said at its start: the next event tells of gaps.
        if self.place.transcript and not (self.starts and session.since):
            from .hearing import hear, listened

            session, told = listened(turn, session, self.place, hear(session, self.place, self.folders))
            self.told.extend(told)
        self.told.extend(_loaders(turn, self.root, self.place))
        return session


def keep_noticed(engine: Engine, place: Place, notice: Notice) -> None:
    """For an event that keeps nothing of its own. What only moves on in the transcript is looked at again."""
    from ..record.canon import canonical
    from ..record.resume import changed

    owner = kept_session(place.session, place.host)
    if not owner:
        return
    with engine.ledger().deciding(owner) as turn:
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


def _loaders(turn: Turn, root: str, place: Place) -> list[str]:
    """Once a session: variables in this process that load code and that a settings file of the project sets."""
    names = loader_variables(place.environment)
    reader = part_of(place.host, "settings") if names else None
    if reader is None:
        return []
    from ..record.canon import canonical, digest
    from ..record.strict import parse_object
    from ..store.files import read_file

    told = []
    for path in reader.project_files(root):
        try:
            variables = parse_object(read_file(path, limit=MAX_WATCHED_BYTES) or b"{}").get("env")
        except InterlockError:
            continue
        for name in [name for name in names if type(variables) is FrozenMap and name in variables]:
            key = digest(["loader", turn.id, path, name])
            if turn.find(key, "watch") is None:
                turn.append("watch", canonical({"path": path, "says": "loader", "variable": name}), key=key)
                told.append(
                    f"`{path}` sets `{name}`: code of the project may run inside every program, this guard among them. "
                    "What the guard says in this session cannot be relied on. Take the variable out and start anew."
                )
    return told
