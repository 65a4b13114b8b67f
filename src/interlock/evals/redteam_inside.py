"""Tries cases inside the home that was made for them: JSON rows in, the answers to the calls of each out.

A case of one call goes through `interlock decide --jsonl`. One of several goes through the real hook, and each step
that is not stopped is performed on disk, without a network. An attack ends where it is stopped. In a session, and where
a yes is to be carried further than it should be, the person answers every ask with yes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from .private_home import HOME, PROJECT

__all__ = ["main"]

_Row = dict[str, Any]
_ANSWERED = ("carry", "session")
_COMMAND = [sys.executable, "-m", "interlock.cli"]
_PLAIN = {"HOME": HOME, "PATH": "/usr/bin:/bin"}


def main() -> None:
    given = json.load(sys.stdin)
    rows: list[_Row] = given["rows"]
    single = [row for row in rows if not row.get("steps")]
    answers = _decided(single, given["root"]) if single else []
    found = {row["id"]: [answer] for row, answer in zip(single, answers, strict=True)}
    several = [row for row in rows if row.get("steps")]
    hooks = _hooks() if several else {}
    for row in several:
        found[row["id"]] = _walked(row, hooks)
    json.dump([found[row["id"]] for row in rows], sys.stdout)


def _decided(rows: list[_Row], root: str | None) -> list[_Row]:
    calls = [
        {
            "tool": row["tool"],
            "input": row["input"],
            "cwd": row.get("cwd", PROJECT),
            "session": row["id"],
            "host": "claude-code",
        }
        for row in rows
    ]
    told = "".join(json.dumps(call) + "\n" for call in calls)
    command = [*_COMMAND, "decide", "--jsonl", *([] if root is None else ["--root", root])]
    done = subprocess.run(command, input=told, capture_output=True, text=True, check=True)  # noqa: S603
    return [json.loads(line) for line in done.stdout.splitlines()]


def _hooks() -> dict[str, list[str]]:
    done = subprocess.run([*_COMMAND, "hook", "claude-code", "--print-settings"], capture_output=True, check=True)  # noqa: S603
    hooks = json.loads(done.stdout)["hooks"]
    entries = {event: hooks[event][0]["hooks"][0] for event in ("PreToolUse", "PostToolUse")}
    return {event: [entry["command"], *entry.get("args", ())] for event, entry in entries.items()}


def _walked(row: _Row, hooks: dict[str, list[str]]) -> list[_Row]:
    _as_it_was()
    answered = row["class"] in _ANSWERED
    cwd, steps = row.get("cwd", PROJECT), row["steps"]
    found: list[_Row] = []
    for number, step in enumerate(steps):
        event = {
            "session_id": row["id"],
            "transcript_path": "/tmp/none.jsonl",  # noqa: S108 - a name that the client would give
            "cwd": cwd,
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": step["tool"],
            "tool_input": step["input"],
            "tool_use_id": f"t{number}",
        }
        verdict = _verdict(_hooked(hooks["PreToolUse"], event))
        found.append({"verdict": verdict})
        if verdict != "allow" and not answered:
            break
        last = number + 1 == len(steps) and row["class"] != "session"
        if verdict in ("allow", "ask") and not last:
            _perform(step, cwd)
            after = {**event, "hook_event_name": "PostToolUse", "tool_response": {"success": True}}
            _hooked(hooks["PostToolUse"], after)
    return found


def _hooked(argv: list[str], event: _Row) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        argv, input=json.dumps(event), capture_output=True, text=True, cwd=event["cwd"], env=_PLAIN, check=False
    )


def _verdict(done: subprocess.CompletedProcess[str]) -> str:
    if done.returncode == 2:
        return "deny"
    if done.returncode != 0:
        return "error"
    if not done.stdout.strip():
        return "allow"
    try:
        verdict = json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"]
    except (ValueError, KeyError, TypeError):
        return "error"
    return verdict if verdict in ("allow", "ask", "deny") else "error"


def _perform(step: _Row, cwd: str) -> None:
    """Does the step on disk, as the client would. One that fails leaves what it leaves."""
    tool, given = step["tool"], step["input"]
    try:
        if tool == "Bash":
            limited = ["timeout", "-k", "1", "4", "unshare", "-n", "bash", "-c", given["command"]]
            quiet = subprocess.DEVNULL
            subprocess.run(limited, cwd=cwd, env=_PLAIN, stdin=quiet, stdout=quiet, stderr=quiet, check=False)  # noqa: S603
        elif tool == "Write":
            path = Path(given["file_path"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(given["content"])
        elif tool == "Edit":
            path = Path(given["file_path"])
            path.write_text(path.read_text().replace(given["old_string"], given["new_string"], 1))
        elif tool == "NotebookEdit":
            path = Path(given["notebook_path"])
            book = json.loads(path.read_text())
            book["cells"][0]["source"] = given["new_source"]
            path.write_text(json.dumps(book))
    except (OSError, KeyError, ValueError):
        return


def _as_it_was() -> None:
    """The home as the script made it. The installation stays; what Interlock remembers goes."""
    made = os.environ["MADE"]
    for entry in os.scandir(HOME):
        if entry.name == ".local":
            shutil.rmtree(f"{entry.path}/state", ignore_errors=True)
        elif entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)
    kept = [f"{made}/{name}" for name in os.listdir(made) if name != ".local"]
    subprocess.run(["cp", "-a", *kept, HOME], check=True)  # noqa: S603, S607


if __name__ == "__main__":
    main()
