"""A client in a process of its own, which starts the hook for each of its events, as a real one does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hook_process import Machine, Ran

# It passes on to a client below it what that one is to do, and starts it when it is first needed.
_CLIENT = """
import json, subprocess, sys
below = None
for line in sys.stdin:
    told = json.loads(line)
    if told.pop("below", False):
        if below is None:
            words = [sys.executable, "-c", sys.argv[1], sys.argv[1]]
            below = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        below.stdin.write(json.dumps(told) + "\\n")
        below.stdin.flush()
        print(below.stdout.readline(), end="", flush=True)
        continue
    done = subprocess.run(
        told["words"], cwd=told["cwd"], env=told["env"], input=told["event"].encode(), capture_output=True
    )
    print(json.dumps([done.returncode, done.stdout.decode(), done.stderr.decode()]), flush=True)
if below is not None:
    below.stdin.close()
    below.wait()
"""


class Client:
    def __init__(self, machine: Machine, process: subprocess.Popen[str]) -> None:
        self.machine, self.process = machine, process

    def call(self, tool: str, session: str, *, below: bool = False, **arguments: str) -> Ran:
        """A call of this session. `below`: of a client that this one's agent has started."""
        machine = self.machine
        event = machine.event(tool, {**machine.sample(tool), **arguments}, session_id=session)
        told = {"words": machine.command(), "cwd": str(machine.project), "env": machine.environment(None)}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({**told, "below": below, "event": json.dumps(event)}) + "\n")
        self.process.stdin.flush()
        code, out, error = json.loads(self.process.stdout.readline())
        return Ran(code, out.encode(), error.encode())

    def bash(self, command: str, session: str, *, below: bool = False) -> Ran:
        return self.call("Bash", session, below=below, command=command)


@contextmanager
def client(machine: Machine) -> Iterator[Client]:
    words = [sys.executable, "-c", _CLIENT, _CLIENT]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Client(machine, process)
        assert process.stdin is not None
        process.stdin.close()
