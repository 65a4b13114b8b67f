"""What a call would do: its actions, and the parts that could not be read."""

from __future__ import annotations

from ..value import TYPE_CHECKING, FrozenMap, Value
from .effects import Effect, by_precedence
from .verdict import Risk

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from .origins import Origin
    from .wants import Want

    # What an opaque part is about, where somebody reads on:
    #   path, removal  which file is meant is not known; of the second, it would be removed
    #   written-here, outside, fetched  code that is not the project's own
    #   program  what a program that is known would do with these arguments
    #   syntax, failed  the text could not be parsed; reading it failed
    OpaqueKind = Literal["", "path", "removal", "written-here", "outside", "fetched", "program", "syntax", "failed"]
    Target = Mapping[str, str | bool | int | tuple[str, ...]]

__all__ = [
    "COMMAND_FIELDS",
    "REMOVES",
    "REWRITES",
    "Action",
    "Broken",
    "Judgement",
    "Line",
    "Newly",
    "Opaque",
    "Reading",
    "action_of",
    "changes_guard",
    "effects_of",
    "is_catastrophe",
    "is_held_anyway",
    "is_plain_look",
    "is_read_only",
    "is_settled",
    "lower",
    "lowered_effects",
    "reading_in_order",
    "reads_guard_secret",
]


# Fields of a call from which commands are read: a command line, or the name of a file whose lines the host runs.
COMMAND_FIELDS = ("command", "skill", "subagent_type")

# What makes commits anew: nothing is asked about while they are local, and yet a person may want the old ones.
REWRITES = frozenset(("git:commit", "git:rebase"))
# What removes files.
REMOVES = frozenset(("fs:delete", "fs:wipe"))


class Action(Value):
    """One thing the call would do.

    `field` and `span` are the evidence: which field of the input it was read from, and
    which characters of it. `compensator` names the undo of an irreversible action. `at` says what git would lose or
    make anew (specials/git_held.py). `first`: of a loss, that nothing runs before it in the same script but what does
    just what was read of it (reading/core/order.py). Both are for those who read on, and not part of the receipt.
    `newly`: of a change to a file that others obey, what it makes run that did not run before; None: not understood.
    """

    name: str
    target: Target = FrozenMap({})
    effects: tuple[Effect, ...] = ()
    tags: tuple[str, ...] = ()
    risk: Risk = Risk.LOW
    irreversible: bool = False
    compensator: str | None = None
    field: str = ""
    span: tuple[int, int] = (0, 0)
    at: str = ""
    first: bool = False
    newly: tuple[Newly, ...] | None = None


_ActionDraft: Any = Action.draft()


def action_of(
    name: str,
    target: Target,
    effects: tuple[Effect, ...],
    tags: tuple[str, ...],
    risk: Risk,
    irreversible: bool,
    compensator: str | None,
    field: str,
    span: tuple[int, int],
    at: str = "",
) -> Action:
    """An `Action`, quickly: a long command line has hundreds."""
    made = _ActionDraft()
    made.name = name
    made.target = target
    made.effects = effects
    made.tags = tags
    made.risk = risk
    made.irreversible = irreversible
    made.compensator = compensator
    made.field = field
    made.span = span
    made.at = at
    made.first = False
    made.newly = None
    made.__class__ = Action
    action: Action = made
    return action


class Opaque(Value):
    """A part that was not understood. It is never allowed without a person."""

    reason: str  # for people; nothing is decided by it
    field: str = ""
    span: tuple[int, int] = (0, 0)
    kind: OpaqueKind = ""  # for those who read on; not part of the receipt


class Newly(Value):
    """Commands that an obeyed file makes others run after the call, and did not before: what they would do if they were
    typed. `runs` shows them to people.
    """

    runs: str
    actions: tuple[Action, ...] = ()
    opaque: tuple[Opaque, ...] = ()


class Broken(Value):
    """A part of the tool's contract that the call is proved to break.

    `contract` names it, such as `Edit.old-differs`; `level` is L1 (types), L2 (required), L3 (values and bounds)
    or L4 (relations of fields); `text` holds the counter-example.
    """

    contract: str
    level: str
    text: str


class Judgement(Value):
    """What one of two models said of a call that a person is asked about.

    says    `safe`, `unsafe` or `abstain`; whatever went wrong on the way is an abstention
    why     its reason, or what went wrong: one line, cut short, secrets left out
    asked   digest of what was sent to it; `answer` of what came back, empty where nothing did
    """

    model: str
    family: str
    says: str
    why: str = ""
    asked: str = ""
    answer: str = ""


class Line(Value):
    """A command held against the plan that is in force.

    unplanned  the names of the programs that it would run and that are not planned; `` stands for one without a name
    marker     it carries the comment that asks to be taken out of the plan
    arm        the arm of the plan that it is closest to
    given      what a person's yes to this very plan is kept under; empty: the plan is nobody's yes to anything
    planned    commands that stand in such a plan and whose programs are what they were then: (key of the command, an
               action of the reading) and `unclear` the same for its opaque parts
    """

    unplanned: tuple[str, ...] = ()
    marker: bool = False
    arm: str = ""
    given: str = ""
    planned: tuple[tuple[str, int], ...] = ()
    unclear: tuple[tuple[str, int], ...] = ()


class Reading(Value):
    """All that is known of one call.

    `call` is the digest of the call that was read, `projection` the digest of what an
    approval of it would bind. `missing` lists facts that would let more be read. `broken` is what
    contracts prove, `doubts` what a consulted model said: neither makes a call more or less understood.
    `line` is there for commands, where a plan is in force. `scripts` are digests of the script files whose text was
    read, secrets left out. `same_as` is the projection of the command without what is cosmetic in it, where it has
    such: only the loop guard compares by it. `sends` names the commits that a push would send. `holds` is what rules
    ask of the call's own words and is so. `judged` is what two models said of it, where they were asked. `undo` names
    the checkpoint that holds what the call would lose. `origins` are values of it that neither the person nor a
    trusted result has brought. `server` is the known server by whose rows it was read.
    """

    call: str
    projection: str
    actions: tuple[Action, ...] = ()
    opaque: tuple[Opaque, ...] = ()
    missing: tuple[Want[object], ...] = ()
    broken: tuple[Broken, ...] = ()
    doubts: tuple[str, ...] = ()
    line: Line | None = None
    scripts: tuple[str, ...] = ()
    same_as: str = ""
    sends: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    judged: tuple[Judgement, ...] = ()
    origins: tuple[Origin, ...] = ()
    undo: str = ""
    server: str = ""

    @property
    def step(self) -> str:
        """What the loop guard knows the call by."""
        return self.same_as or self.projection


_ReadingDraft: Any = Reading.draft()


def reading_in_order(
    call: str,
    projection: str,
    actions: tuple[Action, ...],
    opaque: tuple[Opaque, ...],
    missing: tuple[Want[object], ...],
    broken: tuple[Broken, ...],
    scripts: tuple[str, ...],
    same_as: str = "",
    sends: tuple[str, ...] = (),
    holds: tuple[str, ...] = (),
    server: str = "",
) -> Reading:
    """A `Reading`, quickly, before anybody has looked at a plan or asked a model."""
    made = _ReadingDraft()
    made.call = call
    made.projection = projection
    made.actions = actions
    made.opaque = opaque
    made.missing = missing
    made.broken = broken
    made.doubts = ()
    made.line = None
    made.scripts = scripts
    made.same_as = same_as
    made.sends = sends
    made.holds = holds
    made.judged = ()
    made.origins = ()
    made.undo = ""
    made.server = server
    made.__class__ = Reading
    reading: Reading = made
    return reading


def effects_of(reading: Reading) -> tuple[Effect, ...]:
    """Every effect of the call once, the dominant one first."""
    if len(reading.actions) == 1:
        return by_precedence(reading.actions[0].effects)
    return by_precedence([effect for action in reading.actions for effect in action.effects])


def is_read_only(reading: Reading) -> bool:
    """True if all of the call was understood and none of it does more than observe."""
    return not reading.opaque and all(effect is Effect.READ for effect in effects_of(reading))


def is_plain_look(action: Action) -> bool:
    """Whether it only observes, and nothing of what it looks at is marked: nobody is asked about it by itself."""
    return bool(action.effects) and not action.tags and all(effect is Effect.READ for effect in action.effects)


def lowered_effects(effects: tuple[Effect, ...], taken: Effect) -> tuple[Effect, ...]:
    """INVARIANT: the only way by which an effect leaves an action. It never makes one that changes anything a look:
    what is not lost is still written, and what does not stay is still run.
    """
    if taken not in effects:
        return effects
    rest = [effect for effect in effects if effect is not taken]
    if taken is Effect.DESTRUCTIVE:
        rest.append(Effect.WRITE)
    elif all(effect is Effect.READ for effect in rest):
        rest.append(Effect.EXECUTE)
    return by_precedence(rest)


def lower(action: Action, **more: Any) -> Action:
    """The action once it is known that nothing is lost by it, or that it can be had again. `more` are other fields."""
    effects = lowered_effects(action.effects, Effect.DESTRUCTIVE)
    return action.replace(effects=effects, irreversible=False, **more)


_RUNS = frozenset((Effect.EXECUTE, Effect.SPAWN, Effect.NETWORK))
_UNSETTLED = frozenset(
    "unread written-here fetched remote-code unknown interactive deferred scheduled privileged".split()
)


def is_held_anyway(action: Action) -> bool:
    """Whether a call that is let through loses something by this all the same: commits that are made anew, or what a
    person may have put into a folder that a build makes.
    """
    if action.name in REWRITES:
        return action.at != ""
    return action.name in REMOVES and "regenerable" in action.tags and "created" not in action.tags


def is_settled(action: Action) -> bool:
    """Whether it only changes what it was read to change, and is over when the next one begins."""
    return _RUNS.isdisjoint(action.effects) and _UNSETTLED.isdisjoint(action.tags)


# What a machine does not come back from without its backups.
_GROUND = frozenset(("root", "home", "device"))


def is_catastrophe(action: Action) -> bool:
    return (Effect.DESTRUCTIVE in action.effects and not _GROUND.isdisjoint(action.tags)) or "fork-bomb" in action.tags


def changes_guard(action: Action) -> bool:
    """Whether it does more than look at the guard's own files, or at the settings of an agent host."""
    if "guard" not in action.tags:
        return False
    # A database is opened for writing, whatever is asked of it.
    return action.name[:4] == "sql:" or any(effect is not Effect.READ for effect in action.effects)


def reads_guard_secret(action: Action) -> bool:
    """Whether it reads a key or a password of the guard, or makes another name by which it can be read."""
    return "own-secret" in action.tags
