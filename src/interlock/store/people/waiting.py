"""Waiting for a person's answer, the same for every front that holds a call in a thread.

The question is in the ledger before anybody waits: whoever is killed loses nothing, and leaves it open. Nothing is
locked meanwhile; the ledger is only looked at now and then, each time with a connection that is given back.
"""

from __future__ import annotations

import time

from ...approve.lifecycle import is_open
from ...value import TYPE_CHECKING
from ..ledger.approvals import find

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from ..ledger.ledger import Ledger

__all__ = ["is_settled", "wait_until_settled"]

_LOOKS_EACH = 0.1  # seconds


def is_settled(ledger: Ledger, approval: str) -> bool | None:
    """Whether nobody can answer the question any more; None where there is no such question."""
    with ledger.looking() as view:
        kept = find(view, approval)
        return None if kept is None else not is_open(kept, view.at)


def wait_until_settled(
    lent: Callable[[], AbstractContextManager[Ledger]],
    approval: str,
    seconds: float,
    *,
    gone: Callable[[], bool] = lambda: False,
) -> bool | None:
    """Whether the question was settled within so many seconds; None where there is no such question. `lent` gives a
    ledger for a moment, and `gone` tells that nobody waits any more.
    """
    end = time.monotonic() + seconds
    while not gone():
        with lent() as ledger:
            settled = is_settled(ledger, approval)
        left = end - time.monotonic()
        if settled is not False or left <= 0:
            return settled
        time.sleep(min(_LOOKS_EACH, left))
    return False
