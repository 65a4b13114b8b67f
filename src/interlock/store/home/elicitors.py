"""Who could answer a question of ours in the person's place: hooks and mods that a client asks before its person.

Claude Code asks its `Elicitation` hooks first, whoever brought them: settings of every layer, plug-ins, mods, and the
heads of skills, commands and agents. Where there may be one, a yes in a dialog says nothing of a person, so nothing is
asked there. Looked up only when a call waits for a yes. Codex has no such hooks.
"""

from __future__ import annotations

import os

from ...limits import MAX_WATCHED_BYTES
from ...value import TYPE_CHECKING
from ..facts.skills import given_folders
from .agent_texts import texts_below, texts_in
from .files import read_file
from .mods import layers_of, mods_in
from .seat import seat_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .folders import Folders

__all__ = ["why_not_a_person"]

_HOST = "claude-code"
_EVENT = "Elicitation"  # and `ElicitationResult`, which changes what was answered
_PLUGIN_DIR = ("--plugin-dir",)
_SETTINGS = "--settings"
_CODE = ("mod", "hooks")
_MOST_TEXTS = 2000
_PLUGINS_DEEP = 8  # folders: those of a plug-in lie below its marketplace, its name and its version


def why_not_a_person(folders: Folders, host: str, root: str, pid: int, environment: Mapping[str, str]) -> str:
    """What might answer in the place of the person in front of this process; empty: nothing that is known."""
    if host != _HOST:
        return ""
    try:
        cwd = os.readlink(f"/proc/{pid}/cwd")
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = [os.fsdecode(word) for word in file.read(1 << 20).split(b"\0")]
    except OSError:
        return "the process of the client cannot be looked at"
    layers = layers_of(folders, root, environment, cwd=cwd)
    for layer in layers.files:
        hooks = (layer.settings or {}).get("hooks")
        if layer.settings is None or _names_it(hooks):
            return f"{layer.path} may have a hook for it"
    if _is_given(words):
        return "a flag of the client may bring a hook for it"
    seat = seat_of(folders, root)
    found = mods_in(folders, root, environment, cwd=cwd, given=tuple(given_folders(pid, _PLUGIN_DIR)), own=seat.folder)
    for mod in found:
        if mod.kind in _CODE and (not seat.holds or mod.digest in seat.admitted):
            return f"the plug-in {mod.name} may answer it"
    return _in_a_head([*layers.homes, *[f"{folder}/.claude" for folder in layers.roots]], found_in=folders.home)


def _names_it(hooks: object) -> bool:
    return hooks is not None and (not isinstance(hooks, dict) or any(str(name).startswith(_EVENT) for name in hooks))


def _is_given(words: list[str]) -> bool:
    """Whether what the client was started with names such a hook, or a file that does."""
    for at, word in enumerate(words):
        if _EVENT in word:
            return True
        flag, _, value = word.partition("=")
        if flag == _SETTINGS:
            value = value or "".join(words[at + 1 : at + 2])
            if not value.lstrip().startswith("{") and _mentions(value):
                return True
    return False


def _in_a_head(folders: list[str], *, found_in: str) -> str:
    for count, path in enumerate(_texts(folders, f"{found_in}/.claude/plugins")):
        if count == _MOST_TEXTS:
            return "there are more skills than are looked through"
        if _mentions(path):
            return f"{path} may have a hook for it"
    return ""


def _texts(folders: list[str], plugins: str) -> Iterator[str]:
    for folder in dict.fromkeys(folders):
        yield from texts_in(folder)
    yield from texts_below(plugins, _PLUGINS_DEEP)


def _mentions(path: str) -> bool:
    """Whether a file names the event; one that cannot be read may."""
    try:
        raw = read_file(path, limit=MAX_WATCHED_BYTES)
    except Exception:
        return True
    return raw is not None and _EVENT.encode() in raw
