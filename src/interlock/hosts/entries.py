"""Our own entries among the hooks of a host's settings, whose files look alike: event -> groups -> handlers."""

from __future__ import annotations

from ..record.canon import digest
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["our_entries"]

_GUARD = "/hook/guard.py"


def our_entries(settings: Mapping[str, Any]) -> dict[str, str]:
    """Event -> digest of the entry. One that only mentions the guard has another digest than ours had."""
    found = {}
    hooks = settings.get("hooks")
    for event, groups in hooks.items() if type(hooks) is FrozenMap else ():
        for group in groups if type(groups) is tuple else ():
            handlers = group.get("hooks") if type(group) is FrozenMap else None
            for handler in handlers if type(handlers) is tuple else ():
                if type(handler) is FrozenMap and any(_GUARD in word for word in _words(handler)):
                    found[str(event)] = digest([group.get("matcher"), handler])
    return found


def _words(handler: Mapping[str, Any]) -> list[str]:
    """A program with arguments, or one line for a shell."""
    given = handler.get("args")
    return [word for word in (handler.get("command"), *(given if type(given) is tuple else ())) if type(word) is str]
