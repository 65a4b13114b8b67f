"""Regular expressions, read as globs: what a search for names or texts lets through, as far as that can be told.

The patterns are the agent's, so no engine runs them: one that backtracks could take for ever. The usual forms, such as
`.*\\.\\(c\\|h\\)` or `^src/.*test`, are a handful of globs. What is more than that is not told, and then everything
may match. `*` and `?` stand for any characters, slashes too.
"""

from __future__ import annotations

from ...approve.glob import matches
from ...value import TYPE_CHECKING, Value, lazy

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..places.place_table import loosened
else:
    loosened = lazy(globals(), "..places.place_table", "loosened")

__all__ = ["MAYBE", "NO", "YES", "Globs", "glob_fits", "globs_of", "literal_globs"]

NO, MAYBE, YES = 0, 1, 2  # ordered: of tests that must all hold, the least counts

_MOST = 64  # globs that one expression may become
_START, _END = "\x02", "\x03"  # `^` and `$`
_ANY = frozenset("wWdDsSnt")  # `\\w` and its like: one character of a kind
_NOTHING = frozenset("bB<>`'")  # `\\b` and its like: a place between two characters


class Globs(Value):
    """
    globs  the expression matches what one of these does; they may match more
    exact  they match nothing more
    """

    globs: tuple[str, ...]
    exact: bool

    def whole(self, text: str) -> int:
        """Whether the expression matches all of the text."""
        return self._held([glob.strip(_START + _END) for glob in self.globs], text)

    def inside(self, text: str) -> int:
        """Whether it matches a part of the text."""
        return self._held(self.open_ended(), text)

    def open_ended(self) -> list[str]:
        """Globs for a text that holds the expression: `*` before and behind, where nothing says otherwise."""
        return [
            ("" if glob[:1] == _START else "*") + glob.strip(_START + _END) + ("" if glob[-1:] == _END else "*")
            for glob in self.globs
        ]

    def _held(self, globs: list[str], text: str) -> int:
        if not any(matches(glob, text) for glob in globs):
            return NO
        return YES if self.exact else MAYBE

    def folded(self, fold: Callable[[str], str]) -> Globs:
        return self.replace(globs=tuple([fold(glob) for glob in self.globs]))


def glob_fits(pattern: str, text: str) -> int:
    """Whether a pattern of a shell matches all of the text; `[a-z]` counts as any character, and then it may."""
    if "\\" in pattern:
        pattern = pattern.replace("\\", "")
    loose = loosened(pattern)
    if not matches(loose, text):
        return NO
    return YES if loose == pattern else MAYBE


def literal_globs(text: str) -> Globs:
    """The text itself, as `grep -F` takes it."""
    plain = text.replace("*", "?")
    return Globs(globs=(plain,), exact="?" not in plain)


def globs_of(pattern: str, *, extended: bool) -> Globs | None:
    """The globs of an expression; None if it is more than globs can say. `extended`: `(a|b)+` and not `\\(a\\|b\\)`."""
    reader = _Reader(pattern, extended)
    try:
        found = reader.alternatives(0)
    except _TooMuch:
        return None
    if reader.at < len(pattern):
        return None
    return Globs(globs=tuple(dict.fromkeys(found)), exact=reader.exact)


class _TooMuch(Exception):
    pass


class _Reader:
    __slots__ = ("at", "exact", "extended", "text")

    def __init__(self, text: str, extended: bool) -> None:
        self.text = text
        self.extended = extended
        self.at = 0
        self.exact = True

    def _sign(self) -> str:
        """The next sign that means something, as extended expressions spell it; `\\x` for a plain or escaped x."""
        char = self.text[self.at]
        if char == "\\":
            after = self.text[self.at + 1 : self.at + 2]
            if not after:
                raise _TooMuch
            self.at += 2
            if not self.extended and after in "(){}|+?":
                return after
            return "\\w" if after in _ANY else "\\b" if after in _NOTHING else "=" + after
        self.at += 1
        if char in ".[*^$" or (self.extended and char in "(){}|+?"):
            return char
        return "=" + char

    def _peek(self) -> str:
        at = self.at
        if at >= len(self.text):
            return ""
        sign = self._sign()
        self.at = at
        return sign

    def alternatives(self, depth: int) -> list[str]:
        if depth > 8:
            raise _TooMuch
        found = self._sequence(depth)
        while self._peek() == "|":
            self._sign()
            found += self._sequence(depth)
        return found

    def _sequence(self, depth: int) -> list[str]:
        found = [""]
        while self._peek() not in ("", "|", ")"):
            pieces = self._quantified(self._atom(depth))
            found = [before + piece for before in found for piece in pieces]
            if len(found) > _MOST:
                raise _TooMuch
        return found

    def _atom(self, depth: int) -> list[str]:
        sign = self._sign()
        if sign == ".":
            return ["?"]
        if sign in ("^", "$"):
            return [_START if sign == "^" else _END]
        if sign == "(":
            if self.text[self.at : self.at + 2] == "?:":
                self.at += 2
            found = self.alternatives(depth + 1)
            if self._peek() != ")":
                raise _TooMuch
            self._sign()
            return found
        if sign == "[":
            self._class()
        if sign in ("[", "\\w"):
            self.exact = False
            return ["?"]
        if sign == "\\b":
            self.exact = False
            return [""]
        if sign[0] == "=":
            if sign[1] in "*?" or (sign[1].isdigit() and self.text[self.at - 2 : self.at - 1] == "\\"):
                self.exact = False
                return ["?" if sign[1] in "*?" else "*"]
            return [sign[1]]
        raise _TooMuch  # a quantifier with nothing before it

    def _class(self) -> None:
        """Past a list of characters: `[^]a-z]`, `[[:alpha:]]`."""
        text, at = self.text, self.at
        at += text[at : at + 1] == "^"
        at += text[at : at + 1] == "]"
        while at < len(text) and text[at] != "]":
            if text[at : at + 2] == "[:":
                at = text.find(":]", at)
                if at < 0:
                    raise _TooMuch
                at += 1
            at += 1
        if at >= len(text):
            raise _TooMuch
        self.at = at + 1

    def _quantified(self, pieces: list[str]) -> list[str]:
        sign = self._peek()
        if sign not in ("*", "+", "?", "{"):
            return pieces
        if any(mark in piece for piece in pieces for mark in (_START, _END)):
            raise _TooMuch
        self._sign()
        if sign == "{":
            end = self.text.find("}", self.at)
            if end < 0:
                raise _TooMuch
            self.at = end + 1
        any_run = pieces == ["?"] and self.exact
        if self._peek() in ("?", "+") and self.extended:  # `.*?`
            self._sign()
        if sign == "?":
            return [*pieces, ""]
        if sign == "+" and any_run:
            return ["?*"]
        if not (sign == "*" and any_run):
            self.exact = False
        return ["*"]
