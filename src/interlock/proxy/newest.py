"""What a proxy remembers between two requests: the newest of it, so many and so long in all.

A client that never comes back, or a model that makes long calls without end, must not fill the memory.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

__all__ = ["Newest"]

_T = TypeVar("_T")
_MOST_CHARS = 32 * 1024 * 1024


class Newest(Generic[_T]):
    def __init__(self, most: int, chars: int = _MOST_CHARS) -> None:
        self._most = most
        self._chars = chars
        self._kept: OrderedDict[Hashable, tuple[_T, int]] = OrderedDict()
        self._sum = 0

    def __len__(self) -> int:
        return len(self._kept)

    def put(self, key: Hashable, value: _T, size: int) -> None:
        """`size`: how many characters it has, about. The one that was kept longest makes room; what is very long itself
        is not kept, so that it pushes out nobody else's.
        """
        self.take(key)
        if size > self._chars // 4:
            return
        self._kept[key] = value, size
        self._sum += size
        while len(self._kept) > self._most or self._sum > self._chars:
            self._sum -= self._kept.popitem(last=False)[1][1]

    def get(self, key: Hashable) -> _T | None:
        found = self._kept.get(key)
        return None if found is None else found[0]

    def take(self, key: Hashable) -> _T | None:
        found = self._kept.pop(key, None)
        if found is None:
            return None
        self._sum -= found[1]
        return found[0]
