"""Whether the service can decide, for whoever asks `/readyz`: anybody may, so it is looked up at most once a second,
and says which part is in trouble and not why.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping

__all__ = ["Readiness"]

_FRESH = 1.0  # seconds for which what was found is told again


class Readiness:
    """`look` gives the words for the parts that are in trouble. Held by one event loop."""

    def __init__(self, look: Callable[[], Mapping[str, str]]) -> None:
        self._look = look
        self._known: tuple[float, Mapping[str, str]] | None = None
        self._looking: asyncio.Future[Mapping[str, str]] | None = None

    async def now(self) -> Mapping[str, str]:
        if self._known is not None and time.monotonic() - self._known[0] < _FRESH:
            return self._known[1]
        if self._looking is None:  # of many who ask at once, one looks; in a thread that no request waits for
            self._looking = asyncio.ensure_future(asyncio.to_thread(self._look))
            self._looking.add_done_callback(self._done)
        return await asyncio.shield(self._looking)

    def _done(self, looked: asyncio.Future[Mapping[str, str]]) -> None:
        self._looking = None
        if not looked.cancelled() and looked.exception() is None:
            self._known = (time.monotonic(), looked.result())
