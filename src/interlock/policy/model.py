"""The policy in force, as the layers use it."""

from __future__ import annotations

from ..bytes.canon import digest
from ..limits import LOOP_PACE, LOOP_POLLS, MAX_UNDO_TOTAL_BYTES, UNDO_DAYS
from ..model.effects import Effect
from ..model.posture import Posture
from ..model.toolnames import FLOW_ROLES
from ..model.verdict import Risk, Strength, Verdict
from ..value import TYPE_CHECKING, FrozenMap, Scale, Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, ClassVar

    from ..value import Json
    from .judging import Judging
    from .people import Person
    from .plan import Planned, PlanSettings

__all__ = [
    "ALWAYS",
    "ApprovalMode",
    "Consult",
    "Evidence",
    "Headless",
    "OnAllow",
    "OnTimeout",
    "Policy",
    "PolicyGrant",
    "Rule",
    "Tiers",
    "ToolSpec",
    "When",
    "rule_to_wire",
    "tool_to_wire",
]

ALWAYS = "*"  # in `confirm`: whatever the reading says


class ApprovalMode(Scale, words="permissive default strict"):
    """Weakest first. In strict, a remembered approval satisfies nothing."""

    __slots__ = ()
    if TYPE_CHECKING:
        PERMISSIVE: ClassVar[ApprovalMode]
        DEFAULT: ClassVar[ApprovalMode]
        STRICT: ClassVar[ApprovalMode]


class OnTimeout(Scale, words="hold remind deny"):
    """What follows when nobody has answered a question in time. Weakest first."""

    __slots__ = ()
    if TYPE_CHECKING:
        HOLD: ClassVar[OnTimeout]
        REMIND: ClassVar[OnTimeout]
        DENY: ClassVar[OnTimeout]


class Headless(Scale, words="defer deny"):
    """What a host without a person is told of a call that waits for an answer elsewhere. Weakest first."""

    __slots__ = ()
    if TYPE_CHECKING:
        DEFER: ClassVar[Headless]
        DENY: ClassVar[Headless]


class OnAllow(Scale, words="always approve silent"):
    """What a host is told of a call that is allowed. Weakest first: a silent one leaves it to the host's own rules."""

    __slots__ = ()
    if TYPE_CHECKING:
        ALWAYS: ClassVar[OnAllow]
        APPROVE: ClassVar[OnAllow]
        SILENT: ClassVar[OnAllow]


class ToolSpec(Value):
    """One `[tools.NAME]` entry: manifest and registry in one.

    effects     an upper bound on what a call of it may do
    postures    in which postures it may be called; None: in all
    confirm     marks of a reading at which a person is asked; `*`: always
    args        what its arguments are: `sql`, `command`, `fetch`, `write`, … (reading/tools/arguments.py)
    tags        marks that each call of it carries, such as `external`
    compensator how a call of it is undone, in words
    trusted_result  fields of its result whose values are trusted, such as `id` or `id:file`; `*`: all of it
    secret_result   what it gives back must not leave
    known       globs of values that its arguments may have, wherever they came from
    registered  False where only a source that may not loosen has declared it, or one that does not count
    """

    name: str
    effects: tuple[Effect, ...] = ()
    risk: Risk = Risk.LOW
    irreversible: bool = False
    dryrun: bool = False
    postures: tuple[Posture, ...] | None = None
    confirm: tuple[str, ...] = ()
    args: Mapping[str, str] = FrozenMap({})
    tags: tuple[str, ...] = ()
    compensator: str | None = None
    trusted_result: tuple[str, ...] = ()
    secret_result: bool = False
    known: tuple[str, ...] = ()
    registered: bool = True

    @property
    def digest(self) -> str:
        """Of the whole entry: a yes to a call of the tool is bound to it."""
        return digest([self.name, tool_to_wire(self)])

    @property
    def traces(self) -> bool:
        """Whether it is told of the tool where values come from, or where they may go."""
        if self.trusted_result or self.secret_result:
            return True
        return any(role.partition(":")[0] in FLOW_ROLES for role in self.args.values())


class Tiers(Value):
    """Which tier a thing is in: 1 is free, 2 is asked on first use, 3 is asked each time.

    effects     by effect
    marks       by mark of the action
    actions     by pattern of the action's name; stands instead of what the marks say, but for the grave ones
    at_least    the same, from sources that may only tighten: a lower bound
    held        marks and effects that managed policy has set or pinned
    below       patterns in `actions` from sources below it: they do not stand instead of what is held
    permissive  the highest tier that the permissive mode lets through; of tier 2 only what stays here and can be undone
    """

    effects: Mapping[str, int] = FrozenMap({})
    marks: Mapping[str, int] = FrozenMap({})
    actions: Mapping[str, int] = FrozenMap({})
    at_least: Mapping[str, int] = FrozenMap({})
    held: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    permissive: int = 2


class When(Value):
    """What a rule looks for in one action. What is not given matches everything.

    `contract` looks at what the call is proved to break of its tool's contract.
    `window` is a time window in words (policy/window.py); whether it is open arrives as a fact, in the session.
    `input` and `command` look at the words of the call; whether they hold is part of the reading (policy/looks.py).
    """

    tool: str | None = None
    action: str | None = None
    target: Mapping[str, str] = FrozenMap({})
    effects: tuple[Effect, ...] = ()
    tags: tuple[str, ...] = ()
    host: str | None = None
    agent: str | None = None
    postures: tuple[Posture, ...] = ()
    risk: Risk | None = None
    contract: str | None = None
    place: tuple[str, ...] = ()
    window: str | None = None
    input: Mapping[str, tuple[str, ...]] = FrozenMap({})
    command: tuple[str, ...] = ()

    @property
    def of_action(self) -> bool:
        """Whether it asks for something that only an action has."""
        return bool(self.action or self.target or self.effects or self.tags or self.risk or self.place)

    @property
    def of_words(self) -> bool:
        """Whether it asks for something that only the words of the call tell."""
        return bool(self.input or self.command)


class Rule(Value):
    """A user's own rule. It can ask or deny; loosening is a grant, never a rule."""

    id: str
    when: When
    verdict: Verdict
    reason: str
    instead: str = ""
    unless: When | None = None  # actions of which all of this is so are not meant

    @property
    def digest(self) -> str:
        """Of the whole rule: a yes to what it asks is bound to it."""
        return digest(rule_to_wire(self))

    @property
    def of_words(self) -> bool:
        return self.when.of_words or (self.unless is not None and self.unless.of_words)


class PolicyGrant(Value):
    """A grant written into a policy file. `expires` is the last moment, as ISO text in UTC; `uses` are counted by
    the store.
    """

    id: str
    action: str
    scope: Mapping[str, str] = FrozenMap({})
    expires: str | None = None
    why: str = ""
    uses: int | None = None


class Consult(Value):
    """A model of another family, asked what it thinks of a call that no contract proves wrong.

    timeout  in seconds
    key      the variable of the environment that holds the key; empty: none is sent
    tools    globs of the tools that it is asked about; empty: all that have a contract in prose
    """

    endpoint: str
    model: str
    family: str
    agent_family: str
    timeout: float = 2.0
    key: str = ""
    tools: tuple[str, ...] = ()


class Evidence(Value):
    """Where the end of the ledger is sent at the start and the end of a session.

    send     addresses (policy/evidence_address.py)
    machine  what this machine is called there; empty: by its account and its own name
    """

    send: tuple[str, ...] = ()
    machine: str = ""


class Policy(Value):
    """
    built_in_tools  whether the tools that the built-in policy declares are known
    consult         who is asked for a second opinion; None: nobody, which is the default
    judge           which two models judge what is asked about; None: none do, which is the default
    store           the address of the team's store; empty: there is none
    evidence        where the end of the ledger is sent
    commands        programs that the user describes, as plain data; reading/machine makes rows of them
    enforce         a gated action is denied unless a capability covers it
    gated           globs of actions that are gated besides the built-in ones
    wait            seconds for which a call is held while its question is open elsewhere; 0: it is denied at once
    on_allow        permission mode of the host -> what an allow tells it; `default` stands for the others
    observe         the moment until which only the floor is enforced; empty: everything is
    undo_lowers     a loss that a durable checkpoint holds is not asked about
    undo_days       for how long a checkpoint is kept; `undo_bytes` is what all of them may take
    undo_owners     action pattern -> who makes good what cannot be held
    obeyed          pattern -> level of files that others obey, where it is not the built-in one; `obeyed_at_least` is
                    the same from sources that may only tighten
    posture_floor   managed policy keeps the posture at this one or a tighter one
    plan            what the files say about plans; `planned` is the plan in force, once it was looked for
    loop_repeat     this time round is refused, `loop_lock` locks; `loop_pending` tries of what was asked are enough
    loop_pace       seconds after which the same read is polling; `loop_polls` times it may bring nothing new
    budgets         effect or glob of action names -> how many a session may have; `budget_over` is what follows
    phrases         a person's own message that raises a session to permissive, for `phrase_minutes`
    believe_transcript  whether a phrase counts of which only the host's transcript says that a person typed it
    approvers       where a person can answer when nobody sits in front of the host
    elicit          MCP clients that may put a question before their person, by the name that they give
    strength        how strong the answer to a tier 3 action must be at least; `strengths` says so by action
    keys            public keys that managed policy pins: who signs with one of them is believed
    two_for         globs of actions that need the yes of two persons
    people          who a person is, by name; it bears on a decision only where two persons are needed
    preview_page    whether a command that waits may be previewed from the page
    allow_off       whether a person may switch all but the floor off for a while
    timeout         minutes that a question waits and a yes counts; `max_pending` questions of one session may wait
    rules, grants   a tuple, or a Book in which they are found by what they are for
    tool_globs      those names in `tools` that are globs, the one that counts first before the others
    windows         every time window that a rule names, so that most policies need no clock
    traces          whether any tool says where values come from: then sessions keep digests of them
    looked          the tools whose words some rule looks at; `*`: any
    faults   why the files could not be used; then only reads pass
    notices  what a person should know about how the files were merged
    digest   of everything above that bears on a decision
    """

    posture: Posture = Posture.INTERACTIVE
    approval_mode: ApprovalMode = ApprovalMode.DEFAULT
    risk_max: Risk = Risk.HIGH
    allow_critical: bool = False
    ask_at: Risk = Risk.HIGH
    unregistered: Verdict = Verdict.ASK
    built_in_tools: bool = True
    enforce: bool = False
    gated: tuple[str, ...] = ()
    loop_enforce: bool = True
    loop_repeat: int = 3
    loop_lock: int = 4
    loop_pace: int = LOOP_PACE
    loop_polls: int = LOOP_POLLS
    loop_pending: int = 5
    budgets: Mapping[str, int] = FrozenMap({})
    budget_over: Verdict = Verdict.ASK
    allow_phrases: bool = True
    phrases: tuple[str, ...] = ()
    phrase_minutes: int = 60
    believe_transcript: bool = False
    approvers: tuple[str, ...] = ()
    elicit: tuple[str, ...] = ()
    strength: Strength = Strength.WEAK
    strengths: Mapping[str, Strength] = FrozenMap({})
    keys: tuple[str, ...] = ()
    two_for: tuple[str, ...] = ()
    people: Mapping[str, Person] = FrozenMap({})
    allow_off: bool = True
    preview_page: bool = False
    timeout: int = 60
    on_timeout: OnTimeout = OnTimeout.DENY
    headless: Headless = Headless.DENY
    max_pending: int = 20
    wait: int = 0
    on_allow: Mapping[str, OnAllow] = FrozenMap({"default": OnAllow.APPROVE})
    observe: str = ""
    undo_lowers: bool = True
    undo_days: int = UNDO_DAYS
    undo_bytes: int = MAX_UNDO_TOTAL_BYTES
    undo_owners: Mapping[str, str] = FrozenMap({})
    obeyed: Mapping[str, str] = FrozenMap({})
    obeyed_at_least: Mapping[str, str] = FrozenMap({})
    posture_floor: Posture = Posture.INTERACTIVE
    tiers: Tiers = Tiers()
    tools: Mapping[str, ToolSpec] = FrozenMap({})
    tool_globs: tuple[str, ...] = ()
    commands: Mapping[str, Mapping[str, Json]] = FrozenMap({})
    rules: Sequence[Rule] = ()
    grants: Sequence[PolicyGrant] = ()
    windows: tuple[str, ...] = ()
    looked: tuple[str, ...] = ()
    traces: bool = False
    consult: Consult | None = None
    judge: Judging | None = None
    store: str = ""
    evidence: Evidence = Evidence()
    plan: PlanSettings | None = None
    planned: Planned | None = None
    faults: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    digest: str = ""


# What a yes is bound to, and what the compiled policy keeps of them.


def tool_to_wire(spec: ToolSpec) -> dict[str, Any]:
    return {
        "args": dict(spec.args),
        "confirm": spec.confirm,
        "dryrun": spec.dryrun,
        "effects": _names(spec.effects),
        "irreversible": spec.irreversible,
        "postures": None if spec.postures is None else _names(spec.postures),
        "registered": spec.registered,
        "risk": spec.risk.name,
        # said only where there are any: a policy keeps its digest
        **({"tags": spec.tags} if spec.tags else {}),
        **({"compensator": spec.compensator} if spec.compensator is not None else {}),
        **({"trusted_result": spec.trusted_result} if spec.trusted_result else {}),
        **({"secret_result": True} if spec.secret_result else {}),
        **({"known": spec.known} if spec.known else {}),
    }


def rule_to_wire(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "instead": rule.instead,
        "reason": rule.reason,
        **({} if rule.unless is None else {"unless": _when_to_wire(rule.unless)}),
        "verdict": rule.verdict.name,
        "when": _when_to_wire(rule.when),
    }


def _when_to_wire(when: When) -> dict[str, Any]:
    """What came later is said only where it is: a policy without it keeps its digest."""
    return {
        "action": when.action,
        "agent": when.agent,
        **({"command": when.command} if when.command else {}),
        **({} if when.contract is None else {"contract": when.contract}),
        "effects": _names(when.effects),
        "host": when.host,
        **({"input": dict(when.input)} if when.input else {}),
        "place": when.place,
        "postures": _names(when.postures),
        "risk": None if when.risk is None else when.risk.name,
        "tags": when.tags,
        "target": dict(when.target),
        "time": when.window,
        "tool": when.tool,
    }


def _names(members: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple([member.name for member in members])
