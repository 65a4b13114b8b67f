"""A person's terminal for the demo and the tests: `python terminal.py KEYS COMMAND …`.

The command gets a real terminal, in a process that has left the tree of whoever started this, as a window that a
person opens has never been in it. KEYS are typed one after another, each when something new has been shown. What the
terminal shows goes to stdout; the exit code is the command's.
"""

from __future__ import annotations

import os
import pty
import select
import sys

MARKS = ("CLAUDE", "CODEX", "GEMINI", "QWEN")
QUIET = 1.0  # seconds without anything new: the command waits for a key


def main() -> int:
    keys, command = sys.argv[1], sys.argv[2:]
    ours, theirs = os.pipe()
    if os.fork() == 0:
        os.close(ours)
        os.setsid()
        if os.fork() == 0:
            os._exit(at_a_terminal(keys, command, theirs))
        os._exit(0)
    os.close(theirs)
    os.wait()
    shown = b""
    while piece := os.read(ours, 1 << 16):
        shown += piece
    text, _, code = shown.rpartition(b"\0")
    os.write(1, text)
    return int(code)


def at_a_terminal(keys: str, command: list[str], told: int) -> int:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(MARKS)}
    child, screen = pty.fork()
    if child == 0:
        os.execvpe(command[0], command, {**environment, "TERM": "xterm", "COLUMNS": "200", "LINES": "50"})
    left = list(keys)
    fresh = False
    while True:
        if not select.select([screen], [], [], QUIET)[0]:
            if fresh and left:
                os.write(screen, left.pop(0).encode())
                fresh = False
            continue
        try:
            piece = os.read(screen, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        fresh = True
        os.write(told, piece)
    _, status = os.waitpid(child, 0)
    os.write(told, b"\0%d" % os.waitstatus_to_exitcode(status))
    return 0


if __name__ == "__main__":
    sys.exit(main())
