"""The commit that HEAD names, at the start of a session. Small, because every session's first call looks.

Files only. A repository of another format, or one whose HEAD names nothing, has no answer: nothing is trusted then.
"""

from __future__ import annotations

import os

from ...model.errors import StoreError
from ..home.files import read_file

__all__ = ["head_of"]

_LIMIT = 16 * 1024 * 1024
_HEX = frozenset("0123456789abcdef")


def head_of(folder: str) -> str:
    """Forty hexadecimal digits; empty where there are none."""
    try:
        return _head(folder)
    except (StoreError, OSError):
        return ""


def _head(folder: str) -> str:
    at = folder.rstrip("/")
    while not os.path.lexists(f"{at}/.git"):
        if not at:
            return ""
        at = at.rpartition("/")[0]
    own = f"{at}/.git"
    if not os.path.isdir(own):
        own = os.path.join(at, _text(own).removeprefix("gitdir:").strip())
    common = os.path.join(own, _text(f"{own}/commondir").strip()) if os.path.isfile(f"{own}/commondir") else own
    text = _text(f"{own}/HEAD").strip()
    if text.startswith("ref:"):
        name = text[4:].strip()
        text = _text(f"{common}/{name}").strip() if ".." not in name else ""
        if not text:
            lines = _text(f"{common}/packed-refs").split("\n")
            text = next((line[:40] for line in lines if line[40:] == f" {name}"), "")
    return text if len(text) == 40 and _HEX.issuperset(text) else ""


def _text(path: str) -> str:
    raw = read_file(path, limit=_LIMIT)
    return "" if raw is None else raw.decode("utf-8", "replace")
