"""GitHub Copilot CLI: camelCase events in, a top-level `permissionDecision` out.

The client sends each event in two forms. The PascalCase one names the event, but it calls PowerShell `Bash` and a patch
`Edit`; so the camelCase one is used, which has the tool's own name (docs/adr/0057). It does not name the event, whose
fields show which it is. A hook that is late or says nothing lets the call run, so the line in the settings denies
there. An `ask` is put before the person for every tool, also where the client approves everything by itself.
"""

from __future__ import annotations

from ..bytes.canon import canonical
from ..limits import HOST_TIMEOUT_SECONDS
from ..model.call import Call, short_id
from ..model.errors import HostError, InputError
from ..model.events import (
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
from ..model.toolnames import OF_HOSTS
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, FrozenMap
from .process import is_attended
from .traits import GARBAGE, SILENCE, TIMEOUT, Traits
from .wire import cut, folder_of, names_of, remedies_of, seen, session_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.events import Event, Reply
    from ..value import Json

__all__ = ["NAME", "TRAITS", "event_from", "gates", "settings", "spoken"]

NAME = "copilot-cli"
TRAITS = Traits(
    title="GitHub Copilot CLI",
    settings_in=".copilot/hooks/interlock.json",
    moved_by="COPILOT_HOME",
    asks=True,
    runs_after=(GARBAGE, SILENCE, TIMEOUT),
    has_rules=True,
    lifts=True,
    tells=("ended", "said", "began", "stopping"),
    parts=("install", "settings"),
    tools=FrozenMap(OF_HOSTS[NAME]),
)

_GATE = "preToolUse"
_EVENTS = (_GATE, "postToolUse", "postToolUseFailure", "userPromptSubmitted", "agentStop", "sessionStart")
_PASSING = "passing"
_OURS = "Interlock: "
_NOTICES = (_OURS, "<system_notification>")  # how a message begins that is no person's


def _kind(data: Mapping[str, Json]) -> str:
    """Which event it is, by the fields that only that one has. Empty: none that is known."""
    if "toolName" in data:
        if "toolInput" in data or "toolArgs" not in data:
            return ""
        return "postToolUse" if "toolResult" in data else "postToolUseFailure" if "error" in data else _GATE
    if "agentName" in data:
        return _PASSING  # a sub-agent starts or stops
    for field, kind in (("prompt", "userPromptSubmitted"), ("stopReason", "agentStop"), ("source", "sessionStart")):
        if field in data:
            return kind
    return _PASSING if "reason" in data else ""


def gates(data: Mapping[str, Json]) -> bool:
    return _kind(data) in ("", _GATE)


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    kind = _kind(data)
    place = _place(data, environment, parent)
    if kind == _GATE:
        return Proposed(place=place, call=_call(data))
    if kind in ("postToolUse", "postToolUseFailure"):
        return _ended(data, place, kind)
    if kind == "userPromptSubmitted":
        text = text_of(data, "prompt")
        return Said(place=place, prompt="", text=text, notice="agentId" in data or text.startswith(_NOTICES))
    if kind == "sessionStart":
        return Began(place=place, source=text_of(data, "source") or "unknown", anew=True)
    if kind == "agentStop" and "agentId" not in data:
        return Stopping(place=place, again=data.get("stop_hook_active") is True)
    if not kind:
        raise HostError(f"expected a preToolUse event, got one with `{', '.join(sorted(data))[:60]}`")
    return Passing(place=place)


def _session(data: Mapping[str, Json]) -> str:
    """A sub-agent has a session of its own, and names the agent that started it: what holds there holds for it."""
    name = text_of(data, "parentAgentId") or text_of(data, "sessionId")
    return session_of(FrozenMap({"session_id": name}))


def _place(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Place:
    project = environment.get("COPILOT_PROJECT_DIR", "")
    attended = is_attended(parent, environment, asks_elsewhere=(b"--acp",))
    return Place(
        host=NAME,
        session=_session(data),
        cwd=text_of(data, "cwd"),
        root=project if project.startswith("/") else None,
        attended=attended,
        run="" if attended else short_id(environment.get("INTERLOCK_RUN", "")),
        transcript=text_of(data, "transcriptPath"),
        environment=environment,
        parent=parent,
    )


def _call(data: Mapping[str, Json]) -> Call:
    name, given = data.get("toolName"), data.get("toolArgs")
    if type(name) is not str or not name.strip():
        raise InputError("the event has no `toolName`")
    tool, named = names_of(NAME, name)
    if tool == "Patch" and type(given) is str:
        given = FrozenMap({"input": given})  # the one tool whose input is a text
    if type(given) is not FrozenMap:
        raise InputError("the event's `toolArgs` is missing or not an object")
    return Call(
        tool=tool,
        named=named,
        input=given,  # type: ignore[arg-type,unused-ignore]
        cwd=folder_of(data),
        session=_session(data),
        agent=short_id(text_of(data, "agentId")),
        agent_type=short_id(text_of(data, "agentType")),
        host=NAME,
    )


def _ended(data: Mapping[str, Json], place: Place, kind: str) -> Ended:
    call = _call(data)
    if kind == "postToolUseFailure":
        outcome, result = "failed", data.get("error")
    else:
        told = data.get("toolResult")
        given: Mapping[str, Any] = told if type(told) is FrozenMap else {}
        result = given.get("textResultForLlm")
        outcome = "ran" if given.get("resultType") == "success" else "failed"
        if call.tool == "Bash" and outcome == "ran" and type(result) is str:
            outcome, result = _of_shell(result)
    return Ended(place=place, call=call, outcome=outcome, result=result, event=kind, asked=place.attended)


def _of_shell(text: str) -> tuple[str, str]:
    """How a command ended, which stands in its last line, and what it wrote, without the number of its shell."""
    output, mark, end = text.rpartition("<shellId: ")
    code = end.partition(" completed with exit code ")[2]
    if not mark or not code:
        return "unknown", text  # it goes on in the background
    return ("ran" if code == "0>" else "failed"), f"{output}exit code {code[:-1]}"


def spoken(data: Mapping[str, Json], event: Event | None, reply: Reply) -> Spoken:
    """One JSON object, or nothing where there is nothing to say. The client shows the person no message of a hook, only
    the reason of a question or a deny. What else is for the person goes to the agent, and says for whom it is.
    """
    told: dict[str, Any] = {}
    if type(reply) is Decided:
        told = _answer(reply)
    elif type(reply) is Tell:
        told = _context(reply.agent, reply.person)
    elif type(reply) is Block:
        told = {"decision": "block", "reason": cut(_OURS + seen(reply.reason))}
    elif type(reply) is EndTurn:
        told = _context("", reply.person)
    else:
        why = reply.reason if type(reply) is Refusal else f"unknown reply {type(reply).__name__}"
        told = {"permissionDecision": "deny", "permissionDecisionReason": cut(f"{_OURS}{seen(why)}.")}
    # INVARIANT: a call always gets an answer, if an empty one: the line in the settings blocks where none came.
    return Spoken(stdout=canonical(told) + b"\n") if told or type(reply) is Decided else Spoken()


def _answer(reply: Decided) -> dict[str, Any]:
    """The person sees the reason of a question. That of a deny goes to the agent, with what the person can do."""
    verdict, warnings = reply.decision.verdict, reply.warnings
    # Without a decision the client's own rules and its own question come.
    told: dict[str, Any] = {} if reply.silent else {"permissionDecision": verdict.name}
    if verdict is Verdict.ASK:
        told["permissionDecisionReason"] = cut(_OURS + "\n".join(map(seen, (reply.person, *warnings))))
        warnings = ()
    elif verdict is Verdict.DENY:
        remedies = remedies_of(reply.decision, reply.person)[1:]  # the first line says again what was refused
        told["permissionDecisionReason"] = cut(_OURS + "\n".join(map(seen, (reply.agent, *remedies))))
    return told | _context("\n".join(reply.notes), warnings)


def _context(agent: str, person: tuple[str, ...]) -> dict[str, Any]:
    parts = ([agent] if agent else []) + (["Tell the person: " + "\n".join(person)] if person else [])
    return {"additionalContext": cut(_OURS + seen("\n".join(parts)))} if parts else {}


_DENIED = '{"permissionDecision":"deny","permissionDecisionReason":"%s"}\n'
_GONE = (
    "Interlock: No answer came, so this call is blocked. Run interlock doctor copilot-cli in a terminal to see why. "
    "If Interlock was moved or removed, install it again and run interlock install copilot-cli, or remove "
    ".copilot/hooks/interlock.json from your home folder. %s"
)


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """The file in the host's folder of hooks. There is no matcher: one that the client cannot read skips the hook."""
    from .lines import STREAMS, line_of

    hooks = {}
    for event in _EVENTS:
        command = (python, guard, arguments)
        line = line_of(NAME, TRAITS, command, STREAMS, gated=event == _GATE, denied=_DENIED % _GONE)
        hooks[event] = [{"hooks": [{"type": "command", "command": line, "timeout": HOST_TIMEOUT_SECONDS}]}]
    return {"version": 1, "hooks": hooks}
