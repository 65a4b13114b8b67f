"""Whether a preview is offered on this machine at all: a quick look, without trying. `run.why_not_here` tries."""

from __future__ import annotations

import os
import sys

from .calls import architecture

__all__ = ["is_offered", "why_not_offered"]

# setting of the kernel -> the value that shuts user namespaces off
_SHUT = {
    "/proc/sys/user/max_user_namespaces": "0",
    "/proc/sys/kernel/unprivileged_userns_clone": "0",
}


def is_offered() -> bool:
    return why_not_offered() is None


def why_not_offered() -> str | None:
    if sys.platform != "linux":
        return "it needs Linux: user namespaces and overlayfs"
    try:
        architecture()
    except KeyError:
        return f"the system calls of {os.uname().machine} are not known"
    for path, shut in _SHUT.items():
        try:
            with open(path) as file:
                if file.read().strip() == shut and os.getuid() != 0:
                    return f"user namespaces are shut off ({path} is {shut})"
        except OSError:
            continue
    return None
