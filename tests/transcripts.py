"""Transcripts as the hosts write them, a call at a time. Written by hand, with invented people and projects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["CWD", "Claude", "Codex"]

CWD = "/home/ada/app"


class _Lines:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.minute = 0

    def add(self, **data: Any) -> None:
        self.minute += 1
        self.lines.append(
            json.dumps({"timestamp": f"2026-11-0{1 + self.minute // 60}T09:{self.minute % 60:02}:00.000Z", **data})
        )

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in self.lines))
        return path


class Claude(_Lines):
    """A session of Claude Code."""

    def __init__(self, session: str = "c1") -> None:
        super().__init__()
        self.session = session
        self.calls = 0
        self.says("please go on")

    def says(self, text: str) -> Claude:
        self._message("user", text)
        return self

    def call(self, tool: str, /, came: str | None = "done", *, error: bool = False, **given: Any) -> Claude:
        """`came` is what came back; None: nothing is told of it."""
        self.calls += 1
        name = f"toolu_{self.session}_{self.calls}"
        self._message("assistant", [{"type": "tool_use", "id": name, "name": tool, "input": given}])
        if came is not None:
            came = f"{came} {self.calls}" if came == "done" else came
            block = {"type": "tool_result", "tool_use_id": name, "content": came, "is_error": error}
            self._message("user", [block])
        return self

    def bash(self, command: str, came: str | None = "done", *, error: bool = False) -> Claude:
        return self.call("Bash", came, error=error, command=command)

    def _message(self, role: str, content: Any) -> None:
        self.add(type=role, message={"role": role, "content": content}, cwd=CWD, sessionId=self.session)


class Codex(_Lines):
    """A session of Codex."""

    def __init__(self, session: str = "x1") -> None:
        super().__init__()
        self.calls = 0
        self.add(type="session_meta", payload={"id": session, "cwd": CWD, "originator": "codex_cli"})
        self.add(type="turn_context", payload={"cwd": CWD, "approval_policy": "never"})

    def item(self, output: Any = None, **payload: Any) -> Codex:
        self.calls += 1
        name = f"call_{self.calls}"
        self.add(type="response_item", payload={"call_id": name, **payload})
        if output is not None:
            kind = payload["type"] + "_output"
            self.add(type="response_item", payload={"type": kind, "call_id": name, "output": output})
        return self

    def function(self, tool: str, /, output: Any = None, **given: Any) -> Codex:
        return self.item(output, type="function_call", name=tool, arguments=json.dumps(given))
