"""OpenCode: events that our own plug-in passes on (`opencode_plugin.py`), and the one answer that it takes for a yes.

OpenCode has no hooks in its settings. It loads plug-ins, and what one throws before a call is a deny that the agent is
told. It can put no question of a plug-in before anybody: an ask is a deny with the id of its approval.
"""

from __future__ import annotations

from ..bytes.canon import canonical
from ..limits import HOST_TIMEOUT_SECONDS
from ..model.call import Call, short_id
from ..model.errors import HostError
from ..model.events import Began, Decided, Ended, EndTurn, Place, Proposed, Refusal, Said, Spoken, Tell
from ..model.toolnames import OF_HOSTS
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, FrozenMap
from .process import is_attended
from .traits import Traits
from .wire import cut, folder_of, input_of, name_of, names_of, remedies_of, seen, session_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model.events import Event, Reply
    from ..value import Json

__all__ = ["NAME", "TRAITS", "event_from", "gates", "settings", "spoken"]

NAME = "opencode"
TRAITS = Traits(
    title="OpenCode",
    settings_in=".config/opencode/plugin/interlock.js",
    moved_by="XDG_CONFIG_HOME",
    asks=False,
    runs_after=(),
    has_rules=True,
    tells=("ended", "said", "began"),
    parts=("install", "plugin", "settings"),
    tools=FrozenMap(OF_HOSTS[NAME]),
)

_GATE = "tool.execute.before"
_EVENTS = (_GATE, "tool.execute.after", "chat.message", "session.created")  # those that the plug-in passes on
_OURS = "Interlock: "
_SHELLS = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/run/current-system/sw/bin/bash")  # as the plug-in has
_UNATTENDED = ("run", "serve", "web", "acp", "github", "pr")  # its commands that nobody sits in front of


def gates(data: Mapping[str, Json]) -> bool:
    return data.get("hook_event_name") not in _EVENTS[1:]


def event_from(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Event:
    name = data.get("hook_event_name")
    place = _place(data, environment, parent)
    if name == _GATE:
        return Proposed(place=place, call=_call(data))
    if name == "tool.execute.after":
        return _ended(data, place)
    if name == "chat.message":
        text, synthetic = text_of(data, "prompt"), data.get("synthetic") is not False
        return Said(place=place, prompt=text_of(data, "message_id"), text=text, notice=synthetic or "parent_id" in data)
    if name == "session.created":
        return Began(place=place, source="new", anew=True)
    raise HostError(f"expected a tool.execute.before event, got `{str(name)[:60]}`")


def _session(data: Mapping[str, Json]) -> str:
    """A sub-agent has a session of its own; what holds for the agent that started it holds for it."""
    return session_of(FrozenMap({"session_id": text_of(data, "parent_id") or text_of(data, "session_id")}))


def _place(data: Mapping[str, Json], environment: Mapping[str, str], parent: int) -> Place:
    root = text_of(data, "worktree")
    attended = text_of(data, "command") not in _UNATTENDED and is_attended(parent, {})
    return Place(
        host=NAME,
        session=_session(data),
        cwd=text_of(data, "cwd"),
        root=root if root.startswith("/") and root != "/" else None,  # `/` is its word for none
        attended=attended,
        run="" if attended else short_id(environment.get("INTERLOCK_RUN", "")),
        environment=environment,
        parent=parent,
    )


def _call(data: Mapping[str, Json]) -> Call:
    """The client's id of a call is not passed on: the model's server makes it up, and may give one twice."""
    name = name_of(data)
    tool, named = names_of(NAME, name)
    if tool == "Bash" and text_of(data, "shell") not in _SHELLS:
        tool, named = name, ""  # another shell would run it, so it is not read as bash
    return Call(
        tool=tool,
        named=named,
        input=input_of(data),
        cwd=folder_of(data),
        session=_session(data),
        agent=short_id(text_of(data, "session_id")) if "parent_id" in data else "",
        host=NAME,
    )


def _ended(data: Mapping[str, Json], place: Place) -> Ended:
    """A command has an exit code, or none if it was ended; what another tool throws is not told at all."""
    code = data.get("exit")
    outcome = "ran" if code in (0, "none") else "unknown" if code is None else "failed"
    call, result = _call(data), data.get("tool_response")
    return Ended(place=place, call=call, outcome=outcome, result=result, event="tool.execute.after")


def spoken(data: Mapping[str, Json], event: Event | None, reply: Reply) -> Spoken:
    """One JSON object, or nothing. INVARIANT: an allow is always the same bytes, so nothing else is put into it."""
    told: dict[str, Any] = {}
    if type(reply) is Decided:
        told = _answer(reply)
    elif type(reply) is Tell:
        told = _told(reply.agent, reply.person)
    elif type(reply) is EndTurn:
        told = _told("", reply.person)
    else:
        why = reply.reason if type(reply) is Refusal else f"unknown reply {type(reply).__name__}"
        told = {"decision": "deny", "reason": cut(f"{_OURS}{seen(why)}.")}
    return Spoken(stdout=canonical(told) + b"\n") if told else Spoken()


_APPROVE = (
    "OpenCode cannot put the question before anybody. Go on with something else and report {id}. Once a person has "
    "approved it in a terminal of their own (interlock approvals approve {id}), make exactly this call again."
)
_UNASKED = (
    'OpenCode cannot put a question before anybody. With `[approvals] by = ["terminal"]` in your policy, you can '
    "approve such a call in a terminal of your own."
)


def _answer(reply: Decided) -> dict[str, Any]:
    """INVARIANT: no ask, which OpenCode does not know. The person sees nothing but what the agent is told."""
    decision = reply.decision
    if decision.verdict is Verdict.ALLOW:
        return {"decision": "allow"}
    lines = [reply.agent, *remedies_of(decision, reply.person)[1:]]  # the first says again what was refused
    if decision.verdict is Verdict.ASK and reply.held:
        lines = [f"needs approval. {reply.person}", _APPROVE.format(id=reply.held)]
    elif not reply.held and any(finding.layer == "posture" for finding in decision.reasons):
        lines.append(_UNASKED)
    return {"decision": "deny", "reason": cut(_OURS + "\n".join(map(seen, lines)))}


def _told(agent: str, person: tuple[str, ...]) -> dict[str, Any]:
    """OpenCode shows the person nothing of ours but what stands in a result, so the agent is asked to tell them."""
    parts = ([agent] if agent else []) + (["Tell the person: " + "\n".join(person)] if person else [])
    return {"told": cut(_OURS + seen("\n".join(parts)))} if parts else {}


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """The entries that the plug-in carries. It starts a program with arguments, without a shell."""
    hooks = {}
    for event in _EVENTS:
        words = ["-I", "-S", guard, NAME, *(() if event == _GATE else ("--no-gate",)), *arguments]
        entry = {"type": "command", "command": python, "args": words, "timeout": HOST_TIMEOUT_SECONDS}
        hooks[event] = [{"hooks": [entry]}]
    return {"hooks": hooks}
