"""Where our own mod has its seat among those of Claude Code, as far as foreign ones are concerned."""

from __future__ import annotations

from ..value import TYPE_CHECKING, Value

if TYPE_CHECKING:
    from .folders import Folders

__all__ = ["Seat", "seat_of"]


class Seat(Value):
    """
    id        of our own mod, as settings name it; empty: none was seated
    folder    where its files are, as they were written
    admitted  digests of foreign mods that a person let in
    holds     it stands in front of all others and refuses them
    """

    id: str = ""
    folder: str = ""
    admitted: frozenset[str] = frozenset()
    holds: bool = False


def seat_of(folders: Folders, root: str) -> Seat:
    """No mod of ours is seated by this version."""
    return Seat()
