"""Where hosts that are known by their documentation alone keep their settings: what `NAME_install.py` and
`NAME_settings.py` of several share.
"""

from __future__ import annotations

import sys

from ..bytes.strict import parse_object
from ..model.errors import HostError, InputError
from ..value import TYPE_CHECKING, lazy
from .entries import parsed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from shlex import quote
    from typing import Any

    from .traits import Traits
else:
    quote = lazy(globals(), "shlex", "quote")

__all__ = ["blocks", "file_for", "unreadable", "write_by_shell"]


def file_for(traits: Traits, scope: str, home: str, moved: Mapping[str, str], managed: Mapping[str, str]) -> str:
    """The settings file of a scope. `managed`: platform -> the file of an administrator; empty: there is none."""
    if scope == "managed" and managed:
        return managed.get(sys.platform, managed["linux"])
    if scope != "user":
        instead = "--user or --managed" if managed else "--user"
        why = (
            "shares a project's settings with everybody who has it" if scope == "project" else "has none for all users"
        )
        raise HostError(f"{traits.title} {why}; use {instead}")
    place, _, file = traits.settings_in.partition("/")
    folder = next((folder for folder, stands_for in moved.items() if stands_for == place), f"{home}/{place}")
    return f"{folder}/{file}"


def unreadable(files: Mapping[str, bytes | None]) -> list[str]:
    found: list[str] = []
    list(parsed(files, found))
    return found


def write_by_shell(target: str) -> str:
    """A command that must be denied: it would write the guard's own file."""
    return f": > {quote(target)}"


def blocks(code: int, stdout: bytes, key: str, value: Any) -> bool:
    """Whether the client takes this as a block: exit code 2, or one object that says so."""
    if code == 2:
        return True
    try:
        return code == 0 and parse_object(stdout).get(key) == value
    except InputError:
        return False
