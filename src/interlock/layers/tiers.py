"""Tiers and approval modes: what is free, what is asked on first use, what is asked each time.

Which action is in which tier is a table of the policy (`[tiers]`). Tier 1 is free. `default` asks once for tier 2
and remembers it, and asks each time for tier 3; `permissive` lets tier 2 through; `strict` asks each time, and denies
tier 3. It goes for what is read: of a command, of arguments whose meaning the policy tells, and of every file that is
removed. A tool that is known by its declaration alone has the tier of its effects. The file and web tools of hosts are
the manifest's.
"""

from __future__ import annotations

from ..action import COMMAND_FIELDS, undo_told
from ..approve.glob import is_plain, matches
from ..approve.keys import key_of_action
from ..approve.mode import mode_in_force
from ..decision import Finding
from ..effects import Effect
from ..policy.model import ApprovalMode
from ..toolnames import tool_spec
from ..value import TYPE_CHECKING
from ..verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..action import Action, Reading
    from ..approve.grant import Grant
    from ..call import Call
    from ..policy.model import Policy, Tiers
    from ..session import Session

__all__ = ["is_declared", "tier_of", "tiers"]

_REMOVES = ("fs:delete", "fs:wipe")
_ASK_EACH = ("once", "capability")
_ASK_ONCE = ("once", "capability", "remembered")

# Marks that an entry for the action does not speak for: only their own entry lowers them.
_GRAVE = (
    "device",
    "disguised",
    "history",
    "identity",
    "outside",
    "persistence",
    "posts",
    "privileged",
    "secret",
    "security",
    "unguarded",
)

# what a person is told of a mark or an effect
_WORDS = {
    "accounts": "reads the machine's table of accounts",
    "clipboard": "reads what a person has copied",
    "deferred": "is run or followed later",
    "disguised": "hides what it does",
    "earlier": "changes what was in a temporary folder before this session",
    "exhausts": "uses up disk, memory or processes",
    "hunts": "looks for secrets",
    "identity": "concerns accounts or keys",
    "machine": "concerns what belongs to the machine or to somebody else",
    "nested": "starts another agent",
    "no-project": "changes something in the home folder, which is no project; only what this session made is free",
    "persistence": "comes back by itself later",
    "redirects": "makes later programs look elsewhere",
    "security": "switches a protection off",
    "suspends": "holds a process where it stands, or lets it go on",
    "wholesale": "takes a whole repository or store at once",
    "execute": "runs something",
    "network": "talks to another machine",
    "write": "changes something",
    "vendored": "changes other people's code that the project keeps",
    "destructive": "cannot be taken back",
    "device": "concerns a device",
    "external": "is seen or felt outside this machine",
    "history": "rewrites history",
    "install": "brings code from outside",
    "outside": "changes something outside the project",
    "posts": "posts a message that other people read",
    "privileged": "runs with other rights",
    "scheduled": "is left to run later",
    "secret": "concerns a secret place",
    "sends": "sends data to another machine",
    "spawn": "is left running",
    "uncommitted": "throws away changes that are not committed, and git cannot bring them back",
    "unguarded": "starts another agent without the guard in front of it",
    "unknown": "is a program that is not known",
    "written-here": "is code that this session wrote, and that is not read",
}


def tiers(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    found = []
    mode = mode_in_force(policy, session)
    for index, action in enumerate(reading.actions):
        if is_declared(action):
            tier, why = tier_of(action, policy.tiers, _told_by_arguments(call, policy))
        elif action.field in COMMAND_FIELDS or _is_read(action, call, policy):
            tier, why = tier_of(action, policy.tiers)
        else:
            continue
        if tier > 1:
            finding = _finding(index, action, tier, why, policy, mode)
            if finding is not None:
                found.append(finding)
    return found


def _is_read(action: Action, call: Call, policy: Policy) -> bool:
    if action.name in _REMOVES:
        return True
    spec = tool_spec(policy, call.tool, call.named)
    return spec is not None and action.field in spec.args


# What arguments tell: where one is read in such a role, the call does what is read there, and no more of these.
_TELLS = {
    "command": Effect.members,
    "sql": (Effect.DESTRUCTIVE, Effect.NETWORK, Effect.WRITE),
    "write": (Effect.WRITE,),
    "edit": (Effect.WRITE,),
    "move": (Effect.WRITE,),
    "delete": (Effect.DESTRUCTIVE, Effect.WRITE),
    "fetch": (Effect.NETWORK,),
    "sends": (Effect.NETWORK,),
}
# Tiers of what a declaration says, where the table has none: nothing more is known of it.
_DECLARED = {"network": 2, "execute": 2, "write": 2}


def is_declared(action: Action) -> bool:
    """Whether it is the call of a tool of which only a name and a declaration are known."""
    return not action.field and (
        action.name[:5] == "tool:" or (action.name[:4] == "mcp:" and action.name.count(":") > 1)
    )


def _told_by_arguments(call: Call, policy: Policy) -> frozenset[Effect]:
    spec = tool_spec(policy, call.tool, call.named)
    given = () if spec is None else [role for field, role in spec.args.items() if call.input.get(field)]
    return frozenset([effect for role in given for effect in _TELLS.get(role, ())])


def tier_of(action: Action, table: Tiers, told: frozenset[Effect] = frozenset()) -> tuple[int, str]:
    """The action's tier, and the reason for it in a few words. `told`: effects of a declared tool that are read."""
    if is_declared(action):
        tier, why = _tier_declared(action, table, told)
    else:
        tier, why = _tier_read(action, table)
    if table.at_least:
        bound = max([level for pattern, level in table.at_least.items() if matches(pattern, action.name)], default=1)
        if bound > tier:
            tier, why = bound, f"is in tier {bound} here"
    return tier, why


def _tier_declared(action: Action, table: Tiers, told: frozenset[Effect]) -> tuple[int, str]:
    """By its effects. An entry with the very name stands instead; of an unknown tool only an entry says anything."""
    own = _best(table.actions, action.name) if table.actions else None
    tier, why = (1, "") if own is None else (table.actions[own], "is one that you are asked about")
    if "unknown" in action.tags:
        return tier, why
    held = table.held if own in table.below else ()
    outward = Effect.NETWORK in action.effects and action.irreversible
    levels = {mark: table.marks.get(mark, 1) for mark in (*action.tags, *(("external",) if outward else ()))}
    for effect in action.effects:
        if effect not in told or action.irreversible:
            levels[effect.name] = table.effects.get(effect.name, _DECLARED.get(effect.name, 1))
    for what, level in levels.items():
        if level > tier and (own is None or what in held or (own != action.name and level == 3)):
            tier, why = level, _words(what)
    return tier, why


def _tier_read(action: Action, table: Tiers) -> tuple[int, str]:
    own = _best(table.actions, action.name) if table.actions else None
    tier, why = (1, "") if own is None else (table.actions[own], _said_of(action, table))
    held = table.held if own in table.below else ()
    for effect in action.effects:
        level = table.effects.get(effect.name, 1)
        if level > tier and (own is None or effect is Effect.DESTRUCTIVE or effect.name in held):
            if effect is not Effect.DESTRUCTIVE or not _can_be_had_again(action):
                lost = [mark for mark in ("uncommitted", "earlier") if mark in action.tags]
                tier, why = level, _words(lost[0] if lost and effect is Effect.DESTRUCTIVE else effect.name)
    for mark in action.tags:
        level = table.marks.get(mark, 1)
        counts = own is None or mark in _GRAVE or mark in held
        if level > tier and counts and (mark != "outside" or _changes(action)):
            tier, why = level, _words("no-project" if mark == "outside" and "no-project" in action.tags else mark)
    return tier, why


def _said_of(action: Action, table: Tiers) -> str:
    """Why an action with an entry of its own is asked about: what its gravest mark says."""
    marks = [mark for mark in action.tags if table.marks.get(mark, 1) > 1]
    return _words(max(marks, key=lambda mark: table.marks[mark])) if marks else "is one that you are asked about"


def _best(patterns: Mapping[str, int], name: str) -> str | None:
    """The pattern that fits the name most closely: the name itself, else the longest, of those the strictest."""
    if name in patterns:
        return name
    fitting = [p for p in patterns if not is_plain(p) and matches(p, name)]
    return max(fitting, key=lambda p: (len(p), patterns[p]), default=None)


def _words(mark: str) -> str:
    return _WORDS.get(mark, f"is marked {mark}")


def _changes(action: Action) -> bool:
    return Effect.WRITE in action.effects or Effect.DESTRUCTIVE in action.effects


_NOT_TO_BE_HAD = ("guard", "secret", "root", "home", "device", "earlier", "project-root", "unread")


def _can_be_had_again(action: Action) -> bool:
    """A file that this session made, or that a build makes again, or that lies in a temporary folder."""
    if action.name not in _REMOVES:
        return False
    if any(mark in action.tags for mark in _NOT_TO_BE_HAD):
        return False
    return any(mark in action.tags for mark in ("created", "regenerable", "temp"))


def _line_of(action: Action) -> str:
    """The line of a file for which it is asked about."""
    return f"; it {action.target['does']}, line {action.target['line']}" if "line" in action.target else ""


_SHOWN = ("path", "host", "url", "fetched", "runs")  # the first of these is named


def _finding(index: int, action: Action, tier: int, why: str, policy: Policy, mode: ApprovalMode) -> Finding | None:
    if mode is ApprovalMode.PERMISSIVE and tier <= policy.tiers.permissive and "written-here" not in action.tags:
        return None  # what nobody has read is never let through without a person
    what = next((action.target[field] for field in _SHOWN if field in action.target), None)
    subject = f"`{action.name}`" if what is None else f"`{action.name}` on `{what}`"
    verdict = Verdict.DENY if tier == 3 and mode is ApprovalMode.STRICT else Verdict.ASK
    return Finding(
        layer="tiers",
        rule=f"tier-{tier}",
        verdict=verdict,
        text=f"{subject} {why}{_line_of(action)}{undo_told(action)}",
        instead="Say why it is needed, or do without it.",
        actions=(index,),
        grant=key_of_action(action) if verdict is Verdict.ASK else None,
        lifted_by=("capability",) if verdict is Verdict.DENY else _ASK_EACH if tier == 3 else _ASK_ONCE,
    )
