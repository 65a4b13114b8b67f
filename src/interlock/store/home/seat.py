"""Where our own mod has its seat among those of Claude Code, as far as foreign ones are concerned."""

from __future__ import annotations

from ...value import TYPE_CHECKING, Value, lazy

if TYPE_CHECKING:
    from .folders import Folders
    from .shield import shield_state
else:
    shield_state = lazy(globals(), ".shield", "shield_state")

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
    """The shield, if `interlock install` seated one, and whether it is in force as far as the disk tells."""
    state = shield_state(folders, folders.moved, root)
    if state is None:
        return Seat()
    digests = frozenset([one.digest for one in state.admitted])
    return Seat(id=f"{state.name}@skills-dir", folder=state.folder, admitted=digests, holds=state.seated)
