"""Qwen Code: PreToolUse events in, `hookSpecificOutput` out, as Claude Code has them.

Its settings hold a line for bash, as Gemini CLI's do, and no answer lets the call run, so the line denies then. The
hook is called after the client's own question, so an allow lifts nothing. An `ask` is put before the person for every
tool; headless, in an editor and in a background agent the client denies it with the reason. Where a program may answer
in place of the person, nobody counts as attending.
"""

from __future__ import annotations

from ..limits import MAX_WATCHED_BYTES
from ..model.errors import HostError, printable
from ..model.events import Began, Closed, Decided, Declined, Ended, Passing, Proposed, Refusal, Said, Spoken, Stopping
from ..model.toolnames import OF_HOSTS
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .claude_code import answer
from .process import is_attended
from .traits import EXIT_1, GARBAGE, SILENCE, TIMEOUT, Traits
from .wire import call_of, deny, place_of, result_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.call import Call
    from ..model.events import Event, Reply
    from ..value import Json
    from .lines import hooks_of_lines
else:
    hooks_of_lines = lazy(globals(), ".lines", "hooks_of_lines")

__all__ = ["NAME", "TRAITS", "event_from", "gates", "settings", "spoken"]

NAME = "qwen-code"
TRAITS = Traits(
    title="Qwen Code",
    settings_in=".qwen/settings.json",
    moved_by="QWEN_HOME",
    asks=True,
    runs_after=(EXIT_1, GARBAGE, SILENCE, TIMEOUT),
    has_rules=True,
    tells=("ended", "said", "began", "stopping", "declined", "closed"),
    names_calls=True,
    parts=("install", "settings"),
    tools=FrozenMap(OF_HOSTS[NAME]),
)

_EVENTS = (
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "UserPromptSubmit",
    "SessionStart",
    "Stop",
    "SessionEnd",
)
_ANSWERED_BY = (b"--input-file", b"--inputFile")
_PASSING = ("Notification", "SubagentStart", "SubagentStop")
_NO = "[Operation Cancelled] Reason: User did not allow tool call"  # what the agent is told after a No in the dialog


def gates(data: Mapping[str, Json]) -> bool:
    return data.get("hook_event_name") not in (*_EVENTS[1:], *_PASSING)


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    name = data.get("hook_event_name")
    attended = is_attended(parent, environment, answered_elsewhere=_ANSWERED_BY) and not _answered_by_file(environment)
    place = place_of(NAME, data, environment, parent, project="QWEN_PROJECT_DIR", attended=attended)
    if name == "PreToolUse":
        return Proposed(place=place, call=_call(data), mode=text_of(data, "permission_mode"))
    if name in ("PostToolUse", "PostToolUseFailure"):
        failed = name != "PostToolUse"
        return Ended(
            place=place,
            call=_call(data),
            outcome="unknown" if data.get("is_interrupt") is True else "failed" if failed else "ran",
            result=result_of(data.get("error") if failed else data.get("tool_response")),
            event=str(name),
            asked=attended,  # what was asked about and ran, a person said yes to: nothing else answers there
        )
    if name == "PostToolBatch":
        calls = _declined(data)
        return Declined(place=place, calls=calls, event=str(name)) if calls else Passing(place=place)
    if name == "UserPromptSubmit":
        # It comes again with every result that goes back to the model, and then nobody submitted it.
        return Said(place=place, prompt="", text=text_of(data, "prompt"), notice="submitted_prompt" not in data)
    if name == "SessionStart":
        source = text_of(data, "source") or "unknown"
        return Began(place=place, source=source, anew=source != "compact")
    if name == "Stop":
        return Stopping(place=place, again=data.get("stop_hook_active") is True)
    if name == "SessionEnd":
        return Closed(place=place)
    if name not in _PASSING:
        raise HostError(f"expected a PreToolUse event, got `{str(name)[:60]}`")
    return Passing(place=place)


def _declined(data: Mapping[str, Json]) -> tuple[Call, ...]:
    """The calls of a batch to which a person said no. The ids there are the model's, and not those of other events."""
    batch = data.get("tool_calls")
    found = []
    for one in batch if type(batch) is tuple else ():
        if type(one) is FrozenMap and one.get("status") == "cancelled" and _is_no(one.get("tool_response")):
            named = {key: one.get(key) for key in ("tool_name", "tool_input")}
            found.append(_call(FrozenMap({**data, **named})))
    return tuple(found)


def _is_no(response: Json) -> bool:
    if type(response) is not FrozenMap or response.get("execution_status") != "not_started":
        return False
    parts = response.get("response_parts")
    for part in parts if type(parts) is tuple else ():
        told = part.get("functionResponse") if type(part) is FrozenMap else None
        given = told.get("response") if type(told) is FrozenMap else None
        if type(given) is FrozenMap and given.get("error") == _NO:
            return True
    return False


def _answered_by_file(environment: Mapping[str, str]) -> bool:
    """Whether settings name a file from which the client takes answers: a program of the agent can write to it."""
    own = environment.get("QWEN_HOME") or f"{environment.get('HOME', '')}/.qwen"
    for folder in (f"{environment.get('QWEN_PROJECT_DIR', '')}/.qwen", own):
        try:
            with open(f"{folder}/settings.json", "rb", buffering=0) as file:
                if b'"inputFile"' in file.read(MAX_WATCHED_BYTES):
                    return True
        except OSError:
            continue
    return False


def _call(data: Mapping[str, Json]) -> Call:
    """Which part of `mcp__a__b__c` names the server is not told. Such a tool is known by the client's name alone.

    The id of a sub-agent is its type and the id of the call that started it.
    """
    call = call_of(NAME, data)
    if call.agent and not call.agent_type:
        call = call.replace(agent_type=call.agent.rpartition("-")[0])
    server, _, tool = call.tool.removeprefix("mcp__").partition("__")
    if call.tool.startswith("mcp__") and (not server or "__" in tool or tool.startswith("_")):
        return call.replace(tool=f"mcp_%5F{call.tool[5:]}", named=call.tool)
    return call


# The client asks nobody about a call of an agent in the background, and tells that agent the question.
_BACKGROUND = "If this agent works in the background, nobody is asked, and this did not run. Tell the main agent."


def spoken(data: Mapping[str, Json], event: Event | None, reply: Reply) -> Spoken:
    """One JSON object, or nothing where there is nothing to say."""
    if type(reply) is Decided:
        person, warnings = reply.person, reply.warnings
        if reply.decision.verdict is Verdict.ASK:  # a question is all that the person is shown before a call
            person, warnings = "\n".join((person, *map(printable, warnings))), ()
            if data.get("agent_id") is not None:
                person = f"{person}\n{_BACKGROUND}"
        said = answer(
            reply.decision, silent=reply.silent, person=person, agent=reply.agent, notes=reply.notes, warnings=warnings
        )
        return Spoken(stdout=said)
    if type(reply) is Refusal:
        return Spoken(stdout=deny(f"Interlock: {reply.reason}.", reply.person))
    from .claude_events import told

    return Spoken(stdout=told(str(data.get("hook_event_name")), reply))


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """The fragment for the host's settings."""
    hooks = hooks_of_lines(NAME, TRAITS, _EVENTS, (python, guard, arguments))
    return {"disableAllHooks": False, "hooks": hooks}
