"""Claude Code's events beside PreToolUse, what they are answered with, and the settings that send them all.

None of them can deny a call. A ConfigChange can be refused (`hook/config_change.py`). A Stop is held back with
`decision: block`, once: while `stop_hook_active` says that the agent goes on because of a hook already, it may stop.
Everything else is answered with nothing, or with a message to the person (`systemMessage`) or to the agent
(`additionalContext`).
"""

from __future__ import annotations

from ..call import Call
from ..errors import HostError, printable
from ..limits import HOST_TIMEOUT_SECONDS
from ..record.canon import canonical
from ..record.strict import parse_object
from ..value import TYPE_CHECKING, FrozenMap, Value
from .claude_code import NAME, call_of, cut, deny, session_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..value import Json

__all__ = [
    "EVENTS",
    "GATES",
    "Began",
    "Said",
    "Stopping",
    "Told",
    "Typed",
    "began_from",
    "block",
    "ends_the_turn",
    "joined",
    "message",
    "said_from",
    "settings",
    "shown_from",
    "stopping_from",
    "told_from",
    "typed_from",
]

# event -> the matcher that its settings have; None: the event knows none
EVENTS: dict[str, str | None] = {
    "PreToolUse": "*",
    "PermissionRequest": "*",
    "PostToolUse": "*",
    "PostToolUseFailure": "*",
    "UserPromptSubmit": None,
    "UserPromptExpansion": None,
    "SessionStart": None,
    "Stop": None,
    "ConfigChange": None,
}
GATES = ("PreToolUse", "ConfigChange")  # what fails there blocks; everywhere else it must not
# tool -> what the client itself adds to its input on the way: a person's answers
_FILLED_IN = {"AskUserQuestion": ("answers", "annotations")}
# How a message begins that the host puts in by itself.
_NOTICES = ("<task-notification>", "<system-reminder>")


_ASKS_A_PERSON = ("default", "acceptEdits", "plan")


class Told(Value):
    """What became of a call.

    outcome  ran, failed or unknown: a call that was interrupted may have done anything
    result   what came back
    event    the name of the event that tells it
    asked    the client itself asks its person in this mode, so that an ask that ran was put before one
    """

    call: Call
    outcome: str
    result: Json
    event: str
    asked: bool = False


class Said(Value):
    """A message to the agent. `notice`: the host put it in by itself, for example that a job has ended.

    `prompt` is the host's id of it, by which its transcript says later who typed it.
    """

    session: str
    cwd: str
    prompt: str
    text: str
    notice: bool


class Typed(Value):
    """A message that names a skill or a command, which the host is about to load. `call` is the tool call like it."""

    call: Call


class Began(Value):
    """A session began, or goes on. `source`: startup, resume, clear, compact, fork."""

    session: str
    cwd: str
    source: str


class Stopping(Value):
    """The agent is about to stop. `again`: it goes on because of a hook already."""

    session: str
    cwd: str
    again: bool


def told_from(data: Mapping[str, Json]) -> Told:
    """The outcome in a PostToolUse or PostToolUseFailure event."""
    name = _expected(data, "PostToolUse", "PostToolUseFailure")
    outcome = "ran" if name == "PostToolUse" else "failed"
    if data.get("is_interrupt") is True:
        outcome = "unknown"
    call = call_of(data)
    filled = _FILLED_IN.get(call.tool, ())
    if filled:
        call = call.replace(input=FrozenMap({key: call.input[key] for key in call.input if key not in filled}))
    return Told(
        call=call,
        outcome=outcome,
        result=data.get("tool_response") if name == "PostToolUse" else data.get("error"),
        event=name,
        asked=data.get("permission_mode") in _ASKS_A_PERSON,
    )


def shown_from(data: Mapping[str, Json]) -> Call:
    """The call that a PermissionRequest event puts before somebody. It has no id, and another hook may answer it."""
    _expected(data, "PermissionRequest")
    return call_of(data)


def said_from(data: Mapping[str, Json]) -> Said:
    """The message in a UserPromptSubmit event.

    The host sends the same event for notices of its own and for wake-ups with a text that the agent chose. The event
    does not say who typed it (the `source` of the published types never comes), so nothing is loosened by it alone.
    """
    _expected(data, "UserPromptSubmit")
    text = text_of(data, "prompt")
    return Said(
        session=session_of(data),
        cwd=text_of(data, "cwd"),
        prompt=text_of(data, "prompt_id"),
        text=text,
        notice=text.lstrip().startswith(_NOTICES),
    )


def typed_from(data: Mapping[str, Json]) -> Typed:
    """The skill that a UserPromptExpansion event names."""
    _expected(data, "UserPromptExpansion")
    named = {"skill": text_of(data, "command_name"), "args": text_of(data, "command_args")}
    return Typed(
        call=Call(
            tool="Skill",
            input=FrozenMap({key: value for key, value in named.items() if value}),
            cwd=text_of(data, "cwd"),
            session=session_of(data),
            host=NAME,
        )
    )


def began_from(data: Mapping[str, Json]) -> Began:
    _expected(data, "SessionStart")
    return Began(session=session_of(data), cwd=text_of(data, "cwd"), source=text_of(data, "source") or "unknown")


def stopping_from(data: Mapping[str, Json]) -> Stopping:
    _expected(data, "Stop")
    return Stopping(session=session_of(data), cwd=text_of(data, "cwd"), again=data.get("stop_hook_active") is True)


def _expected(data: Mapping[str, Json], *names: str) -> str:
    name = data.get("hook_event_name")
    if type(name) is not str or name not in names:
        raise HostError(f"expected a {' or '.join(names)} event, got `{str(name)[:60]}`")
    return name


def message(event: str, *, person: tuple[str, ...] = (), agent: str = "") -> bytes:
    """What the person and the agent are told; nothing at all where there is nothing to tell."""
    told: dict[str, Any] = {}
    if person:
        told["systemMessage"] = cut("Interlock: " + _seen("\n".join(person)))
    if agent:
        told["hookSpecificOutput"] = {
            "hookEventName": event,
            "additionalContext": cut(f"Interlock: {_seen(agent)}"),
        }
    return canonical(told) + b"\n" if told else b""


def _seen(text: str) -> str:
    """Nothing that a terminal obeys; whoever puts somebody else's words on a line of their own has shown them first."""
    return "\n".join(map(printable, text.split("\n")))


def block(reason: str, *, person: tuple[str, ...] = ()) -> bytes:
    """What was about to happen does not: the agent does not stop, a message is not sent, settings are not taken."""
    told = {"systemMessage": cut("Interlock: " + _seen("\n".join(person)))} if person else {}
    return canonical({"decision": "block", "reason": cut(f"Interlock: {_seen(reason)}"), **told}) + b"\n"


def ends_the_turn(person: str) -> bytes:
    """The agent does not go on by itself; the person is told why."""
    told = cut("Interlock: " + _seen(person))
    return canonical({"continue": False, "stopReason": told, "systemMessage": told}) + b"\n"


def joined(event: str, answer: bytes, person: tuple[str, ...]) -> bytes:
    """The answer with more for the person in front of what it tells them."""
    if not person:
        return answer
    if not answer:
        return message(event, person=person)
    told: dict[str, Any] = dict(parse_object(answer))
    before = str(told.get("systemMessage", "")).removeprefix("Interlock: ")
    told["systemMessage"] = cut("Interlock: " + _seen("\n".join((*person, *((before,) if before else ())))))
    return canonical(told) + b"\n"


_GONE = (
    "the package is not where your settings say ({guard}). {then} Install it again and put what "
    "`interlock hook claude-code --print-settings` prints into ~/.claude/settings.json, or take its hooks out of there."
)
_GONE_THEN = {
    "PreToolUse": "Until that is repaired, every tool call is refused.",
    "ConfigChange": "Until that is repaired, no change of settings takes effect.",
}
# Python itself would leave with 2 where the guard is gone: that blocks a call, and eats a message or keeps an agent
# from stopping. So the settings carry these lines, which find the guard and say what to do where there is none.
_LAUNCH = """import sys
sys.argv[:1] = []
try:
    with open(sys.argv[0], "rb") as guard: text = guard.read()
except OSError:
    print({answer!r})
    sys.exit()
exec(compile(text, sys.argv[0], "exec"), {{"__name__": "__main__", "__file__": sys.argv[0]}})"""


def _launcher(event: str, guard: str) -> str:
    told = _GONE.format(guard=guard, then=_GONE_THEN.get(event, "This session is not guarded as it should be."))
    if event == "PreToolUse":
        answer = deny(f"Interlock: {told}")
    elif event == "ConfigChange":
        answer = block(told)
    else:
        answer = message(event, person=(told,))
    return _LAUNCH.format(answer=answer.decode().rstrip())


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """The fragment for the host's settings: exec form, so that no shell stands between.

    Only a failure at an event that gates something blocks: elsewhere it would throw away what a person typed, or keep
    the agent for ever.
    """
    hooks = {}
    for event, matcher in EVENTS.items():
        gates = event in GATES
        ungated = () if gates else ("--no-gate",)
        handler = {
            "type": "command",
            "command": python,
            "args": ["-I", "-S", "-c", _launcher(event, guard), guard, NAME, *ungated, *arguments],
            "timeout": HOST_TIMEOUT_SECONDS,
            **({"onFailure": "block"} if gates else {}),
        }
        hooks[event] = [{**({} if matcher is None else {"matcher": matcher}), "hooks": [handler]}]
    return {"hooks": hooks}
