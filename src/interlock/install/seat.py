"""The seat of Interlock's shield: its files, its name, and its place in the person's settings of Claude Code.

The shield is a plug-in whose code runs inside the client. It stands outside every other one only if the user's settings
list it under `prependPlugins`, and before the others that they list. The name is another one on each machine: a
repository that knew it could switch the shield off by its name.
"""

from __future__ import annotations

import json
import re

from ..value import TYPE_CHECKING
from .json_text import Node, added, located, put_first, removed, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

__all__ = ["FULL", "MODULE", "PLAIN", "entries_in", "files_of", "is_name", "is_seated", "seated", "unseated"]

FULL, PLAIN = "full", "plain"  # PLAIN: for a machine with managed settings, where nothing of a user can be seated
MODULE = "hooks/shield.js"
_KEY = "prependPlugins"
_NAME = re.compile(r"interlock-[0-9a-f]{16}")
_PAST = re.compile(r"next\.to\((.*?), 'append'\)")
_ADMITTED = "/* folders */ []"


def is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def files_of(name: str, module: str, variant: str, admitted: Iterable[str] = ()) -> dict[str, str]:
    """Path below its folder -> text. `module` as the package has it; `admitted`: folders of plug-ins that may load."""
    text = module.replace(_ADMITTED, json.dumps(sorted(admitted)))
    if variant == PLAIN:
        text = _PAST.sub(r"next(\1)", text)  # with the other spelling the client would not load it there
    about = {"name": name, "version": "1.0.0", "description": "Interlock's shield"}
    hooks = {"description": "Interlock's shield", "modules": ["./shield.js"]}
    return {
        ".claude-plugin/plugin.json": json.dumps(about, indent=2) + "\n",
        "hooks/hooks.json": json.dumps(hooks, indent=2) + "\n",
        MODULE: text,
    }


def entries_in(settings: Mapping[str, Any]) -> list[str]:
    """What the settings list, in its order."""
    listed = settings.get(_KEY)
    return [one for one in listed if isinstance(one, str)] if isinstance(listed, list | tuple) else []


def is_seated(settings: Mapping[str, Any]) -> bool:
    return any(is_name(entry.partition("@")[0]) for entry in entries_in(settings))


def seated(text: str, entry: str) -> str:
    """The settings with this entry before all others, and no other seat of ours."""
    text = unseated(text) if text.strip() else "{}\n"
    root = located(text)
    listed = root.child(_KEY)
    if listed is None:
        return added(text, root, [entry], _KEY)
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
        if listed is not None and isinstance(name, str) and is_name(name.partition("@")[0]):
            return root, listed, child
    return None
