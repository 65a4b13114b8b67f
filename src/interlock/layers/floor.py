"""The floor: built in, and nothing lifts it. Not a grant, not an approval, not a policy.

Reading the guard's keys and passwords. Changing the guard's own files, the settings and hooks of any agent host, or
a file that runs without anybody's doing (obeyed.py): no approval in the heat of a session counts; a person edits
them with their own editor. What of these does not unhook the guard a policy may set to another level, and then the
reading does not mark it `guard`. And catastrophes: a root, a home or a device wiped, a fork bomb.
"""

from __future__ import annotations

from ..action import changes_guard, is_catastrophe, reads_guard_secret
from ..decision import Finding
from ..obeyed import FLOOR_OWNERS, REASONS
from ..value import TYPE_CHECKING
from ..verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..action import Action, Reading
    from ..approve.grant import Grant
    from ..call import Call
    from ..policy.model import Policy
    from ..session import Session

__all__ = ["floor"]


def floor(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    found = []
    for index, action in enumerate(reading.actions):
        if changes_guard(action):
            found.append(_guard_files(index, action))
        if reads_guard_secret(action):
            found.append(_guard_secrets(index, action))
        if is_catastrophe(action):
            found.append(_catastrophe(index, action))
    return found


def _guard_files(index: int, action: Action) -> Finding:
    return Finding(
        layer="floor",
        rule="guard-files",
        verdict=Verdict.DENY,
        text=f"{_named(action)} {_why(action)}",
        instead="Leave this file alone and tell the person what you wanted to change in it.",
        actions=(index,),
    )


def _why(action: Action) -> str:
    who = str(action.target.get("obeyed", ""))
    reason = REASONS.get((who, "denied"))
    if reason is not None:
        return f"is obeyed by {who}: {reason}"
    if not who or who in FLOOR_OWNERS:
        return "belongs to the guard or to an agent host's settings"
    return f"is obeyed by {who}, and `[obeyed]` in your policy denies changes to it"


def _guard_secrets(index: int, action: Action) -> Finding:
    return Finding(
        layer="floor",
        rule="guard-secrets",
        verdict=Verdict.DENY,
        text=f"{_named(action)} is or holds a key or a password of the guard",
        instead="Leave it unread: no task needs it. Name the other files that you want, one by one.",
        actions=(index,),
    )


def _catastrophe(index: int, action: Action) -> Finding:
    return Finding(
        layer="floor",
        rule="catastrophe",
        verdict=Verdict.DENY,
        text=f"{_named(action)} would be destroyed, and with it the machine or everything a person keeps on it",
        instead="Name exactly the files that are in the way.",
        actions=(index,),
    )


def _named(action: Action) -> str:
    path, real = action.target.get("path"), action.target.get("real")
    if path is None:
        return f"what `{action.name}` would change"
    return f"`{path}`" if real is None else f"`{path}`, which leads to `{real}`,"
