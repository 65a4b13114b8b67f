"""Several turns of a ledger, kept by one transaction.

    with Together(ledger):
        ...     # each `ledger.deciding(…)` in here is a turn as ever, and is kept when all of them are

Beginning and ending a transaction costs more than a row does, and a process that is asked by many at once can pay it
once for all who wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...model.errors import StoreError
from .ledger import LeftError, Turn

if TYPE_CHECKING:
    from typing import Self

    from .ledger import Ledger

__all__ = ["Together"]


class Together(Turn):
    """Turns that are kept by one transaction: what that costs beside their rows is paid once. INVARIANT: nothing that
    was decided in it is told to anybody before it has ended; what ends with an error has kept nothing.

    A turn that was left before it wrote leaves the others alone. One that fails is the end of all of them: its caller
    takes each by itself then, and only the one that fails is told so.
    """

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(ledger, "")

    def __enter__(self) -> Self:
        super().__enter__()
        self.ledger.group = self
        return self

    def turn(self, session: str, policy: str) -> Turn:
        return _Within(self, session, policy)

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.ledger.group = None
        super().__exit__(kind, error, trace)


class _Within(Turn):
    """A turn inside of others: its rows follow theirs, and it sees them, though they may still be taken back."""

    is_kept = False

    def __init__(self, group: Together, session: str, policy: str) -> None:
        super().__init__(group.ledger, session, policy)
        self.group = group

    def __enter__(self) -> Self:
        group = self.group
        self.database = group.database
        self._picture()
        self.seq, self.hash, self.at = group.seq, group.hash, max(self.at, group.at)
        return self

    def __exit__(self, kind: object, error: object, _trace: object) -> None:
        group = self.group
        if kind is not None:
            if self.appended or not isinstance(error, LeftError):
                raise StoreError(f"one of several turns failed: {type(error).__name__}") from None
            return
        if self.appended:
            group.seq, group.hash, group.at, group.appended = self.seq, self.hash, self.at, True
            group.durable = group.durable or self.durable
            group.states.update(self.states)
