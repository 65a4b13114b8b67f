"""Text from outside as a person may read it: with everything that hides or misleads written out.

Control characters, marks that change the direction of text, characters without width or ink, and long runs of blanks
are shown, not obeyed. The terminal and the page show a call with the same eyes.
"""

from __future__ import annotations

import unicodedata

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["EMPTY", "FIRST", "fields_in_order", "visible"]

_BLANKS = 12  # so many blanks in a row, and more, are counted
EMPTY = 4  # and so many empty lines
# Printable by Unicode's book, and drawn as nothing: fillers, the blank of Braille, joiners and variation selectors.
_INKLESS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
FIRST = ("command", "file_path", "notebook_path", "path", "url")  # the fields of a call that say most


def fields_in_order(given: Iterable[str]) -> list[str]:
    """The names of a call's fields, the one that says most first."""
    names = list(given)
    return [name for name in FIRST if name in names] + sorted(name for name in names if name not in FIRST)


def visible(text: str) -> str:
    """The text on one line, with everything that hides or misleads written out."""
    if text.isascii() and text.isprintable() and " " * _BLANKS not in text:
        return text
    found: list[str] = []
    blanks, before = 0, " "
    for char in f"{text}\0":
        if char == " ":
            blanks += 1
            continue
        if blanks:
            found.append(" " * blanks if blanks < _BLANKS else f"⟨{blanks} blanks⟩")
            before = " "
        blanks = 0
        found.append(
            char if _is_plain(char, before) else repr(char)[1:-1] if not char.isprintable() else _escaped(char)
        )
        before = char
    return "".join(found[:-1])  # without the end mark


def _is_plain(char: str, before: str) -> bool:
    if char.isascii():
        return char.isprintable()
    if not char.isprintable() or char in _INKLESS or "\ufe00" <= char <= "\ufe0f" or char >= "\U000e0100":
        return False
    # One accent over a letter is writing; a second one, or one over nothing, is drawn over what stands around it.
    return unicodedata.combining(char) == 0 or (before.isalpha() and unicodedata.combining(before) == 0)


def _escaped(char: str) -> str:
    return char.encode("ascii", "backslashreplace").decode()
