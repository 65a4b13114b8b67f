"""Whether somebody sits in front of Gemini CLI. It tells its hooks nowhere, so its process is looked at.

The client can ask nobody if a prompt is among its arguments, if it reads or writes no terminal, or in a build service.
An editor that drives it (`--acp`) puts questions before its own person. Where processes cannot be looked at, somebody
is taken to be there: a question that nobody sees does not let a call run.
"""

from __future__ import annotations

import os

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["is_attended"]

_ASKS_ELSEWHERE = (b"--acp", b"--experimental-acp", b"--experimentalAcp")
_STAYS = (b"-i", b"--prompt-interactive", b"--promptInteractive")
_PROMPT = (b"-p", b"--prompt")
_TERMINALS = ("/dev/pts/", "/dev/tty", "/dev/console")
_BUILDS = ("CI", "GITHUB_ACTIONS")


def is_attended(pid: int, environment: Mapping[str, str]) -> bool:
    if pid <= 0:
        return True
    try:
        with open(f"/proc/{pid}/cmdline", "rb", buffering=0) as file:
            words = [word.partition(b"=")[0] for word in file.read(1 << 20).split(b"\0")]
        streams = [os.readlink(f"/proc/{pid}/fd/{stream}") for stream in (0, 1)]
    except OSError:
        return True
    if any(word in _ASKS_ELSEWHERE for word in words):
        return True
    if not all(stream.startswith(_TERMINALS) for stream in streams):
        return False
    if any(word in _STAYS for word in words):
        return True
    return not any(word in _PROMPT for word in words) and all(environment.get(name) != "true" for name in _BUILDS)
