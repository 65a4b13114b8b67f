"""What a process carries into the children that it forks, and what it must not.

Threads, locks and connections do not outlive a fork. A child has no threads but one, a lock that another thread held is
never released in it, and two processes on one connection mix up their messages. SQLite is worse: it keeps in memory
which locks the process holds on a file, and a child would take those of its parent for its own. So before a fork what
is under way ends, and files are closed; in the child everything of this kind is made anew.

Only a process that stays loads this. A plain hook forks nothing.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar
from weakref import WeakSet

__all__ = ["FORK_SECONDS", "Forks", "OfProcess", "tell_forks"]

_T = TypeVar("_T")

FORK_SECONDS = 10.0  # for which a fork waits for the calls under way: longer than models and team stores may take


class OfProcess(Generic[_T]):
    """One for each process: made at once, and made anew where a child wants it first.

    That of the parent is kept in the child and left alone. To close it there would end it for the parent as well.
    """

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make = make
        self._made = {_forks: make()}

    def __call__(self) -> _T:
        made = self._made.get(_forks)
        return self._made.setdefault(_forks, self._make()) if made is None else made

    def made(self) -> _T | None:
        """That of this process, where there is one by now."""
        return self._made.get(_forks)


class Forks(Protocol):
    """What is told of forks."""

    def before_fork(self, end: float) -> None:
        """Begins nothing more until `after_fork`. What is under way may take until `end`, by the monotonic clock."""

    def after_fork(self, *, child: bool) -> None: ...


_forks = 0  # how many lie between the first process and this one
_told: WeakSet[Forks] = WeakSet()
_one_at_a_time = threading.RLock()


def tell_forks(one: Forks) -> None:
    """From now on, as long as anybody holds it."""
    with _one_at_a_time:
        _told.add(one)


def _before() -> None:
    _one_at_a_time.acquire()
    end = time.monotonic() + FORK_SECONDS
    for one in list(_told):
        one.before_fork(end)


def _in_parent() -> None:
    try:
        for one in list(_told):
            one.after_fork(child=False)
    finally:
        _one_at_a_time.release()


def _in_child() -> None:
    global _forks, _one_at_a_time  # noqa: PLW0603 - this is where a process begins
    _forks += 1
    _one_at_a_time = threading.RLock()
    for one in list(_told):
        one.after_fork(child=True)


os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
