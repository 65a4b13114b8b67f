"""The way from the command line to the guarded entry. Imports nothing heavy."""

from __future__ import annotations

import os
import sys

from .. import PACKAGE

__all__ = ["enter_guard", "guard_path"]


def guard_path() -> str:
    return os.path.join(PACKAGE, "hook", "guard.py")


def enter_guard(arguments: list[str]) -> None:
    """This process becomes the guarded entry, as the host would have started it."""
    os.execv(sys.executable, [sys.executable, "-I", "-S", guard_path(), *arguments])  # noqa: S606 - no shell on purpose
