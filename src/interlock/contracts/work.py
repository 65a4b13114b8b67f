"""How much work one contract is worth. A catalogue may be anybody's, and a call may be long: both together are bounded.

Contracts only ever advise, so they must not be able to use up the hook's deadline, which denies. Whatever grows with
the catalogue or with the call is paid for before it is done, and what is not worth it any more is left open. A unit
is what one value costs to look at: about a microsecond.
"""

from __future__ import annotations

__all__ = ["EACH", "ROOM", "OutOfWork", "Work"]

ROOM = 400_000  # a hundred thousand values with a few keywords each
EACH = 300  # what a constraint has besides, so that a call cannot use up with one what another needs


class OutOfWork(ValueError):
    """More would have to be looked at than an advice is worth."""


class Work:
    __slots__ = ("left",)

    def __init__(self, left: int = ROOM) -> None:
        self.left = left

    def take(self, units: int) -> None:
        """Pays for what is about to be done. OutOfWork if there is not that much left; what is left stays."""
        if units > self.left:
            raise OutOfWork("the contract is too much to look at")
        self.left -= units
