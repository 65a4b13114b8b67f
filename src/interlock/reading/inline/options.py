"""Whatever is given to a function behind the place that it touches: `readFileSync('a', {flag: 'w'})` empties a file."""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from .tokens import Token

__all__ = ["are_harmless"]

_LITERALS = frozenset(("text", "number"))
_CONSTANTS = frozenset("true false null nil undefined TRUE FALSE NULL FILE_APPEND LOCK_EX | ".split())
_LINES = frozenset(("FILE_IGNORE_NEW_LINES", "FILE_SKIP_EMPTY_LINES"))
_NAMES = frozenset(
    "encoding withFileTypes recursive throwIfNoEntry bigint headers col_sep symbolize_names aliases chomp".split()
)
_WRITES = frozenset(("flag", "mode"))


def are_harmless(role: str, parts: list[list[Token]]) -> bool:
    """`parts` are the arguments behind the first. What is written may be anything: it is not looked into here."""
    if role == "write":
        return all(_is_harmless(part, writes=True) for part in parts[1:])
    return all(_is_harmless(part, writes=False) for part in parts)


def _is_harmless(part: list[Token], *, writes: bool) -> bool:
    if not part:
        return True
    if all(token.kind != "text" and token.text in _CONSTANTS | _LINES for token in part):
        return True
    if len(part) == 1:
        # The flags of PHP as a number may lead to another folder.
        return part[0].kind in _LITERALS and not (writes and part[0].kind == "number")
    inside = part[1:-1] if part[0].text == "{" else part
    entries: list[list[Token]] = [[]]
    for token in inside:
        if token.kind == "sign" and token.text == ",":
            entries.append([])
        else:
            entries[-1].append(token)
    return all(not entry or _is_named(entry, writes=writes) for entry in entries)


def _is_named(entry: list[Token], *, writes: bool) -> bool:
    if len(entry) != 3 or entry[0].kind != "name" or entry[1].text != ":":
        return False
    value = entry[2]
    if entry[0].text in _WRITES:
        return writes and value.kind == "text"
    return entry[0].text in _NAMES and (value.kind in _LITERALS or value.text in _CONSTANTS)
