"""Equality as JSON means it: `1` is `1.0`, and is not `true`. What is compared is paid for first.

Two values are compared as far as both go, so that a long value of a call costs no more than what it is held against:
else a call could make itself too long to be looked at.
"""

from __future__ import annotations

from ..limits import SAFE_INTEGER
from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from typing import Any

    from .work import Work

__all__ = ["Among", "identity", "same"]


def identity(value: Any, work: Work) -> object:
    """Something hashable that is equal for values that JSON holds to be equal, and for no others."""
    kind = type(value)
    if kind is bool:
        return ("boolean", value)
    if kind is tuple:
        work.take(len(value))
        return ("array", tuple([identity(item, work) for item in value]))
    if kind is FrozenMap:
        work.take(len(value))
        return ("object", frozenset([(key, identity(item, work)) for key, item in value.items()]))
    if kind is str:
        work.take(len(value) >> 8)
    elif (kind is int or kind is float) and not -SAFE_INTEGER <= value <= SAFE_INTEGER:
        # Numbers this large can be chosen to have one hash, and a set of such costs the square; texts cannot.
        return ("number", str(int(value)))
    return value


def same(one: Any, other: Any, work: Work) -> bool:
    kind = type(one)
    if kind is tuple or kind is FrozenMap:
        if type(other) is not kind or len(other) != len(one):
            return False
        work.take(len(one))
        if kind is tuple:
            return all(same(mine, theirs, work) for mine, theirs in zip(one, other, strict=True))
        return all(key in other and same(one[key], other[key], work) for key in one)
    return identity(one, work) == identity(other, work) if type(other) not in (tuple, FrozenMap) else False


class Among:
    """Values to look others up in."""

    __slots__ = ("_held", "_plain")

    def __init__(self, values: tuple[Any, ...], work: Work) -> None:
        work.take(len(values))
        self._plain = {identity(value, work) for value in values if type(value) not in (tuple, FrozenMap)}
        self._held: dict[tuple[type, int], list[Any]] = {}  # those that hold others, by how many they hold
        for value in values:
            if type(value) in (tuple, FrozenMap):
                self._held.setdefault((type(value), len(value)), []).append(value)

    def holds(self, value: Any, work: Work) -> bool:
        kind = type(value)
        if kind is not tuple and kind is not FrozenMap:
            return identity(value, work) in self._plain
        alike = self._held.get((kind, len(value)), ())
        work.take(len(alike))
        return any(same(value, other, work) for other in alike)
