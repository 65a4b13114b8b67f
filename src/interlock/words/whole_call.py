"""A call as a person reads it before answering: all of it, with nothing in it that hides.

Control characters, marks that change the direction of text, characters without width or ink, long runs of blanks and of
empty lines are written out. Each line of a text stands behind a bar, so that no text of a call looks like one of ours.
Lines are broken here, by the widest that any terminal draws a character, so that a terminal breaks or cuts none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..bytes.canon import canonical
from .visible import EMPTY, FIRST, fields_in_order, visible

__all__ = ["FIRST", "call_lines", "fitted", "shortened", "visible"]

_NARROW = 20


def shortened(text: str, columns: int) -> str:
    """The text on one line of so many columns; what is left out is counted."""
    shown = visible(text)
    if _columns(shown) <= columns:
        return shown
    mark = f"… +{len(text)} characters in all"
    return fitted(shown, max(1, columns - len(mark) - 1))[0] + mark


def call_lines(tool: str, given: Mapping[str, Any] | None, columns: int) -> list[str]:
    """The whole call, one field after another, the one that says most first."""
    if given is None:
        return fitted(f"{visible(tool)}: the call is too long to be shown whole, and was not kept", columns)
    lines = fitted(f"{visible(tool)}, the whole call:", columns)
    names = fields_in_order(given)
    for name in names:
        value = given[name]
        if isinstance(value, str):
            lines += fitted(f"{visible(name)}: {len(value)} character{'' if len(value) == 1 else 's'}", columns)
            lines += _text_lines(value, columns)
        else:
            written = json.dumps(json.loads(canonical(value)), ensure_ascii=False, indent=1)
            lines += fitted(f"{visible(name)}:", columns)
            lines += _text_lines(written, columns)
    return lines if names else [*lines, "(it has no input)"]


def _text_lines(text: str, columns: int) -> list[str]:
    found: list[str] = []
    empty = 0
    rows = text.split("\n")
    wide = len(str(len(rows)))
    for number, row in enumerate([*rows, None], start=1):
        if row is not None and not row.strip(" "):
            empty += 1
            continue
        if empty >= EMPTY:
            found.append(f"{'':{wide}} │ ⟨{empty} empty lines⟩")
        else:
            found += [f"{number - empty + at:>{wide}} │" for at in range(empty)]
        empty = 0
        if row is not None:
            pieces = fitted(visible(row), max(_NARROW, columns - wide - 4))
            found += [
                f"{number if at == 0 else '':>{wide}} {'│' if at == 0 else '┆'} {p}" for at, p in enumerate(pieces)
            ]
    return found


def fitted(text: str, columns: int) -> list[str]:
    """The text, broken so that no terminal has to: a character that is not ASCII may take two columns."""
    if _columns(text) <= columns:
        return [text]
    pieces, start, used = [], 0, 0
    for at, char in enumerate(text):
        takes = _columns(char)
        if used + takes > columns and at > start:
            pieces.append(text[start:at])
            start, used = at, 0
        used += takes
    return [*pieces, text[start:]]


def _columns(text: Iterable[str]) -> int:
    if isinstance(text, str) and text.isascii():
        return len(text)
    return sum(1 if char.isascii() else 2 for char in text)
