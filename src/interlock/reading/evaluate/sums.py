"""`$((n + 10))` worked out, where all that is in it is written there or known.

Whole numbers, names of variables that hold one, `+ - * / %` and parentheses: nothing else. A variable that holds any
other text is an expression of its own, and a subscript in it runs commands; nothing of that is worked out here.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .parameters import CHANGES_BY_ITSELF

if TYPE_CHECKING:
    from collections.abc import Callable

    from .state import Shell

__all__ = ["worked_out"]

_LARGEST = 1 << 53  # far from where the shell's own numbers turn around
_LONGEST = 200
_SIGNS = frozenset("+-*/%()")


class _NotPlain(Exception):
    """Something that is not worked out."""


def worked_out(text: str, shell: Shell) -> str | None:
    """The number that the expression stands for, as the shell writes it."""
    if len(text) > _LONGEST:
        return None
    try:
        tokens = _tokens(text)
        value = _Sum(tokens, lambda name: _held(name, shell)).whole()
    except _NotPlain:
        return None
    return str(value)


def _tokens(text: str) -> list[str]:
    """Numbers, names and signs. Two signs side by side may be one of another meaning: `++`, `**`."""
    found: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char in " \t":
            at += 1
        elif char in _SIGNS:
            if char in "+-*/%" and text[at + 1 : at + 2] == char:
                raise _NotPlain
            found.append(char)
            at += 1
        elif char.isascii() and (char.isalnum() or char == "_"):
            end = at
            while end < len(text) and text[end].isascii() and (text[end].isalnum() or text[end] == "_"):
                end += 1
            found.append(text[at:end])
            at = end
        else:
            raise _NotPlain
    return found


def _number(text: str) -> int:
    """A decimal number; one that begins with a zero is octal."""
    if not text.isascii() or not text.isdigit() or (text[0] == "0" and len(text) > 1) or len(text) > 15:
        raise _NotPlain
    return int(text)


def _held(name: str, shell: Shell) -> int:
    values = shell.variables.get(name, ())
    if name in CHANGES_BY_ITSELF or name in shell.odd or len(values) != 1 or not values[0].known:
        raise _NotPlain
    text = values[0].text
    return -_number(text[1:]) if text[:1] == "-" else _number(text)


class _Sum:
    def __init__(self, tokens: list[str], held: Callable[[str], int]) -> None:
        self.tokens, self.held, self.at = tokens, held, 0

    def whole(self) -> int:
        value = self._added()
        if self.at != len(self.tokens):
            raise _NotPlain
        return value

    def _taken(self, *signs: str) -> str:
        sign = self.tokens[self.at] if self.at < len(self.tokens) else ""
        if sign not in signs:
            return ""
        self.at += 1
        return sign

    def _added(self) -> int:
        value = self._multiplied()
        while sign := self._taken("+", "-"):
            other = self._multiplied()
            value = _small(value + other if sign == "+" else value - other)
        return value

    def _multiplied(self) -> int:
        value = self._one()
        while sign := self._taken("*", "/", "%"):
            other = self._one()
            if sign == "*":
                value = _small(value * other)
                continue
            if other == 0:
                raise _NotPlain  # an error, which ends the script
            quotient = abs(value) // abs(other) * (1 if (value < 0) == (other < 0) else -1)
            value = quotient if sign == "/" else value - quotient * other
        return value

    def _one(self) -> int:
        if sign := self._taken("+", "-"):
            return -self._one() if sign == "-" else self._one()
        if self._taken("("):
            value = self._added()
            if not self._taken(")"):
                raise _NotPlain
            return value
        token = self.tokens[self.at] if self.at < len(self.tokens) else ""
        self.at += 1
        if not token or token in _SIGNS:
            raise _NotPlain
        return _number(token) if token[0].isdigit() else self.held(token)


def _small(value: int) -> int:
    if abs(value) > _LARGEST:
        raise _NotPlain
    return value
