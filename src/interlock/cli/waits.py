"""How long a host's settings let a hook hold a call: as long as the policy says, where a time-out blocks; and as long
as a person may take to answer, where the host puts a question of ours before them.
"""

from __future__ import annotations

from typing import Any

from ..hosts import host_named
from ..limits import MAX_WAIT_SECONDS
from ..model.errors import InterlockError
from ..store.home.folders import Folders
from ..store.home.policies import load_policy

__all__ = ["waiting_arguments", "waits_in"]

_WAIT = "--wait"


def waiting_arguments(folders: Folders, root: str | None, host: str) -> tuple[str, ...]:
    """What the settings of the host are to say. A policy that cannot be read lets nothing wait."""
    traits = host_named(host).TRAITS
    if traits.own_words:
        return _WAIT, str(MAX_WAIT_SECONDS)
    if not traits.waits:
        return ()
    try:
        wait = load_policy(folders, root).wait
    except InterlockError:
        return ()
    return (_WAIT, str(wait)) if wait else ()


def waits_in(handler: Any) -> int:
    """For how many seconds the hook of this entry may hold a call, and its host lets it."""
    words, timeout = (handler.get("args"), handler.get("timeout")) if isinstance(handler, dict) else (None, None)
    if not isinstance(words, list) or _WAIT not in words[:-1] or not isinstance(timeout, int):
        return 0
    wait = str(words[words.index(_WAIT) + 1])
    return int(wait) if wait.isdecimal() and timeout > int(wait) else 0
