"""Windsurf's Cascade, by its documentation: one event for each kind of action in, an exit code out. No client was seen.

Exit code 2 blocks, and stderr tells the agent why; every other code lets the action run. It cannot ask, so an ask is a
deny. The events name no tool, and only commands have a folder: a hook is started in the workspace.
"""

from __future__ import annotations

import os

from ..model.errors import HostError, InputError
from ..model.toolnames import OF_HOSTS
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .documented import by_exit_code, known_call, proposed, renamed
from .traits import ASK, EXIT_1, GARBAGE, SILENCE, TIMEOUT, Traits
from .wire import tool_of_server

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.events import Event, Reply, Spoken
    from ..value import Json
    from .lines import line_for_sh
else:
    line_for_sh = lazy(globals(), ".lines", "line_for_sh")

__all__ = ["NAME", "TRAITS", "event_from", "gates", "settings", "spoken"]

NAME = "windsurf"
TRAITS = Traits(
    title="Windsurf",
    settings_in=".codeium/windsurf/hooks.json",
    moved_by="",
    asks=False,
    runs_after=(ASK, EXIT_1, GARBAGE, SILENCE, TIMEOUT),
    parts=("install", "settings"),
    tools=FrozenMap(OF_HOSTS[NAME]),
    here=True,
    proven=False,
)

_SERVER = "pre_mcp_tool_use"
_EVENTS = ("pre_run_command", "pre_write_code", "pre_read_code", _SERVER)
_FIELDS = {
    "run_command": frozenset(("command", "cwd")),
    "write_code": frozenset(("file_path", "edits")),
    "read_code": frozenset(("file_path",)),
}


def gates(_data: Mapping[str, Json]) -> bool:
    return True


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    name, info = data.get("agent_action_name"), data.get("tool_info")
    if name not in _EVENTS:
        raise HostError(f"expected one of {', '.join(_EVENTS)}, got `{str(name)[:60]}`")
    if type(info) is not FrozenMap:
        raise InputError("the event's `tool_info` is missing or not an object")
    here = os.getcwd()
    given: Any = info
    if name == _SERVER:
        given = info.get("mcp_tool_arguments")
    elif "command_line" in info:
        given = FrozenMap({"command" if key == "command_line" else key: value for key, value in info.items()})
    tool = str(name).removeprefix("pre_")
    told = renamed(data, {"session_id": "trajectory_id"}, cwd=here, tool_name=tool, tool_input=given)
    call = known_call(NAME, _FIELDS, told)
    if name == _SERVER:
        call = call.replace(tool=tool_of_server(info.get("mcp_server_name"), info.get("mcp_tool_name")), named="")
    elif call.tool == "Read" and os.path.isdir(str(info.get("file_path"))):  # then everything in it is read
        call = call.replace(tool="Grep")
    return proposed(call, told, environment, parent, root=here)


def spoken(_data: Mapping[str, Json], _event: Event | None, reply: Reply) -> Spoken:
    return by_exit_code(reply)


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """It knows no time-out, so the line has its own."""
    line = line_for_sh(NAME, TRAITS, (python, guard, arguments), by_code=True)
    return {"hooks": {event: [{"command": line, "show_output": True}] for event in _EVENTS}}
