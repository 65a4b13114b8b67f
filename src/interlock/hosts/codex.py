"""Codex CLI: PreToolUse events in, an exit code and a reason out.

The client runs the call on everything that it does not know: an `ask`, a field too many, text around an answer, exit
code 1, a hook that dies or takes too long, silence. So an allow is an empty object, and everything else is exit code 2
with the reason on stderr: what a shell's start-up files print to stdout cannot spoil that. A call that needs a yes is
held with the id of its approval (`ASKS_NOBODY` in toolnames.py). The line in its settings denies by itself where no
whole answer came.

Which shell runs a command, and whether it gets a terminal that the agent can type into, the client does not tell its
hooks; the reading goes by that (`ANY_SHELL`).
"""

from __future__ import annotations

from ..bytes.canon import canonical
from ..limits import HOST_TIMEOUT_SECONDS
from ..model.errors import HostError
from ..model.events import (
    Began,
    Block,
    Closed,
    Decided,
    Ended,
    EndTurn,
    Passing,
    Proposed,
    Refusal,
    Said,
    Spoken,
    Stopping,
    Tell,
)
from ..model.toolnames import OF_HOSTS
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .codex_process import is_attended
from .traits import ASK, ELICITATION, EXIT_1, GARBAGE, SILENCE, TIMEOUT, Traits
from .wire import call_of, cut, place_of, remedies_of, seen, text_of, timeout_for, waiting_for

if TYPE_CHECKING:
    from collections.abc import Mapping
    from shlex import quote
    from typing import Any

    from ..model.events import Event, Reply
    from ..value import Json
else:
    quote = lazy(globals(), "shlex", "quote")

__all__ = ["NAME", "TRAITS", "event_from", "gates", "settings", "spoken"]

NAME = "codex"
TRAITS = Traits(
    title="Codex CLI",
    settings_in=".codex/hooks.json",
    moved_by="CODEX_HOME",
    asks=False,
    runs_after=(ASK, EXIT_1, GARBAGE, SILENCE, TIMEOUT),
    has_rules=True,
    tells=("ended", "said", "began", "stopping", "closed"),
    names_calls=True,
    own_words=ELICITATION,
    own_lines=12,
    parts=("install", "settings"),
    tools=FrozenMap(OF_HOSTS[NAME]),
)

# Those that the settings name.
_EVENTS = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop", "SessionEnd")
_PASSING = (
    "PermissionRequest",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Interrupt",
)
_OURS = "Interlock: "  # how a message begins that is no person's: what an agent is told that may not stop yet
_WITH_CONTEXT = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart")
# A call runs once these are over; the guard takes 5 at most, and the line ends it after 10. More than 3 at the end of a
# session the client cuts down to 3, and then does not know the hook for the one that was trusted.
_SECONDS = {"PreToolUse": 60, "SessionEnd": 3}


def gates(data: Mapping[str, Json]) -> bool:
    return data.get("hook_event_name") not in (*_EVENTS[1:], *_PASSING)


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    name = data.get("hook_event_name")
    attended = is_attended(parent, environment)
    place = place_of(NAME, data, environment, parent, project="", attended=attended)
    if name == "PreToolUse":
        return Proposed(place=place, call=call_of(NAME, data), mode=text_of(data, "permission_mode"))
    if name == "PostToolUse":  # it does not tell whether a command failed
        call, result = call_of(NAME, data), data.get("tool_response")
        return Ended(place=place, call=call, outcome="ran", result=result, event="PostToolUse")
    if name == "UserPromptSubmit":
        text = text_of(data, "prompt")
        return Said(place=place, prompt=text_of(data, "turn_id"), text=text, notice=text.startswith(_OURS))
    if name == "Stop":
        return Stopping(place=place, again=data.get("stop_hook_active") is True)
    if name == "SessionStart":
        return Began(place=place, source=text_of(data, "source") or "unknown", anew=True)
    if name == "SessionEnd":
        return Closed(place=place)
    if name not in _PASSING:
        raise HostError(f"expected a PreToolUse event, got `{str(name)[:60]}`")
    return Passing(place=place)


def spoken(data: Mapping[str, Json], event: Event | None, reply: Reply) -> Spoken:
    """Before a call, one JSON object, and for a deny the reason and exit code 2; else nothing where nothing is said."""
    if type(reply) is Decided:
        if reply.silent or reply.decision.verdict is Verdict.ALLOW:
            return Spoken(stdout=canonical(_told("PreToolUse", reply.warnings, "\n".join(reply.notes))) + b"\n")
        return _deny(_refusal(reply))
    if type(reply) is Refusal:
        return _deny(f"{reply.reason}.")
    if type(reply) is Tell:
        told = _told(str(data.get("hook_event_name")), reply.person, reply.agent)
    elif type(reply) is Block:
        told = {"decision": "block", "reason": cut(_OURS + seen(reply.reason)), **_told("", reply.person)}
    elif type(reply) is EndTurn:  # the client goes on all the same; the agent does not see what the call brought back
        why = cut(_OURS + seen("\n".join(reply.person)))
        told = {"continue": False, "stopReason": why, **_told("", reply.person)}
    else:
        return _deny(f"unknown reply {type(reply).__name__}.")
    return Spoken(stdout=canonical(told) + b"\n") if told else Spoken()


def _deny(reason: str) -> Spoken:
    """INVARIANT: the reason is not empty: the client runs a call that is denied without a word."""
    text = cut(_OURS + seen(reason))
    answer = {
        "hookEventName": "PreToolUse",
        "permissionDecision": Verdict.DENY.name,
        "permissionDecisionReason": text,
    }
    # The client ends it with a period of its own.
    return Spoken(
        stdout=canonical({"hookSpecificOutput": answer}) + b"\n", stderr=text.removesuffix(".").encode() + b"\n", code=2
    )


def _refusal(reply: Decided) -> str:
    """Nobody but the agent is shown more than this, so it holds what the person must know too."""
    decision = reply.decision
    if decision.verdict is Verdict.ASK:
        about = reply.person.partition("\n")[0]  # what follows there is about a Yes in a dialog
        waits = waiting_for(reply.held)
        lines = [f"not run yet. {about}" if about else "", waits]
    else:
        lines = [reply.agent, *remedies_of(decision, reply.person)[1:]]
    return "\n".join([line for line in lines if line]) or "this call is refused."


def _told(event: str, person: tuple[str, ...], agent: str = "") -> dict[str, Any]:
    told: dict[str, Any] = {}
    if person:
        told["systemMessage"] = cut(_OURS + seen("\n".join(person)))
    if agent and event in _WITH_CONTEXT:
        told["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": cut(_OURS + seen(agent))}
    return told


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """The fragment for its hooks. The client gives a line to the person's own shell, which may be any."""
    from .lines import WHOLE_EVENT, line_of

    hooks = {}
    for event in _EVENTS:
        gated = event == _EVENTS[0]
        most = timeout_for(arguments) if gated else HOST_TIMEOUT_SECONDS
        line = line_of(NAME, TRAITS, (python, guard, arguments), WHOLE_EVENT, gated=gated, seconds=most)
        seconds = _SECONDS.get(event, HOST_TIMEOUT_SECONDS) + most - HOST_TIMEOUT_SECONDS
        handler = {"type": "command", "command": f"exec /bin/sh -c {quote(line)}", "timeout": seconds}
        hooks[event] = [{"hooks": [handler]}]
    return {"hooks": hooks}
