"""What can switch this guard off from inside Claude Code: foreign mods, and settings that silence hooks.

They are looked for when a session begins, and again when a stamp of what was looked at differs. Where one is found, a
session waits with everything but reads for a person's yes to exactly that content, as it does for changed files
(layers/watch.py). Where our own mod is seated in front of all others, it refuses foreign ones: they are only told.
"""

from __future__ import annotations

import os

from ..bytes.canon import canonical, digest
from ..model.session import Changed, untold
from ..store.facts.skills import given_folders
from ..store.home.mod_files import stamp_of
from ..store.home.mod_switches import switches_in
from ..store.home.mods import mods_in
from ..store.home.seat import seat_of
from ..value import TYPE_CHECKING, FrozenMap, Value
from ..words.said import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..model.events import Place
    from ..model.session import Session
    from ..store.home.folders import Folders
    from ..store.home.mod_switches import Switch
    from ..store.home.mods import Mod
    from ..store.ledger.ledger import Turn

__all__ = ["HOST", "Inside", "has_moved_on", "look_inside", "taken_in"]

HOST = "claude-code"
_PLUGIN_DIR = ("--plugin-dir",)
_THEN = {
    "mod": "Its code runs inside the client, above every hook, and can switch Interlock off. Remove it. While it is "
    "there, everything but reads waits for your yes.",
    "switch": "It can silence Interlock's hooks. Take it out. While it is there, everything but reads waits for your "
    "yes.",
}


class Inside(Value):
    """
    found   what a session waits for
    stamps  folder -> stamp, of what may turn into a mod
    notes   what a person is told, and nothing more
    """

    found: tuple[Changed, ...] = ()
    stamps: Mapping[str, str] = FrozenMap({})
    notes: tuple[str, ...] = ()


def look_inside(place: Place, folders: Folders, root: str) -> Inside:
    """Reads the disk. Nothing of this host is looked for in a session of another."""
    if place.host != HOST:
        return Inside()
    cwd, given = _started_in(place), tuple(given_folders(place.parent, _PLUGIN_DIR)) if place.parent else ()
    seat = seat_of(folders, root)
    mods = mods_in(folders, root, place.environment, cwd=cwd, given=given, own=seat.folder, admitted=seat.admitted)
    switches = switches_in(folders, root, cwd=cwd, seat=seat.id)
    inside = [mod for mod in mods if mod.kind == "mod"]
    found = [] if seat.holds else [_of_mod(mod) for mod in inside]
    found += [_of_switch(switch) for switch in switches if switch.loud]
    notes = [f"Interlock's own mod refuses {quoted(mod.name)} ({quoted(mod.root)})" for mod in inside if seat.holds]
    stamps = {_shown(mod.root): stamp_of(_shown(mod.root)) for mod in mods if mod.kind == "mod" or mod.in_project}
    return Inside(found=tuple(found), stamps=FrozenMap(stamps), notes=tuple(notes))


def has_moved_on(session: Session) -> bool:
    """Whether a file of a plug-in was touched since it was looked at. Only attributes are asked for."""
    return any(stamp_of(root) != stamp for root, stamp in session.mods.items())


def taken_in(turn: Turn, session: Session, inside: Inside) -> tuple[Session, tuple[str, ...]]:
    """The session that waits for what was found and that nobody has accepted, and what a person is told of it."""
    others = tuple([one for one in session.changed if one.level not in _THEN])
    known = {*session.accepted, *[one.path for one in others]}  # a settings file that was changed is shown as such
    waits = [
        one
        for one in inside.found
        if session.accepted.get(one.path) != one.digest and (one.level != "switch" or _file_of(one) not in known)
    ]
    session, notes = untold(session, inside.notes)
    told = list(notes)
    before = [one for one in session.changed if one.level in _THEN]
    for one in waits:
        if one not in before:
            turn.append("watch", canonical({"says": one.level, **one.as_dict()}), key=one.digest, session=turn.id)
            told += [f"{quoted(one.path)}: {one.text} {_THEN[one.level]}"]
    for old in before:
        if all(old.path != one.path for one in inside.found):
            turn.append("watch", canonical({"path": old.path, "says": "repaired"}), key="repaired", session=turn.id)
            told.append(f"{quoted(old.path)} is gone; nothing waits for it any more")
    return session.replace(changed=(*others, *waits), mods=inside.stamps), tuple(told)


def _of_mod(mod: Mod) -> Changed:
    text = f"It is the plug-in {quoted(mod.name)}, which loads from {mod.where}."
    if not mod.readable:
        text += " It could not be looked into."
    return Changed(path=_shown(mod.root), level="mod", digest=mod.digest, text=text)


def _of_switch(switch: Switch) -> Changed:
    named = f"{switch.path} ({switch.key})" if switch.key else switch.path
    text = f"{switch.text[:1].upper()}{switch.text[1:]}."
    return Changed(path=named, level="switch", digest=digest([switch.path, switch.key, switch.text]), text=text)


def _shown(path: str) -> str:
    """A path that can be kept: names on a disk need not be text."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _file_of(switch: Changed) -> str:
    return switch.path.rpartition(" (")[0] or switch.path


def _started_in(place: Place) -> str:
    """Where the client was started: mods of that folder load, whatever folder the agent is in now."""
    try:
        return os.readlink(f"/proc/{place.parent}/cwd") if place.parent else place.cwd
    except OSError:
        return place.cwd
