"""Cline, by its documentation: a script `PreToolUse` is given the call, and says whether it is cancelled.

No client was seen. By its documentation a script that fails blocks the call; by its source, as it once was, only an
object on stdout does. So where no answer came, the script does both. It cannot ask, so an ask is a deny. Its hook is an
executable file and no entry in settings, and a person switches it on in Cline: it is set up by hand.
"""

from __future__ import annotations

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

__all__ = ["NAME", "TRAITS", "event_from", "gates", "printed", "settings", "spoken"]

NAME = "cline"
TRAITS = Traits(
    title="Cline",
    settings_in="Documents/Cline/Hooks/PreToolUse",
    moved_by="",
    asks=False,
    runs_after=(ASK, EXIT_1, GARBAGE, SILENCE, TIMEOUT),
    tools=FrozenMap(OF_HOSTS[NAME]),
    proven=False,
)

_EVENT = "PreToolUse"
_FIELDS = {
    "execute_command": frozenset(("command", "requires_approval")),
    "read_file": frozenset(("path",)),
    "write_to_file": frozenset(("path", "content")),
    "replace_in_file": frozenset(("path", "diff")),
    "list_files": frozenset(("path", "recursive")),
}


def gates(_data: Mapping[str, Json]) -> bool:
    return True


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    if data.get("hookName") != _EVENT:
        raise HostError(f"expected a {_EVENT} event, got `{str(data.get('hookName'))[:60]}`")
    inside, roots = data.get("preToolUse"), data.get("workspaceRoots")
    root = roots[0] if type(roots) is tuple and len(roots) == 1 else None  # of several, it is not told which is meant
    given = renamed(inside, {"tool_name": "toolName", "tool_input": "parameters"}) if type(inside) is FrozenMap else {}
    told = renamed(data, {"session_id": "taskId"}, cwd=root, **given)
    return proposed(known_call(NAME, _FIELDS, told), told, environment, parent, root=root)


def spoken(_data: Mapping[str, Json], _event: Event | None, reply: Reply) -> Spoken:
    told = told_of(reply)
    return one_object({"cancel": False} if told.allows else {"cancel": True, "errorMessage": told.whole})


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """What the script does."""
    blocked = one_object({"cancel": True, "errorMessage": "Interlock: no answer came, so this call is blocked."})
    says = blocked.stdout.decode().rstrip()
    return {"hooks": {_EVENT: [{"command": line_for_sh(NAME, TRAITS, (python, guard, arguments), says=says)}]}}


def printed(python: str, guard: str, arguments: tuple[str, ...]) -> str:
    line = settings(python, guard, arguments)["hooks"][_EVENT][0]["command"]
    return f"#!/bin/sh\nexec {line}\n"
