"""Texts for an agent that bring hooks along: skills, commands and agents of Claude Code whose first lines name some.

The client runs these hooks from when the text is first used, beside those of the settings.
"""

from __future__ import annotations

import os
import re

from ...model.errors import StoreError
from ...value import TYPE_CHECKING
from .files import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["texts_with_hooks"]

_MOST = 1000  # texts
_MAX_BYTES = 1 << 20
_HEAD = re.compile(rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(.*?)^---", re.S | re.M)
_HOOKS = re.compile(rb"""^\{?[ \t]*["']?hooks["']?[ \t]*:""", re.M)


def texts_with_hooks(roots: Iterable[str]) -> list[str]:
    """Those below `.claude` in these folders."""
    return [path for path in _texts(roots) if _brings_hooks(path)]


def _texts(roots: Iterable[str]) -> Iterator[str]:
    left = _MOST
    for root in dict.fromkeys(roots):
        for kind in ("skills", "commands", "agents"):
            for folder, folders, names in os.walk(f"{root}/.claude/{kind}", followlinks=True):
                folders.sort()
                for name in sorted(names):
                    if name.endswith(".md"):
                        left -= 1
                        yield f"{folder}/{name}"
                if left < 0 or folder.count("/") > root.count("/") + 6:
                    folders.clear()


def _brings_hooks(path: str) -> bool:
    try:
        head = _HEAD.match(read_file(path, limit=_MAX_BYTES) or b"")
    except StoreError:
        return False  # the client could not read it either
    return head is not None and _HOOKS.search(head[1]) is not None
