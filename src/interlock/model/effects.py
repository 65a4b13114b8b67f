"""What a call does to the world: six effects, and no seventh.

The order is the precedence, weakest first. A finer distinction is a tag on an action.
"""

from __future__ import annotations

from ..value import TYPE_CHECKING, Scale

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import ClassVar

__all__ = ["Effect", "by_precedence", "effect_names", "most_restrictive"]


class Effect(Scale, words="read write network execute spawn destructive"):
    """
    read         observes
    write        changes something the caller owns and can restore
    network      talks to another machine
    execute      runs a program and waits for it
    spawn        leaves something running
    destructive  cannot be taken back
    """

    __slots__ = ()
    if TYPE_CHECKING:
        READ: ClassVar[Effect]
        WRITE: ClassVar[Effect]
        NETWORK: ClassVar[Effect]
        EXECUTE: ClassVar[Effect]
        SPAWN: ClassVar[Effect]
        DESTRUCTIVE: ClassVar[Effect]


def most_restrictive(effects: Iterable[Effect]) -> Effect:
    """The dominant effect. An empty set has none, and is refused."""
    strongest = max(effects, default=None)
    if strongest is None:
        raise ValueError("an empty set of effects has no dominant one")
    return strongest


def _rank(effect: Effect) -> int:
    return effect.rank


def by_precedence(effects: Iterable[Effect]) -> tuple[Effect, ...]:
    """Each effect once, the dominant one first."""
    once = set(effects)
    return tuple(once) if len(once) < 2 else tuple(sorted(once, key=_rank, reverse=True))


def effect_names(effects: Iterable[Effect]) -> tuple[str, ...]:
    return tuple([effect.name for effect in by_precedence(effects)])
