"""A file that hosts, git or a shell obey was changed, and no call of the session said so: nothing but reads goes on
until a person has seen the change.

What changed is part of the session's slice, with the digest of the new content, so a yes is one to that content and
to no other. A file that is as it was again asks nothing.
"""

from __future__ import annotations

from ..action import is_read_only
from ..decision import Finding
from ..value import TYPE_CHECKING
from ..verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..action import Reading
    from ..approve.grant import Grant
    from ..call import Call
    from ..policy.model import Policy
    from ..session import Session

__all__ = ["watch"]

_WHY = {
    "denied": "It can switch this guard off or run code that nobody started; the next session may start unguarded.",
    "asked": "Something on this machine obeys it.",
}


def watch(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    if not session.changed or is_read_only(reading):
        return ()
    return [
        Finding(
            layer="watch",
            rule=change.level,
            verdict=Verdict.ASK,
            text=f"`{change.path}` was changed, and no call said so. {_WHY[change.level]} {change.text}",
            instead="Read on if you need to, change nothing, and tell the person what changed this file.",
            lifted_by=("once",),
        )
        for change in session.changed
    ]
