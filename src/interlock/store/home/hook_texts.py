"""Texts for an agent that bring hooks along: skills, commands and agents of Claude Code whose first lines name some.

The client runs these hooks from when the text is first used, beside those of the settings.
"""

from __future__ import annotations

import re
from itertools import islice

from ...model.errors import StoreError
from ...value import TYPE_CHECKING
from .agent_texts import texts_in
from .files import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["texts_with_hooks"]

_MOST = 1000  # texts
_MAX_BYTES = 1 << 20
_HEAD = re.compile(rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(.*?)^---", re.S | re.M)
_HOOKS = re.compile(rb"""^\{?[ \t]*["']?hooks["']?[ \t]*:""", re.M)


def texts_with_hooks(roots: Iterable[str]) -> list[str]:
    """Those below `.claude` in these folders."""
    texts = (path for root in dict.fromkeys(roots) for path in texts_in(f"{root}/.claude"))
    return [path for path in islice(texts, _MOST) if _brings_hooks(path)]


def _brings_hooks(path: str) -> bool:
    try:
        head = _HEAD.match(read_file(path, limit=_MAX_BYTES) or b"")
    except StoreError:
        return False  # the client could not read it either
    return head is not None and _HOOKS.search(head[1]) is not None
