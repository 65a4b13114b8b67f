"""Files that GitHub Copilot CLI takes hooks and switches from: are ours still in them as they were?

It reads them when it starts. In a folder that the person has trusted, a project's file counts as much as their own: it
can switch all hooks off, also those of the person, and no hook is asked about that. It takes that switch from a file of
Claude Code too.
"""

from __future__ import annotations

import os

from ..bytes.canon import canonical
from ..bytes.strict import parse_object
from ..limits import MAX_WATCHED_BYTES
from ..model.errors import InputError
from ..value import TYPE_CHECKING
from .entries import our_entries, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["describe", "project_files", "settings_files", "unhooks"]

_SWITCHES = (
    ".github/copilot/settings.json",
    ".github/copilot/settings.local.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
)
_OURS = ("/.copilot/settings.json", "/.github/copilot/settings.json", "/.github/copilot/settings.local.json")
_FOLDERS = ("/.copilot/hooks", "/.github/hooks")


def project_files(root: str) -> tuple[str, ...]:
    return (*[f"{root}/{name}" for name in _SWITCHES], *_json_in(f"{root}/.github/hooks"))


def settings_files(root: str, home: str, moved: Mapping[str, str]) -> tuple[str, ...]:
    """Every file that the client may take hooks or the switch from. `moved` as in `Facts`."""
    homes = (f"{home}/.copilot", *[folder for folder, place in moved.items() if place == ".copilot"])
    theirs = [path for folder in homes for path in (f"{folder}/settings.json", *_json_in(f"{folder}/hooks"))]
    return (*project_files(root), *theirs)


def _json_in(folder: str) -> list[str]:
    try:
        return [f"{folder}/{name}" for name in sorted(os.listdir(folder)) if name.endswith(".json")]
    except OSError:
        return []


def unhooks(files: Mapping[str, bytes | None], _had: Mapping[str, str]) -> list[str]:
    """Why hooks would not be called if the client took these files; empty: they would."""
    found: list[str] = []
    for path, settings in parsed(files, found):
        in_settings = path.rpartition("/")[0].rpartition("/")[2] != "hooks"
        if in_settings and settings.get("disableAllHooks", False) is not False:
            found.append(f"`{path}` switches off all hooks (`disableAllHooks`)")
    return found


def describe(path: str, raw: bytes) -> tuple[bytes, Mapping[str, str]] | None:
    """What of a file counts when it is compared, and our hooks in it: event -> digest of the entry.

    None: the file is none of this host's settings.
    """
    folder, _, name = path.rpartition("/")
    if not path.endswith(_OURS) and not (folder.endswith(_FOLDERS) and name.endswith(".json")):
        return None
    try:
        settings = parse_object(raw, limit=MAX_WATCHED_BYTES)
    except InputError:
        return raw, {}
    return canonical(settings) if settings else b"", our_entries(settings)
