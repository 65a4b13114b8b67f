"""The question of a call that waits, put before the person by the shield, where our own server cannot put it.

The shield shows the question that stands among the hook's notes. The client itself tells the hook what was chosen, in
the event after the dialog, and the shield has the call judged once more; so the shield loosens nothing.

INVARIANT: an answer is taken only to a question that was left here, word for word, in this session, and from a dialog
that code inside the client opened. Only the shield can do that; while other plug-ins are admitted, nothing is left.
"""

from __future__ import annotations

import hashlib
import json
import os
import time

from ..model.errors import ApprovalError
from ..store.home.seat import seat_of
from ..store.people.here import asked_here, settled_here
from ..value import TYPE_CHECKING
from ..words.dialog import ONCE, SESSION
from .client import trusted

if TYPE_CHECKING:
    from ..engine import Engine
    from ..hosts.traits import Traits
    from ..model.events import Chosen, Place, Proposed
    from ..store.people.answering import Asked

__all__ = ["ID_LINES", "left_for_shield", "settled_by_shield"]

_FOLDER = "asked"  # below the folder of our state: guarded as our own files are
ID_LINES = 1
_ID = "(interlock approvals show {})"  # no other question has the same words
_MOST = 1 << 10
_OLD = 24 * 3600  # seconds: what a client left that was killed


def left_for_shield(engine: Engine, event: Proposed, asked: Asked, shown: tuple[str, tuple[str, ...]]) -> str:
    """What the shield is to put before the person; empty: nothing. What was put for this call and not answered is not
    put again.
    """
    if not _is_alone(engine, event.place):
        return ""
    text, choices = f"{shown[0]}\n{_ID.format(asked.question.id)}", shown[1]
    name, kept = _name(event.place, text, choices), json.dumps([event.call.attempt, asked.question.id]).encode()
    folder = _opened(engine.folders.state)
    try:
        if _read(folder, name) == kept:
            os.unlink(name, dir_fd=folder)
            return ""
        _tidy(folder)
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
        try:
            os.write(file, kept)
        finally:
            os.close(file)
    finally:
        os.close(folder)
    return json.dumps({"text": text, "choices": list(choices)})


def settled_by_shield(engine: Engine, traits: Traits, event: Chosen) -> bool:
    """Whether that was a question of ours; then its answer is kept, if it is one of the choices."""
    folder = _opened(engine.folders.state)
    try:
        name = _name(event.place, event.text, event.choices)
        kept = _read(folder, name)
        if not kept:
            return False
        if event.answer not in event.choices or not event.place.attended or not _is_alone(engine, event.place):
            return True
        os.unlink(name, dir_fd=folder)  # first: no answer counts twice
    finally:
        os.close(folder)
    with engine.lent() as ledger:
        asked = asked_here(ledger, json.loads(kept)[1])
        if asked is None or asked.body["session"] != event.place.session:
            return True
        yes, session = event.answer in (ONCE, SESSION), event.answer == SESSION
        try:
            settled_here(engine.folders, ledger, asked, yes=yes, session=session, title=traits.title)
        except ApprovalError:
            pass  # it was answered elsewhere meanwhile
    return True


def _is_alone(engine: Engine, place: Place) -> bool:
    """Whether the shield is seated, and no other code that could answer in the person's place was let in."""
    seat = seat_of(engine.worlds.folders_at(place), engine.worlds.root_at(place))
    return seat.holds and not seat.admitted


def _name(place: Place, text: str, choices: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join((place.session, text, *choices)).encode("utf-8", "replace")).hexdigest()


def _opened(state: str) -> int:
    path = f"{state}/{_FOLDER}"
    os.makedirs(path, mode=0o700, exist_ok=True)
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not trusted(os.fstat(folder)):
        os.close(folder)
        raise PermissionError(f"`{path}` is somebody else's, or others may look into it")
    return folder


def _read(folder: int, name: str) -> bytes:
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return b""
    try:
        return os.read(file, _MOST)
    finally:
        os.close(file)


def _tidy(folder: int) -> None:
    for name in os.listdir(folder):
        if os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime < time.time() - _OLD:
            os.unlink(name, dir_fd=folder)
