"""OpenCode's plug-ins, looked at for two questions: is ours still there as it was written, and which stand beside it?

Plug-ins and tools that a project brings run inside the client, in the same process as ours. No plug-in can hold one
that runs beside it, so a project's are named to the person.
"""

from __future__ import annotations

import os
import re

from ..value import TYPE_CHECKING, freeze
from .entries import our_entries
from .opencode_plugin import embedded

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["beside", "checked", "describe", "project_files", "settings_files", "unhooks"]

_NAME = "plugin/interlock.js"
_CODE = ("plugin", "plugins", "tool", "tools")  # folders of a project whose files the client loads as code
_LISTS = ("opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc")
_LISTED = re.compile(rb"""["']?plugin["']?\s*:\s*\[\s*[^\]\s]""")  # such a file may have comments
_MOST = 20
_RUNS = "`{}` is code of the project that runs inside OpenCode, beside Interlock's plug-in, and can get past it"
_NAMES = "`{}` names plug-ins, which run inside OpenCode, beside Interlock's, and can get past it"
_CURE = "read that code, and start OpenCode here only if you trust it as you trust Interlock; or remove it"


def project_files(root: str) -> tuple[str, ...]:
    """Ours, and what of the project the client loads as code, or takes names of code from."""
    ours = f"{root}/.opencode/{_NAME}"
    code = [f"{root}/.opencode/{folder}/{name}" for folder in _CODE for name in _code_in(f"{root}/.opencode/{folder}")]
    return (ours, *[path for path in code if path != ours], *[f"{root}/{name}" for name in _LISTS])


def _code_in(folder: str) -> list[str]:
    try:
        return sorted([name for name in os.listdir(folder) if name.endswith((".js", ".ts"))])[:_MOST]
    except OSError:
        return []


def settings_files(root: str, home: str, moved: Mapping[str, str]) -> tuple[str, ...]:
    """Every file that may be our plug-in. `moved` as in `Facts`."""
    homes = (f"{home}/.config", *[folder for folder, place in moved.items() if place == ".config"])
    return (*project_files(root), *[f"{folder}/opencode/{_NAME}" for folder in homes])


def unhooks(files: Mapping[str, bytes | None], _had: Mapping[str, str]) -> list[str]:
    """Why calls would not come to us if the client loaded these files; empty: they would."""
    return [
        f"`{path}` is not as `interlock install` writes it"
        for path, raw in files.items()
        if raw and path.endswith(f"/{_NAME}") and not embedded(raw)
    ]


def beside(files: Mapping[str, bytes | None]) -> list[str]:
    """What of the project runs in the process of our plug-in."""
    found = []
    for path, raw in files.items():
        if not raw or path.endswith(f"/{_NAME}"):
            continue
        if not path.endswith((".json", ".jsonc")):
            found.append(_RUNS.format(path))
        elif _LISTED.search(raw):
            found.append(_NAMES.format(path))
    return found


def checked(files: Mapping[str, bytes | None]) -> list[tuple[bool, str, str]]:
    """What else a checkup has to tell: whether it is bad, the matter, and its cure."""
    return [(True, why, _CURE) for why in beside(files)]


def describe(path: str, raw: bytes) -> tuple[bytes, Mapping[str, str]] | None:
    """What of a file counts when it is compared, and our entries in it: event -> digest of the entry.

    None: the file is none of this host's.
    """
    if not path.endswith((f"/opencode/{_NAME}", f"/.opencode/{_NAME}")):
        return None
    found = freeze(embedded(raw))
    return raw, our_entries(found)  # type: ignore[arg-type]
