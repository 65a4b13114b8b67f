"""The seat of Interlock's shield: its files, its name, and its place in the person's settings of Claude Code.

The shield is a plug-in whose code runs inside the client. It stands outside every other one only if the user's settings
list it under `prependPlugins`, and before the others that they list. The name is another one on each machine: a
repository that knew it could switch the shield off by its name.
"""

from __future__ import annotations

import json
import re

from ..model.environment import PINNED
from ..value import TYPE_CHECKING
from .json_text import Node, added, located, put_first, removed, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

__all__ = [
    "FULL",
    "MANAGED",
    "MANAGED_ENTRY",
    "MANAGED_NAME",
    "MODULE",
    "PLAIN",
    "entries_in",
    "files_of",
    "is_name",
    "is_seated",
    "managed_files",
    "managed_fragment",
    "seated",
    "unseated",
]

# PLAIN: for a machine with managed settings, where nothing of a user can be seated: it only refuses plug-ins.
# MANAGED: an administrator's.
FULL, PLAIN, MANAGED = "full", "plain", "managed"
MANAGED_NAME = "interlock"  # of the plug-in and of its marketplace: nothing that a project says switches it off
MANAGED_ENTRY = f"{MANAGED_NAME}@{MANAGED_NAME}"
MODULE = "hooks/shield.js"
_KEY = "prependPlugins"
_DEFAULT = "sec-default@builtin"  # the client's own, which managed settings that list others have to list as well
_NAME = re.compile(r"interlock-[0-9a-f]{16}")
_PAST = re.compile(r"next\.to\((.*?), 'builtin'\)")
_NOT_PLAIN = "  // --- not with managed settings"
_ADMITTED = "/* folders */ []"
_BUILT_IN = "e.tier === 'builtin'"
_NOT_A_USER = "e.tier !== 'user'"  # with managed settings the other tiers are the administrator's own


def is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def files_of(name: str, module: str, variant: str, admitted: Iterable[str] = ()) -> dict[str, str]:
    """Path below its folder -> text. `module` as the package has it; `admitted`: folders of plug-ins that may load."""
    text = module.replace(_ADMITTED, json.dumps(sorted(admitted)))
    if variant == PLAIN:  # it would wait for events that never come, and `next.to` is not loaded there
        text = text.partition(_NOT_PLAIN)[0].rstrip() + "\n}\n"
    if variant == MANAGED:
        text = _PAST.sub(r"next.to(\1, 'append')", text).replace(_BUILT_IN, _NOT_A_USER)
    about = {"name": name, "version": "1.0.0", "description": "Interlock's shield"}
    hooks = {"description": "Interlock's shield", "modules": ["./shield.js"]}
    return {
        ".claude-plugin/plugin.json": json.dumps(about, indent=2) + "\n",
        "hooks/hooks.json": json.dumps(hooks, indent=2) + "\n",
        MODULE: text,
    }


def managed_files(module: str) -> dict[str, str]:
    """Path below its folder -> text, for a folder that an administrator owns: a marketplace with one plug-in."""
    plugin = {"name": MANAGED_NAME, "source": f"./{MANAGED_NAME}"}
    market = {"name": MANAGED_NAME, "owner": {"name": "Interlock"}, "plugins": [plugin]}
    inner = files_of(MANAGED_NAME, module, MANAGED)
    return {
        ".claude-plugin/marketplace.json": json.dumps(market, indent=2) + "\n",
        **{f"{MANAGED_NAME}/{path}": text for path, text in inner.items()},
    }


def managed_fragment(folder: str) -> dict[str, Any]:
    """What managed settings say beside the hooks and the list."""
    return {
        "extraKnownMarketplaces": {MANAGED_NAME: {"source": {"source": "directory", "path": folder}}},
        "enabledPlugins": {MANAGED_ENTRY: True},
        "env": dict.fromkeys(PINNED, ""),
    }


def entries_in(settings: Mapping[str, Any]) -> list[str]:
    """What the settings list, in its order."""
    listed = settings.get(_KEY)
    return [one for one in listed if isinstance(one, str)] if isinstance(listed, list | tuple) else []


def is_seated(settings: Mapping[str, Any]) -> bool:
    return any(map(_is_ours, entries_in(settings)))


def _is_ours(entry: str) -> bool:
    return entry == MANAGED_ENTRY or is_name(entry.partition("@")[0])


def seated(text: str, entry: str) -> str:
    """The settings with this entry before all others, and no other seat of ours."""
    text = unseated(text) if text.strip() else "{}\n"
    root = located(text)
    listed = root.child(_KEY)
    if listed is None:
        return added(text, root, [entry, _DEFAULT] if entry == MANAGED_ENTRY else [entry], _KEY)
    return put_first(text, listed, entry)


def unseated(text: str) -> str:
    """The settings without our seat, and without the list if nothing else is in it."""
    while (found := _ours(text)) is not None:
        root, listed, child = found
        text = removed(text, root, listed) if len(listed.children) == 1 else removed(text, listed, child)
    return text


def _ours(text: str) -> tuple[Node, Node, Node] | None:
    if not text.strip():
        return None
    root = located(text)
    listed = root.child(_KEY)
    for child in listed.children if listed is not None and listed.kind == "[" else ():
        name = whole(text, child)
        if listed is not None and isinstance(name, str) and _is_ours(name):
            return root, listed, child
    return None
