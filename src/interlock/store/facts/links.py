"""Where a path leads once links are followed.

Stricter than `os.path.realpath`, which answers anyway: a ring of links, a folder that may not
be searched, and a link of /proc (it leads elsewhere in the host's process than in ours) have
no answer here. Names are UTF-8 bytes, as the host writes them, whatever the locale of this
process says.
"""

from __future__ import annotations

import os

__all__ = ["follow", "is_our_own"]

_MAX_LINKS = 40  # as Linux counts
_EINVAL = 22  # on every Unix; the `errno` module would be one more import for the hook


def follow(path: str) -> tuple[str, bool]:
    """Where an absolute path leads, and whether anything is there. OSError or ValueError if it cannot be told."""
    rest = path.encode().split(b"/")[::-1]
    at = b""
    there = True
    links = 0
    while rest:
        name = rest.pop()
        if not name or name == b".":
            continue
        if name == b"..":
            at, there = at.rpartition(b"/")[0], True
            continue
        step = at + b"/" + name
        try:
            link = os.readlink(step)
        except (FileNotFoundError, NotADirectoryError):
            at, there = step, False
        except OSError as error:
            if error.errno != _EINVAL:
                raise
            at, there = step, True  # not a link
        else:
            links += 1
            if links > _MAX_LINKS or step.startswith(b"/proc/"):
                raise OSError("these links do not end, or end in this process only")
            rest.extend(link.split(b"/")[::-1])
            if link.startswith(b"/"):
                at = b""
    return at.decode() or "/", there


_OUR_OWN = ("/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/")
_STREAMS = ("0", "1", "2")


def is_our_own(path: str) -> bool:
    """INVARIANT: a file that is open in the process which decides says nothing of the call. A name such as /dev/fd/7
    means another one in the agent's process; looked up here it would be our ledger, or a connection of a service.
    """
    return path.startswith(_OUR_OWN) and path.rpartition("/")[2] not in _STREAMS
