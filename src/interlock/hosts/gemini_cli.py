"""Gemini CLI: BeforeTool events in, a top-level `decision` out.

Its settings hold a line for bash, not a program with arguments, and a hook that says nothing lets the call run, even
one that leaves with code 2 or dies of a signal. So the line itself denies where no answer came. An `ask` is put before
the person for some tools only: for the others the client runs the call all the same, so for those nobody counts as
attending. Headless, an ask ends the run or hangs it; `process.py` finds out, and then an ask is a deny.
"""

from __future__ import annotations

from ..bytes.canon import canonical, digest
from ..model.errors import HostError
from ..model.events import (
    Began,
    Block,
    Closed,
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
from ..model.toolnames import OF_HOSTS
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, FrozenMap, lazy
from .process import is_attended
from .traits import EXIT_1, GARBAGE, SILENCE, TIMEOUT, Traits
from .wire import call_of, cut, name_of, place_of, remedies_of, result_of, seen, text_of, tool_of_server

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

NAME = "gemini-cli"
TRAITS = Traits(
    title="Gemini CLI",
    settings_in=".gemini/settings.json",
    moved_by="GEMINI_CLI_HOME",
    asks=True,
    # Not tools of servers: where one is trusted or was allowed for good, the call runs. Not agents, skills and plans.
    asks_about=("Bash", "Read", "Write", "Edit", "LS", "Glob", "Grep", "WebFetch", "WebSearch"),
    runs_after=(EXIT_1, GARBAGE, SILENCE, TIMEOUT),
    has_rules=True,
    ends_turns=True,
    tells=("ended", "said", "began", "stopping", "closed"),
    parts=("install", "settings"),
    tools=FrozenMap(OF_HOSTS[NAME]),
)

# Those that the settings name.
_EVENTS = ("BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "SessionStart", "SessionEnd")
_PASSING = ("Notification", "PreCompress", "BeforeModel", "AfterModel", "BeforeToolSelection")
_ASKS_ELSEWHERE = (b"--acp", b"--experimental-acp", b"--experimentalAcp")  # an editor asks its own person
_BUILDS = ("CI", "GITHUB_ACTIONS")
_OURS = "Interlock: "  # how a message begins that is no person's: what an agent is told that may not stop yet


def gates(data: Mapping[str, Json]) -> bool:
    return data.get("hook_event_name") not in (*_EVENTS[1:], *_PASSING)


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    name = data.get("hook_event_name")
    attended = is_attended(parent, environment, asks_elsewhere=_ASKS_ELSEWHERE, builds=_BUILDS)
    place = place_of(NAME, data, environment, parent, project="GEMINI_PROJECT_DIR", attended=attended)
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
    if name == "SessionEnd":
        return Closed(place=place)
    if name not in _PASSING:
        raise HostError(f"expected a BeforeTool event, got `{str(name)[:60]}`")
    return Passing(place=place)


def _call(data: Mapping[str, Json]) -> Call:
    """The client's own name of a server's tool does not tell where the server's name ends, so it is not kept."""
    call = call_of(NAME, data)
    if data.get("mcp_context") is not None:
        return call.replace(tool=_of_server(data["mcp_context"]), named="")
    name = name_of(data)
    if name.startswith("mcp__"):  # it only looks like one of ours
        return call.replace(tool=f"mcp_%5F{name[5:]}", named=name)
    return call


def _of_server(context: Json) -> str:
    server = context.get("server_name") if type(context) is FrozenMap else None
    tool = context.get("tool_name") if type(context) is FrozenMap else None
    return tool_of_server(server, tool)


def _ended(data: Mapping[str, Json], place: Place, call: Call) -> Ended:
    response = data.get("tool_response")
    error = response.get("error") if type(response) is FrozenMap else None
    return Ended(
        place=place,
        call=call,
        outcome="ran" if error is None else "failed",
        result=result_of(response) if error is None else error,
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
        told |= _message(reply.person if type(reply) is Refusal else ())
    # INVARIANT: an answer about a call is said even where it says nothing: the settings' line blocks at none at all.
    return Spoken(stdout=canonical(told) + b"\n") if told or type(reply) is Decided else Spoken()


_UNASKED = "Gemini CLI may run a call of this tool without putting a question about it before anybody."


def _answer(reply: Decided, *, unasked: bool) -> dict[str, Any]:
    """A question shows the person its `systemMessage` and nothing else; the reason of a deny goes to the agent. The
    agent cannot be told anything before a call that runs, so notes for it go to the person.
    """
    decision, verdict = reply.decision, reply.decision.verdict
    told: dict[str, Any] = {} if reply.silent else {"decision": verdict.name}
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


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """The fragment for the host's settings. By its name a project can switch a hook off: an installation gives it one
    of its own (`store/home/own_name.py`).
    """
    name = f"interlock-{digest([python, guard, arguments])[-8:]}"
    hooks = hooks_of_lines(NAME, TRAITS, _EVENTS, (python, guard, arguments), name=name)
    return {"hooksConfig": {"enabled": True}, "hooks": hooks}
