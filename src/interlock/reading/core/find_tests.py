"""The expression of `find`, held against one file: would it be printed, deleted, handed to `-exec`?

Three answers: no, maybe, yes. A test on names, kinds and depth is told from the file's name; one on times, sizes or
rights says maybe. `-prune` counts for what lies below. What cannot be parsed says maybe to everything.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, Value
from ..places.paths import folded
from .regular import MAYBE, NO, YES, glob_fits, globs_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["IMPLIED", "Expression", "Seen", "parse_expression"]

IMPLIED = -1  # the action of an expression that names none: its names are printed
_PRINTS = frozenset(("-print", "-print0", "-printf", "-ls"))
_RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
_PUTS = {"-fprint": 1, "-fprint0": 1, "-fls": 1, "-fprintf": 2}
_ACTIONS = frozenset((*_PRINTS, *_RUNS, *_PUTS, "-delete"))
_ALWAYS = frozenset(
    "-true -a -and -depth -d -mount -xdev -follow -daystart -noleaf -ignore_readdir_race -warn -nowarn -quit -H -L -P "
    "-O1 -O2 -O3 -E -X -s -readable -writable".split()
)
_UNTOLD = frozenset(("-executable", "-nouser", "-nogroup"))
_MOST_NESTED = 16


class Seen(Value):
    """
    name   the path as `find` prints it
    depth  how many folders below the place that is searched; the place itself has none
    kind   file, empty (a file), folder, bare (a folder), link
    """

    name: str
    depth: int
    kind: str


_LETTERS = {"file": "f", "empty": "f", "folder": "d", "bare": "d", "link": "l"}


class Expression:
    """A parsed expression; actions are told apart by the place of their word."""

    __slots__ = ("deep", "extended", "most", "least", "prunes", "tree")

    def __init__(self) -> None:
        self.tree: tuple[Any, ...] | None = None  # None: it could not be parsed
        self.most: int | None = None  # -maxdepth
        self.least = 0  # -mindepth
        self.prunes = False
        self.deep = False  # folders come after what is in them, so that nothing is pruned
        self.extended = False

    def reaches(self, action: int, seen: Seen, above: Sequence[Seen] = ()) -> int:
        """Whether the file gets to the action. `above`: the folders on the way to it, the place itself first."""
        if self.tree is None:
            return MAYBE
        if (self.most is not None and seen.depth > self.most) or seen.depth < self.least:
            return NO
        limit = YES
        if self.prunes and not self.deep:
            for folder in above:
                found: dict[int, int] = {}
                self._walk(self.tree, folder, YES, found)
                limit = min(limit, YES - found.get(_PRUNE, NO))
            if limit == NO:
                return NO
        found = {}
        value = self._walk(self.tree, seen, limit, found)
        return min(value, limit) if action == IMPLIED else found.get(action, NO)

    def names(self, action: int) -> tuple[str, ...] | None:
        """Patterns of names, one of which each file has that gets to the action. None: it may have any name."""
        if self.tree is None:
            return None
        return _needed(self.tree) if action == IMPLIED else _on_the_way(self.tree, action, None)[1]

    def _walk(self, node: tuple[Any, ...], seen: Seen, reach: int, found: dict[int, int]) -> int:
        """The value of a part; what it does is put down with how surely it is reached."""
        kind, *rest = node
        if kind == "and":
            value = YES
            for part in rest:
                value = min(value, self._walk(part, seen, min(reach, value), found))
            return value
        if kind == "or":
            value = NO
            for part in rest:
                value = max(value, self._walk(part, seen, min(reach, YES - value), found))
            return value
        if kind == "list":
            return [self._walk(part, seen, reach, found) for part in rest][-1]
        if kind == "not":
            return YES - self._walk(rest[0], seen, reach, found)
        if kind == "act":
            at, value = rest
            found[at] = max(found.get(at, NO), reach)
            return int(value)
        word, value = rest
        return self._test(word, value, seen)

    def _test(self, word: str, value: str | None, seen: Seen) -> int:
        if value is None:
            return MAYBE
        if word in ("-name", "-iname"):
            name = seen.name.rstrip("/").rpartition("/")[2] or "/"
            return glob_fits(value, name) if word == "-name" else glob_fits(folded(value), folded(name))
        if word in ("-path", "-wholename"):
            return glob_fits(value, seen.name)
        if word in ("-ipath", "-iwholename"):
            return glob_fits(folded(value), folded(seen.name))
        if word in ("-regex", "-iregex"):
            globs = globs_of(value, extended=self.extended)
            if globs is None:
                return MAYBE
            return globs.whole(seen.name) if word == "-regex" else globs.folded(folded).whole(folded(seen.name))
        if word in ("-type", "-xtype"):
            letter = _LETTERS[seen.kind]
            if letter == "l" and word == "-xtype":
                return MAYBE
            return YES if letter in value.split(",") else NO
        if word == "-empty":
            return YES if seen.kind in ("empty", "bare") else NO
        return MAYBE


_PRUNE = -2


def _needed(node: tuple[Any, ...]) -> tuple[str, ...] | None:
    """Patterns, one of which a name has for which the part is true; no pattern: it is never true."""
    kind, *rest = node
    if kind == "test":
        word, value = rest
        return (value,) if value and word in ("-name", "-iname") else None
    if kind == "and":
        return next((names for names in map(_needed, rest) if names is not None), None)
    if kind == "or":
        each = [_needed(part) for part in rest]
        return None if None in each else tuple(dict.fromkeys([name for names in each for name in names or ()]))
    return _needed(rest[-1]) if kind == "list" else None


def _on_the_way(
    node: tuple[Any, ...], action: int, so_far: tuple[str, ...] | None
) -> tuple[bool, tuple[str, ...] | None]:
    """Whether the action is in this part, and what is needed to get to it."""
    kind, *rest = node
    if kind == "act":
        return rest[0] == action, so_far
    for part in rest if kind in ("and", "or", "list", "not") else ():
        within, names = _on_the_way(part, action, so_far)
        if within:
            return True, names
        if kind == "and":  # the next part is looked at only where this one is true
            needed = _needed(part)
            so_far = so_far if needed is None else needed
    return False, None


def parse_expression(words: Sequence[str | None], values: frozenset[str]) -> Expression:
    """`words`: those after the places, None for one that is not known; `values`: tests that take a word."""
    found = Expression()
    parser = _Parser(words, values, found)
    try:
        tree = parser.listed(0) if words else ("and",)
    except _Strange:
        return found
    if parser.at >= len(words):
        found.tree = tree
    return found


class _Strange(Exception):
    pass


class _Parser:
    __slots__ = ("at", "found", "values", "words")

    def __init__(self, words: Sequence[str | None], values: frozenset[str], found: Expression) -> None:
        self.words, self.values, self.found = words, values, found
        self.at = 0

    def _next(self) -> str | None:
        return self.words[self.at] if self.at < len(self.words) else ""

    def listed(self, depth: int) -> tuple[Any, ...]:
        parts: list[Any] = [self._either(depth)]
        while self._next() == ",":
            self.at += 1
            parts.append(self._either(depth))
        return ("list", *parts)

    def _either(self, depth: int) -> tuple[Any, ...]:
        parts: list[Any] = [self._both(depth)]
        while self._next() in ("-o", "-or"):
            self.at += 1
            parts.append(self._both(depth))
        return ("or", *parts)

    def _both(self, depth: int) -> tuple[Any, ...]:
        parts: list[Any] = []
        while self.at < len(self.words) and self._next() not in ("-o", "-or", ",", ")"):
            parts.append(self._one(depth))
        return ("and", *parts)

    def _one(self, depth: int) -> tuple[Any, ...]:
        if depth > _MOST_NESTED or self.at >= len(self.words):
            raise _Strange
        at, word = self.at, self.words[self.at]
        self.at += 1
        if word is None:
            raise _Strange
        if word in ("!", "-not"):
            return ("not", self._one(depth + 1))
        if word == "(":
            inside = self.listed(depth + 1)
            if self._next() != ")":
                raise _Strange
            self.at += 1
            return inside
        if word in _ACTIONS:
            return ("act", at, self._past_action(word))
        if word == "-prune":
            self.found.prunes = True
            return ("act", _PRUNE, YES)
        if word in _ALWAYS:
            self.found.deep = self.found.deep or word in ("-depth", "-d")
            self.found.extended = self.found.extended or word == "-E"
            return ("and",)
        if word == "-false":
            return ("or",)
        if word == "-empty":
            return ("test", word, "")
        if word in _UNTOLD:
            return ("test", word, None)
        if word in self.values or word.startswith("-newer"):
            return self._with_value(word)
        raise _Strange

    def _past_action(self, word: str) -> int:
        if word == "-delete":
            self.found.deep = True
        if word in _RUNS:
            while self.at < len(self.words) and self.words[self.at] not in (";", "+"):
                self.at += 1
            ended = self.words[self.at] if self.at < len(self.words) else ";"
            self.at += 1
            return YES if ended == "+" else MAYBE
        self.at += _PUTS.get(word, 1 if word == "-printf" else 0)
        return YES

    def _with_value(self, word: str) -> tuple[Any, ...]:
        value = self._next()
        self.at += 1
        if word in ("-maxdepth", "-mindepth"):
            if value is None or not value.isdecimal() or len(value) > 6:
                return ("test", word, None)
            if word == "-maxdepth":
                self.found.most = int(value)
            else:
                self.found.least = int(value)
            return ("and",)
        if word == "-regextype":
            self.found.extended = value is not None and ("extended" in value or "awk" in value or "egrep" in value)
            return ("and",)
        return ("test", word, value)
