"""Where a rule or a grant lies, so that a decision looks at few of them however many there are.

A pattern lies on one shelf: that of its exact action, of its family (`git:*` with `git:`), or
of what fits anywhere (`*`). On a shelf it lies under one mark, taken from its scope: a whole
value (`branch=main`) or the plain beginning of a glob (`path^/home/me/notes/`). Whatever
matches an action is found; what is found need not match, so the finder still looks.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .glob import is_open, is_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from ..model.action import Target

    Row = tuple[int, Any]  # its place in the order of all, and the item
    Fetch = Callable[[str, str], None]  # of a shelf and a mark
    Mark = tuple[str, str]  # the field, and what is known of its value; two empty texts: nothing

__all__ = ["ANYWHERE", "LESS_IS_COVERED", "Index", "family_of", "heads_of", "mark_of", "marks_in", "texts_in"]

ANYWHERE = "*"
# What a call may be given less of: fields of a tool that only looks, folders of this machine that a container sees.
LESS_IS_COVERED = ("fields", "mounts")
_MOST_EDGES = 64  # of one value: a path a thousand folders deep is looked up by its first ones
_FIRST = 3  # of each shelf, what is kept at hand for near misses

_UNMARKED = ("", "")


def family_of(pattern: str | None) -> str:
    """The shelf that a pattern for action names lies on."""
    if pattern is None:
        return ANYWHERE
    if is_plain(pattern):
        return pattern
    family, colon, _ = _before_wildcard(pattern).partition(":")
    return family + colon if colon else ANYWHERE


def heads_of(name: str) -> tuple[str, ...]:
    """The shelves on which patterns for this action may lie."""
    family, colon, _ = name.partition(":")
    return (name, family + colon, ANYWHERE) if colon else (name, ANYWHERE)


def mark_of(scope: Mapping[str, str]) -> Mark:
    """The field of a scope that tells most, and how it is looked up."""
    best, rank = _UNMARKED, (False, 0)
    for field, pattern in scope.items():
        if "\n" in pattern or field in LESS_IS_COVERED:  # no single one of the texts is in every call
            continue
        plain = is_plain(pattern)
        known = pattern if plain else _to_an_edge(_before_wildcard(pattern))
        if (plain or known) and (plain, len(known)) >= rank:
            best, rank = (field, ("=" if plain else "^") + known), (plain, len(known))
    return best


def marks_in(target: Target) -> Iterator[str]:
    """Every mark under which something for this target may lie, as one text each."""
    for field in target:
        for text in texts_in(target, field):
            for known in _known_of(text):
                yield field + known
                if field == "real":
                    yield "path" + known


def texts_in(target: Target, field: str) -> list[str]:
    """What a field of a target names, as texts; a path is where it says and where it leads."""
    found = []
    for key in (field, "real") if field == "path" else (field,):
        value = target.get(key)
        if value is not None:
            for part in value if type(value) is tuple else (value,):
                found.append(part if type(part) is str else str(part).lower() if type(part) is bool else str(part))
    return found


def _known_of(text: str) -> list[str]:
    return ["=" + text, *["^" + text[:edge] for edge in _edges(text)]]


def _before_wildcard(pattern: str) -> str:
    return pattern.partition("*")[0].partition("?")[0]


def _to_an_edge(literal: str) -> str:
    edges = _edges(literal)
    return literal[: edges[-1]] if edges else ""


def _edges(text: str) -> list[int]:
    """Where a beginning may end: after each slash, and before the first one after whatever is no letter or digit.

    INVARIANT: the edges of a beginning are the first edges of the whole, else a pattern would lie where nobody looks.
    """
    slash = text.find("/")
    first = text if slash < 0 else text[:slash]
    edges = [at + 1 for at, char in enumerate(first) if not char.isalnum()] if first and not first.isalnum() else []
    while slash >= 0 and len(edges) < _MOST_EDGES:
        edges.append(slash + 1)
        slash = text.find("/", slash + 1)
    return edges[:_MOST_EDGES]


class _Shelf:
    __slots__ = ("first", "marked", "plain")

    def __init__(self) -> None:
        self.plain: list[Row] = []
        self.marked: dict[str, dict[str, list[Row]]] = {}
        self.first: list[Row] = []


class Index:
    """Items by shelf and mark. `add` is for whoever builds it; afterwards it is only read."""

    __slots__ = ("shelves",)

    def __init__(self) -> None:
        self.shelves: dict[str, _Shelf] = {}

    def add(self, position: int, head: str, mark: Mark, item: Any) -> None:
        shelf = self.shelves.get(head)
        if shelf is None:
            shelf = self.shelves[head] = _Shelf()
        row = (position, item)
        if len(shelf.first) < _FIRST:
            shelf.first.append(row)
        field, known = mark
        if known:
            shelf.marked.setdefault(field, {}).setdefault(known, []).append(row)
        else:
            shelf.plain.append(row)

    def expect(self, head: str, fields: tuple[str, ...]) -> None:
        """Rows with a mark of these fields are to come on this shelf."""
        shelf = self.shelves.setdefault(head, _Shelf())
        for field in fields:
            shelf.marked.setdefault(field, {})

    def find(self, heads: tuple[str, ...], target: Target, fetch: Fetch | None = None) -> list[Row]:
        """All that may match, in order, and each once. `fetch` brings what is to come, before it is looked for."""
        found: dict[int, Any] = {}
        for head in heads:
            if fetch is not None:
                fetch(head, "")
            shelf = self.shelves.get(head)
            if shelf is None:
                continue
            if shelf.plain:
                found.update(shelf.plain)
            for field, by_mark in shelf.marked.items():
                for text in texts_in(target, field):
                    if is_open(text) and fetch is None:  # it may be any of them
                        for held in by_mark.values():
                            found.update(held)
                        continue
                    for known in _known_of(text):
                        if fetch is not None:
                            fetch(head, field + known)
                        rows = by_mark.get(known)
                        if rows is not None:
                            found.update(rows)
        return sorted(found.items(), key=_position) if found else []

    def first(self, heads: tuple[str, ...]) -> list[Row]:
        """The first few of each shelf, whatever their scope."""
        return [row for head in heads if (shelf := self.shelves.get(head)) is not None for row in shelf.first]


def _position(row: Row) -> int:
    return row[0]
