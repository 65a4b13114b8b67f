"""Regular expressions without the danger: a small subset, run over all its states at once.

A pattern from a file of somebody else's must not be able to hang the hook, so nothing here backtracks:
the cost is the length of the text times the size of the pattern, both bounded. What is beyond the subset
(look-around, back-references, `\\b`, classes of Unicode) and any text on which dialects differ (not
ASCII, line breaks) is left open: the answer is None.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .work import Work

    State = tuple[str, object, list[int]]

__all__ = ["search"]

_MAX_PATTERN = 500
_MAX_TEXT = 4096
_MAX_STATES = 2000
_MAX_WORK = 300_000  # states times characters
_MAX_REPEAT = 200

_DIGIT = frozenset("0123456789")
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_SPACE = frozenset(" \t\n\r\f\v")
_ALL = frozenset(map(chr, range(128)))
_CLASSES = {"d": _DIGIT, "D": _ALL - _DIGIT, "w": _WORD, "W": _ALL - _WORD, "s": _SPACE, "S": _ALL - _SPACE}
_CONTROLS = {"t": "\t", "f": "\f", "v": "\v"}
_QUOTABLE = frozenset("\\.^$*+?()[]{}|/-\"'`#&~=:,;<>@!% _")


class _Beyond(Exception):
    """The pattern is not in the subset."""


def search(pattern: str, text: str, work: Work) -> bool | None:
    """Whether the pattern occurs in the text; None where that is not for us to say."""
    if len(pattern) > _MAX_PATTERN or len(text) > _MAX_TEXT or not text.isascii() or not pattern.isascii():
        return None
    if "\n" in text or "\r" in text:
        return None
    try:
        machine = _Machine(pattern, work)
        steps = len(machine.states) * (len(text) + 1)
        if steps > _MAX_WORK:
            return None
        work.take(steps >> 1)
        return machine.occurs_in(text)
    except _Beyond:
        return None


class _Machine:
    """States by number, each `(kind, characters, following)`; kinds are char, split, start, end and done."""

    def __init__(self, pattern: str, work: Work) -> None:
        self.pattern = pattern
        self.work = work
        work.take(len(pattern))
        self.at = 0
        self.states: list[State] = []
        done = self.state("done", None, [])
        first = self._alternatives(0)
        if self.at < len(pattern):
            raise _Beyond
        self.first = first(done)

    def state(self, kind: str, what: object, following: list[int]) -> int:
        if len(self.states) >= _MAX_STATES:
            raise _Beyond
        self.states.append((kind, what, following))
        return len(self.states) - 1

    # A part of a pattern is a function: the number of the state that follows it -> that of its first state.

    def _alternatives(self, depth: int) -> Callable[[int], int]:
        if depth > 20:
            raise _Beyond
        branches = [self._sequence(depth)]
        while self._next() == "|":
            self.at += 1
            branches.append(self._sequence(depth))
        if len(branches) == 1:
            return branches[0]
        return lambda after: self.state("split", None, [branch(after) for branch in branches])

    def _sequence(self, depth: int) -> Callable[[int], int]:
        parts: list[Callable[[int], int]] = []
        while self.at < len(self.pattern) and self._next() not in "|)":
            parts.append(self._repeated(self._atom(depth)))

        def build(after: int) -> int:
            for part in reversed(parts):
                after = part(after)
            return after

        return build

    def _next(self) -> str:
        return self.pattern[self.at] if self.at < len(self.pattern) else "\0"

    def _take(self) -> str:
        if self.at >= len(self.pattern):
            raise _Beyond
        self.at += 1
        return self.pattern[self.at - 1]

    def _atom(self, depth: int) -> Callable[[int], int]:
        char = self._take()
        if char == "(":
            if self._next() == "?":
                self.at += 1
                if self._take() != ":":
                    raise _Beyond
            inner = self._alternatives(depth + 1)
            if self._take() != ")":
                raise _Beyond
            return inner
        if char in "^$":
            if self._next() in "*+?{":
                raise _Beyond
            kind = "start" if char == "^" else "end"
            return lambda after: self.state(kind, None, [after])
        if char in "*+?{}]":
            raise _Beyond
        allowed = self._class() if char == "[" else _ALL if char == "." else self._one(char)
        return lambda after: self.state("char", allowed, [after])

    def _one(self, char: str) -> frozenset[str]:
        if char != "\\":
            return frozenset(char)
        escaped = self._take()
        if escaped in _CLASSES:
            return _CLASSES[escaped]
        if escaped in _CONTROLS:
            return frozenset(_CONTROLS[escaped])
        if escaped not in _QUOTABLE:
            raise _Beyond
        return frozenset(escaped)

    def _class(self) -> frozenset[str]:
        negated = self._next() == "^"
        self.at += negated
        if self._next() == "]":
            raise _Beyond  # empty in one dialect, a bracket in another
        allowed: frozenset[str] = frozenset()
        while self._next() != "]":
            char = self._take()
            if char == "[" or self.pattern[self.at : self.at + 2] in ("--", "&&", "||", "~~"):
                raise _Beyond
            low = self._one(char)
            if self._next() == "-" and self.pattern[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self._one(self._take())
                if len(low) != 1 or len(high) != 1 or min(low) > min(high):
                    raise _Beyond
                low = frozenset(map(chr, range(ord(min(low)), ord(min(high)) + 1)))
            allowed |= low
        self.at += 1
        return _ALL - allowed if negated else allowed

    def _repeated(self, atom: Callable[[int], int]) -> Callable[[int], int]:
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(self._next(), (1, 1))
        if self._next() == "{":
            least, most = self._counts()
        elif (least, most) != (1, 1):
            self.at += 1
        else:
            return atom
        if self._next() == "?":  # lazy: the same texts match
            self.at += 1
        if self._next() in "*+?{":
            raise _Beyond
        return lambda after: self._repeat(atom, least, most, after)

    def _counts(self) -> tuple[int, int | None]:
        close = self.pattern.find("}", self.at)
        low, comma, high = self.pattern[self.at + 1 : close].partition(",")
        if close < 0 or not low.isdigit() or (high and not high.isdigit()) or len(low + high) > 6:
            raise _Beyond
        self.at = close + 1
        least = int(low)
        most = (int(high) if high else None) if comma else least
        if least > _MAX_REPEAT or (most is not None and not least <= most <= _MAX_REPEAT):
            raise _Beyond
        return least, most

    def _repeat(self, atom: Callable[[int], int], least: int, most: int | None, after: int) -> int:
        self.work.take(least if most is None else most)  # also where the atom is empty, and makes no state
        if most is None:
            again = self.state("split", None, [after])
            self.states[again][2].insert(0, atom(again))
            after = again
        else:
            for _ in range(most - least):
                after = self.state("split", None, [atom(after), after])
        for _ in range(least):
            after = atom(after)
        return after

    def occurs_in(self, text: str) -> bool:
        live: set[int] = set()
        for at in range(len(text) + 1):
            live = self._closed(live | {self.first}, at, len(text))
            if 0 in live:  # `done` is the first that was made
                return True
            if at < len(text):
                live = {
                    self.states[number][2][0]
                    for number in live
                    if self.states[number][0] == "char" and text[at] in self.states[number][1]  # type: ignore[operator]
                }
        return False

    def _closed(self, live: set[int], at: int, end: int) -> set[int]:
        todo, seen = list(live), set(live)
        while todo:
            kind, _, following = self.states[todo.pop()]
            if kind == "split" or (kind == "start" and at == 0) or (kind == "end" and at == end):
                for number in following:
                    if number not in seen:
                        seen.add(number)
                        todo.append(number)
        return seen
