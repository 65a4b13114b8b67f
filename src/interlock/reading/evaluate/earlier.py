"""What earlier statements of a call have settled: where HEAD is, which context or workspace is in force.

Each is a move, a tuple of words. Kept are the ways that the script may have gone: a statement may have failed, unless
what stands behind it only runs where it has worked (branches.py). The disk is one: a subshell leaves its moves behind.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING

if TYPE_CHECKING:
    from ..resolve.refs import Move, Way
    from .state import Shell

__all__ = ["MOST", "note", "ways"]

MOST = 16
_NONE: tuple[Way, ...] = ((),)


def ways(shell: Shell) -> tuple[Way, ...]:
    known: tuple[Way, ...] = shell.git.get("ways", _NONE)
    return known


def note(moves: list[Move], before: tuple[Way, ...], shell: Shell) -> None:
    """The statement that is being followed makes these moves, if it works."""
    worked = tuple([(*way, *moves) for way in before])
    known = tuple(dict.fromkeys((*worked, *before)))[: MOST + 1]
    shell.git["ways"], shell.git["worked"] = known, (known, worked)
