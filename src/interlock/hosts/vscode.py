"""Agent mode of Visual Studio Code, by its documentation: `PreToolUse` events in, answers in Claude Code's shape out.

No client was seen. Two runtimes call its hooks: the newer one is Copilot's, whose fields are `session_id` and
`hook_event_name`; the older one calls them `sessionId` and `hookEventName`. Of tools only the shell of Copilot is known
by its fields. An ask is documented to be put before the person, and an allow to stand in place of the editor's own
approval, which decides where an answer says nothing. There is no switch for hooks that fail, so the line in
the settings blocks.
"""

from __future__ import annotations

from ..limits import HOST_TIMEOUT_SECONDS
from ..model.errors import HostError
from ..model.events import Decided, Spoken
from ..model.toolnames import OF_HOSTS
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .claude_code import answer
from .documented import known_call, proposed, renamed, told_of
from .traits import EXIT_1, GARBAGE, SILENCE, TIMEOUT, Traits
from .wire import deny

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.events import Event, Reply
    from ..value import Json
    from .lines import line_for_sh
else:
    line_for_sh = lazy(globals(), ".lines", "line_for_sh")

__all__ = ["NAME", "TRAITS", "event_from", "gates", "settings", "spoken"]

NAME = "vscode"
TRAITS = Traits(
    title="Visual Studio Code",
    settings_in=".copilot/hooks/interlock-vscode.json",
    moved_by="COPILOT_HOME",
    asks=True,
    runs_after=(EXIT_1, GARBAGE, SILENCE, TIMEOUT),
    has_rules=True,  # its approvals, by its documentation; an allow stands in their place
    lifts=True,
    names_calls=True,
    parts=("install", "settings"),
    tools=FrozenMap(OF_HOSTS[NAME]),
    proven=False,
)

_EVENT = "PreToolUse"
_FIELDS = {"Bash": frozenset(("command", "description"))}
_NAMES = {name: name for name in ("cwd", "tool_name", "tool_input", "tool_use_id", "transcript_path")}


def gates(_data: Mapping[str, Json]) -> bool:
    return True


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    older = "hookEventName" in data
    name = data.get("hookEventName" if older else "hook_event_name")
    if name != _EVENT:
        raise HostError(f"expected a {_EVENT} event, got `{str(name)[:60]}`")
    told = renamed(data, {**_NAMES, "session_id": "sessionId" if older else "session_id"})
    return proposed(known_call(NAME, _FIELDS, told), told, environment, parent)


def spoken(_data: Mapping[str, Json], _event: Event | None, reply: Reply) -> Spoken:
    if type(reply) is not Decided:
        return Spoken(stdout=deny(told_of(reply).agent))
    said = answer(
        reply.decision,
        silent=reply.silent,
        person=reply.person,
        agent=reply.agent,
        notes=reply.notes,
        warnings=reply.warnings,
    )
    return Spoken(stdout=said)


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    line = line_for_sh(NAME, TRAITS, (python, guard, arguments))
    return {"hooks": {_EVENT: [{"type": "command", "command": line, "timeout": HOST_TIMEOUT_SECONDS}]}}
