"""Claude Code: PreToolUse events in, `hookSpecificOutput` out.

Exactly one JSON object goes to stdout, and nothing else: anything around it makes the host
drop the answer and go on. A deny is told as JSON, because exit code 2 shows the agent the
whole command line of the hook; exit code 2 is kept for when stdout cannot be written.
"""

from __future__ import annotations

from ..call import Call
from ..effects import Effect
from ..errors import HostError, InputError
from ..limits import HOST_TIMEOUT_SECONDS, MAX_REASON_CHARS
from ..record.canon import canonical
from ..value import TYPE_CHECKING, FrozenMap, Value
from ..verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..decision import Decision, Finding
    from ..value import Json

__all__ = ["NAME", "Event", "Said", "answer", "deny", "event_from", "said_from", "settings"]

NAME = "claude-code"


class Event(Value):
    call: Call
    root: str | None
    attended: bool
    planning: bool
    run: str = ""  # the label that whoever started an unattended run gave it


class Said(Value):
    """A message to the agent. `by_user`: the host says that a person typed it."""

    session: str
    cwd: str
    text: str
    by_user: bool


def said_from(data: Mapping[str, Json]) -> Said:
    """The message in a UserPromptSubmit event.

    The host sends the same event for what it or the agent puts in: notices of finished jobs, wake-ups with a text
    that the agent chose. Only `source` tells them apart, so without it nobody is taken to have said it.
    """
    name = data.get("hook_event_name")
    if name != "UserPromptSubmit":
        raise HostError(f"expected a UserPromptSubmit event, got `{str(name)[:60]}`")
    return Said(
        session=_text(data, "session_id"),
        cwd=_text(data, "cwd"),
        text=_text(data, "prompt"),
        by_user=data.get("source") == "user",
    )


def event_from(data: Mapping[str, Json], environment: Mapping[str, str]) -> Event:
    """The call in a PreToolUse event. `environment` is the hook's own."""
    name = data.get("hook_event_name")
    if name != "PreToolUse":
        raise HostError(f"expected a PreToolUse event, got `{str(name)[:60]}`")
    tool = data.get("tool_name")
    if type(tool) is not str or not tool.strip():
        raise InputError("the event has no `tool_name`")
    arguments = data.get("tool_input")
    if type(arguments) is not FrozenMap:
        raise InputError("the event's `tool_input` is missing or not an object")
    cwd = _text(data, "cwd")
    if not cwd.startswith("/"):
        raise InputError("the event's `cwd` is not an absolute path")
    project = environment.get("CLAUDE_PROJECT_DIR", "")
    return Event(
        call=Call(
            tool=tool,
            input=arguments,  # type: ignore[arg-type,unused-ignore]
            cwd=cwd,
            session=_text(data, "session_id"),
            agent=_text(data, "agent_id"),
            host=NAME,
            attempt=_text(data, "tool_use_id") or None,
        ),
        root=project if project.startswith("/") else None,
        attended=environment.get("CLAUDE_CODE_SESSION_ATTENDED", "1") != "0",
        planning=data.get("permission_mode") == "plan",
        run=environment.get("INTERLOCK_RUN", "")[:200],
    )


def _text(data: Mapping[str, Json], key: str) -> str:
    value = data.get(key)
    if value is None:
        return ""
    if type(value) is not str:
        raise InputError(f"the event's `{key}` is not a text")
    return value


def answer(decision: Decision, *, planning: bool, notes: tuple[str, ...] = (), warnings: tuple[str, ...] = ()) -> bytes:
    """The host's JSON. Notes go to the agent, warnings to the person."""
    output: dict[str, Any] = {"hookEventName": "PreToolUse"}
    reads_only = all(effect is Effect.READ for effect in decision.effects)
    # An allow would lift the host's own prompt. While it is planning, only reads are ours to wave through.
    if not (planning and decision.verdict is Verdict.ALLOW and not reads_only):
        output["permissionDecision"] = decision.verdict.name
        if decision.reasons:
            output["permissionDecisionReason"] = reason_of(decision)
    if notes:
        output["additionalContext"] = _cut("\n".join(notes))
    message: dict[str, Any] = {"hookSpecificOutput": output}
    told = (*warnings, *remedies_of(decision))
    if told:
        message["systemMessage"] = _cut("Interlock: " + "\n".join(told))
    if any(finding.locks for finding in decision.reasons):  # this host can end the agent's turn
        message["continue"] = False
        message["stopReason"] = reason_of(decision)
    return canonical(message) + b"\n"


def deny(reason: str) -> bytes:
    """A deny without a decision: the input was not a call."""
    output = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": _cut(reason)}
    return canonical({"hookSpecificOutput": output}) + b"\n"


def reason_of(decision: Decision) -> str:
    """Why, and what to do instead: only what made the verdict what it is."""
    deciding = [finding for finding in decision.reasons if finding.verdict is decision.verdict]
    if all(finding.layer == "posture" for finding in deciding):  # it only answered what others found
        deciding = list(decision.reasons)
    lines = [f"Interlock: {'; '.join(_told(deciding))}."]
    advice = list(dict.fromkeys(finding.instead for finding in deciding if finding.instead))
    return _cut(" ".join(lines + advice))


def remedies_of(decision: Decision) -> list[str]:
    """For the person: what would permit a call that was denied for want of a grant."""
    remedies = dict.fromkeys(finding.remedy for finding in decision.reasons if finding.remedy)
    return ["to permit it, in a terminal of your own or in your policy:", *remedies] if remedies else []


def _told(findings: list[Finding]) -> list[str]:
    return list(dict.fromkeys(f"{finding.text} [{finding.layer}/{finding.rule}]" for finding in findings))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_REASON_CHARS else text[: MAX_REASON_CHARS - 1] + "…"


def settings(python: str, guard: str, arguments: tuple[str, ...], *, gate: bool = False) -> dict[str, Any]:
    """The fragment for the host's settings: exec form, so that no shell stands between. `gate`: the plan's, on Stop."""
    stop = {
        "type": "command",
        "command": python,
        "args": ["-I", "-m", "interlock.cli", *arguments, "plan", "gate"],
        "timeout": HOST_TIMEOUT_SECONDS,
    }
    return {
        "hooks": {
            **({"Stop": [{"hooks": [stop]}]} if gate else {}),
            "PreToolUse": [
                {
                    "matcher": "*",
                    "hooks": [
                        {
                            "type": "command",
                            "command": python,
                            "args": ["-I", "-S", guard, NAME, *arguments],
                            "timeout": HOST_TIMEOUT_SECONDS,
                            "onFailure": "block",
                        }
                    ],
                }
            ],
        }
    }
