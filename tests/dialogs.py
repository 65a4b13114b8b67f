"""A client that puts questions of ours before its person: this process is the host that runs the server and the hook.

The server and the hook are real processes, as `interlock install` names them; what a person would press is said here.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from typing import Any

from hook_process import Machine, Ran, ended
from interlock.hosts import claude_events

__all__ = ["Client", "hook_words", "server_words"]

WAIT = 60
CAN_ASK: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}}


def server_words(machine: Machine) -> list[str]:
    return [machine.python, "-I", "-m", "interlock.cli", "--home", str(machine.home), "mcp", "ask"]


def hook_words(machine: Machine) -> list[str]:
    arguments = ("--home", str(machine.home), "--wait", str(WAIT))
    handler = claude_events.settings(machine.python, str(machine.guard), arguments)["hooks"]["PreToolUse"][0]["hooks"][
        0
    ]
    return [handler["command"], *handler["args"]]


class Client:
    """`with Client(machine) as client:` runs the server until the end."""

    def __init__(self, machine: Machine, *, can: Mapping[str, Any] = CAN_ASK) -> None:
        self.machine = machine
        self.can = dict(can)

    def __enter__(self) -> Client:
        self.server = subprocess.Popen(
            server_words(self.machine), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.machine.project
        )
        about = {"protocolVersion": "2025-11-25", "capabilities": self.can, "clientInfo": {"name": "t", "version": "1"}}
        self.say(id=0, method="initialize", params=about)
        assert self.hear()["result"]["serverInfo"]["name"] == "interlock"
        self.say(method="notifications/initialized")
        self.say(id=1, method="tools/list")
        assert self.hear()["result"] == {"tools": []}  # by now it listens, if it does
        return self

    def __exit__(self, *_: object) -> None:
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.server.stdin.close()
        assert self.server.wait(10) == 0
        self.server.stdout.close()

    def say(self, **message: Any) -> None:
        assert self.server.stdin is not None
        self.server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.server.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.server.stdout is not None
        found: dict[str, Any] = json.loads(self.server.stdout.readline())
        return found

    def answer(self, question: Mapping[str, Any], choice: str = "", action: str = "accept") -> None:
        content = {"content": {"answer": choice}} if choice else {}
        self.say(id=question["id"], result={"action": action, **content})

    def call(self, tool: str, choice: str = "", action: str = "accept", **arguments: Any) -> tuple[Ran, dict[str, Any]]:
        """A call that is asked about, and what the person says; what the hook answered, and the question."""
        hook = self.start(tool, **arguments)
        question = self.hear()
        self.answer(question, choice, action)
        return ended(hook, patience=WAIT), question

    def start(self, tool: str, *, session: str = "", **arguments: Any) -> subprocess.Popen[bytes]:
        changes = {"session_id": session} if session else {}
        event = self.machine.event(tool, {**self.machine.sample(tool), **arguments}, **changes)
        hook = subprocess.Popen(
            hook_words(self.machine), cwd=self.machine.project, env=self.machine.environment(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert hook.stdin is not None
        hook.stdin.write(json.dumps(event).encode())
        hook.stdin.close()
        hook.stdin = None
        return hook

    def run(self, tool: str, **arguments: Any) -> Ran:
        """A call about which nothing is asked here."""
        return ended(self.start(tool, **arguments), patience=WAIT)
