"""Claude Code's ConfigChange: a settings file was changed, and the client asks whether to take it.

A block keeps the settings that are in force until the next change, whichever file that is in; then all files are taken
as they are. So each event judges all of them. A file that switches our hooks off, or has the client run something that
nobody accepted, blocks every change until it is repaired. What breaks here blocks too. The client shows nobody the
reason of a block: the next event that is not a read asks about the changed file, and says what it would do.
"""

from __future__ import annotations

import os

from ..call import kept_session
from ..errors import InputError, StoreError
from ..essence import is_settings
from ..hosts import claude_events as events
from ..hosts.claude_code import NAME, session_of, text_of, where
from ..hosts.claude_settings import settings_files, unhooks, users_files
from ..limits import HOOK_QUEUE_SECONDS, MAX_WATCHED_BYTES
from ..record.canon import canonical, digest_of_bytes
from ..record.resume import changed
from ..store.files import read_file
from ..store.folders import find_root, folders_for
from ..store.ledger import Ledger
from ..store.watch import baseline_of, is_by_a_person
from ..value import TYPE_CHECKING
from .described import describing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..session import Session
    from ..store.ledger import Turn
    from ..store.watch import Describe
    from ..value import Json

__all__ = ["config_change"]

_NEXT = "The session goes on with the settings that it had, and everything but reads waits until the file is repaired."
_UNGUARDED = "The next session would start without the guard."


def config_change(data: Mapping[str, Json], home: str | None) -> bytes:
    """Blocks a change that unhooks us or has the client run something new; anything else passes."""
    if data.get("hook_event_name") != "ConfigChange":
        raise InputError("the event is not a ConfigChange")
    folders = folders_for(home)
    root, _ = where(os.environ)
    root = os.path.realpath(root or find_root(text_of(data, "cwd"), folders.home))
    named = text_of(data, "file_path")
    describe = describing(folders)
    known_files = settings_files(root, folders.home, folders.moved)
    paths = dict.fromkeys((*known_files, *((named,) if is_settings(named) else ())))
    files = {path: _text(path) for path in paths}
    ledger = Ledger(folders.ledger, front=f"hook:{NAME}")
    ledger.database.patience = HOOK_QUEUE_SECONDS
    with ledger.deciding(kept_session(session_of(data), NAME)) as turn:
        had: dict[str, Mapping[str, str]] = {}
        known: dict[str, set[str]] = {}
        if turn.state is not None:
            changed(turn.state, lambda session: _had(turn, session, had, known))
        own = [path for path, raw in files.items() if raw is not None and is_by_a_person(turn, path, raw, describe)]
        if own:  # Interlock's own command changed its entries, run by a person
            files, had = {path: raw for path, raw in files.items() if path not in own}, {}
        unguarded = _unhooked(files, had, users_files(folders.home, folders.moved))
        why = [*unguarded, *(_not_as_known(files, known, describe) if turn.state is not None else ())]
        says = "blocked" if why else "passed"
        body = {"path": named[:500], "says": says, "source": text_of(data, "source")[:60], "why": why}
        turn.append("watch", canonical(body), key=says, session=turn.id)
    if not why:
        return b""
    then = (_NEXT, _UNGUARDED) if unguarded else (_NEXT,)
    return events.block(". ".join(["; ".join(why), " ".join(then)]), person=(*why, *then))


def _unhooked(
    files: Mapping[str, bytes | None], had: Mapping[str, Mapping[str, str]], users: Sequence[str]
) -> list[str]:
    """Why our hooks would be lost, whichever of the files that may be the person's own the client takes.

    Where a variable moves its folder, an entry in the file at home holds nothing.
    """
    found: dict[str, None] = {}
    for own in users:
        taken = {path: raw for path, raw in files.items() if path == own or path not in users}
        hooks = {event: entry for path in taken for event, entry in had.get(path, {}).items()}
        found.update(dict.fromkeys(unhooks(taken, hooks)))
    return list(found)


def _had(turn: Turn, session: Session, had: dict[str, Mapping[str, str]], known: dict[str, set[str]]) -> Session:
    baseline = baseline_of(turn, session.watch.partition(" ")[2]) or {}
    for path, entry in baseline.items():
        had[path] = entry.get("hooks", {})
        known.setdefault(path, set()).add(str(entry["digest"]))
    for path, name in session.accepted.items():
        known.setdefault(path, set()).add(name)
    return session


def _not_as_known(files: Mapping[str, bytes | None], known: Mapping[str, set[str]], describe: Describe) -> list[str]:
    """The files that have the client run or permit something that nobody accepted.

    A hook beside ours can swap a call after it was judged (`updatedInput`), and no hook sees what hooks, helpers and
    status lines run.
    """
    found = []
    for path, raw in files.items():
        essence = b"" if raw is None else describe(path, raw)[0]
        if essence.strip() and digest_of_bytes(essence) not in known.get(path, ()):
            found.append(f"`{path}` has the client run or permit something new")
    return found


def _text(path: str) -> bytes | None:
    try:
        return read_file(path, limit=MAX_WATCHED_BYTES)
    except StoreError as error:
        return f"unreadable: {error}".encode() if os.path.lexists(path) else None
