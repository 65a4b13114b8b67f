"""Glob patterns for action names and targets: `*` any run, `?` one character. No others.

By hand, because `fnmatch` imports `re`, and because a bracket in a branch name or a path
must stand for itself. Time is at most len(pattern) * len(text).
"""

from __future__ import annotations

__all__ = ["is_plain", "is_within", "matches", "may_meet", "text_of"]


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


def is_within(pattern: str, text: str) -> bool:
    """Whether all that the text may stand for is in the pattern: `?` is one character, and a `*` in a call is many.

    A pattern on several lines is those plain texts.
    """
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
