"""Looks up what the reading is missing. Facts only grow; what cannot be had stays missing."""

from __future__ import annotations

import os

from ...limits import MAX_PROGRAM_BYTES, MAX_SCRIPT_BYTES
from ...model.errors import StoreError
from ...reading.places.paths import folded
from ...reading.places.secret_files import looks_like_key, sort_of
from ...reading.read import read_in_rounds
from ...reading.tools.tools import likely_missing
from ...value import TYPE_CHECKING, FrozenMap
from ..home.files import read_file
from .links import follow

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...model.action import Reading
    from ...model.call import Call
    from ...model.facts import Facts
    from ...reading.reach.pushed import Sent

    Wrote = Callable[[str], bool]

__all__ = ["gather", "read_with_facts"]


def read_with_facts(call: Call, facts: Facts, wrote: Wrote | None = None) -> Reading:
    """The call, read with what the disk says. `wrote`: whether any session is known to have written a file."""
    likely = likely_missing(call, facts)
    if likely:
        facts = gather(likely, facts) or facts
    return read_in_rounds(call, facts, lambda missing, facts: gather(missing, facts, wrote))[0]


_OF_A_FILE = ("real", "script", "digest")
_OUR_OWN = ("/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/")
_STREAMS = ("0", "1", "2")


def _is_our_own(path: str) -> bool:
    """INVARIANT: a file that is open in the process which decides says nothing of the call. A name such as /dev/fd/7
    means another one in the agent's process; looked up here it would be our ledger, or a connection of a service.
    """
    return path.startswith(_OUR_OWN) and path.rpartition("/")[2] not in _STREAMS


def gather(missing: tuple[str, ...], facts: Facts, wrote: Wrote | None = None) -> Facts | None:
    """The facts with what could be found out added; None if that is nothing."""
    real: dict[str, str] = {}
    absent: set[str] = set()
    fixed: set[str] = set()
    scripts: dict[str, str] = {}
    unread: set[str] = set()
    digests: dict[str, str] = {}
    defined: dict[str, tuple[str, ...]] = {}
    begins: dict[str, bool] = {}
    sends: dict[str, Sent] = {}
    where: dict[str, tuple[str, ...]] = {}
    placed: dict[str, tuple[tuple[str, str], ...]] = {}
    git: dict[str, str] = {}
    stood: dict[str, str] = {}
    keys: set[str] = set()
    plain: set[str] = set()
    below: dict[str, tuple[tuple[str, str], ...]] = {}
    for want in missing:
        kind, _, path = want.partition(":")
        if kind in _OF_A_FILE and _is_our_own(path):
            if kind == "script":
                unread.add(path)
            elif kind == "real":
                real[path] = path
                absent.add(path)
            continue
        if kind in ("below", "tracked"):
            from .searched import listed

            below[want] = listed(want, facts)
            continue
        if kind == "placed":
            from .placing import landings

            placed[want] = landings(path, facts)
            continue
        if kind == "git":
            from .git_state import answer_of

            git[want] = answer_of(path, facts.home, wrote)
            continue
        if kind == "stood":
            from .temporary import standing

            stood[want] = standing(path, facts, wrote)
            continue
        if kind == "begins":
            begins[want] = _begins(path, facts)
            continue
        if kind in ("folders", "entries"):
            defined[want] = _named(path, files=kind == "entries")
            continue
        if kind in ("skill", "agent"):
            from .skills import defining_files

            defined[want] = defining_files(kind, path, facts)
            for file in defined[want]:
                _read_into(file, scripts, unread)
            continue
        if kind == "script":
            _read_into(path, scripts, unread)
            continue
        if kind == "digest":
            _digest_into(path, digests)
            continue
        if kind == "where":
            from .destinations import where_of

            where[path] = where_of(path, facts.home, facts.variables)
            continue
        if kind == "push" and path not in facts.sends:
            from .git_refs import sent_by

            sends[path] = sent_by(path, facts.home, facts.variables)
        if kind != "real":
            continue
        try:
            at, there = follow(path)
        except (OSError, ValueError):
            continue
        real[path] = _behind_a_hard_link(at, facts) if there else at
        if there and not os.access(at, os.W_OK):
            fixed.update(_spellings(path, at))
        if not there:
            absent.add(path)
        elif _is_worth_a_look(path, at):
            from .contents import what_is_in

            found_in = {"key": keys, "plain": plain}.get(what_is_in(path, at))
            if found_in is not None:
                found_in.update(_spellings(path, at))
    found = real or scripts or defined or sends or placed or git or stood or below or begins or digests or where
    if not found and unread <= facts.unread:
        return None
    return facts.replace(
        real=FrozenMap({**facts.real, **real} if facts.real else real),
        absent=facts.absent.union(absent) if absent else facts.absent,
        fixed=facts.fixed | fixed if fixed else facts.fixed,
        scripts=FrozenMap({**facts.scripts, **scripts}) if scripts else facts.scripts,
        unread=facts.unread | unread if unread else facts.unread,
        digests=FrozenMap({**facts.digests, **digests}) if digests else facts.digests,
        defined=FrozenMap({**facts.defined, **defined}) if defined else facts.defined,
        sends=FrozenMap({**facts.sends, **sends}) if sends else facts.sends,
        where=FrozenMap({**facts.where, **where}) if where else facts.where,
        git=FrozenMap({**facts.git, **git}) if git else facts.git,
        stood=FrozenMap({**facts.stood, **stood}) if stood else facts.stood,
        placed=FrozenMap({**facts.placed, **placed}) if placed else facts.placed,
        begins=FrozenMap({**facts.begins, **begins}) if begins else facts.begins,
        keys=facts.keys | keys if keys else facts.keys,
        plain=facts.plain | plain if plain else facts.plain,
        below=FrozenMap({**facts.below, **below}) if below else facts.below,
    )


def _is_worth_a_look(path: str, at: str) -> bool:
    """Whether the name leaves open what is in the file: it may be a key, or may hold no secret after all."""
    name = at.rpartition("/")[2]
    if looks_like_key(name) or looks_like_key(path.rpartition("/")[2]):
        return True
    return any(sort_of(folded(spelt).split("/")[1:]) == "judged" for spelt in (path, at))


def _spellings(path: str, at: str) -> tuple[str, ...]:
    """The file as it was asked for, as it is spelt plainly, and where it lies."""
    if ".." in path:
        return at, path
    return at, path, "/" + "/".join([part for part in path.split("/") if part not in ("", ".")])


_MOST_FOLDERS = 16


def _named(pattern: str, *, files: bool) -> tuple[str, ...]:
    """What a pattern in the last part of a path names; an empty name if that is too much, or not sure."""
    from fnmatch import fnmatchcase

    parent, _, name = pattern.rpartition("/")
    found: list[str] = []
    try:
        with os.scandir(parent or "/") as entries:
            for entry in entries:
                if entry.name[0] == "." or not fnmatchcase(entry.name, name):
                    continue
                if entry.is_symlink() or len(found) == _MOST_FOLDERS:
                    return ("",)
                if files or entry.is_dir():
                    found.append(f"{parent}/{entry.name}")
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError:
        return ("",)
    return tuple(sorted(found))


def _begins(text: str, facts: Facts) -> bool:
    """Whether something lies in the folder that shows it. A folder that cannot be looked into counts."""
    from ...model.obeyed import MARKERS

    kind, _, folder = text.partition("\t")
    if kind == "loaded":
        from ..home.mods import loads_from

        return loads_from(folder, facts.home, facts.root, facts.moved)
    for name in MARKERS[kind]:
        try:
            os.lstat(f"{folder}/{name}")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError):
            pass
        return True
    return False


def _read_into(path: str, scripts: dict[str, str], unread: set[str]) -> None:
    try:
        text = _script(path)
    except (StoreError, UnicodeDecodeError):
        unread.add(path)
        return
    if text is not None:
        scripts[path] = text


def _digest_into(path: str, digests: dict[str, str]) -> None:
    from ...bytes.canon import digest_of_bytes

    try:
        raw = read_file(path, limit=MAX_PROGRAM_BYTES)
    except StoreError:
        return
    if raw is not None:
        digests[path] = digest_of_bytes(raw)


_REGULAR, _KIND = 0o100000, 0o170000
_OWN_FILES = (
    ".config/interlock/ledger.key",
    ".config/interlock/store.pgpass",
    ".config/interlock/policy.toml",
    ".config/interlock/trust.json",
    ".local/state/interlock/proof.key",
    ".local/state/interlock/ledger.db",
    ".local/state/interlock/ledger.db.head",
)


def _behind_a_hard_link(path: str, facts: Facts) -> str:
    """The file of ours that this is a second name of, else the path itself. Few files have two names: it is cheap."""
    try:
        found = os.stat(path)
        if found.st_nlink < 2 or found.st_mode & _KIND != _REGULAR:
            return path
    except (OSError, ValueError):
        return path
    for name in _OWN_FILES:
        own = f"{facts.home}/{name}"
        try:
            other = os.stat(own)
        except OSError:
            continue
        if (other.st_dev, other.st_ino) == (found.st_dev, found.st_ino):
            return own
    return path


def _script(path: str) -> str | None:
    """The text of a script; None if it is not there. Raises if it is no plain file, too long or no text."""
    raw = read_file(path, limit=MAX_SCRIPT_BYTES)
    if raw is not None and b"\0" in raw:
        raise StoreError(f"`{path}` is not text")
    return None if raw is None else raw.decode()
