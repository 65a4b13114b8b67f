"""Puts the shield's files into the client's folder of skills, and takes them out again.

The folder is ours alone and named at random; its name is kept for as long as the shield is installed. Which settings
list it is a matter of the settings file (store/installed.py).
"""

from __future__ import annotations

import json
import os
import secrets
from typing import Any

from ..install.seat import FULL, PLAIN, files_of, is_name
from ..limits import MAX_WATCHED_BYTES
from ..record.canon import digest_of_bytes
from ..value import Value
from .files import read_file, write_file
from .folders import Folders
from .shield import kept_shield, shield_file

__all__ = ["Seating", "plan_seat", "remove_seat", "seat_text", "write_seat"]

_MODULE = "install/shield/shield.js"
_MANAGED = (
    "/etc/claude-code/managed-settings.json",
    "/etc/claude-code/managed-settings.d",
    "/etc/claude-code/managed-mcp.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.d",
    "/Library/Application Support/ClaudeCode/managed-mcp.json",
)


class Seating(Value):
    """The shield as it would be. `made`: folders that have to be made for it, the innermost first."""

    name: str
    folder: str
    variant: str
    files: Any  # path below the folder -> text
    made: tuple[str, ...]
    idle: bool

    @property
    def entry(self) -> str:
        return f"{self.name}@skills-dir"


def seat_text() -> str:
    """The module as the package has it."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(f"{package}/{_MODULE}", encoding="utf-8") as file:
        return file.read()


def plan_seat(folders: Folders, home: str, admitted: tuple[str, ...] | None = None) -> Seating:
    """`home`: the client's own folder; `admitted`: folders of plug-ins that may load, None: as they are."""
    kept = kept_shield(folders)
    skills = f"{home}/skills"
    name = str(kept.get("name") or "")
    if not is_name(name):
        name = f"interlock-{secrets.token_hex(8)}"
    folder = f"{skills}/{name}"
    moved = bool(kept) and kept.get("folder") != folder
    variant = PLAIN if any(map(os.path.exists, _MANAGED)) else FULL
    listed = _listed(kept) if admitted is None else admitted
    files = files_of(name, seat_text(), variant, listed)
    same = not moved and all(_same(f"{folder}/{path}", text) for path, text in files.items())
    made = [at for at in (folder, skills, home) if not os.path.lexists(at)]
    if kept and not moved:
        made = [str(one) for one in kept.get("made", ())] or made
    idle = same and kept.get("admitted", []) == sorted(listed) and kept.get("variant") == variant
    return Seating(name=name, folder=folder, variant=variant, files=files, made=tuple(made), idle=idle)


def write_seat(folders: Folders, seating: Seating, admitted: tuple[str, ...] | None = None) -> None:
    kept = kept_shield(folders)
    listed = sorted(_listed(kept) if admitted is None else admitted)
    if kept and kept.get("folder") != seating.folder:
        _remove_files(kept)
    for path, text in seating.files.items():
        write_file(f"{seating.folder}/{path}", text.encode())
    said = {
        **kept,
        "admitted": listed,
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
    _remove_files(kept)
    _gone(shield_file(folders))


def _remove_files(kept: dict[str, Any]) -> None:
    folder = str(kept.get("folder"))
    if not is_name(os.path.basename(folder)):
        return
    for path in (kept.get("files") or {}) if isinstance(kept.get("files"), dict) else ():
        _gone(f"{folder}/{path}")
        _empty(os.path.dirname(f"{folder}/{path}"))
    for made in (folder, *[str(one) for one in kept.get("made", ()) if str(one) != folder]):
        _empty(made)


def _listed(kept: dict[str, Any]) -> tuple[str, ...]:
    found = kept.get("admitted")
    return tuple([one for one in found if isinstance(one, str)]) if isinstance(found, list) else ()


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
