"""`interlock telemetry` on a machine with hooks: its settings, the command, and the command as a service."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hook_process import Machine
from machine import Machine as Commands
from machine import Run

__all__ = ["command", "decided", "running", "telemetry"]


def _commands(machine: Machine) -> Commands:
    commands = Commands.__new__(Commands)
    commands.home, commands.project = machine.home, machine.project
    return commands


def telemetry(machine: Machine, **settings: Any) -> None:
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    (machine.user_policy.parent / "telemetry.toml").write_text("[telemetry]\n" + "\n".join(lines) + "\n")


def command(machine: Machine, *words: str) -> Run:
    return _commands(machine).run("telemetry", *words)


def decided(machine: Machine, count: int, *, first: int = 0) -> None:
    """So many decisions in the ledger, in one go."""
    lines = [
        json.dumps({"tool": "Read", "input": {"file_path": f"{machine.project}/{number}"}, "cwd": str(machine.project)})
        for number in range(first, first + count)
    ]
    done = _commands(machine).run("decide", "--jsonl", "--record", stdin="\n".join(lines))
    assert done.code == 0, done.err


@contextmanager
def running(machine: Machine, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """The command as a service manager starts it, until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "interlock.cli", "--home", str(machine.home), "telemetry", "run", *words],
        cwd=machine.project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"interlock sends to ")
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=15)
