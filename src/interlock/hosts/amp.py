"""Amp, by its documentation: a rule of `amp.permissions` delegates each call to a program. No client was seen.

The program gets the input of the tool on stdin, and the tool's name and the thread in variables. It lets the call run
with 0, has the person asked with 1, and rejects it with 2, with the reason on stderr. Amp now calls these rules
legacy and runs tools without asking, so it is not known whether a question is put before anybody: an ask is a deny. A
rule names a program and no line, so it is set up by hand.
"""

from __future__ import annotations

import os

from ..model.toolnames import OF_HOSTS
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .documented import by_exit_code, known_call, proposed, renamed
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

NAME = "amp"
TRAITS = Traits(
    title="Amp",
    settings_in=".config/amp/settings.json",
    moved_by="AMP_SETTINGS_FILE",
    asks=False,
    runs_after=(ASK, EXIT_1, GARBAGE, SILENCE, TIMEOUT),
    tools=FrozenMap(OF_HOSTS[NAME]),
    here=True,
    proven=False,
)

_RULE = "delegate"
_FIELDS = {"Bash": frozenset(("cmd", "cwd"))}


def gates(_data: Mapping[str, Json]) -> bool:
    return True


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    here = os.getcwd()
    told = renamed(
        {},
        {},
        session_id=environment.get("AMP_THREAD_ID"),
        cwd=here,
        tool_name=environment.get("AGENT_TOOL_NAME"),
        tool_input=FrozenMap(data),
    )
    return proposed(known_call(NAME, _FIELDS, told), told, environment, parent)


def spoken(_data: Mapping[str, Json], _event: Event | None, reply: Reply) -> Spoken:
    return by_exit_code(reply)


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """What the program does that the rule names."""
    return {"hooks": {_RULE: [{"command": line_for_sh(NAME, TRAITS, (python, guard, arguments), by_code=True)}]}}


def printed(python: str, guard: str, arguments: tuple[str, ...]) -> str:
    """The program, and how its rule reads: a rule before it would be the one that counts."""
    line = settings(python, guard, arguments)["hooks"][_RULE][0]["command"]
    return f"""#!/bin/sh
# Save this as an executable file, and name it in the first rule of `amp.permissions` in ~/{TRAITS.settings_in}:
#   "amp.permissions": [{{"tool": "*", "action": "{_RULE}", "to": "/the/path/of/this/file"}}]
exec {line}
"""
