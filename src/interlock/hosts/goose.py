"""goose, by its documentation: `PreToolUse` events in, a `decision` of allow or block out. No client was seen.

It cannot ask, so an ask is a deny. `on_failure` turns a hook that gives no decision into a block; without it the call
would run. The matcher is a regular expression, and a bare `*` is none: the rule would be skipped without a word.
"""

from __future__ import annotations

from ..limits import HOST_TIMEOUT_SECONDS
from ..model.errors import HostError
from ..model.toolnames import OF_HOSTS
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .documented import known_call, one_object, proposed, renamed, told_of
from .traits import ASK, EXIT_1, GARBAGE, SILENCE, TIMEOUT, Traits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.events import Event, Reply, Spoken
    from ..value import Json
    from .lines import line_for_sh
else:
    line_for_sh = lazy(globals(), ".lines", "line_for_sh")

__all__ = ["MANIFEST", "NAME", "TRAITS", "event_from", "gates", "settings", "spoken"]

NAME = "goose"
TRAITS = Traits(
    title="goose",
    settings_in=".agents/plugins/interlock/hooks/hooks.json",
    moved_by="",
    asks=False,
    runs_after=(ASK, EXIT_1, GARBAGE, SILENCE, TIMEOUT),
    blocks_on="on_failure",
    names_calls=True,
    parts=("install", "settings"),
    tools=FrozenMap(OF_HOSTS[NAME]),
    proven=False,
)
MANIFEST = {"name": "interlock", "version": "1.0.0", "description": "Interlock decides about each tool call."}

_EVENT = "PreToolUse"
_FIELDS = {
    "developer__shell": frozenset(("command", "timeout_secs")),
    "developer__write": frozenset(("path", "content")),
    "developer__edit": frozenset(("path", "before", "after")),
    "developer__tree": frozenset(("path", "depth")),
}
_NAMES = {name: name for name in ("session_id", "tool_name", "tool_input")} | {
    "cwd": "working_dir",
    "tool_use_id": "tool_call_id",
}


def gates(_data: Mapping[str, Json]) -> bool:
    return True


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    if data.get("event") != _EVENT:
        raise HostError(f"expected a {_EVENT} event, got `{str(data.get('event'))[:60]}`")
    told = renamed(data, _NAMES)
    return proposed(known_call(NAME, _FIELDS, told), told, environment, parent)


def spoken(_data: Mapping[str, Json], _event: Event | None, reply: Reply) -> Spoken:
    told = told_of(reply)
    return one_object({"decision": "allow"} if told.allows else {"decision": "block", "reason": told.whole})


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    handler = {
        "type": "command",
        "command": line_for_sh(NAME, TRAITS, (python, guard, arguments)),
        "timeout": HOST_TIMEOUT_SECONDS,
        "on_failure": "block",
    }
    return {"hooks": {_EVENT: [{"matcher": ".*", "hooks": [handler]}]}}
