"""Work with a deadline: in a thread of a few, so that whoever asks gets an answer in time whatever hangs.

What comes too late is not used; `late` is told of it.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as LateError
from typing import Any, TypeVar

from ..calls.forks import OfProcess

__all__ = ["LateError", "Workers"]

_T = TypeVar("_T")
_THREADS = 8


class Workers:
    def __init__(self, name: str) -> None:
        self._pool = OfProcess(lambda: ThreadPoolExecutor(_THREADS, thread_name_prefix=name))

    def run(self, seconds: float, late: Callable[[Any], None], work: Callable[..., _T], *given: Any) -> _T:
        """LateError where it takes longer."""
        future = self._pool().submit(work, *given)
        try:
            return future.result(seconds)
        except LateError:
            self._give_up(future, late)
            raise

    async def arun(self, seconds: float, late: Callable[[Any], None], work: Callable[..., _T], *given: Any) -> _T:
        """The same without blocking the event loop. Whoever is cancelled while it waits gives it up too."""
        future = self._pool().submit(work, *given)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), seconds)
        except (TimeoutError, asyncio.CancelledError) as error:
            self._give_up(future, late)
            if isinstance(error, TimeoutError):
                raise LateError from None
            raise

    def _give_up(self, future: Future[Any], late: Callable[[Any], None]) -> None:
        if not future.cancel():
            future.add_done_callback(functools.partial(_told, late))

    def close(self) -> None:
        self._pool().shutdown(wait=False, cancel_futures=True)


def _told(late: Callable[[Any], None], future: Future[Any]) -> None:
    if not future.cancelled() and future.exception() is None:
        late(future.result())
