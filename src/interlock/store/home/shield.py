"""Interlock's shield on this machine: what was seated, and whether it is still in its seat as it was.

`shield.json` beside the ledger says which name the shield has, where its folder is, and what its files are by digest.
From the disk alone it can be told that nothing has unseated it; whether a client really loads it is for `doctor`.
"""

from __future__ import annotations

import json
import os

from ... import PACKAGE
from ...bytes.canon import digest_of_bytes
from ...install.seat import FULL, MANAGED, MANAGED_ENTRY, MANAGED_NAME, entries_in, managed_files
from ...limits import MAX_WATCHED_BYTES
from ...model.errors import StoreError
from ...value import TYPE_CHECKING, Value
from .files import read_file
from .mod_files import Files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .folders import Folders

__all__ = [
    "MANAGED_SETTINGS",
    "SETTINGS",
    "Admitted",
    "Shield",
    "admitted_in",
    "kept_shield",
    "seat_text",
    "settings_of",
    "shield_file",
    "shield_state",
    "under_managed",
]

SETTINGS = "settings.json"
_MAX_RECORD = 1 << 20
_MODULE = "install/shield/shield.js"
MANAGED_SETTINGS = (
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
)
_MANAGED = (
    *MANAGED_SETTINGS,
    *[f"{os.path.dirname(file)}/managed-settings.d" for file in MANAGED_SETTINGS],
    *[f"{os.path.dirname(file)}/managed-mcp.json" for file in MANAGED_SETTINGS],
)


class Admitted(Value):
    """A plug-in that a person let in, as it was: the copy that is ours, where it came from, and what was in it."""

    name: str
    folder: str
    source: str
    digest: str


class Shield(Value):
    """
    name      the plug-in's, another one in each installation
    folder    where its files are
    problem   why it may not be in force, as a sentence with its cure; empty: it is in its seat, with our files
    admitted  plug-ins that a person let in: the client loads these copies of them
    variant   `full`; `plain` on a machine with managed settings, where the client lets no user's plug-in be seated;
              `managed`: an administrator has seated it
    """

    name: str
    folder: str
    problem: str = ""
    variant: str = FULL
    admitted: tuple[Admitted, ...] = ()

    @property
    def seated(self) -> bool:
        """In front of every other plug-in, whatever a project brings."""
        return not self.problem and self.variant in (FULL, MANAGED)


def shield_file(folders: Folders) -> str:
    return folders.state + "/shield.json"


def kept_shield(folders: Folders) -> dict[str, Any]:
    """What was noted when it was seated; empty where none was, or where the note cannot be read."""
    try:
        found = json.loads(read_file(shield_file(folders), limit=_MAX_RECORD) or b"{}")
    except (StoreError, ValueError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("name"), str) else {}


def under_managed() -> bool:
    """Whether an administrator's files are there: then the client takes no seat from a person's own settings."""
    return any(map(os.path.exists, _MANAGED))


def admitted_in(kept: Mapping[str, Any]) -> tuple[Admitted, ...]:
    found = kept.get("admitted")
    return tuple(
        [
            Admitted(**{name: str(one.get(name)) for name in ("name", "folder", "source", "digest")})
            for one in (found if isinstance(found, list) else ())
            if isinstance(one, dict)
        ]
    )


def settings_of(home: str, moved: Mapping[str, str]) -> str:
    """The folder in which the client keeps a person's own settings."""
    return next((folder for folder, place in moved.items() if place == ".claude"), f"{home}/.claude")


def shield_state(folders: Folders, moved: Mapping[str, str], root: str) -> Shield | None:
    """The shield that `interlock install` seated, and what is wrong with it now; None: none was seated.

    `moved` as in `Folders`; `root`: the project, whose settings may switch it off.
    """
    for settings in MANAGED_SETTINGS:
        if entries_in(_settings(settings) or {})[:1] == [MANAGED_ENTRY]:
            return _managed(f"{os.path.dirname(settings)}/{MANAGED_NAME}")
    kept = kept_shield(folders)
    if not kept:
        return None
    name, folder = str(kept["name"]), str(kept.get("folder"))
    variant = str(kept.get("variant"))
    at = settings_of(folders.home, moved)
    admitted = admitted_in(kept)
    problem = _problem(name, folder, kept, at, root, variant) or _of_copies(admitted)
    return Shield(name=name, folder=folder, problem=problem, variant=variant, admitted=admitted)


def _managed(folder: str) -> Shield:
    for path, text in managed_files(seat_text()).items():
        try:
            raw = read_file(f"{folder}/{path}", limit=MAX_WATCHED_BYTES)
        except StoreError:
            raw = b"?"
        if raw != text.encode():
            how = "gone" if raw is None else "another than this version's"
            problem = f"the shield's file {folder}/{path} is {how}; an administrator runs: interlock install --managed"
            return Shield(name=MANAGED_NAME, folder=folder, problem=problem, variant=MANAGED)
    return Shield(name=MANAGED_NAME, folder=folder, variant=MANAGED)


def seat_text() -> str:
    """The module as the package has it."""
    with open(f"{PACKAGE}/{_MODULE}", encoding="utf-8") as file:
        return file.read()


def _of_copies(admitted: tuple[Admitted, ...]) -> str:
    for one in admitted:
        if os.path.lexists(one.folder) and Files().tree(one.folder) != one.digest:
            again = f"run in a terminal of your own: interlock mods revoke {one.name}"
            return f"the copy of the plug-in {one.name} that was admitted is another now ({one.folder}); {again}"
    return ""


def _problem(name: str, folder: str, kept: Mapping[str, Any], at: str, root: str, variant: str) -> str:
    again = "run in a terminal of your own: interlock install claude-code"
    if os.path.realpath(f"{at}/skills") != os.path.realpath(os.path.dirname(folder)):
        return f"the client takes its plug-ins from {at}/skills, and the shield is in {folder}; {again}"
    digests = kept.get("files")
    for path, digest in digests.items() if isinstance(digests, dict) else ():
        try:
            raw = read_file(f"{folder}/{path}", limit=MAX_WATCHED_BYTES)
        except StoreError:
            raw = b"?"
        if raw is None or digest_of_bytes(raw) != digest:
            return f"the shield's file {folder}/{path} is {'gone' if raw is None else 'another'} now; {again}"
    if variant == FULL and under_managed():
        return f"managed settings came after the shield, and the client no longer loads it; {again}"
    found = _settings(f"{at}/{SETTINGS}")
    if found is None:
        return f"{at}/{SETTINGS} cannot be read"
    if variant == FULL and entries_in(found)[:1] != [f"{name}@skills-dir"]:
        return f"{at}/{SETTINGS} no longer puts the shield in front of other plug-ins; {again}"
    for file in (f"{at}/{SETTINGS}", f"{root}/.claude/settings.json", f"{root}/.claude/settings.local.json"):
        settings = _settings(file)
        if settings is None:
            continue  # whoever judges the hooks tells of it
        if settings.get("disableAllHooks", False) is not False:
            return f"{file} switches off all hooks and plug-in code (`disableAllHooks`), the shield among them"
        on = settings.get("enabledPlugins")
        if isinstance(on, dict) and on.get(f"{name}@skills-dir", True) is not True:
            return f"{file} switches the shield off (`enabledPlugins`)"
    return ""


def _settings(path: str) -> dict[str, Any] | None:
    try:
        found = json.loads(read_file(path, limit=MAX_WATCHED_BYTES) or b"{}")
    except (StoreError, ValueError):
        return None
    return found if isinstance(found, dict) else None
