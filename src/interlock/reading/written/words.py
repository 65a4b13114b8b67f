"""Finds words in a text, quickly: of a long list of expressions, only those whose letters are there are tried.

An engine for expressions tries each of two hundred alternatives at each character, which takes a hundred times as
long as to ask whether some letters occur at all. So a list is split where it says `|`, and each part is compiled
when a text holds letters that it cannot do without.
"""

from __future__ import annotations

import re

__all__ = ["every", "first", "needs", "parts_of"]

_SPLIT: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {}
_COMPILED: dict[str, re.Pattern[str]] = {}
_OPTIONAL = ("?", "*", "{0")
_LOOKS = ("(?!", "(?<!", "(?=", "(?<=")


def first(words: str, text: str) -> re.Match[str] | None:
    """The earliest match of any part."""
    if not words:
        return None
    found: re.Match[str] | None = None
    for needed, part in parts_of(words):
        if needed and not any(letters in text for letters in needed):
            continue
        pattern = _COMPILED.get(part)
        if pattern is None:
            pattern = _COMPILED[part] = re.compile(part, re.MULTILINE)
        match = pattern.search(text)
        if match is not None and (found is None or match.start() < found.start()):
            found = match
    return found


def every(words: str, text: str) -> list[re.Match[str]]:
    """All matches of any part, in the order in which they stand in the text."""
    if first(words, text) is None:
        return []
    found = [match for _, part in parts_of(words) for match in re.finditer(part, text, re.MULTILINE)]
    return sorted(found, key=lambda match: match.start())


def parts_of(words: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """The parts of a list, each with letters of which one must be in the text; none: it has to be tried."""
    found = _SPLIT.get(words)
    if found is None:
        found = _SPLIT[words] = tuple([(needs(part), part) for part in _alternatives(words)])
    return found


def _alternatives(words: str) -> list[str]:
    """Split at each `|` that stands in no group and no class."""
    found, depth, start, at = [], 0, 0, 0
    while at < len(words):
        char = words[at]
        if char == "\\":
            at += 1
        elif char == "[":
            at = _past_class(words, at) - 1
        elif char == "|" and depth == 0:
            found.append(words[start:at])
            start = at + 1
        else:
            depth += (char == "(") - (char == ")")
        at += 1
    return [*found, words[start:]]


def _past_class(words: str, at: int) -> int:
    at += 2 if words[at + 1] != "^" else 3  # a `]` that comes first is one of the characters
    while words[at] != "]":
        at += 2 if words[at] == "\\" else 1
    return at + 1


def needs(part: str) -> tuple[str, ...]:
    """Letters of which at least one run is in every text that the part matches; none where that cannot be told."""
    best: tuple[str, ...] = ()
    run, at = "", 0
    while at <= len(part):
        char = part[at : at + 1]
        inner: tuple[str, ...] = ()
        size, letters = 1, ""
        if char == "\\":
            size, letters = 2, "" if part[at + 1].isalnum() else part[at + 1]
        elif char == "[":
            size = _past_class(part, at) - at
        elif char == "(":
            size = _past_group(part, at) - at
            inner = _of_group(part[at : at + size])
        elif char not in "^$.|?*+{}":
            letters = char
        after = part[at + size : at + size + 2]
        if after.startswith(_OPTIONAL):
            letters, inner = "", ()
            size += max(part.find("}", at + size) - at - size + 1, 1) if after[0] == "{" else 1
        best = max(best, inner, key=_worth)
        if letters:
            run += letters
        else:
            best = max(best, (run,) if run else (), key=_worth)
            run = ""
        if char == "{":
            size = part.find("}", at) - at + 1
        at += size
    return best if _worth(best) > 1 else ()


def _worth(letters: tuple[str, ...]) -> int:
    return min(map(len, letters), default=0)


def _past_group(part: str, at: int) -> int:
    depth = 0
    while True:
        char = part[at]
        if char == "\\":
            at += 1
        elif char == "[":
            at = _past_class(part, at) - 1
        else:
            depth += (char == "(") - (char == ")")
            if depth == 0:
                return at + 1
        at += 1


def _of_group(group: str) -> tuple[str, ...]:
    """What a group needs: of each of its alternatives, something."""
    if group.startswith(_LOOKS):
        return ()
    inside = group[1:-1].removeprefix("?:")
    found = [needs(part) for part in _alternatives(inside)]
    return tuple([letters for part in found for letters in part]) if all(found) else ()
