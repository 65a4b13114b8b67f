"""OpenCode's plug-ins, looked at for one question: is ours still there as it was written?"""

from __future__ import annotations

from ..value import TYPE_CHECKING, freeze
from .entries import our_entries
from .opencode_plugin import embedded

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["describe", "project_files", "settings_files", "unhooks"]

_NAME = "plugin/interlock.js"


def project_files(root: str) -> tuple[str, ...]:
    return (f"{root}/.opencode/{_NAME}",)


def settings_files(root: str, home: str, moved: Mapping[str, str]) -> tuple[str, ...]:
    """Every file that may be our plug-in. `moved` as in `Facts`."""
    homes = (f"{home}/.config", *[folder for folder, place in moved.items() if place == ".config"])
    return (*project_files(root), *[f"{folder}/opencode/{_NAME}" for folder in homes])


def unhooks(files: Mapping[str, bytes | None], _had: Mapping[str, str]) -> list[str]:
    """Why calls would not come to us if the client loaded these files; empty: they would."""
    return [
        f"`{path}` is not as `interlock install` writes it" for path, raw in files.items() if raw and not embedded(raw)
    ]


def describe(path: str, raw: bytes) -> tuple[bytes, Mapping[str, str]] | None:
    """What of a file counts when it is compared, and our entries in it: event -> digest of the entry.

    None: the file is none of this host's.
    """
    if not path.endswith((f"/opencode/{_NAME}", f"/.opencode/{_NAME}")):
        return None
    found = freeze(embedded(raw))
    return raw, our_entries(found)  # type: ignore[arg-type]
