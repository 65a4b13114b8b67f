"""What every event of a session looks at besides its own matter: files that hosts obey, calls that no hook saw, and
variables that load code into this very process.

A `Notice` is applied inside the transaction of the event, so that what was noticed and the session that remembers it
are kept together. What a person is to be told collects in `told`.
"""

from __future__ import annotations

import os

from ..call import kept_session
from ..errors import InterlockError
from ..hosts.claude_code import NAME, session_of, text_of, where
from ..limits import HOOK_QUEUE_SECONDS, MAX_WATCHED_BYTES
from ..store.look import glance
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..session import Session
    from ..store.folders import Folders
    from ..store.ledger import Turn
    from ..value import Json

__all__ = ["Notice", "keep_noticed", "notice_of"]

# Sources of a session's start after which files are compared with how they are then. A compacted session goes on.
_ANEW = ("startup", "resume", "clear", "fork")


class Notice:
    def __init__(
        self, folders: Folders, root: str, transcript: str, *, starts: bool = False, anew: bool = False
    ) -> None:
        self.folders = folders
        self.root = root
        self.transcript = transcript
        self.starts = starts
        self.anew = anew
        self.seen = glance(root, folders.home, folders.moved)
        self.told: list[str] = []
        self.applied = False

    def __call__(self, turn: Turn, session: Session) -> Session:
        self.applied = True
        if self.anew and not session.changed:
            from ..store.watch import cut_short, take_baseline
            from .described import describing

            session = take_baseline(turn, session, self.seen, describing(self.folders))
            self.told.extend(cut_short(turn, self.seen))
        elif not session.watch.startswith(self.seen.stamp):
            from ..store.watch import compared
            from .described import describing

            session, told = compared(turn, session, self.seen, describing(self.folders))
            self.told.extend(told)
        # A client that resumes a session shows nobody what is said at its start: the next event tells of gaps.
        if self.transcript and not (self.starts and session.since):
            from .hearing import listened

            session, told = listened(turn, session, self.transcript, self.folders)
            self.told.extend(told)
        self.told.extend(_loaders(turn, self.root, self.folders))
        return session


def notice_of(data: Mapping[str, Json], folders: Folders) -> Notice:
    from ..store.folders import find_root

    root, _ = where(os.environ)
    root = os.path.realpath(root or find_root(text_of(data, "cwd"), folders.home))
    starts = data.get("hook_event_name") == "SessionStart"
    anew = starts and data.get("source") in _ANEW
    return Notice(folders, root, text_of(data, "transcript_path"), starts=starts, anew=anew)


def keep_noticed(data: Mapping[str, Json], notice: Notice) -> None:
    """For an event that keeps nothing of its own. What only moves on in the transcript is looked at again."""
    from ..record.canon import canonical
    from ..record.resume import changed
    from ..store.ledger import Ledger

    owner = kept_session(session_of(data), NAME)
    if not owner:
        return
    ledger = Ledger(notice.folders.ledger, front=f"hook:{NAME}")
    ledger.database.patience = HOOK_QUEUE_SECONDS
    with ledger.deciding(owner) as turn:
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


def _loaders(turn: Turn, root: str, folders: Folders) -> list[str]:
    """Once a session: variables in this process that load code and that a settings file of the project sets."""
    from ..hosts.claude_settings import loader_variables

    names = loader_variables(os.environ)
    if not names:
        return []
    from ..record.canon import canonical, digest
    from ..record.strict import parse_object
    from ..store.files import read_file

    told = []
    for path in (f"{root}/.claude/settings.json", f"{root}/.claude/settings.local.json"):
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
