"""A person at a terminal of their own, outside the tree of processes that the test is in."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

__all__ = ["Answer", "at_a_terminal"]

TERMINAL = Path(__file__).parent.parent / "scripts/terminal.py"


class Answer:
    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.code = done.returncode
        self.out = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", done.stdout.decode()).replace("\r\n", "\n")


def at_a_terminal(
    home: Path, *arguments: str, keys: str = "", python: str = sys.executable, folder: Path | None = None
) -> Answer:
    """`interlock` with these arguments, in a real terminal."""
    command = [python, "-m", "interlock.cli", "--home", str(home), *arguments]
    done = subprocess.run(
        [sys.executable, str(TERMINAL), keys, *command], stdout=subprocess.PIPE, check=False, timeout=60, cwd=folder
    )
    return Answer(done)
