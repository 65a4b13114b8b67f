"""Whether a text stands in a real comment of a script, by the grammar and not by where a `#` is seen.

What is in a comment does not change the tree. So the text is read a second time with other characters in its
place: if the two trees are the same, down to the last span, nothing that runs has looked at it. Inside quotes, words
or here-documents the trees differ. Where a part of the script is outside the grammar nothing is a comment.
"""

from __future__ import annotations

from .parser import parse
from .syntax import Node

__all__ = ["has_comment"]

_MAX_TRIES = 8  # places where the text is found; each costs one reading


def has_comment(text: str, mark: str) -> bool:
    """True if `mark`, which begins with `#`, stands in a comment of the script `text`."""
    at = text.find(mark)
    if at < 0:
        return False
    script = parse(text)
    if script.opaque:
        return False
    whole = _tree(script)
    other = "#" + "".join("y" if char == "x" else "x" for char in mark[1:])
    for _ in range(_MAX_TRIES):
        end = at + len(mark)
        if not text[end : end + 1].isalnum() and _tree(parse(text[:at] + other + text[end:])) == whole:
            return True
        at = text.find(mark, end)
        if at < 0:
            break
    return False


def _tree(value: object) -> object:
    """The tree as plain values, spans included."""
    if isinstance(value, Node):
        return (type(value).__name__, value.span, *(_tree(getattr(value, field)) for field in value.fields))
    if isinstance(value, list | tuple):
        return tuple([_tree(item) for item in value])
    return value
