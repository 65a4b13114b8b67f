"""Equality as JSON means it: `1` is `1.0`, and is not `true`."""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap

if TYPE_CHECKING:
    from ..value import Json

__all__ = ["identity", "same"]


def identity(value: Json) -> object:
    """Something hashable that is equal for values that JSON holds to be equal, and for no others."""
    kind = type(value)
    if kind is bool:
        return ("boolean", value)
    if kind is tuple:
        return ("array", tuple([identity(item) for item in value]))  # type: ignore[union-attr]
    if kind is FrozenMap:
        return ("object", frozenset([(key, identity(item)) for key, item in value.items()]))  # type: ignore[union-attr]
    return value


def same(one: Json, other: Json) -> bool:
    return identity(one) == identity(other)
