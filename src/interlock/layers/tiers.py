"""Tiers and approval modes: what is free, what is asked on first use, what is asked each time.

    tier 1   reads and effect-free; changes, builds, tests and version control inside the project
    tier 2   side effects that reach further: sending, installing, services, programs that are not known
    tier 3   destructive, external-facing, privileged, history-rewriting, or outside the project

`default` asks once for tier 2 and remembers it; `permissive` lets tier 2 through; `strict` asks each time, and
denies tier 3 unless a capability covers it. Actions of tools that the manifest declares are the manifest's.
"""

from __future__ import annotations

from ..approve.keys import key_of_action
from ..decision import Finding
from ..effects import Effect
from ..policy.model import ApprovalMode
from ..value import TYPE_CHECKING
from ..verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..action import Action, Reading
    from ..approve.grant import Grant
    from ..call import Call
    from ..policy.model import Policy
    from ..session import Session

__all__ = ["tier_of", "tiers"]

_ASK_EACH = ("once", "capability")
_ASK_ONCE = ("once", "capability", "remembered")

# mark or effect -> the tier it lifts an action to, with what a person is told
_MARKS = {
    "privileged": (3, "runs with other rights"),
    "external": (3, "is seen or felt outside this machine"),
    "history": (3, "rewrites history"),
    "scheduled": (3, "is left to run later"),
    "secret": (3, "concerns a secret place"),
    "device": (3, "concerns a device"),
    "install": (2, "brings code from outside"),
    "sends": (2, "sends data to another machine"),
    "unknown": (2, "is a program that is not known"),
    "unread": (1, ""),
}


def tiers(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    found = []
    for index, action in enumerate(reading.actions):
        if action.field != "command":
            continue
        tier, why = tier_of(action)
        finding = _finding(index, action, tier, why, policy.approval_mode)
        if finding is not None:
            found.append(finding)
    return found


def tier_of(action: Action) -> tuple[int, str]:
    """The action's tier, and the reason for it in a few words."""
    tier, why = 1, ""
    effects, tags = action.effects, action.tags
    if Effect.DESTRUCTIVE in effects and not _can_be_had_again(action):
        tier, why = 3, "cannot be taken back"
    elif Effect.SPAWN in effects:
        tier, why = 2, "is left running"
    for mark in tags:
        level, words = _MARKS.get(mark, (1, ""))
        if level > tier:
            tier, why = level, words
    changes = any(effect in effects for effect in (Effect.WRITE, Effect.DESTRUCTIVE))
    if "outside" in tags and changes and tier < 3:
        tier, why = 3, "changes something outside the project"
    return tier, why


def _can_be_had_again(action: Action) -> bool:
    """A file that this session made, or that a build makes again, or that lies in a temporary folder."""
    if action.name not in ("fs:delete", "fs:wipe"):
        return False
    if any(mark in action.tags for mark in ("guard", "secret", "root", "home", "device", "project-root", "unread")):
        return False
    return any(mark in action.tags for mark in ("created", "regenerable", "temp"))


def _finding(index: int, action: Action, tier: int, why: str, mode: ApprovalMode) -> Finding | None:
    if tier == 1 or (tier == 2 and mode is ApprovalMode.PERMISSIVE):
        return None
    what = action.target.get("path") or action.target.get("host") or action.target.get("url")
    subject = f"`{action.name}`" if what is None else f"`{action.name}` on `{what}`"
    verdict = Verdict.DENY if tier == 3 and mode is ApprovalMode.STRICT else Verdict.ASK
    return Finding(
        layer="tiers",
        rule=f"tier-{tier}",
        verdict=verdict,
        text=f"{subject} {why}",
        instead="Say why it is needed, or do without it.",
        actions=(index,),
        grant=key_of_action(action) if verdict is Verdict.ASK else None,
        lifted_by=() if verdict is Verdict.DENY else _ASK_EACH if tier == 3 else _ASK_ONCE,
    )
