"""Whether somebody sits in front of a client that does not tell its hooks: its process is looked at.

Gemini CLI, and Qwen Code, which began as a copy of it, can ask nobody if a prompt is among their arguments, or if they
read or write no terminal. Where processes cannot be looked at, somebody is taken to be there: neither client runs a
call whose question nobody sees.
"""

from __future__ import annotations

import os

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["is_attended"]

_STAYS = (b"-i", b"--prompt-interactive", b"--promptInteractive")
_PROMPT = (b"-p", b"--prompt")
_TERMINALS = ("/dev/pts/", "/dev/tty", "/dev/console")


def is_attended(
    pid: int,
    environment: Mapping[str, str],
    *,
    asks_elsewhere: tuple[bytes, ...] = (),
    answered_elsewhere: tuple[bytes, ...] = (),
    builds: tuple[str, ...] = (),
) -> bool:
    """
    asks_elsewhere      arguments with which an editor asks its own person
    answered_elsewhere  arguments with which a program may answer in place of the person
    builds              variables that mean a build service
    """
    if pid <= 0:
        return True
    try:
        with open(f"/proc/{pid}/cmdline", "rb", buffering=0) as file:
            words = [word.partition(b"=")[0] for word in file.read(1 << 20).split(b"\0")]
        streams = [os.readlink(f"/proc/{pid}/fd/{stream}") for stream in (0, 1)]
    except OSError:
        return True
    if any(word in asks_elsewhere for word in words):
        return True
    if any(word in answered_elsewhere for word in words):
        return False
    if not all(stream.startswith(_TERMINALS) for stream in streams):
        return False
    if any(word in _STAYS for word in words):
        return True
    return not any(word in _PROMPT for word in words) and all(environment.get(name) != "true" for name in builds)
