"""The floor: built in, and nothing lifts it. Not a grant, not an approval, not a policy.

Reading the guard's keys and passwords. Changing the guard's own files, the settings and hooks of any agent host, or
a file that runs without anybody's doing (obeyed.py): no approval in the heat of a session counts; a person edits
them with their own editor. What of these does not unhook the guard a policy may set to another level, and then the
reading does not mark it `guard`. Starting an agent with a variable that leaves the guard out. And catastrophes: a root,
a home or a device wiped, a fork bomb.
"""

from __future__ import annotations

from ..model.action import changes_guard, is_catastrophe, reads_guard_secret
from ..model.decision import Finding
from ..model.obeyed import FLOOR_OWNERS, REASONS
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, FrozenMap, lazy
from ..words.said import Said

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..approve.grant import Grant
    from ..model.action import Action, Reading
    from ..model.call import Call
    from ..model.session import Session
    from ..policy.model import Policy
    from ..words.acts import does
else:
    does = lazy(globals(), "..words.acts", "does")

__all__ = ["SAYS", "floor"]

SAYS = {
    "guard-files": Said(
        person="it belongs to Interlock or to an agent's settings, which only you may change, in your own editor",
        agent="Leave it alone, and tell the person what you wanted to change.",
    ),
    "guard-files (obeyed)": Said(
        person="{reason}; only you may change it, in your own editor",
        agent="Leave it alone, and tell the person what you wanted to change.",
    ),
    "guard-files (policy)": Said(
        person="{who} follows it, and `[obeyed]` in your policy denies changes to it",
        agent="Leave it alone, and tell the person what you wanted to change.",
    ),
    "guard-files (variable)": Said(
        person="with {name} set, it starts without Interlock, or with code inside that nobody has looked at",
        agent="Start it without this variable, or let the person start it.",
    ),
    "guard-secrets": Said(
        person="it is or holds a key or password of Interlock, which no agent may read",
        agent="Leave it unread. If you need other files from the same folder, name them one by one.",
    ),
    "catastrophe": Said(
        person="it would destroy the system or everything in a home folder",
        agent="Name exactly the files that you want to remove.",
    ),
    "catastrophe (fork bomb)": Said(
        person="it starts copies of itself until the machine stops responding",
        agent="Start a fixed number of processes.",
    ),
}


def floor(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    found = []
    for index, action in enumerate(reading.actions):
        if is_catastrophe(action):
            bomb = "fork-bomb" in action.tags
            found.append(_deny("catastrophe", index, action, "catastrophe (fork bomb)" if bomb else "catastrophe"))
        if changes_guard(action):
            found.append(_deny("guard-files", index, action, *_guarded(action)))
        if reads_guard_secret(action):
            found.append(_deny("guard-secrets", index, action, "guard-secrets"))
    return found


def _guarded(action: Action) -> tuple[str, Mapping[str, str]]:
    """Which message, and what it is filled with: who obeys the file, or why that matters."""
    if action.name == "agent:run":
        return "guard-files (variable)", {"name": str(action.target.get("unguarded", ""))}
    who = str(action.target.get("obeyed", ""))
    reason = REASONS.get((who, "denied"))
    if reason is not None:
        return "guard-files (obeyed)", {"reason": reason}
    if not who or who in FLOOR_OWNERS:
        return "guard-files", {}
    return "guard-files (policy)", {"who": who}


def _deny(rule: str, index: int, action: Action, message: str, facts: Mapping[str, str] = FrozenMap({})) -> Finding:
    said = SAYS[message]
    why = said.person.format(**facts)
    return Finding(
        layer="floor",
        rule=rule,
        verdict=Verdict.DENY,
        text=f"{does(action)}: {why}.",
        instead=said.agent,
        actions=(index,),
        why=why,
    )
