"""Rules or grants of a policy, in order, found by what they are for.

Ten thousand rules must not make a decision slower than ten, nor a cold start: a book made from
a compiled policy keeps its rows as text, in as many leaves as a fixed number, and reads only
the leaves that a call asks for.
"""

from __future__ import annotations

from ..approve.index import Index, heads_of
from ..record.canon import canonical
from ..record.strict import parse_object
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from ..action import Action
    from ..approve.index import Mark, Row

    Place = Callable[[Any], tuple[str, Mark]]  # the shelf of an item, and its mark there
    _Sequence = Sequence[Any]
else:
    _Sequence = object

__all__ = ["Book", "found_in", "leaves_of", "on_shelf"]

_FEW = 64  # up to so many rows one leaf is enough
_LEAVES = 251  # a prime, so that names spread


class Book(_Sequence):
    """Reads like a tuple of its items; `for_action` finds those that may match.

    INVARIANT: rows are numbered in the order of the policy, and found in that order.
    """

    __slots__ = ("_all", "_decode", "_index", "_leaves", "_place", "_read", "_size")

    def __init__(self, items: Iterable[Any] = (), *, place: Place) -> None:
        self._all: tuple[Any, ...] | None = tuple(items)
        self._size = len(self._all)
        self._place = place
        self._leaves: Sequence[bytes] = ()
        self._read: set[int] = set()
        self._decode: Callable[[Any], Any] | None = None
        self._index: Index | None = None

    @classmethod
    def unread(cls, leaves: Sequence[bytes], size: int, *, place: Place, decode: Callable[[Any], Any]) -> Book:
        """A book whose leaves are read when they are needed."""
        book = cls(place=place)
        if size:
            book._all, book._size, book._leaves, book._decode, book._index = None, size, leaves, decode, Index()
        return book

    def for_action(self, action: Action, *also: str) -> list[Row]:
        """The items that may match the action, with their places; `also` names further shelves."""
        heads = heads_of(action.name) + also
        return self._ready(heads).find(heads, action.target)

    def on_shelf(self, head: str) -> list[Row]:
        return self._ready((head,)).find((head,), {})

    def about(self, action: Action) -> list[Row]:
        """As `for_action`, and a few more for the same kind of action, whatever their scope."""
        heads = heads_of(action.name)
        index = self._ready(heads)
        return sorted(dict([*index.find(heads, action.target), *index.first(heads)]).items(), key=lambda row: row[0])

    def _ready(self, heads: tuple[str, ...]) -> Index:
        if self._index is None:
            self._index = Index()
            for position, item in enumerate(self._everything()):
                self._index.add(position, *self._place(item), item)
        if self._leaves:
            for head in heads:
                number = _leaf_of(head, len(self._leaves))
                if number not in self._read:
                    for position, item in self._rows(number):
                        self._index.add(position, *self._place(item), item)
                    self._read.add(number)
        return self._index

    def _rows(self, number: int) -> list[Row]:
        decode = self._decode
        assert decode is not None  # noqa: S101 - a book with leaves was made by `unread`
        rows: Any = parse_object(self._leaves[number], limit=len(self._leaves[number]))["rows"]
        return [(position, decode(wire)) for position, wire in rows]

    def _everything(self) -> tuple[Any, ...]:
        if self._all is None:
            rows = [row for number in range(len(self._leaves)) for row in self._rows(number)]
            self._all = tuple([item for _, item in sorted(rows, key=lambda row: row[0])])
        return self._all

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Any:
        return iter(self._everything())

    def __getitem__(self, at: Any) -> Any:
        return self._everything()[at]

    def __eq__(self, other: object) -> bool:
        return self._everything() == (other._everything() if isinstance(other, Book) else other)

    def __hash__(self) -> int:
        return hash(self._everything())

    def __repr__(self) -> str:
        return repr(self._everything())

    def __reduce__(self) -> tuple[Any, ...]:
        return (_book, (self._everything(), self._place))


def _book(items: tuple[Any, ...], place: Place) -> Book:
    return Book(items, place=place)


def found_in(items: Sequence[Any], action: Action, *also: str) -> list[Row]:
    """Rows of a book that may match, or of a plain tuple all of them."""
    return items.for_action(action, *also) if isinstance(items, Book) else list(enumerate(items))


def on_shelf(items: Sequence[Any], head: str) -> list[Row]:
    """Rows of a book that lie on this shelf without a mark, or of a plain tuple all of them."""
    return items.on_shelf(head) if isinstance(items, Book) else list(enumerate(items))


def leaves_of(items: Sequence[Any], place: Place, encode: Callable[[Any], Any]) -> list[bytes]:
    """The rows of a book as text, for `Book.unread`. None for an empty one."""
    count = 0 if not items else 1 if len(items) <= _FEW else _LEAVES
    leaves: list[list[Any]] = [[] for _ in range(count)]
    for position, item in enumerate(items):
        leaves[_leaf_of(place(item)[0], count)].append([position, encode(item)])
    return [canonical({"rows": rows}) for rows in leaves]


def _leaf_of(head: str, count: int) -> int:
    return int.from_bytes(head.encode("utf-8", "surrogatepass")) % count if count > 1 else 0
