"""A file that hosts, git or a shell obey was changed, and no call of the session named it: nothing but reads goes on
until a person has seen the change.

What changed is part of the session's slice, with the digest of the new content, so a yes is one to that content and
to no other. A file that is as it was again asks nothing. The same goes for code that runs inside the host, above every
hook, and for settings that silence hooks: they are found when a session begins (follow/inside.py).
"""

from __future__ import annotations

from ..model.action import is_read_only
from ..model.decision import Finding
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING
from ..words.said import Said, quoted, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..approve.grant import Grant
    from ..model.action import Reading
    from ..model.call import Call
    from ..model.session import Changed, Session
    from ..policy.model import Policy

__all__ = ["SAYS", "watch"]

SAYS = {
    "denied": Said(
        person="{path} was changed{how}. The file can switch Interlock off or run code that nobody started. {text}",
        agent="Change nothing until the person has looked at this file. Reading is fine.",
    ),
    "mod": Said(
        person="{path} holds code that runs inside Claude Code, above every hook: it can switch Interlock off. {text}",
        agent="Change nothing until the person has looked at this plug-in. Reading is fine.",
    ),
    "switch": Said(
        person="{path} can silence Interlock's hooks. {text}",
        agent="Change nothing until the person has looked at this setting. Reading is fine.",
    ),
    "asked": Said(
        person="{path} was changed{how}. Other programs follow what it says. {text}",
        agent="Change nothing until the person has looked at this file. Reading is fine.",
    ),
}


def watch(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    if not session.changed or is_read_only(reading):
        return ()

    return [
        Finding(
            layer="watch",
            rule=change.level,
            verdict=Verdict.ASK,
            text=_text(change),
            instead=SAYS[change.level].agent,
            lifted_by=("once",),
        )
        for change in session.changed
    ]


def _text(change: Changed) -> str:
    said = SAYS[change.level].person
    return said.format(path=quoted(change.path), how=change.how, text=sentence(change.text)).rstrip()
