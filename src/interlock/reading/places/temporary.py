"""Temporary folders: what stood there before the session, and other repositories, are not free to change.

Everybody's throw-away files lie in one place, and so do other people's work trees. What this session has made there is
its own; of anything else the store is asked whether it was there when the session began (`Stood`).
"""

from __future__ import annotations

from ...model.effects import Effect
from ...model.more_wants import Stood
from ...value import TYPE_CHECKING
from .paths import in_project, within

if TYPE_CHECKING:
    from ...model.action import Action
    from ...model.facts import Facts
    from ..tools.tools import Part

__all__ = ["mark_what_stood"]

_OWN = frozenset(("created", "new"))
_WRITTEN_ANEW = (".log", ".out", ".err", ".pid", ".tmp")  # every run begins such a file anew
_MADE_HERE = "/tmp/tmp.*"  # noqa: S108 - what `mktemp` prints, as far as it is known


def mark_what_stood(part: Part, facts: Facts) -> Part:
    """The reading, in which a change to what was there before is marked `earlier`. What is not known counts."""
    actions, opaque, missing = part
    makes = any(action.name == "fs:temp" for action in actions)
    found, more = [], list(missing)
    for action in actions:
        if _may_be_anothers(action, facts, makes):
            want = Stood(str(action.target["path"]), _takes_all(action))
            answer = facts.answer(want)
            if answer is None and want not in more:
                more.append(want)
            if answer != "":
                action = action.replace(tags=tuple(sorted({*action.tags, "earlier"})))
        found.append(action)
    return tuple(found), opaque, tuple(more)


def _takes_all(action: Action) -> bool:
    return action.name != "fs:write"


def _may_be_anothers(action: Action, facts: Facts, makes: bool) -> bool:
    path = action.target.get("path")
    if action.name[:3] != "fs:" or type(path) is not str or not _OWN.isdisjoint(action.tags):
        return False
    if Effect.WRITE not in action.effects and Effect.DESTRUCTIVE not in action.effects:
        return False
    if not within(facts.temp, path) or in_project(facts.root, path) or path in facts.written or path in facts.created:
        return False
    if action.name == "fs:write" and path.endswith(_WRITTEN_ANEW):
        return False
    return not (makes and path.startswith(_MADE_HERE)) and path + "/" not in facts.temp
