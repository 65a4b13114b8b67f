"""Whether somebody sits in front of Codex. It tells its hooks nowhere, so its process is looked at.

`codex exec` and `codex review` run by themselves. A server (`app-server`) is somebody's editor or desktop. Where
processes cannot be looked at, somebody is taken to be there: an ask is a deny on this host either way.
"""

from __future__ import annotations

import os

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["is_attended"]

_ALONE = (b"exec", b"e", b"review", b"mcp-server")
_ELSEWHERE = (b"app-server",)
_TERMINALS = ("/dev/pts/", "/dev/tty", "/dev/console")


def is_attended(pid: int, environment: Mapping[str, str]) -> bool:
    if pid <= 0:
        return True
    try:
        with open(f"/proc/{pid}/cmdline", "rb", buffering=0) as file:
            words = file.read(1 << 20).split(b"\0")[1:]
        streams = [os.readlink(f"/proc/{pid}/fd/{stream}") for stream in (0, 1)]
    except OSError:
        return True
    if any(word in _ELSEWHERE for word in words):
        return True
    if any(word in _ALONE for word in words) or environment.get("CI") == "true":
        return False
    return all(stream.startswith(_TERMINALS) for stream in streams)
