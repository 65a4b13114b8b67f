"""A settings file was changed, and the host asks whether to take it (Claude Code's ConfigChange).

A block keeps the settings that are in force until the next change, whichever file that is in; then all files are taken
as they are. So each event judges all of them. A file that switches our hooks off, or has the client run something that
nobody accepted, blocks every change until it is repaired. What breaks here blocks too. The client shows nobody the
reason of a block: the next event that is not a read asks about the changed file, and says what it would do.
"""

from __future__ import annotations

import os

from ..bytes.canon import canonical, digest_of_bytes
from ..hosts import part_of
from ..limits import MAX_WATCHED_BYTES
from ..model.call import kept_session
from ..model.errors import StoreError
from ..model.essence import is_settings
from ..model.events import Block, Tell
from ..record.resume import changed
from ..store.facts.watch import baseline_of, is_by_a_person
from ..store.home.files import read_file
from ..value import TYPE_CHECKING
from .described import describing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..engine import Engine
    from ..model.events import Reply, Resettled
    from ..model.session import Session
    from ..store.facts.watch import Describe
    from ..store.ledger.ledger import Turn

__all__ = ["resettled"]

_NEXT = "The session goes on with the settings that it had, and everything but reads waits until the file is repaired."
_UNGUARDED = "The next session would start without the guard."


def resettled(engine: Engine, event: Resettled) -> Reply:
    """Blocks a change that unhooks us or has the client run something new; anything else passes."""
    place, folders = event.place, engine.worlds.folders_at(event.place)
    settings = part_of(place.host, "settings")
    describe = describing(folders)
    known_files = settings.settings_files(engine.worlds.root_at(place), folders.home, folders.moved)
    paths = dict.fromkeys((*known_files, *((event.path,) if is_settings(event.path) else ())))
    files = {path: _text(path) for path in paths}
    with engine.ledger().deciding(kept_session(place.session, place.host)) as turn:
        had: dict[str, Mapping[str, str]] = {}
        known: dict[str, set[str]] = {}
        if turn.state is not None:
            changed(turn.state, lambda session: _had(turn, session, had, known))
        own = [path for path, raw in files.items() if is_by_a_person(turn, path, raw, describe)]
        if own:  # Interlock's own command changed its entries, run by a person
            files, had = {path: raw for path, raw in files.items() if path not in own}, {}
        unguarded = _unhooked(files, had, settings, settings.users_files(folders.home, folders.moved))
        why = [*unguarded, *(_not_as_known(files, known, describe) if turn.state is not None else ())]
        says = "blocked" if why else "passed"
        body = {"path": event.path[:500], "says": says, "source": event.source[:60], "why": why}
        turn.append("watch", canonical(body), key=says, session=turn.id)
    if not why:
        return Tell()
    then = (_NEXT, _UNGUARDED) if unguarded else (_NEXT,)
    return Block(reason=". ".join(["; ".join(why), " ".join(then)]), person=(*why, *then))


def _unhooked(
    files: Mapping[str, bytes | None], had: Mapping[str, Mapping[str, str]], settings: Any, users: Sequence[str]
) -> list[str]:
    """Why our hooks would be lost, whichever of the files that may be the person's own the client takes.

    Where a variable moves its folder, an entry in the file at home holds nothing.
    """
    found: dict[str, None] = {}
    for own in users:
        taken = {path: raw for path, raw in files.items() if path == own or path not in users}
        hooks = {event: entry for path in taken for event, entry in had.get(path, {}).items()}
        found.update(dict.fromkeys(settings.unhooks(taken, hooks)))
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
