"""What a file tool that names a folder does to what lies in it, as `cat`, `cp` and `rm` of that folder would.

Some hosts have tools that read, write or remove folders, and what a path is cannot be told from its name. So a path
that may be a folder is held to the same as in a command. The names of most files say what they are.
"""

from __future__ import annotations

from ...value import TYPE_CHECKING
from ..places.own_places import holds_own_secret
from ..places.place_folders import holds_guarded, holds_secret, takes_in_guarded

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ...model.facts import Facts

__all__ = ["marks_of_folder"]


def marks_of_folder(seen: Sequence[str], action: str, tags: Collection[str], facts: Facts) -> list[str]:
    """`seen`: the path as it is named and, where that differs, where it leads. `tags`: the marks that it has."""
    marks: list[str] = []
    if action == "fs:read":
        if holds_secret(seen[-1], facts):
            marks.append("secret")
        if any(holds_own_secret(path, facts) for path in seen):
            marks.append("own-secret")
    elif action == "fs:search":
        # Of a home, `/etc` or the root a search shows the lines that match: searching.py tells which of them hunt.
        if holds_secret(seen[-1], facts) and not _ground(seen[-1], facts):
            marks.append("secret")
    elif action == "fs:write":
        if "obeyed" not in tags and any(takes_in_guarded(path, facts) for path in seen):
            marks.append("guard")
    elif action == "fs:delete":
        if any(holds_guarded(path, facts) for path in seen):
            marks.append("guard")
        marks += [mark for path in seen for mark in _ground(path, facts)]
    return marks


def _ground(path: str, facts: Facts) -> list[str]:
    from ..commands.places import ground

    return ground(path, False, facts)
