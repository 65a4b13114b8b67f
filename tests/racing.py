"""Processes that are let go at the same moment, and what each of them says.

What a racer needs is loaded before it is forked: fifty processes that import the same modules at once would measure
that, and not meet each other where it counts.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable

from interlock.store.ledger.ledger import Ledger

__all__ = ["RACERS", "RACES", "let_go", "raced", "said", "without_hurry"]

RACES = int(os.environ.get("INTERLOCK_RACES", "2"))  # how often each race is run
RACERS = 50


def raced(run: Callable[[int], bool], many: int = RACERS, *, first: Callable[[], object] | None = None) -> list[bool]:
    """What each of so many processes says. What each does `first` is no part of the race."""
    return said(let_go(run, many, first))


def let_go(run: Callable[[int], bool], many: int, first: Callable[[], object] | None = None) -> list[int]:
    """The processes, all of which begin when the last of them is ready."""
    start, go = os.pipe()
    count, ready = os.pipe()
    children = []
    for number in range(many):
        child = os.fork()
        if child == 0:
            code = 3
            try:
                os.close(go)
                if first is not None:
                    first()
                os.write(ready, b".")
                os.read(start, 1)  # ends when all are ready
                code = 1 if run(number) else 0
            except Exception:
                traceback.print_exc()
            finally:
                os._exit(code)
        children.append(child)
    os.close(ready)
    there = 0
    while there < many and (some := os.read(count, many)):  # nobody else is left where one has failed
        there += len(some)
    for end in (count, start, go):
        os.close(end)
    return children


def said(children: list[int]) -> list[bool]:
    """One that says nothing, because it raised or was ended, fails the test."""
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert set(codes) <= {0, 1}, codes
    return [code == 1 for code in codes]


def without_hurry(ledger: Ledger) -> Ledger:
    """On a machine that has no time for them, one of fifty may wait longer for the lock than a hook does: it is denied
    then, with that as its reason, which is safe and is not what a race is about.
    """
    ledger.database.wait = ledger.database.patience = 300
    return ledger
