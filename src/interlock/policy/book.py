"""Rules or grants of a policy, in order, found by what they are for.

Ten thousand rules must not make a decision slower than ten, nor a cold start: a book made from
a compiled policy keeps its rows as text, in many leaves, and reads only those that a call asks for.
"""

from __future__ import annotations

from ..approve.glob import is_open, texts_of
from ..approve.index import Index, heads_of
from ..bytes.canon import canonical
from ..bytes.strict import parse_object
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from ..approve.index import Mark, Row
    from ..model.action import Action

    Place = Callable[[Any], tuple[str, Mark]]  # the shelf of an item, and its mark there
    _Sequence = Sequence[Any]
else:
    _Sequence = object

__all__ = ["Book", "found_in", "leaves_of", "on_shelf"]

_FEW = 64  # up to so many rows one leaf is enough
_ON_A_LEAF = 2  # beyond that: so many rows on each, by and large


class Book(_Sequence):
    """Reads like a tuple of its items; `for_action` finds those that may match.

    INVARIANT: rows are numbered in the order of the policy, and found in that order.
    """

    __slots__ = ("_all", "_decode", "_index", "_leaves", "_place", "_read", "_size", "_whole_shelves")

    def __init__(self, items: Iterable[Any] = (), *, place: Place) -> None:
        self._all: tuple[Any, ...] | None = tuple(items)
        self._size = len(self._all)
        self._place = place
        self._leaves: Sequence[bytes] = ()
        self._read: set[int] = set()
        self._decode: Callable[[Any], Any] | None = None
        self._index: Index | None = None
        self._whole_shelves = False

    @classmethod
    def unread(
        cls,
        leaves: Sequence[bytes],
        size: int,
        *,
        place: Place,
        decode: Callable[[Any], Any],
        whole_shelves: bool = False,
    ) -> Book:
        """A book whose leaves, made by `leaves_of`, are read when they are needed."""
        book = cls(place=place)
        if size:
            book._all, book._size, book._leaves, book._decode, book._index = None, size, leaves, decode, Index()
            book._whole_shelves = whole_shelves
        return book

    def for_action(self, action: Action, *also: str) -> list[Row]:
        """The items that may match the action, with their places; `also` names further shelves."""
        heads = heads_of(action.name) + also
        fetch = self._fetch if self._leaves else None
        if fetch is not None and _is_open(action):  # what it names may lie on any leaf
            for number in range(len(self._leaves)):
                self._read_leaf(number)
            fetch = None
        return self._ready().find(heads, action.target, fetch)

    def on_shelf(self, head: str) -> list[Row]:
        return self._ready().find((head,), {}, self._fetch if self._leaves else None)

    def about(self, action: Action) -> list[Row]:
        """As `for_action`, and a few more for the same kind of action, whatever their scope."""
        rows = self.for_action(action)
        return sorted(dict([*rows, *self._ready().first(heads_of(action.name))]).items(), key=lambda row: row[0])

    def _ready(self) -> Index:
        if self._index is None:
            self._index = Index()
            for position, item in enumerate(self._everything()):
                self._index.add(position, *self._place(item), item)
        return self._index

    def _fetch(self, head: str, mark: str) -> None:
        """Reads the leaf of a shelf, or of one mark on it, unless it was read."""
        number = _leaf_of(head, "" if self._whole_shelves else mark, len(self._leaves))
        self._read_leaf(number)

    def _read_leaf(self, number: int) -> None:
        if number not in self._read:
            index, leaf = self._ready(), self._leaf(number)
            for shelf, fields in leaf["fields"].items():
                index.expect(shelf, fields)
            for position, item in self._rows(leaf):
                index.add(position, *self._place(item), item)
            self._read.add(number)

    def _leaf(self, number: int) -> Any:
        return parse_object(self._leaves[number], limit=len(self._leaves[number]))

    def _rows(self, leaf: Any) -> list[Row]:
        decode = self._decode
        assert decode is not None  # noqa: S101 - a book with leaves was made by `unread`
        return [(position, decode(wire)) for position, wire in leaf["rows"]]

    def _everything(self) -> tuple[Any, ...]:
        if self._all is None:
            rows = [row for number in range(len(self._leaves)) for row in self._rows(self._leaf(number))]
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


def _is_open(action: Action) -> bool:
    """Whether some field of its target is not known."""
    return any(is_open(part) for value in action.target.values() for part in texts_of(value))


def _book(items: tuple[Any, ...], place: Place) -> Book:
    return Book(items, place=place)


def found_in(items: Sequence[Any], action: Action, *also: str) -> list[Row]:
    """Rows of a book that may match, or of a plain tuple all of them."""
    return items.for_action(action, *also) if isinstance(items, Book) else list(enumerate(items))


def on_shelf(items: Sequence[Any], head: str) -> list[Row]:
    """Rows of a book that lie on this shelf without a mark, or of a plain tuple all of them."""
    return items.on_shelf(head) if isinstance(items, Book) else list(enumerate(items))


def leaves_of(
    items: Sequence[Any], place: Place, encode: Callable[[Any], Any], *, whole_shelves: bool = False
) -> list[bytes]:
    """The rows of a book as text, for `Book.unread`. None for an empty one.

    A row lies on the leaf of its shelf and mark. The leaf of the shelf alone says which fields have marks, so that
    nobody looks for others. With `whole_shelves` all of a shelf lies on one leaf: `about` needs its first rows.
    """
    count = 0 if not items else 1 if len(items) <= _FEW else len(items) // _ON_A_LEAF | 1
    leaves: list[dict[str, Any]] = [{"fields": {}, "rows": []} for _ in range(count)]
    for position, item in enumerate(items):
        head, (field, known) = place(item)
        mark = "" if whole_shelves else field + known
        leaves[_leaf_of(head, mark, count)]["rows"].append([position, encode(item)])
        if field or known:
            fields = leaves[_leaf_of(head, "", count)]["fields"].setdefault(head, [])
            if field not in fields:
                fields.append(field)
    return [canonical(leaf) for leaf in leaves]


def _leaf_of(head: str, mark: str, count: int) -> int:
    return int.from_bytes(f"{head} {mark}".encode("utf-8", "surrogatepass")) % count if count > 1 else 0
