"""Which level is in force for a session, and what its start says of it.

Nothing is taken on somebody's word: managed settings are read, and the process of the client is looked at
(`store/home/launched.py`). What cannot be told counts as not there.
"""

from __future__ import annotations

from ..bytes.strict import parse_object
from ..hosts import HOSTS, part_of
from ..hosts.entries import our_entries
from ..limits import MAX_WATCHED_BYTES
from ..model.environment import PINNED
from ..model.errors import HostError, InputError, StoreError
from ..model.level import ABOUT, OUTSIDE, Level, level_of
from ..store.home.files import read_file
from ..store.home.launched import was_launched
from ..store.home.seat import seat_of
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..store.home.folders import Folders

__all__ = ["level_in_force", "level_of_a_start", "told_of_level"]

_WITH_MODS = ("claude-code",)
_QUIET = ("clear", "compact")  # the session goes on: what was said at its start still stands
_REQUIREMENTS = "/etc/codex/requirements.toml"


def level_in_force(folders: Folders, host: str, root: str, pid: int) -> Level:
    """Of the session in the project at `root` whose client is this process."""
    return _level(folders, host, root, launched=was_launched(folders, host, pid))


def level_of_a_start(folders: Folders, host: str, root: str) -> Level:
    """Of a session that is started there now, without `interlock launch`."""
    return _level(folders, host, root, launched=False)


def _level(folders: Folders, host: str, root: str, *, launched: bool) -> Level:
    # What the project's settings say of the shield does not count in a client that was launched.
    return level_of(
        managed=_is_managed(host),
        launched=launched,
        shielded=host in _WITH_MODS and seat_of(folders, "/" if launched else root).holds,
        has_mods=host in _WITH_MODS,
    )


def told_of_level(level: Level, source: str = "") -> tuple[str, ...]:
    if source in _QUIET:
        return ()
    outside = "" if level is Level.MANAGED else f"; {OUTSIDE}"
    return (f"level in force: {level.title}: {ABOUT[level]}{outside}",)


def _is_managed(host: str) -> bool:
    """Whether an administrator's settings hold our hooks, and keep everybody else from switching them off."""
    part = part_of(host, "install") if host in HOSTS else None
    if part is None:
        return False
    try:
        settings = _settings(part.settings_file("managed", "", "", {}))
    except HostError:
        return False
    holds = _HELD.get(host)
    return holds is not None and bool(our_entries(settings)) and holds(settings)


def _settings(path: str) -> Mapping[str, Any]:
    try:
        return parse_object(read_file(path, limit=MAX_WATCHED_BYTES) or b"{}", limit=MAX_WATCHED_BYTES)
    except (InputError, StoreError):
        return FrozenMap({})


def _of_codex(_settings: Mapping[str, Any]) -> bool:
    import tomllib

    try:
        found = tomllib.loads((read_file(_REQUIREMENTS, limit=MAX_WATCHED_BYTES) or b"").decode())
        return bool(found["features"]["hooks"] is True)
    except (StoreError, ValueError, KeyError, TypeError):
        return False


def _table(settings: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = settings.get(key)
    return found if type(found) is FrozenMap else FrozenMap({})


def _of_claude(settings: Mapping[str, Any]) -> bool:
    return bool(settings.get("prependPlugins")) and _table(settings, "env").keys() >= frozenset(PINNED)


def _of_gemini(settings: Mapping[str, Any]) -> bool:
    return _table(settings, "hooksConfig").get("enabled") is True


def _of_qwen(settings: Mapping[str, Any]) -> bool:
    return settings.get("disableAllHooks") is False


# Host -> whether its managed settings keep a repository from switching the hooks in them off. Claude Code's always do;
# against mods they need a mod of their own that is seated above the others.
_HELD = {
    "claude-code": _of_claude,
    "codex": _of_codex,
    "gemini-cli": _of_gemini,
    "qwen-code": _of_qwen,
}
