"""Kiro CLI, by its documentation: `preToolUse` events in, an exit code out. No client was seen.

Exit code 2 blocks, and stderr goes to the model; every other code lets the call run. It cannot ask, so an ask is a
deny. Its hooks stand in the file of each agent, so they are put in by hand. Hooks of Kiro's editor are told nothing of
the call, and are not spoken to.
"""

from __future__ import annotations

from ..limits import HOST_TIMEOUT_SECONDS
from ..model.errors import HostError
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

NAME = "kiro"
TRAITS = Traits(
    title="Kiro CLI",
    settings_in=".kiro/agents/AGENT.json",
    moved_by="KIRO_HOME",
    asks=False,
    runs_after=(ASK, EXIT_1, GARBAGE, SILENCE, TIMEOUT),
    tools=FrozenMap(OF_HOSTS[NAME]),
    proven=False,
)

_EVENT = "preToolUse"
_SHELL = frozenset(("command",))
_FIELDS = {"execute_bash": _SHELL, "shell": _SHELL}
_NAMES = {name: name for name in ("session_id", "cwd", "tool_name", "tool_input")}


def gates(_data: Mapping[str, Json]) -> bool:
    return True


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    if data.get("hook_event_name") != _EVENT:
        raise HostError(f"expected a {_EVENT} event, got `{str(data.get('hook_event_name'))[:60]}`")
    told = renamed(data, _NAMES)
    call = known_call(NAME, _FIELDS, told)
    if call.tool.startswith("@"):
        server, _, tool = call.tool[1:].partition("/")
        call = call.replace(tool=tool_of_server(server, tool))
    return proposed(call, told, environment, parent)


def spoken(_data: Mapping[str, Json], _event: Event | None, reply: Reply) -> Spoken:
    return by_exit_code(reply)


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """For the file of an agent. An answer that is kept would be given to another call, so none is."""
    line = line_for_sh(NAME, TRAITS, (python, guard, arguments), by_code=True)
    handler = {"matcher": "*", "command": line, "timeout_ms": HOST_TIMEOUT_SECONDS * 1000, "cache_ttl_seconds": 0}
    return {"hooks": {_EVENT: [handler]}}
