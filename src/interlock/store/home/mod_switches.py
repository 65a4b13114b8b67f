"""Keys of Claude Code's settings that silence hooks, or say which plug-in stands outside all others.

A session's own hook cannot tell of most of them: it is not called. So they are looked for on the disk, in every
settings file, whether or not another file outranks it at the moment.
"""

from __future__ import annotations

from ...model.environment import loader_variables
from ...value import TYPE_CHECKING, Value
from .mods import NOWHERE, layers_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from .folders import Folders
    from .mods import Layer

__all__ = ["Switch", "switches_in"]

_OF_PROJECT = ("project", "local")
# Variables with which the client starts without hooks, or takes its settings from somewhere else.
_SILENCE = (
    "CLAUDE_CODE_SAFE_MODE",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_RESTRICTED",
    "CLAUDE_CODE_MANAGED_SETTINGS_PATH",
)
_MOVES = "CLAUDE_CONFIG_DIR"
_NOT_SET = ("", "0", "false", "no", "off")


class Switch(Value):
    """
    key      of the settings
    path     of the file; empty for a variable of this process
    text     what it does, without the path
    loud     it can silence hooks or unseat the guard; else it is worth a line
    """

    key: str
    path: str
    text: str
    loud: bool


def switches_in(
    folders: Folders,
    root: str,
    environment: Mapping[str, str] = NOWHERE,
    *,
    cwd: str = "",
    seat: str = "",
) -> tuple[Switch, ...]:
    """`seat`: the id of our own mod, where one is seated."""
    found: dict[tuple[str, str], Switch] = {}
    for layer in layers_of(folders, root, environment, cwd=cwd).files:
        for switch in _in_layer(layer, seat):
            found.setdefault((switch.path, switch.key), switch)
    for name in _SILENCE:
        if _is_set(environment.get(name)):
            text = f"the variable {name} is set: sessions that start from here run without hooks"
            found[("", name)] = Switch(key=name, path="", text=text, loud=True)
    return tuple(found.values())


def _in_layer(layer: Layer, seat: str) -> Iterator[Switch]:
    def one(key: str, text: str, *, loud: bool) -> Switch:
        return Switch(key=key, path=layer.path, text=text, loud=loud)

    ours = layer.name not in _OF_PROJECT
    if layer.settings is None:
        yield one("", "it cannot be read as settings, so what it switches is not known", loud=not ours)
        return
    if layer.settings.get("disableAllHooks", False) is not False:
        yield one("disableAllHooks", "it switches off all hooks", loud=True)
    enabled = layer.settings.get("enabledPlugins")
    if seat and isinstance(enabled, dict) and seat in enabled and enabled[seat] is not True:
        yield one("enabledPlugins", f"it switches off Interlock's own mod ({seat})", loud=True)
    seats = layer.settings.get("prependPlugins")
    others = [id for id in seats if id != seat] if isinstance(seats, list) else [] if seats is None else [seats]
    if others:
        named = ", ".join([str(id)[:100] for id in others[:4]])
        text = f"it seats {named} outside all other mods" if ours else "the client passes it over in this file"
        yield one("prependPlugins", text, loud=ours)
    if not ours and layer.settings.get("extraKnownMarketplaces"):
        yield one("extraKnownMarketplaces", "it names marketplaces, from which plug-ins may come", loud=False)
    variables = layer.settings.get("env")
    for name, value in variables.items() if isinstance(variables, dict) else ():
        yield from _of_variable(name, value, ours, one)


def _of_variable(name: str, value: Any, ours: bool, one: Any) -> Iterator[Switch]:
    if not _is_set(value):
        return
    if name in _SILENCE or (name == _MOVES and not ours):
        yield one(f"env.{name}", "it lets the client start without hooks, or with other settings", loud=True)
    elif not ours and loader_variables((name,)):
        text = "it loads code into every program that the client starts, Interlock's hook among them"
        yield one(f"env.{name}", text, loud=True)
    elif name == "CLAUDE_CODE_PLUGIN_DIRS":
        text = "it names folders from which plug-ins load" if ours else "the client passes it over in this file"
        yield one(f"env.{name}", text, loud=False)


def _is_set(value: Any) -> bool:
    return value is not None and str(value).strip().lower() not in _NOT_SET
