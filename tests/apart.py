"""Runs a command as a person would: `python apart.py COMMAND …`, with a terminal as its input, below nobody's host.

The command is started by a process that has left the tree of whoever started this; its input is a terminal, its
output stays where it was. The exit code is the command's. What needs keys goes through `scripts/terminal.py`.
"""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Callable

__all__ = ["run_apart"]

MARKS = ("CLAUDE", "CODEX", "GEMINI", "QWEN")


def run_apart(start: Callable[[], object]) -> int:
    """`start` becomes the command and does not return. What is returned is the command's exit code."""
    ours, theirs = os.pipe()
    if os.fork() == 0:
        os.close(ours)
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        _, terminal = pty.openpty()
        child = os.fork()
        if child == 0:
            os.dup2(terminal, 0)
            for name in [name for name in os.environ if name.startswith(MARKS)]:
                del os.environ[name]
            start()
        status = os.waitpid(child, 0)[1]
        os.write(theirs, b"%d" % os.waitstatus_to_exitcode(status))
        os._exit(0)
    os.close(theirs)
    os.wait()
    return int(os.read(ours, 10))


if __name__ == "__main__":
    sys.exit(run_apart(lambda: os.execv(sys.argv[1], sys.argv[1:])))
