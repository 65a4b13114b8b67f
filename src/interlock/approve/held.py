"""The live grants of a decision, found by what they are for.

A person may have given a hundred thousand. `Held` keeps them so that an ask looks only at
those that may cover its action. A store that keeps grants in a table writes `keys_of_grant`
beside each row and reads only the rows that `wanted_keys` names.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING
from .grant import Grant, concerns
from .index import Index, family_of, heads_of, mark_of, marks_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..model.action import Action, Reading
    from .index import Mark, Row

    _Sequence = Sequence[Any]
else:
    _Sequence = object

__all__ = ["NEAR_MISSES", "Held", "held_of", "keys_of_grant", "wanted_heads", "wanted_keys"]

NEAR_MISSES = 3  # of one ask and one action: a person reads no more
_IN_PART = ("package", "url")
_ONCE = "once "
_FEW = 32


class Held(_Sequence):
    """Grants in the order given. Reads like a tuple, and finds like an index."""

    __slots__ = ("_by_binds", "_grants", "_index")

    def __init__(self, grants: Iterable[Grant] = ()) -> None:
        self._grants = tuple(grants)
        self._by_binds: dict[str, list[Row]] = {}
        self._index = Index()
        for position, grant in enumerate(self._grants):
            if grant.kind == "once" or grant.binds is not None:
                self._by_binds.setdefault(grant.binds or "", []).append((position, grant))
            else:
                self._index.add(position, family_of(grant.action), _mark(grant), grant)

    def bound_to(self, approval: str | None) -> list[Row]:
        """The approvals of this very call, with their places."""
        return self._by_binds.get(approval, []) if approval else []

    def for_action(self, action: Action) -> list[Row]:
        """Every grant that may cover the action, in order, with its place."""
        return self._index.find(heads_of(action.name), action.target)

    def near(self, action: Action, rows: list[Row], kinds: tuple[str, ...]) -> list[Grant]:
        """Grants about this kind of action, not more than a person reads: first `rows`, which `for_action` found."""
        if len(rows) < NEAR_MISSES:
            known = [at for at, _ in rows]
            rows = rows + [row for row in self._index.first(heads_of(action.name)) if row[0] not in known]
        return [grant for _, grant in rows if grant.kind in kinds and concerns(grant, action)][:NEAR_MISSES]

    def __len__(self) -> int:
        return len(self._grants)

    def __iter__(self) -> Any:
        return iter(self._grants)

    def __getitem__(self, at: Any) -> Any:
        return self._grants[at]

    def __eq__(self, other: object) -> bool:
        return self._grants == (other._grants if isinstance(other, Held) else other)

    def __hash__(self) -> int:
        return hash(self._grants)


def held_of(grants: Sequence[Grant]) -> Held:
    """The same grants, ready to be found. A few are made ready on the spot; of many, the last tuple is kept so.

    A tuple never changes, so whoever is given the same one again may be given the same answer again.
    """
    if isinstance(grants, Held):
        return grants
    if type(grants) is not tuple or len(grants) <= _FEW:
        return Held(grants)
    kept = _KEPT.get("last")
    if kept is None or kept[0] is not grants:
        kept = _KEPT["last"] = (grants, Held(grants))
    return kept[1]


_KEPT: dict[str, tuple[object, Held]] = {}


def _mark(grant: Grant) -> Mark:
    """Where it lies on its shelf. A yes that is held against a part of a value is not looked up by that."""
    if not grant.whole:
        return mark_of(grant.scope)
    return mark_of({field: text for field, text in grant.scope.items() if field not in _IN_PART})


def keys_of_grant(grant: Grant) -> tuple[str, str]:
    """What a table of grants keeps beside a row: the shelf, and the key under which it is found."""
    if grant.kind == "once" or grant.binds is not None:
        return _ONCE, _ONCE + (grant.binds or "")
    head = family_of(grant.action)
    mark = "".join(_mark(grant))
    return head, f"{head} {mark}" if mark else head


def wanted_keys(reading: Reading, approval: str | None = None) -> tuple[str, ...]:
    """The keys of every grant that may cover an action of this reading, that is the approval of this call, or a yes to
    the plan that it follows.
    """
    keys: dict[str, None] = {}
    for action in reading.actions:
        marks = list(marks_in(action.target))
        for head in heads_of(action.name):
            keys[head] = None
            keys.update(dict.fromkeys([f"{head} {mark}" for mark in marks]))
    if approval is not None:
        keys[_ONCE + approval] = None
    if reading.line is not None and reading.line.given:
        keys[_ONCE + reading.line.given] = None
    return tuple(keys)


def wanted_heads(reading: Reading) -> tuple[str, ...]:
    """The shelves on which near misses lie: read a few rows of each, no more."""
    return tuple(dict.fromkeys([head for action in reading.actions for head in heads_of(action.name)]))
