"""Where a call is, as far as grants reach: links are followed here, once, before anything is locked."""

from __future__ import annotations

import os

from ...value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...model.action import Action, Reading
    from ...model.call import Call

__all__ = ["Places", "folders_of", "places_of"]


class Places(Value):
    """
    holders  every holder whose grants reach the call: its session, its folder and those above it
    real     folder that an action names -> where it really is
    """

    holders: tuple[str, ...]
    real: Mapping[str, str]


def places_of(call: Call, root: str, reading: Reading) -> Places:
    found = ["", f"repository {root}"]
    if call.session:
        found.append(f"session {call.kept_session}")
    folder = os.path.realpath(call.cwd or "/")
    while True:
        found.append(f"folder {folder}")
        up = os.path.dirname(folder)
        if up == folder:
            break
        folder = up
    named = [one for action in reading.actions for one in folders_of(action) if one.startswith("/")]
    return Places(holders=tuple(found), real=FrozenMap({one: os.path.realpath(one) for one in named}))


def folders_of(action: Action) -> tuple[str, ...]:
    """The folders that the action names as its own."""
    folder = action.target.get("folder")
    return (folder,) if type(folder) is str else folder if type(folder) is tuple else ()
