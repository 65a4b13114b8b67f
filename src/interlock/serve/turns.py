"""Who is next: one of each flow in turn, so that a thousand requests of one token delay another's by one."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from ..value import FrozenMap

__all__ = ["Turns", "in_turn"]

_T = TypeVar("_T")
_NOBODY: Mapping[str, int] = FrozenMap({})


class Turns(Generic[_T]):
    """Not for several threads at once: whoever holds it has the lock."""

    def __init__(self) -> None:
        self._flows: dict[str, deque[_T]] = {}  # in the order of their turns

    def __bool__(self) -> bool:
        return bool(self._flows)

    def put(self, flow: str, item: _T) -> None:
        self._flows.setdefault(flow, deque()).append(item)

    def take(self, most: int, of_one: int, busy: Mapping[str, int] = _NOBODY) -> list[_T]:
        """The next ones: so many at most, so many of one flow at most, those that are `busy` for it included, one of
        each before the second of any.
        """
        found: list[_T] = []
        for at in range(of_one):
            for flow in list(self._flows):
                if len(found) == most:
                    return found
                if at + busy.get(flow, 0) >= of_one:
                    continue
                waiting = self._flows.pop(flow)
                found.append(waiting.popleft())
                if waiting:  # behind all others
                    self._flows[flow] = waiting
        return found


def in_turn(found: Sequence[_T], of: Callable[[_T], str]) -> list[_T]:
    """The first of everybody, then the second of everybody: whoever has many hides nobody else's."""
    before: Counter[str] = Counter()
    placed = []
    for at, one in enumerate(found):
        name = of(one)
        placed.append((before[name], at))
        before[name] += 1
    return [found[at] for _, at in sorted(placed)]
