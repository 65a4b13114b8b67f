"""Codex's sessions: `~/.codex/sessions/**/rollout-*.jsonl`, one event a line.

`session_meta` and `turn_context` say where; `response_item` holds the calls, whose arguments are JSON in a text, and
their outputs. A shell call becomes what the host tells its hooks: `Bash` with the command line alone.
"""

from __future__ import annotations

import shlex
from functools import partial

from ..bytes.strict import parse_object
from ..model.errors import InputError
from ..value import TYPE_CHECKING, FrozenMap
from .told import SPOKE, PastCall, Taking, moment_of, result_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .told import Transcript

__all__ = ["NAME", "read_transcript"]

NAME = "codex"
_SHELLS = ("shell", "local_shell", "exec_command", "shell_command", "container.exec")
_PROGRAMS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash", "/usr/bin/zsh")
_OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
_EXITED = "Process exited with code "
_BLOCKED = "Command blocked by PreToolUse hook"
_REFUSED = ("exec command rejected by user", "rejected by user", "patch rejected by user")


class _Where:
    """What the lines so far say about the session."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.cwd = "/"

    def learn(self, payload: Mapping[str, Any], *, names: bool) -> None:
        cwd, name = payload.get("cwd"), payload.get("id")
        if type(cwd) is str and cwd.startswith("/"):
            self.cwd = cwd
        if names and type(name) is str and name:
            self.session = name


def read_transcript(lines: Iterable[bytes | None], session: str = "") -> Transcript:
    """The calls in their order. `session` is used where the lines name none."""
    taking = Taking(lines)
    where = _Where(session)
    for data in taking.objects():
        kind, payload = data.get("type"), data.get("payload")
        if type(kind) is not str:
            taking.skip("of no known kind")
            continue
        if type(payload) is not FrozenMap:  # older files hold the items themselves
            payload = data
        what = payload.get("type")
        if kind in ("session_meta", "turn_context"):
            where.learn(payload, names=kind == "session_meta")
        elif what == "user_message":
            taking.spoke(_head(where, data))
        elif what in ("function_call", "custom_tool_call", "local_shell_call"):
            taking.call(_call(where, data, payload), otherwise="a call whose arguments are not understood")
        elif what in _OUTPUTS:
            taking.outcome(payload.get("call_id"), partial(_with_output, output=payload.get("output")))
    return taking.whole()


def _head(where: _Where, data: Mapping[str, Any]) -> PastCall:
    return PastCall(tool=SPOKE, host=NAME, session=where.session, cwd=where.cwd, at=moment_of(data.get("timestamp")))


def _call(where: _Where, data: Mapping[str, Any], payload: Mapping[str, Any]) -> PastCall | None:
    head = _head(where, data).replace(attempt=str(payload.get("call_id") or payload.get("id") or ""))
    if payload["type"] == "local_shell_call":
        action = payload.get("action")
        return _shell(head, action) if type(action) is FrozenMap else None
    name = payload.get("name")
    if type(name) is not str or not name.strip():
        return None
    if payload["type"] == "custom_tool_call":
        given = payload.get("input")
        return head.replace(tool=name, input=FrozenMap({"input": given})) if type(given) is str else None
    try:
        arguments = parse_object(str(payload.get("arguments")).encode())
    except (InputError, UnicodeEncodeError):
        return None
    if name in _SHELLS:
        return _shell(head, arguments)
    return head.replace(tool=name, input=arguments)


def _shell(head: PastCall, given: Mapping[str, Any]) -> PastCall | None:
    command = given.get("command", given.get("cmd"))
    if type(command) is tuple:
        words = [str(word) for word in command]
        is_shell = len(words) == 3 and words[0] in _PROGRAMS and words[1] in ("-c", "-lc")
        command = words[2] if is_shell else shlex.join(words)
    if type(command) is not str or not command:
        return None
    folder = given.get("workdir") or given.get("working_directory")
    if type(folder) is str and folder:
        folder = folder if folder.startswith("/") else f"{head.cwd.rstrip('/')}/{folder}"
        head = head.replace(cwd=folder)
    return head.replace(tool="Bash", input=FrozenMap({"command": command}))


def _with_output(call: PastCall, output: Any) -> PastCall:
    """What came back: a text, or JSON in a text that names the exit code."""
    code: object = None
    text = output if type(output) is str else ""
    if type(output) is FrozenMap:
        text = str(output.get("content") or output.get("output") or "")
        code = {True: 0, False: 1}.get(output["success"]) if type(output.get("success")) is bool else None
    if text.startswith("{"):
        try:
            inside = parse_object(text.encode())
            about = inside.get("metadata")
            code = about.get("exit_code") if type(about) is FrozenMap else None
            text = str(inside.get("output", ""))
        except (InputError, UnicodeEncodeError):
            pass
    elif _EXITED in text:
        word = text.partition(_EXITED)[2].split("\n")[0].strip()
        code = int(word) if word.isascii() and word.isdigit() and len(word) < 6 else 1
    if text.strip().startswith(_REFUSED):
        return call.replace(outcome="not_run", refused=True)
    if text.startswith(_BLOCKED):
        return call.replace(outcome="not_run")
    return call.replace(outcome="ran" if code in (None, 0) else "failed", result=result_of(_body(text)))


def _body(text: str) -> str:
    """Without the head, which holds times and ids and so is new each time."""
    return text.partition("\nOutput:\n")[2] or text
