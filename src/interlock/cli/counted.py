"""Numbers for people: `1 call`, `2 calls`, `once`, `3 times`."""

from __future__ import annotations

__all__ = ["counted", "times"]


def counted(count: int, noun: str) -> str:
    """The number with its noun, which is given for one of them."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
