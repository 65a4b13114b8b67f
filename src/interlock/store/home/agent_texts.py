"""Texts for an agent in a settings folder of Claude Code: its skills, commands and agents, wherever they lie below it.

What their first lines say counts beside the settings: the client runs hooks that they name.
"""

from __future__ import annotations

import os

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["texts_below", "texts_in"]

_KINDS = ("skills", "commands", "agents")
_DEEPEST = 5  # folders below that of a kind


def texts_in(folder: str) -> Iterator[str]:
    """Those of one `.claude` folder."""
    for kind in _KINDS:
        yield from texts_below(f"{folder}/{kind}", _DEEPEST)


def texts_below(folder: str, deep: int) -> Iterator[str]:
    """Texts in this folder, and in so many levels of folders below it. Links to folders are followed, as clients do."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir():
            if deep:
                yield from texts_below(entry.path, deep - 1)
        elif entry.name.endswith(".md"):
            yield entry.path
