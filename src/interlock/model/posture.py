"""How the machine is being run right now, and which moves between postures exist."""

from __future__ import annotations

from ..value import TYPE_CHECKING, Scale
from .errors import PostureError

if TYPE_CHECKING:
    from typing import ClassVar

__all__ = ["MOVES", "Posture", "move"]


class Posture(Scale, words="interactive autonomous dry_run locked"):
    """Ordered by what they let through: each allows at most what the one before allows.

    interactive  a person sits in front of the host and can be asked
    autonomous   nobody does; an ask needs an approver elsewhere, else it is a deny
    dry_run      only reads happen, and only those that nobody need be asked about
    locked       the same, until a person unlocks
    """

    __slots__ = ()
    if TYPE_CHECKING:
        INTERACTIVE: ClassVar[Posture]
        AUTONOMOUS: ClassVar[Posture]
        DRY_RUN: ClassVar[Posture]
        LOCKED: ClassVar[Posture]


MOVES: dict[Posture, tuple[Posture, ...]] = {
    Posture.INTERACTIVE: (Posture.INTERACTIVE, Posture.AUTONOMOUS, Posture.DRY_RUN, Posture.LOCKED),
    Posture.AUTONOMOUS: (Posture.AUTONOMOUS, Posture.INTERACTIVE, Posture.LOCKED),
    Posture.DRY_RUN: (Posture.DRY_RUN, Posture.INTERACTIVE, Posture.LOCKED),
    Posture.LOCKED: (Posture.LOCKED, Posture.INTERACTIVE),
}


def move(current: Posture, wanted: Posture) -> Posture:
    """`wanted`, if the table has that move."""
    if wanted not in MOVES[current]:
        ways = ", ".join(posture.name for posture in MOVES[current] if posture is not current)
        raise PostureError(f"the posture cannot go from {current} to {wanted}; from {current} it can go to {ways}")
    return wanted
