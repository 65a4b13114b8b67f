"""Puts the shield's files into the client's folder of skills, and takes them out again.

The folder is ours alone and named at random; its name is kept for as long as the shield is installed. Which settings
list it is a matter of the settings file (store/home/installed.py).
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from typing import Any

from ...bytes.canon import digest_of_bytes
from ...install.seat import FULL, PLAIN, files_of, is_name
from ...limits import MAX_WATCHED_BYTES
from ...model.errors import InputError
from ...value import Value
from .files import read_file, write_file
from .folders import Folders
from .mod_files import Files
from .mods import Mod
from .shield import Admitted, admitted_in, kept_shield, seat_text, shield_file, under_managed

__all__ = ["Seating", "copy_in", "plan_seat", "remove_copy", "remove_seat", "write_seat"]


class Seating(Value):
    """The shield as it would be. `made`: folders that have to be made for it, the innermost first."""

    name: str
    folder: str
    variant: str
    files: Any  # path below the folder -> text
    made: tuple[str, ...]
    idle: bool
    admitted: tuple[Admitted, ...] = ()

    @property
    def entry(self) -> str:
        return f"{self.name}@skills-dir"


def plan_seat(folders: Folders, home: str, admitted: tuple[Admitted, ...] | None = None) -> Seating:
    """`home`: the client's own folder; `admitted`: plug-ins that may load, None: as they are."""
    kept = kept_shield(folders)
    skills = f"{home}/skills"
    name = str(kept.get("name") or "")
    if not is_name(name):
        name = f"interlock-{secrets.token_hex(8)}"
    folder = f"{skills}/{name}"
    moved = bool(kept) and kept.get("folder") != folder
    variant = PLAIN if under_managed() else FULL
    listed = admitted_in(kept) if admitted is None else admitted
    places = {place for one in listed for place in (one.folder, os.path.realpath(one.folder))}
    files = files_of(name, seat_text(), variant, places)
    same = not moved and all(_same(f"{folder}/{path}", text) for path, text in files.items())
    made = [at for at in (folder, skills, home) if not os.path.lexists(at)]
    if kept and not moved:
        made = [str(one) for one in kept.get("made", ())] or made
    idle = same and admitted_in(kept) == listed and kept.get("variant") == variant
    return Seating(name=name, folder=folder, variant=variant, files=files, made=tuple(made), idle=idle, admitted=listed)


def write_seat(folders: Folders, seating: Seating) -> None:
    kept = kept_shield(folders)
    if kept and kept.get("folder") != seating.folder:
        _remove_files(kept)
    for path, text in seating.files.items():
        write_file(f"{seating.folder}/{path}", text.encode())
    said = {
        **kept,
        "admitted": [
            {"digest": one.digest, "folder": one.folder, "name": one.name, "source": one.source}
            for one in seating.admitted
        ],
        "files": {path: digest_of_bytes(text.encode()) for path, text in seating.files.items()},
        "folder": seating.folder,
        "made": list(seating.made),
        "name": seating.name,
        "variant": seating.variant,
        "version": 1,
    }
    write_file(shield_file(folders), json.dumps(said, indent=1, sort_keys=True).encode())


def remove_seat(folders: Folders) -> None:
    """The folder and the note of it; whatever somebody else put into the folder stays."""
    kept = kept_shield(folders)
    if not kept:
        return
    for one in admitted_in(kept):
        remove_copy(one)
    _remove_files(kept)
    _gone(shield_file(folders))


def copy_in(home: str, mod: Mod) -> Admitted:
    """A copy of a plug-in, as it was when it was looked at. InputError where it has links, or has changed meanwhile."""
    folder = f"{home}/skills/interlock-{mod.digest.rpartition(':')[2][:16]}"
    for at, folders, names in os.walk(mod.root):
        for name in (*folders, *names):
            path = f"{at}/{name}"
            if os.path.islink(path) or not (os.path.isdir(path) or os.path.isfile(path)):
                raise InputError(f"`{path}` is a link or no file: a plug-in is admitted only with all that is in it")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(mod.root, folder, symlinks=True)
    if Files().tree(folder) != mod.digest:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError(f"`{mod.root}` changed while it was copied; look at it again")
    return Admitted(name=mod.name, folder=folder, source=mod.root, digest=mod.digest)


def remove_copy(one: Admitted) -> None:
    if is_name(os.path.basename(one.folder)):
        shutil.rmtree(one.folder, ignore_errors=True)


def _remove_files(kept: dict[str, Any]) -> None:
    folder = str(kept.get("folder"))
    if not is_name(os.path.basename(folder)):
        return
    for path in (kept.get("files") or {}) if isinstance(kept.get("files"), dict) else ():
        _gone(f"{folder}/{path}")
        _empty(os.path.dirname(f"{folder}/{path}"))
    for made in (folder, *[str(one) for one in kept.get("made", ()) if str(one) != folder]):
        _empty(made)


def _same(path: str, text: str) -> bool:
    return read_file(path, limit=MAX_WATCHED_BYTES) == text.encode()


def _gone(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _empty(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        pass  # something else is in it
