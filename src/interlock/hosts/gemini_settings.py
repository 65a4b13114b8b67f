"""Gemini CLI's settings files, looked at for one question: are our hooks still in them as they were?

The client reads them when it starts. A file of the project counts as much as the person's own: it can switch all hooks
off (`hooksConfig.enabled`), or one by its name (`hooksConfig.disabled`), and no hook is asked about that.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap
from .entries import described, names_of_ours, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["describe", "project_files", "settings_files", "unhooks"]


def project_files(root: str) -> tuple[str, ...]:
    return (f"{root}/.gemini/settings.json",)


def settings_files(root: str, home: str, moved: Mapping[str, str]) -> tuple[str, ...]:
    """Every file that the client may take settings from, the managed one first. `moved` as in `Facts`."""
    homes = (home, *[folder for folder, place in moved.items() if place == ""])
    users = [f"{folder}/.gemini/settings.json" for folder in homes]
    return ("/etc/gemini-cli/settings.json", *project_files(root), *users)


def unhooks(files: Mapping[str, bytes | None], _had: Mapping[str, str]) -> list[str]:
    """Why hooks would not be called if the client took these files; empty: they would."""
    found: list[str] = []
    read = dict(parsed(files, found))
    ours = {name for settings in read.values() for name in names_of_ours(settings)}
    for path, settings in read.items():
        switch = settings.get("hooksConfig")
        if type(switch) is not FrozenMap:
            continue
        if switch.get("enabled", True) is not True:
            found.append(f"`{path}` switches off all hooks (`hooksConfig.enabled`)")
        off = switch.get("disabled", ())
        if type(off) is not tuple or not ours.isdisjoint(map(str, off)):
            found.append(f"`{path}` switches off Interlock's hook by its name (`hooksConfig.disabled`)")
    return found


def describe(path: str, raw: bytes) -> tuple[bytes, Mapping[str, str]] | None:
    """What of a file counts when it is compared, and our hooks in it: event -> digest of the entry.

    None: the file is none of this host's settings.
    """
    return described(path, raw, ("/.gemini/settings.json", "/gemini-cli/settings.json"))
