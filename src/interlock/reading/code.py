"""Code that is given inline, in other languages than shell.

Python is read through `ast`, which is imported only when it is met: what it deletes, writes, runs and
sends. Names that are looked up by text (`getattr`, `eval`, `__import__` of something unknown) are opaque. Of the
other interpreters only trivially safe forms are told apart; the rest is opaque. awk, sed and jq: see filters/.
"""

from __future__ import annotations

__all__ = ["is_harmless", "read_python"]

from .python import read_python


def is_harmless(language: str, text: str) -> bool:
    """The few one-liners of other languages that only print a literal or a version."""
    words = text.strip().rstrip(";").strip()
    if language == "node":
        for start in ("console.log(", "process.version", "process.stdout.write("):
            if words.startswith(start):
                inside = words[len(start) :].rstrip(")").strip()
                return inside == "" or _plain_literal(inside) or inside in ("process.version", "process.versions")
    if language in ("ruby", "perl", "php", "lua") and words.startswith(("puts ", "print ", "echo ")):
        return _plain_literal(words.partition(" ")[2].strip())
    return False


def _plain_literal(text: str) -> bool:
    if text[:1] in "\"'" and text[-1:] == text[:1] and len(text) > 1:
        inside = text[1:-1]
        return text[0] not in inside and not any(char in inside for char in "\\`$#@{")
    return text.replace(".", "").isdigit()
