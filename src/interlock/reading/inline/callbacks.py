"""What is called with what a function finds (`map`, `array_map`, `sapply`): never just any value."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .tokens import PAIRS, Other, Token

if TYPE_CHECKING:
    from .tables import Language

__all__ = ["is_function"]

_LITERAL = frozenset(("text", "number"))


def is_function(part: list[Token], table: Language, language: str) -> bool:
    """An inline function, whose body is held to the same as everything; or one of the table, by its name."""
    first = part[0]
    if len(part) == 1:
        plain = first.kind == "name" and first.text in table.calls and first.text not in table.touches
        nothing = (first.kind in _LITERAL and language == "node") or first.text in ("null", "undefined")
        return (plain and language in ("node", "Rscript") and first.text != "library") or nothing
    if first.kind == "name" and first.text in table.members and language == "node":
        return len(part) == 3 and f"{first.text}.{part[2].text}" not in table.touches
    if language == "node" and (_is(part[1], "=>") or _is(first, "[")):
        return _is(part[1], "=>") or all(token.kind in _LITERAL or token.kind == "sign" for token in part)
    if _is(first, "("):
        return _is(next(iter(_after_group(part, 0)), None), "=>")
    if first.text not in table.functions:
        return False
    if first.text in ("async", "fn"):
        return any(_is(token, "=>") for token in part[:3]) or _is(part[1], "(")
    if language == "Rscript":
        return True  # its body goes on to the end of the argument
    body = next((i for i, token in enumerate(part) if _is(token, "{")), None)
    return body is not None and not _after_group(part, body)


def _after_group(part: list[Token], at: int) -> list[Token]:
    depth = 0
    for place in range(at, len(part)):
        depth += _is(part[place], *PAIRS) - _is(part[place], *PAIRS.values())
        if depth == 0:
            return part[place + 1 :]
    raise Other


def _is(token: Token | None, *signs: str) -> bool:
    return token is not None and token.kind == "sign" and token.text in signs
