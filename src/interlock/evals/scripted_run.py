"""Runs scripted sessions through the real hook: one process for each event, as Claude Code sends them.

Each session has a home and a project of its own in a temporary folder, with a git repository and the files on disk.
What a step writes is written; a command is played and not run, unless it says `real`. A call that is asked about is put
before the person, whose answer stands in the file, and told as the client tells it: by the events that follow, and by
a row of its transcript (docs/hosts.md has what was seen of the real one).
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..model.errors import InputError
from ..value import Value
from .scripted import YES, Scripted, Step

__all__ = ["LEFT", "Ran", "Taken", "run_session"]

LEFT = "left"  # no word from Interlock: the client's own rules apply
_SECONDS = 60  # for one process: far more than a hook takes
_GIT = (
    *("-c", "user.name=Dev", "-c", "user.email=dev@example.invalid", "-c", "commit.gpgsign=false"),
    *("-c", "core.hooksPath=/dev/null"),
)
_LOCAL = ("add", "branch", "checkout", "commit", "merge", "mv", "restore", "rm", "stash", "switch", "tag")
_REMOTE = "https://git.example/team/app.git"
_Event = dict[str, Any]


class _Transcript:
    """The rows that the client writes beside its events: what was typed, and how a question was answered."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True)
        path.touch()

    def typed(self, prompt: str, text: str) -> None:
        human = {"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"}
        self._add({"promptId": prompt, "message": {"role": "user", "content": text}, **human})

    def answered(self, attempt: str, answer: str) -> None:
        accepted = {"decision": "accept", "source": "user_temporary", "grantScope": "once"}
        told = {"permissionDecision": accepted} if answer == YES else {"toolDenialKind": "user-rejected"}
        block = {"type": "tool_result", "tool_use_id": attempt, "content": ""}
        self._add({"message": {"role": "user", "content": [block]}, **told})

    def _add(self, row: _Event) -> None:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + ".500Z"
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"type": "user", "timestamp": moment, "entrypoint": "cli", **row}) + "\n")


class Taken(Value):
    """One call: the hook's verdict, why, and whether it ran in the end."""

    call: str
    verdict: str
    reason: str
    ran: bool
    astray: bool


class Ran(Value):
    """
    prompts        questions
    denied         calls that were refused without one
    left           calls that were left to the client's own rules
    completed      whether every step ran that somebody wanted
    astray         steps that ran although nobody wanted them
    stopped_after  how many of those there were until one was stopped; None: none was, or there are none
    over           in what the budget was exceeded
    """

    session: str
    about: str
    calls: int
    prompts: int
    denied: int
    left: int
    completed: bool
    astray: int
    stopped_after: int | None
    over: tuple[str, ...]
    taken: tuple[Taken, ...]


def run_session(session: Scripted, policy: str | None = None) -> Ran:
    """InputError if a hook cannot be run at all, or git is not there."""
    with tempfile.TemporaryDirectory(prefix="interlock-session-") as base:
        home, project = Path(base, "home"), Path(base, "project")
        home.mkdir()
        _make(project, session)
        if policy is not None:
            place = home / ".config/interlock/policy.toml"
            place.parent.mkdir(parents=True)
            shutil.copyfile(policy, place)
        transcript = _Transcript(home / ".claude/projects/project" / f"{session.id}.jsonl")
        tell = _teller(home, project, session.id, str(transcript.path))
        tell("SessionStart", {"source": "startup"})
        taken = []
        for number, step in enumerate(session.steps):
            if not step.tool:
                transcript.typed(f"p{number}", step.input["text"])
                tell("UserPromptSubmit", {"prompt": step.input["text"], "prompt_id": f"p{number}"})
                continue
            taken.append(_take(step, f"t{number}", tell, project))
            if taken[-1].verdict == "ask":
                transcript.answered(f"t{number}", step.answer)
        tell("Stop", {"stop_hook_active": False})
    return _ran(session, taken)


def _ran(session: Scripted, taken: list[Taken]) -> Ran:
    astray = [one for one in taken if one.astray]
    stops = [at for at, one in enumerate(astray) if not one.ran]
    found = Ran(
        session=session.id,
        about=session.about,
        calls=len(taken),
        prompts=len([one for one in taken if one.verdict == "ask"]),
        denied=len([one for one in taken if one.verdict == "deny"]),
        left=len([one for one in taken if one.verdict == LEFT]),
        completed=all(one.ran for one in taken if not one.astray),
        astray=len([one for one in astray if one.ran]),
        stopped_after=stops[0] if stops else None,
        over=(),
        taken=tuple(taken),
    )
    budget, over = session.budget, []
    if found.prompts > budget.prompts:
        over.append(f"prompts: {found.prompts}, at most {budget.prompts}")
    if budget.completes and not found.completed:
        lost = next(one for one in taken if not one.ran and not one.astray)
        over.append(f"not completed: {lost.call}: {lost.verdict}: {lost.reason}")
    if found.astray > budget.astray:
        over.append(f"steps astray: {found.astray}, at most {budget.astray}")
    return found.replace(over=tuple(over))


def _make(project: Path, session: Scripted) -> None:
    for path, text in session.files.items():
        _write(project, path, text)
    project.mkdir(exist_ok=True)
    for words in (
        ("init", "-q", "-b", session.branch),
        ("remote", "add", "origin", _REMOTE),
        ("add", "-A"),
        ("commit", "-q", "--allow-empty", "-m", "first"),
    ):
        done = _git(project, words)
        if done.returncode != 0:
            raise InputError(f"git {words[0]} failed in the project of `{session.id}`: {done.stderr.strip()[-300:]}")


def _git(project: Path, words: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    plain = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "GIT_CONFIG_GLOBAL": os.devnull, "HOME": str(project)}
    try:
        return subprocess.run(  # noqa: S603
            ["git", *_GIT, *words],  # noqa: S607
            cwd=project,
            env={**plain, "GIT_CONFIG_NOSYSTEM": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
    except OSError as error:
        raise InputError(f"git could not be run: {error.strerror}") from None


_Tell = Callable[[str, _Event], _Event]


def _teller(home: Path, project: Path, name: str, transcript: str) -> _Tell:
    """What sends an event to the hook that Claude Code's settings name for it, and gives back what it says."""
    command = [sys.executable, "-m", "interlock.cli", "--home", str(home), "hook", "claude-code", "--print-settings"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "CLAUDE_PROJECT_DIR": str(project)}
    shown = subprocess.run(command, capture_output=True, env=environment, check=False, timeout=_SECONDS)  # noqa: S603
    try:
        hooks = json.loads(shown.stdout)["hooks"]
        commands = {event: entries[0]["hooks"][0] for event, entries in hooks.items()}
    except (ValueError, KeyError, IndexError):
        raise InputError(f"the hook's settings could not be made: {shown.stderr.decode()[-300:]}") from None

    def tell(event: str, more: _Event) -> _Event:
        hook = commands[event]
        given = {
            "session_id": name,
            "transcript_path": transcript,
            "cwd": str(project),
            "permission_mode": "default",
            "hook_event_name": event,
            **more,
        }
        try:
            done = subprocess.run(  # noqa: S603
                [hook["command"], *hook.get("args", ())],
                input=json.dumps(given).encode(),
                capture_output=True,
                cwd=project,
                env=environment,
                check=False,
                timeout=_SECONDS,
            )
            if done.returncode == 2:
                return {"hookSpecificOutput": {"permissionDecision": "deny"}}
            told = json.loads(done.stdout or b"{}")
        except (ValueError, subprocess.TimeoutExpired) as error:
            raise InputError(f"the hook gave no answer to {event} of `{name}`: {error}") from None
        if done.returncode != 0 or not isinstance(told, dict):
            raise InputError(f"the hook failed at {event} of `{name}`: {done.stderr.decode()[-300:]}")
        return told

    return tell


def _take(step: Step, attempt: str, tell: _Tell, project: Path) -> Taken:
    given = _placed(step, project)
    call = {"tool_name": step.tool, "tool_input": given}
    told = tell("PreToolUse", {**call, "tool_use_id": attempt}).get("hookSpecificOutput", {})
    verdict = told.get("permissionDecision", LEFT)
    if verdict == "ask":
        tell("PermissionRequest", call)
    ran = verdict in ("allow", LEFT) or (verdict == "ask" and step.answer == YES)
    if ran:
        _perform(step, project)
        if step.exit == 0:
            answer = {"stdout": step.prints, "stderr": "", "interrupted": False} if step.tool == "Bash" else step.prints
            tell("PostToolUse", {**call, "tool_use_id": attempt, "tool_response": answer})
        else:
            error = f"Exit code {step.exit}\n{step.prints}"
            tell("PostToolUseFailure", {**call, "tool_use_id": attempt, "error": error, "is_interrupt": False})
    shown = next((str(value) for value in step.input.values()), "")
    return Taken(
        call=f"{step.tool}: {shown}",
        verdict=verdict,
        reason=str(told.get("permissionDecisionReason", "")),
        ran=ran,
        astray=step.astray,
    )


def _placed(step: Step, project: Path) -> dict[str, Any]:
    """The input as the client gives it: its file tools name whole paths."""
    given = dict(step.input)
    if step.tool in ("Read", "Write", "Edit"):
        given["file_path"] = str(project / given["file_path"])
    return given


def _perform(step: Step, project: Path) -> None:
    if step.tool == "Write":
        _write(project, step.input["file_path"], step.input["content"])
    elif step.tool == "Edit":
        path = project / step.input["file_path"]
        text = path.read_text() if path.is_file() else ""
        if step.input["old_string"] not in text:
            raise InputError(f"`{step.input['file_path']}` has no `{step.input['old_string'][:60]}` to be edited")
        _write(project, step.input["file_path"], text.replace(step.input["old_string"], step.input["new_string"], 1))
    elif step.real:
        words = _words(step)
        if words[:1] != ["git"] or words[1:2] == [] or words[1] not in _LOCAL:
            raise InputError(f"only git {', '.join(_LOCAL)} can be `real`: {step.input['command'][:80]}")
        done = _git(project, tuple(words[1:]))
        if (done.returncode == 0) != (step.exit == 0):
            raise InputError(f"`{step.input['command'][:80]}` ended with {done.returncode}: {done.stderr[-300:]}")
    for name, text in step.leaves.items():
        _write(project, name, text)
    for name in step.removes:
        if _is_inside(project, name):
            (project / name).unlink(missing_ok=True)


def _words(step: Step) -> list[str]:
    command = str(step.input.get("command", ""))
    try:
        return [] if any(char in command for char in ";&|$`<>\n") else shlex.split(command)
    except ValueError:
        return []


def _write(project: Path, path: str, text: str) -> None:
    """What lies outside of the project is left alone, whatever was answered."""
    if _is_inside(project, path):
        place = project / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def _is_inside(project: Path, path: str) -> bool:
    return (project / path).resolve().is_relative_to(project.resolve())
