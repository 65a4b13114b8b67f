"""Gemini CLI: BeforeTool events in, a top-level `decision` out.

Its settings hold a line for bash, not a program with arguments, and a hook that says nothing lets the call run, even
one that leaves with code 2 or dies of a signal. So the line itself denies where no answer came. An `ask` is put before
the person for some tools only: for the others the client runs the call all the same, so for those nobody counts as
attending. Headless, an ask ends the run or hangs it; `gemini_process.py` finds out, and then an ask is a deny.
"""

from __future__ import annotations

from ..call import Call
from ..errors import HostError, InputError
from ..events import (
    Began,
    Block,
    Decided,
    Ended,
    EndTurn,
    Passing,
    Place,
    Proposed,
    Refusal,
    Said,
    Spoken,
    Stopping,
    Tell,
)
from ..limits import HOST_TIMEOUT_SECONDS
from ..record.canon import canonical, digest
from ..toolnames import OF_HOSTS, our_name
from ..value import TYPE_CHECKING, FrozenMap
from ..verdict import Verdict
from .gemini_process import is_attended
from .traits import EXIT_1, GARBAGE, SILENCE, TIMEOUT, Traits
from .wire import cut, folder_of, input_of, name_of, remedies_of, seen, session_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..events import Event, Reply
    from ..value import Json

__all__ = ["NAME", "TRAITS", "event_from", "gates", "settings", "spoken"]

NAME = "gemini-cli"
TRAITS = Traits(
    title="Gemini CLI",
    settings_in=".gemini/settings.json",
    moved_by="GEMINI_CLI_HOME",
    asks=True,
    # Not tools of servers: where one is trusted or was allowed for good, the call runs. Not agents, skills and plans.
    asks_about=("Bash", "Read", "Write", "Edit", "LS", "Glob", "Grep", "WebFetch", "WebSearch"),
    runs_after=(EXIT_1, GARBAGE, SILENCE, TIMEOUT),
    ends_turns=True,
    tells=("ended", "said", "began", "stopping"),
    parts=("install", "settings"),
    tools=FrozenMap(OF_HOSTS[NAME]),
)

_EVENTS = ("BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "SessionStart")  # those that the settings name
_PASSING = ("SessionEnd", "Notification", "PreCompress", "BeforeModel", "AfterModel", "BeforeToolSelection")
_OURS = "Interlock: "  # how a message begins that is no person's: what an agent is told that may not stop yet


def gates(data: Mapping[str, Json]) -> bool:
    return data.get("hook_event_name") not in (*_EVENTS[1:], *_PASSING)


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    name = data.get("hook_event_name")
    place = _place(data, environment, parent)
    if name in ("BeforeTool", "AfterTool"):
        call = _call(data)
        if call.tool not in TRAITS.asks_about:
            place = place.replace(attended=False)
        return Proposed(place=place, call=call) if name == "BeforeTool" else _ended(data, place, call)
    if name == "BeforeAgent":
        text = text_of(data, "prompt")
        return Said(place=place, prompt="", text=text, notice=text.startswith(_OURS))
    if name == "AfterAgent":
        return Stopping(place=place, again=data.get("stop_hook_active") is True)
    if name == "SessionStart":
        return Began(place=place, source=text_of(data, "source") or "unknown", anew=True)
    if name not in _PASSING:
        raise HostError(f"expected a BeforeTool event, got `{str(name)[:60]}`")
    return Passing(place=place)


def _place(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Place:
    project = environment.get("GEMINI_PROJECT_DIR", "")
    attended = is_attended(parent, environment)
    return Place(
        host=NAME,
        session=session_of(data),
        cwd=text_of(data, "cwd"),
        root=project if project.startswith("/") else None,
        attended=attended,
        run="" if attended else environment.get("INTERLOCK_RUN", "")[:200],
        transcript=text_of(data, "transcript_path"),
        environment=environment,
        parent=parent,
    )


def _call(data: Mapping[str, Json]) -> Call:
    """The client's own name of a server's tool does not tell where the server's name ends, so it is not kept."""
    name, given, cwd, session = name_of(data), input_of(data), folder_of(data), session_of(data)
    if data.get("mcp_context") is not None:
        return Call(tool=_of_server(data["mcp_context"]), input=given, cwd=cwd, session=session, host=NAME)
    tool = f"mcp_%5F{name[5:]}" if name.startswith("mcp__") else our_name(NAME, name)  # it only looks like one of ours
    return Call(tool=tool, named="" if tool == name else name, input=given, cwd=cwd, session=session, host=NAME)


def _of_server(context: Json) -> str:
    server = context.get("server_name") if type(context) is FrozenMap else None
    tool = context.get("tool_name") if type(context) is FrozenMap else None
    if type(server) is not str or type(tool) is not str or not server or not tool:
        raise InputError("the event's `mcp_context` does not name the server and its tool")
    if "__" in server or server.endswith("_"):
        server = server.replace("_", "%5F")
    return f"mcp__{server}__{tool}"


def _ended(data: Mapping[str, Json], place: Place, call: Call) -> Ended:
    """What came back, without the number of the process that a command ran in."""
    response = data.get("tool_response")
    given: Mapping[str, Any] = response if type(response) is FrozenMap else {}
    failed, text = given.get("error") is not None, given.get("llmContent")
    if type(text) is str:
        text = "\n".join([line for line in text.split("\n") if not line.startswith("Process Group PGID:")])
    return Ended(
        place=place,
        call=call,
        outcome="failed" if failed else "ran",
        result=given.get("error") if failed else text,
        event="AfterTool",
        asked=place.attended,  # what was asked about and ran, a person said yes to: nothing else answers there
    )


def spoken(data: Mapping[str, Json], event: Event | None, reply: Reply) -> Spoken:
    """One JSON object, or nothing where there is nothing to say."""
    if type(reply) is Decided:
        unasked = type(event) is Proposed and event.call.tool not in TRAITS.asks_about
        told = _answer(reply, unasked=unasked)
    elif type(reply) is Tell:
        told = _message(reply.person)
        if reply.agent:
            named = {
                "hookEventName": str(data.get("hook_event_name")),
                "additionalContext": cut(_OURS + seen(reply.agent)),
            }
            told["hookSpecificOutput"] = named
    elif type(reply) is Block:
        told = {"decision": "block", "reason": cut(_OURS + seen(reply.reason)), **_message(reply.person)}
    elif type(reply) is EndTurn:
        told = {"continue": False, "stopReason": cut(_OURS + seen("\n".join(reply.person))), **_message(reply.person)}
    else:
        why = reply.reason if type(reply) is Refusal else f"unknown reply {type(reply).__name__}"
        told = {"decision": "deny", "reason": cut(f"{_OURS}{seen(why)}.")}
    return Spoken(stdout=canonical(told) + b"\n") if told else Spoken()


_UNASKED = "Gemini CLI may run a call of this tool without putting a question about it before anybody."


def _answer(reply: Decided, *, unasked: bool) -> dict[str, Any]:
    """A question shows the person its `systemMessage` and nothing else; the reason of a deny goes to the agent. The
    agent cannot be told anything before a call that runs, so notes for it go to the person.
    """
    decision, verdict = reply.decision, reply.decision.verdict
    told: dict[str, Any] = {"decision": verdict.name}
    lines: tuple[str, ...] = (*map(seen, (*reply.notes, *reply.warnings)),)
    if decision.reasons and verdict is not Verdict.ALLOW:
        told["reason"] = cut(f"{_OURS}{seen(reply.agent)}")
        if unasked and any(finding.layer == "posture" for finding in decision.reasons):
            told["reason"] = cut(f"{told['reason']} {_UNASKED}")
    if verdict is Verdict.ASK:
        if unasked:  # INVARIANT: no ask about a tool for which the client may not ask
            told["decision"] = Verdict.DENY.name
        lines = (reply.person, *lines)
    else:
        lines = (*lines, *remedies_of(decision, reply.person))
    told |= _message(lines)
    if any(finding.locks for finding in decision.reasons):
        told |= {"continue": False, "stopReason": cut(f"{_OURS}{seen(reply.person)}")}
    return told


def _message(person: tuple[str, ...]) -> dict[str, Any]:
    return {"systemMessage": cut(_OURS + seen("\n".join(person)))} if person else {}


_GONE = (
    "{then} If {guard} was moved or removed, install Interlock again and run `interlock install gemini-cli`, "
    "or take its hooks out of ~/.gemini/settings.json."
)
_GATED = 'answer=$({run}) && [ -n "$answer" ] && printf "%s\\n" "$answer" || {{ printf "%s\\n" {told} >&2; exit 2; }}'
_UNGATED = '{run} || printf "%s\\n" {told} >&2'


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """The fragment for the host's settings. The hook has a name that a project cannot guess, and so not switch off."""
    from shlex import join, quote

    hooks = {}
    name = f"interlock-{digest([python, guard, arguments])[-8:]}"
    for event in _EVENTS:
        gated = event == "BeforeTool"
        run = (
            join([python, "-I", "-S", guard, NAME, *(() if gated else ("--no-gate",)), *arguments]) + " --parent $PPID"
        )
        then = "No answer came, so this call is blocked." if gated else "This event was not taken in."
        line = (_GATED if gated else _UNGATED).format(run=run, told=quote(_OURS + _GONE.format(then=then, guard=guard)))
        handler = {"type": "command", "name": name, "command": line, "timeout": HOST_TIMEOUT_SECONDS * 1000}
        hooks[event] = [{**({"matcher": "*"} if "Tool" in event else {}), "hooks": [handler]}]
    return {"hooksConfig": {"enabled": True}, "hooks": hooks}
