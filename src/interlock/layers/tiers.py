"""Tiers and approval modes: what is free, what is asked on first use, what is asked each time.

Which action is in which tier is a table of the policy (`[tiers]`). Tier 1 is free. `default` asks once for tier 2
and remembers it, and asks each time for tier 3; `strict` asks each time, and denies tier 3. `permissive` frees what
stays on this machine and can be undone; it asks about what leaves, brings in code from outside, or is final.
It goes for what is read: of a command, of arguments whose meaning the policy tells, and of every file or row
that is removed. A tool that is known by its declaration alone has the tier of its effects. The file and web tools of
hosts are the manifest's, but for places of the machine: a disk that `cat` asks about is asked about for `Read` as well.
"""

from __future__ import annotations

from ..approve.glob import is_plain, matches
from ..approve.keys import key_of_action
from ..approve.mode import mode_in_force
from ..model.action import COMMAND_FIELDS, REMOVES
from ..model.decision import Finding
from ..model.effects import Effect
from ..model.toolnames import tool_spec
from ..model.verdict import Verdict
from ..policy.model import ApprovalMode
from ..value import TYPE_CHECKING, lazy
from .manifest import line_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..approve.grant import Grant
    from ..model.action import Action, Reading
    from ..model.call import Call
    from ..model.session import Session
    from ..policy.model import Policy, Tiers
    from ..words.acts import does
    from ..words.marks import gravity, instead_of, why_of
else:
    does = lazy(globals(), "..words.acts", "does")
    gravity = lazy(globals(), "..words.marks", "gravity")
    instead_of = lazy(globals(), "..words.marks", "instead_of")
    why_of = lazy(globals(), "..words.marks", "why_of")

__all__ = ["is_declared", "tier_of", "tiers"]

_ASK_EACH = ("once", "capability")
_ASK_ONCE = ("once", "capability", "remembered")

# Marks that an entry for the action does not speak for: only their own entry lowers them.
_GRAVE = (
    "device",
    "disguised",
    "elsewhere",
    "history",
    "identity",
    "near-miss",
    "outside",
    "persistence",
    "posts",
    "privileged",
    "secret",
    "security",
    "unguarded",
)

# Besides the gravest reason, these are told as well.
_TOLD_BESIDES = ("destructive", "earlier", "no-project", "outside", "privileged", "secret")
_ENTRY = "entry"  # the reason of an action that an entry of `[tiers]` puts where it is


def tiers(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    found = []
    mode = mode_in_force(policy, session)
    for index, action in enumerate(reading.actions):
        if is_declared(action):
            tier, why = tier_of(action, policy.tiers, _told_besides(call, reading, policy))
        elif action.field in COMMAND_FIELDS or (reading.server and action.field) or _is_read(action, call, policy):
            tier, why = tier_of(action, policy.tiers)
        elif action.name[:3] == "fs:" and not _PLACES.isdisjoint(action.tags):
            tier, why = _tier_of_place(action, policy.tiers)
        else:
            continue
        if tier > 1:
            finding = _finding(index, action, tier, why, policy, mode)
            if finding is not None:
                planned = reading.line is not None and any(at == index for _, at in reading.line.planned)
                if planned and tier == 2 and _is_first_use(action, policy.tiers):
                    finding = finding.replace(lifted_by=(*finding.lifted_by, "planned"))
                found.append(finding)
    return found


# Places that weigh the same whoever names them: a command, or a file tool of the host.
_PLACES = frozenset(("device", "disguised", "machine", "privileged"))


def _tier_of_place(action: Action, table: Tiers) -> tuple[int, str]:
    return max((table.marks.get(mark, 1), mark) for mark in action.tags if mark in _PLACES)


def _is_read(action: Action, call: Call, policy: Policy) -> bool:
    if action.name in REMOVES or (action.name[:4] == "sql:" and Effect.DESTRUCTIVE in action.effects):
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


def _told_besides(call: Call, reading: Reading, policy: Policy) -> frozenset[Effect]:
    """Effects for which the call of the tool itself is not asked about: its arguments are. A known server that only
    asks a service is one; what it changes there is marked `external`.
    """
    told = _told_by_arguments(call, policy)
    spec = tool_spec(policy, call.tool, call.named) if reading.server else None
    if not reading.server or (spec is not None and spec.registered):
        return told
    read = [effect for action in reading.actions if not is_declared(action) for effect in action.effects]
    return told.union(read, (Effect.NETWORK,))


def _told_by_arguments(call: Call, policy: Policy) -> frozenset[Effect]:
    spec = tool_spec(policy, call.tool, call.named)
    given = () if spec is None else [role for field, role in spec.args.items() if call.input.get(field)]
    return frozenset([effect for role in given for effect in _TELLS.get(role, ())])


def tier_of(action: Action, table: Tiers, told: frozenset[Effect] = frozenset()) -> tuple[int, str]:
    """The action's tier, and the mark or effect for which it is there. `told`: effects that arguments tell instead."""
    if is_declared(action):
        tier, why = _tier_declared(action, table, told)
    else:
        tier, why = _tier_read(action, table)
    if table.at_least:
        bound = max([level for pattern, level in table.at_least.items() if matches(pattern, action.name)], default=1)
        if bound > tier:
            tier, why = bound, _ENTRY
    return tier, why


def _tier_declared(action: Action, table: Tiers, told: frozenset[Effect]) -> tuple[int, str]:
    """By its effects. An entry with the very name stands instead; of an unknown tool only an entry says anything, and
    what its server warns of.
    """
    own = _best(table.actions, action.name) if table.actions else None
    tier, why = (1, "") if own is None else (table.actions[own], _ENTRY)
    held = table.held if own in table.below else ()
    outward = Effect.NETWORK in action.effects and action.irreversible
    levels = {mark: table.marks.get(mark, 1) for mark in (*action.tags, *(("external",) if outward else ()))}
    known = levels.pop("unknown", None) is None
    for effect in action.effects:
        if (known or effect is Effect.DESTRUCTIVE) and (effect not in told or action.irreversible):
            levels[effect.name] = table.effects.get(effect.name, _DECLARED.get(effect.name, 1))
    for what, level in levels.items():
        if level > tier and (own is None or what in held or (own != action.name and level == 3)):
            tier, why = level, what
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
                tier, why = level, lost[0] if lost and effect is Effect.DESTRUCTIVE else effect.name
    for mark in action.tags:
        level = table.marks.get(mark, 1)
        counts = own is None or mark in _GRAVE or mark in held
        if level > tier and counts and (mark != "outside" or _changes(action)):
            tier, why = level, "no-project" if mark == "outside" and "no-project" in action.tags else mark
    return tier, why


def _said_of(action: Action, table: Tiers) -> str:
    """Why an action with an entry of its own is asked about: what its gravest mark says."""
    marks = [mark for mark in action.tags if table.marks.get(mark, 1) > 1]
    return max(marks, key=lambda mark: table.marks[mark], default=_ENTRY)


def _best(patterns: Mapping[str, int], name: str) -> str | None:
    """The pattern that fits the name most closely: the name itself, else the longest, of those the strictest."""
    if name in patterns:
        return name
    fitting = [p for p in patterns if not is_plain(p) and matches(p, name)]
    return max(fitting, key=lambda p: (len(p), patterns[p]), default=None)


def _changes(action: Action) -> bool:
    return Effect.WRITE in action.effects or Effect.DESTRUCTIVE in action.effects


_NOT_TO_BE_HAD = ("guard", "secret", "root", "home", "device", "earlier", "project-root", "unread")


def _can_be_had_again(action: Action) -> bool:
    """A file that this session made, or that a build makes again, or that lies in a temporary folder."""
    if action.name not in REMOVES:
        return False
    if any(mark in action.tags for mark in _NOT_TO_BE_HAD):
        return False
    return any(mark in action.tags for mark in ("created", "regenerable", "temp"))


def _is_first_use(action: Action, table: Tiers) -> bool:
    """Whether it is asked about only because its program is not known, or was not used before."""
    marks = {mark for mark in action.tags if table.marks.get(mark, 1) > 1}
    effects = {effect.name for effect in action.effects if table.effects.get(effect.name, 1) > 1}
    outward = Effect.NETWORK in action.effects or action.irreversible
    return marks <= {"unknown"} and effects <= {"spawn"} and not outward


# What the permissive mode still asks about, in tier 2 as in tier 3.
_LEAVES = ("external", "posts", "sends")
_FROM_OUTSIDE = ("elsewhere", "install", "near-miss", "redirects")
_STOPS = frozenset((*_LEAVES, *_FROM_OUTSIDE))
_KEEPS_HISTORY = ("git:", "jj:")  # a rewritten commit stays in their log until it expires


def _is_free(action: Action, tier: int, table: Tiers) -> bool:
    """Whether the permissive mode lets it through."""
    if "written-here" in action.tags:
        return False  # what nobody has read is never let through without a person
    if table.permissive != 2:
        return tier <= table.permissive
    effects = action.effects
    if Effect.NETWORK in effects and (Effect.EXECUTE in effects or action.irreversible):
        return False  # code from elsewhere, or an act on another machine that stays
    if not _STOPS.isdisjoint(action.tags) or (Effect.DESTRUCTIVE in effects and not _can_be_had_again(action)):
        return False
    if tier == 3 and "history" in action.tags and action.name.startswith(_KEEPS_HISTORY):
        tier, _ = tier_of(action.replace(tags=tuple([mark for mark in action.tags if mark != "history"])), table)
    return tier <= 2


def _finding(index: int, action: Action, tier: int, why: str, policy: Policy, mode: ApprovalMode) -> Finding | None:
    if mode is ApprovalMode.PERMISSIVE and _is_free(action, tier, policy.tiers):
        return None

    marks = _told(action, tier, why, policy.tiers)
    why = "; ".join([why_of(mark, action) for mark in marks]) + line_of(action)
    verdict = Verdict.DENY if tier == 3 and mode is ApprovalMode.STRICT else Verdict.ASK
    return Finding(
        layer="tiers",
        rule=f"tier-{tier}",
        verdict=verdict,
        text=f"{does(action)}: {why}.",
        instead=instead_of(marks[0], action),
        actions=(index,),
        grant=key_of_action(action) if verdict is Verdict.ASK else None,
        lifted_by=("capability",) if verdict is Verdict.DENY else _ASK_EACH if tier == 3 else _ASK_ONCE,
        why=why,
    )


def _told(action: Action, tier: int, reason: str, table: Tiers) -> list[str]:
    """The marks that are told: the gravest of those that put it into the tier, and a few besides."""
    marks = {reason, *[mark for mark in action.tags if table.marks.get(mark, 1) == tier]}
    marks |= {effect.name for effect in action.effects if effect.name in _TOLD_BESIDES} & set(table.effects)
    if not _changes(action) and reason != "outside":
        marks.discard("outside")
    if "outside" in marks and "no-project" in action.tags:  # that says more
        marks = marks - {"outside"} | {"no-project"}
    if _can_be_had_again(action) and reason != "destructive":
        marks.discard("destructive")
    if "uncommitted" in marks:
        marks.discard("destructive")
    first, *rest = sorted(marks, key=gravity)
    return [first, *[mark for mark in rest if mark in _TOLD_BESIDES]]
