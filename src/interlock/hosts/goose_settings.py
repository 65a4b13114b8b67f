"""goose's settings, by its documentation: the hooks of our plug-in, and the lists of plug-ins that are switched off."""

from __future__ import annotations

from ..bytes.strict import parse_object
from ..limits import MAX_WATCHED_BYTES
from ..model.errors import InputError
from ..value import TYPE_CHECKING
from .documented_parts import unreadable
from .entries import described

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["describe", "project_files", "settings_files", "unhooks"]

_HOOKS = ".agents/plugins/interlock/hooks/hooks.json"
_SETTINGS = ".config/goose/settings.json"


def project_files(root: str) -> tuple[str, ...]:
    return (f"{root}/{_HOOKS}", f"{root}/{_SETTINGS}")


def settings_files(root: str, home: str, moved: Mapping[str, str]) -> tuple[str, ...]:
    configs = [f"{folder}/goose/settings.json" for folder, place in moved.items() if place == ".config"]
    return (*project_files(root), f"{home}/{_HOOKS}", f"{home}/{_SETTINGS}", *configs)


def unhooks(files: Mapping[str, bytes | None], _had: Mapping[str, str]) -> list[str]:
    found = unreadable(files)
    for path, raw in files.items():
        try:
            off = parse_object(raw or b"{}", limit=MAX_WATCHED_BYTES).get("disabledPlugins", ())
        except InputError:
            continue
        if type(off) is not tuple or "interlock" in off:
            found.append(f"`{path}` switches off the plug-in `interlock` (`disabledPlugins`)")
    return found


def describe(path: str, raw: bytes) -> tuple[bytes, Mapping[str, str]] | None:
    return described(path, raw, (f"/{_HOOKS}", "/goose/settings.json"))
