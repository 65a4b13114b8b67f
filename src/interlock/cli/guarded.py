"""The way from the command line to the guarded entry. Imports nothing heavy."""

from __future__ import annotations

import os
import sys

__all__ = ["enter_guard", "guard_path"]


def guard_path() -> str:
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hook", "guard.py")


def enter_guard(arguments: list[str]) -> None:
    """This process becomes the guarded entry, as the host would have started it."""
    os.execv(sys.executable, [sys.executable, "-I", "-S", guard_path(), *arguments])  # noqa: S606 - no shell on purpose
