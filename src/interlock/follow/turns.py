"""One turn of a session for an event: what it needs is looked up first, and again where the session moved on."""

from __future__ import annotations

from ..limits import MAX_READ_AGAIN
from ..model.errors import StoreError, crowded
from ..value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, TypeVar

    from ..store.ledger.ledger import Ledger, Turn

    Seen = TypeVar("Seen")
    Done = TypeVar("Done")

    class Looks(Protocol):
        """A notice (noticing.py)."""

        def look(self, ledger: Ledger, owner: str) -> None: ...


__all__ = ["LookAgainError", "in_turn"]


class LookAgainError(Exception):
    """The session is not in the state that was looked at: the lock is left without a trace."""


def in_turn(
    ledger: Ledger, owner: str, notice: Looks, look: Callable[[], Seen], do: Callable[[Turn, Seen], Done]
) -> Done:
    """`do` in one turn of the session, with what `look` and the notice have looked up before it is locked; once more
    where the session moved on meanwhile.
    """
    for _ in range(MAX_READ_AGAIN):
        notice.look(ledger, owner)
        seen = look()
        try:
            with ledger.deciding(owner) as turn:
                return do(turn, seen)
        except LookAgainError:
            continue
    raise StoreError(crowded(owner, MAX_READ_AGAIN))
