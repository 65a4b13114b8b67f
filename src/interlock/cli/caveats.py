"""What is said before somebody relies on it: hosts of which no client was seen, and Windows."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from ..hosts import host_named
from ..model.errors import InputError

__all__ = ["NOT_SEEN", "NO_WINDOWS", "about_system", "is_proven", "refuse_unproven", "this_system"]

NOT_SEEN = (
    "unproven: it was written after the client's documentation, and no client was seen. Whether it asks Interlock "
    "about every call, and blocks when a hook fails, is not known"
)
_REFUSED = "{title} is {why}. To set it up all the same: interlock install {host} --unproven"
NO_WINDOWS = "native Windows is not supported: nothing there would be checked. Use Linux or macOS"
_WSL = (
    "this is Linux on Windows (WSL), where no client was tried. Calls of PowerShell and cmd are not read, whatever "
    "host makes them: they ask. Clients that run on Windows itself are not guarded"
)


def about_system(system: str, release: str) -> str:
    """What does not hold on this system, by `sys.platform` and the release of its kernel; empty: nothing to say."""
    if system in ("win32", "cygwin", "msys"):
        return NO_WINDOWS
    return _WSL if system == "linux" and "microsoft" in release.lower() else ""


def this_system() -> str:
    return about_system(sys.platform, os.uname().release if hasattr(os, "uname") else "")


def is_proven(host: str) -> bool:
    return host_named(host).TRAITS.proven


def refuse_unproven(hosts: Iterable[str]) -> None:
    for host in hosts:
        if not is_proven(host):
            raise InputError(_REFUSED.format(title=host_named(host).TRAITS.title, why=NOT_SEEN, host=host))
