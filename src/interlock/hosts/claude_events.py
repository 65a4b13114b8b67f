"""Claude Code's events beside PreToolUse, what they are answered with, and the settings that send them all.

None of them can deny a call. A ConfigChange can be refused (`follow/resettled.py`). A Stop is held back with
`decision: block`, once: while `stop_hook_active` says that the agent goes on because of a hook already, it may stop.
Everything else is answered with nothing, or with a message to the person (`systemMessage`) or to the agent
(`additionalContext`).
"""

from __future__ import annotations

from ..bytes.canon import canonical
from ..limits import HOST_TIMEOUT_SECONDS
from ..model.call import Call
from ..model.errors import HostError, printable
from ..model.events import (
    Began,
    Block,
    Chosen,
    Closed,
    Ended,
    EndTurn,
    Passing,
    Refusal,
    Resettled,
    Said,
    Shown,
    Stopping,
    Tell,
    Typed,
)
from ..value import TYPE_CHECKING, FrozenMap
from . import host_named
from .wire import call_of, cut, deny, seen, text_of, timeout_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..model.events import Event, Place, Reply
    from ..value import Json

__all__ = ["EVENTS", "GATES", "other_event", "settings", "told"]

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
    "SessionEnd": None,
    "ConfigChange": None,
}
GATES = ("PreToolUse", "ConfigChange")  # what fails there blocks; everywhere else it must not
# tool -> what the client itself adds to its input on the way: a person's answers
_FILLED_IN = {"AskUserQuestion": ("answers", "annotations")}
_NAME = "claude-code"  # as the program is told whose events it gets
_OF_CODE = "toolu_plugin_"  # how the id of a call begins that code inside the client makes
# How a message begins that the host puts in by itself.
_NOTICES = ("<task-notification>", "<system-reminder>")
# Sources of a session's start after which files are compared with how they are then. A compacted session goes on.
_ANEW = ("startup", "resume", "clear", "fork")


def other_event(data: Mapping[str, Json], place: Place) -> Event:
    """Any event but the one before a call."""
    name = data.get("hook_event_name")
    made = _EVENTS.get(name) if type(name) is str else None
    if made is None:
        raise HostError(f"expected a PreToolUse event, got `{str(name)[:60]}`")
    return made(data, place)


def _ended(data: Mapping[str, Json], place: Place) -> Event:
    ran = data.get("hook_event_name") == "PostToolUse"
    outcome = "ran" if ran else "failed"
    if data.get("is_interrupt") is True:
        outcome = "unknown"
    call = call_of(place.host, data)
    filled = _FILLED_IN.get(call.tool, ())
    if filled:
        call = call.replace(input=FrozenMap({key: call.input[key] for key in call.input if key not in filled}))
    found = Ended(
        place=place,
        call=call,
        outcome=outcome,
        result=data.get("tool_response") if ran else data.get("error"),
        event=str(data.get("hook_event_name")),
        asked=data.get("permission_mode") in host_named(place.host).TRAITS.asks_in,
    )
    return _chosen(data, found) if ran and text_of(data, "tool_use_id").startswith(_OF_CODE) else found


def _chosen(data: Mapping[str, Json], ended: Ended) -> Event:
    """The one question of a dialog that code inside the client has opened. The id is the client's own."""
    given, result = data.get("tool_input"), data.get("tool_response")
    asked = given.get("questions") if isinstance(given, FrozenMap) else None
    if data.get("tool_name") != "AskUserQuestion" or not isinstance(asked, tuple) or len(asked) != 1:
        return ended
    options = asked[0].get("options") if isinstance(asked[0], FrozenMap) else None
    answers = result.get("answers") if isinstance(result, FrozenMap) else None
    if not isinstance(options, tuple) or not isinstance(answers, FrozenMap):
        return ended
    text = str(asked[0].get("question"))
    choices = tuple([str(option.get("label")) for option in options if isinstance(option, FrozenMap)])
    return Chosen(place=ended.place, text=text, choices=choices, answer=str(answers.get(text)), ended=ended)


def _shown(data: Mapping[str, Json], place: Place) -> Event:
    """The call that a PermissionRequest event puts before somebody. It has no id, and another hook may answer it."""
    return Shown(place=place, call=call_of(place.host, data))


def _said(data: Mapping[str, Json], place: Place) -> Event:
    """The message in a UserPromptSubmit event.

    The host sends the same event for notices of its own and for wake-ups with a text that the agent chose. The event
    does not say who typed it (the `source` of the published types never comes), so nothing is loosened by it alone.
    """
    text = text_of(data, "prompt")
    return Said(place=place, prompt=text_of(data, "prompt_id"), text=text, notice=text.lstrip().startswith(_NOTICES))


def _typed(data: Mapping[str, Json], place: Place) -> Event:
    """The skill that a UserPromptExpansion event names."""
    named = {"skill": text_of(data, "command_name"), "args": text_of(data, "command_args")}
    given = FrozenMap({key: value for key, value in named.items() if value})
    return Typed(
        place=place, call=Call(tool="Skill", input=given, cwd=place.cwd, session=place.session, host=place.host)
    )


def _began(data: Mapping[str, Json], place: Place) -> Event:
    source = text_of(data, "source") or "unknown"
    return Began(place=place, source=source, anew=source in _ANEW)


def _stopping(data: Mapping[str, Json], place: Place) -> Event:
    return Stopping(place=place, again=data.get("stop_hook_active") is True)


def _resettled(data: Mapping[str, Json], place: Place) -> Event:
    return Resettled(place=place, path=text_of(data, "file_path"), source=text_of(data, "source"))


def _closed(_data: Mapping[str, Json], place: Place) -> Event:
    return Closed(place=place)


def _passing(_data: Mapping[str, Json], place: Place) -> Event:
    return Passing(place=place)


_EVENTS: dict[str, Callable[[Mapping[str, Json], Place], Event]] = {
    "PermissionRequest": _shown,
    "PostToolUse": _ended,
    "PostToolUseFailure": _ended,
    "UserPromptSubmit": _said,
    "UserPromptExpansion": _typed,
    "SessionStart": _began,
    "Stop": _stopping,
    "SubagentStop": _passing,
    "SessionEnd": _closed,
    "ConfigChange": _resettled,
}


def told(event: str, reply: Reply) -> bytes:
    """The JSON for a reply that decides about no call; no bytes where there is nothing to say."""
    if type(reply) is Tell:
        return message(event, person=reply.person, agent=reply.agent)
    if type(reply) is Block:
        return block(reply.reason, person=reply.person)
    if type(reply) is EndTurn:
        return ends_the_turn(reply.person)
    why = reply.reason if type(reply) is Refusal else f"unknown reply {type(reply).__name__}"
    return block(f"{why}.", person=(f"{why}.",))


def message(event: str, *, person: tuple[str, ...] = (), agent: str = "") -> bytes:
    """What the person and the agent are told; nothing at all where there is nothing to tell."""
    told: dict[str, Any] = {}
    if person:
        told["systemMessage"] = cut("Interlock: " + seen("\n".join(person)))
    if agent:
        told["hookSpecificOutput"] = {
            "hookEventName": event,
            "additionalContext": cut(f"Interlock: {seen(agent)}"),
        }
    return canonical(told) + b"\n" if told else b""


def block(reason: str, *, person: tuple[str, ...] = ()) -> bytes:
    """What was about to happen does not: the agent does not stop, a message is not sent, settings are not taken."""
    told = {"systemMessage": cut("Interlock: " + seen("\n".join(person)))} if person else {}
    return canonical({"decision": "block", "reason": cut(f"Interlock: {seen(reason)}"), **told}) + b"\n"


def ends_the_turn(person: tuple[str, ...]) -> bytes:
    """The agent does not go on by itself; the person is told why."""
    told = cut("Interlock: " + seen("\n".join(person)))
    return canonical({"continue": False, "stopReason": told, "systemMessage": told}) + b"\n"


_GONE = (
    "{what} is not where your settings say ({where}). {then} Install it again and run `interlock install "
    "claude-code`, or take its hooks out of ~/.claude/settings.json."
)
_UNGUARDED = "This session is not guarded as it should be."
_GONE_THEN = {
    "PreToolUse": "Until that is repaired, every tool call is refused.",
    "ConfigChange": "Until that is repaired, no change of settings takes effect.",
}
# Python itself would leave with 2 where the guard is gone: that blocks a call, and eats a message or keeps an agent
# from stopping. So the settings carry these lines, which find the guard and say what to do where there is none. Where
# Python is gone, the client shows them as the command that it could not start: hence the first one.
_LAUNCH = """# {without}
import sys
sys.argv[:1] = []
gone = {answer!r}
try:
    with open(sys.argv[0], "rb") as guard: text = guard.read()
except OSError:
    print(gone)
    sys.exit()
exec(compile(text, sys.argv[0], "exec"), {{"__name__": "__main__", "__file__": sys.argv[0], "gone": gone}})"""


def _launch(event: str, python: str, guard: str) -> str:
    then = _GONE_THEN.get(event, _UNGUARDED)
    told = _GONE.format(what="the package", where=guard, then=then)
    if event == "PreToolUse":
        answer = deny(f"Interlock: {told}")
    elif event == "ConfigChange":
        answer = block(told)
    else:
        answer = message(event, person=(told,))
    without = f"Interlock: {_GONE.format(what='Python', where=python, then=then)}"
    return _LAUNCH.format(answer=answer.decode().rstrip(), without=printable(without))


def settings(python: str, guard: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """The fragment for the host's settings: exec form, so that no word of it is read by a shell.

    INVARIANT: the program alone, without its arguments, does nothing with an event on stdin. Other hosts read these
    settings, and drop `args`: a shell would run what the event says, and Python finds only literals in it.

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
            "args": ["-I", "-S", "-c", _launch(event, python, guard), guard, _NAME, *ungated, *arguments],
            "timeout": timeout_for(arguments) if event == "PreToolUse" else HOST_TIMEOUT_SECONDS,
            **({"onFailure": "block"} if gates else {}),
        }
        hooks[event] = [{**({} if matcher is None else {"matcher": matcher}), "hooks": [handler]}]
    return {"hooks": hooks}
