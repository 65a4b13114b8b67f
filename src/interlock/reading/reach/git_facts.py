"""What git knows and a command line does not say: whether commits are on a remote, whether a file is committed.

The reading asks with a `Git` want, the store answers with one word from the repository's files. No answer, or
`unknown`, leaves everything as it would be without git. A deleted file that HEAD holds byte for byte is not lost:
git has it, and the action says with which command it comes back.
"""

from __future__ import annotations

from ...model.action import lower
from ...model.effects import Effect
from ...model.more_wants import SameAsHead
from ...value import TYPE_CHECKING
from ..places.paths import in_project

if TYPE_CHECKING:
    from ...model.action import Action
    from ...model.facts import Facts
    from ...model.more_wants import Git
    from ..evaluate.state import Found
    from ..tools.tools import Part

__all__ = ["CHANGED", "CLEAN", "LARGE", "LOCAL", "SHARED", "UNKNOWN", "asked", "kept_by_git"]

# Answers. A branch is answered with its commit.
LOCAL, SHARED = "local", "shared"  # no remote-tracking branch holds one of the commits; one does
CLEAN, CHANGED = "clean", "changed"  # nothing would be lost; uncommitted work would
UNKNOWN = "unknown"
LARGE = "large"  # the repository has too many files to compare them


def asked(found: Found, want: Git) -> str:
    """The answer, where it is known already; else it is asked for. Names with control characters are not."""
    return (found.ask(want) if _is_plain(want) else None) or UNKNOWN


def _is_plain(want: Git) -> bool:
    parts = want.as_dict().values()
    return all("".join(part).isprintable() for part in parts)


# Marks of a place whose loss weighs more than its content.
_MORE_THAN_CONTENT = frozenset(
    ("guard", "secret", "obeyed", "root", "home", "device", "project-root", "unread", "outside", "vendored")
)


def kept_by_git(part: Part, facts: Facts) -> Part:
    """The reading with every deleted file that git has marked as such. Folders and patterns stay what they are."""
    actions, opaque, missing = part
    if any(action.name == "fs:move" or "moved" in action.tags for action in actions):
        return part  # what lies at a path by then may be something else
    found, more = [], list(missing)
    for action in actions:
        if _may_be_kept(action, facts):
            want = SameAsHead(str(action.target["path"]))
            answer = facts.answer(want)
            if answer is None and want not in more and _is_plain(want):
                more.append(want)
            if answer == CLEAN:
                action = _can_be_restored(action)
            elif answer == CHANGED:
                action = action.replace(tags=tuple(sorted({*action.tags, "uncommitted"})))
        found.append(action)
    return tuple(found), opaque, tuple(more)


def _may_be_kept(action: Action, facts: Facts) -> bool:
    target = action.target
    return (
        action.name == "fs:delete"
        and Effect.DESTRUCTIVE in action.effects
        and "path" in target
        and "real" not in target
        and "glob" not in target
        and _MORE_THAN_CONTENT.isdisjoint(action.tags)
        and in_project(facts.root, str(target["path"]))
    )


def _can_be_restored(action: Action) -> Action:
    return lower(
        action,
        compensator=f"git restore -- {action.target['path']}",
        tags=tuple(sorted({*action.tags, "committed"})),
    )
