"""Cursor, by its documentation: `preToolUse` events in, a top-level `permission` out. No client was seen.

An `ask` is in the schema of the answer, but reports say that the editor does not ask there, so an ask is a deny. An
allow must be said: with `failClosed`, silence counts as a failure. Tools of servers come without the server's name.
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

__all__ = ["NAME", "TRAITS", "event_from", "gates", "settings", "spoken"]

NAME = "cursor"
TRAITS = Traits(
    title="Cursor",
    settings_in=".cursor/hooks.json",
    moved_by="CURSOR_CONFIG_DIR",
    asks=False,
    runs_after=(ASK, EXIT_1, GARBAGE, SILENCE, TIMEOUT),
    blocks_on="failClosed",
    names_calls=True,
    parts=("install", "settings"),
    tools=FrozenMap(OF_HOSTS[NAME]),
    proven=False,
)

_EVENT = "preToolUse"
_FIELDS = {"Shell": frozenset(("command", "working_directory"))}
_NAMES = {name: name for name in ("cwd", "tool_name", "tool_input", "tool_use_id", "transcript_path")} | {
    "session_id": "conversation_id"
}


def gates(_data: Mapping[str, Json]) -> bool:
    return True


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    if data.get("hook_event_name") != _EVENT:
        raise HostError(f"expected a {_EVENT} event, got `{str(data.get('hook_event_name'))[:60]}`")
    told = renamed(data, _NAMES)
    roots = data.get("workspace_roots")
    root = environment.get("CURSOR_PROJECT_DIR") or (roots[0] if type(roots) is tuple and roots else None)
    return proposed(known_call(NAME, _FIELDS, told), told, environment, parent, root=root)


def spoken(_data: Mapping[str, Json], _event: Event | None, reply: Reply) -> Spoken:
    told = told_of(reply)
    answer = {"permission": "allow"} if told.allows else {"agent_message": told.agent, "permission": "deny"}
    return one_object({**answer, **({"user_message": told.person} if told.person else {})})


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    line = line_for_sh(NAME, TRAITS, (python, guard, arguments))
    return {"version": 1, "hooks": {_EVENT: [{"command": line, "timeout": HOST_TIMEOUT_SECONDS, "failClosed": True}]}}
