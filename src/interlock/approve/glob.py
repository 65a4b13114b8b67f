"""Glob patterns for action names and targets: `*` any run, `?` one character. No others.

By hand, because `fnmatch` imports `re`, and because a bracket in a branch name or a path
must stand for itself. Time is at most len(pattern) * len(text).

A field of a target may hold what is not a text but says how sure its texts are (reading/resolve/value.py): `OPEN`,
alone or with the reason behind a blank, is a value that is not known; `ONE_OF` says that one of the others is meant.
"""

from __future__ import annotations

__all__ = ["ONE_OF", "OPEN", "is_open", "is_plain", "is_within", "matches", "may_meet", "text_of", "texts_of"]

OPEN = "…"
ONE_OF = "… one of"


def matches(pattern: str, text: str) -> bool:
    """True if the whole text matches the pattern."""
    if is_plain(pattern):
        return pattern == text
    if pattern.find("*") == len(pattern) - 1 and "?" not in pattern:  # as most are written
        return text.startswith(pattern[:-1])
    p = t = 0
    star = mark = -1
    while t < len(text):
        if p < len(pattern) and pattern[p] == "*":
            star, mark = p, t
            p += 1
        elif p < len(pattern) and (pattern[p] == "?" or pattern[p] == text[t]):
            p += 1
            t += 1
        elif star >= 0:  # let the last star take one character more
            mark += 1
            p, t = star + 1, mark
        else:
            return False
    return pattern[p:].strip("*") == ""


def is_open(text: object) -> bool:
    """Whether this part of a field says that it is not known: no name, path or branch is written like that."""
    return type(text) is str and text[:1] == OPEN and text[1:2] in ("", " ") and text != ONE_OF


def texts_of(value: object) -> tuple[object, ...]:
    """The parts of a field that patterns are held against: all but the one that says that they are alternatives."""
    return tuple([part for part in value if part != ONE_OF]) if type(value) is tuple else (value,)


def is_within(pattern: str, text: str) -> bool:
    """Whether all that the text may stand for is in the pattern: `?` is one character, and a `*` in a call is many.

    A pattern on several lines is those plain texts. What is not known is only in the pattern for anything.
    """
    if is_open(text):
        return pattern == "*"  # only anything covers what is not known
    if "\n" in pattern:
        return text in pattern.split("\n")
    return matches(pattern, text) and not ("?" in pattern and "*" in text)


def may_meet(one: str, other: str) -> bool:
    """True if some text matches both patterns."""
    ends = {0}  # of `other`: how far it can have come when `one` has come as far as the loop
    for char in one:
        ends = _over_stars(ends, other)
        if char == "*":
            ends = set(range(min(ends), len(other) + 1)) if ends else ends
            continue
        ends = {
            at if other[at] == "*" else at + 1
            for at in ends
            if at < len(other) and (other[at] in ("*", "?", char) or char == "?")
        }
    return len(other) in _over_stars(ends, other)


def _over_stars(ends: set[int], pattern: str) -> set[int]:
    found = set(ends)
    for at in sorted(ends):
        while at < len(pattern) and pattern[at] == "*":
            at += 1
            found.add(at)
    return found


def is_plain(text: str) -> bool:
    """True if the text, used as a pattern, matches itself alone."""
    return "*" not in text and "?" not in text


def text_of(value: object) -> str:
    """A field of a target as the text that a pattern is held against."""
    return str(value).lower() if type(value) is bool else str(value)
