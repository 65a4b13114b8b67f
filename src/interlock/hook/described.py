"""What of a watched file counts when it is compared: each kind of file has parts that change every day."""

from __future__ import annotations

from ..hosts import claude_settings
from ..reading.watched import essential_lines
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["describe"]


def describe(path: str, raw: bytes) -> tuple[bytes, Mapping[str, str]]:
    """The part that counts, and our hooks in it: event -> digest of the entry."""
    if path.endswith("/.git/config"):
        return essential_lines(raw.decode("utf-8", "replace")).encode(), {}
    return claude_settings.describe(path, raw)
