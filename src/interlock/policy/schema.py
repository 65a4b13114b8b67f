"""What a policy file may say: every key, its kind, its tighter direction, its meaning.

One table serves the checker, the merger and the reference in docs/policy.md. `field.py` says what a direction means,
`hook.py` has the keys of `[hook]`, `approval_fields.py` those of `[approvals]`. A table of settings is one of them by
its line in `SECTIONS`.
"""

from __future__ import annotations

from .approval_fields import APPROVALS
from .field import Field
from .hook import HOOK
from .schema_flow import ORIGINS

__all__ = [
    "APPROVALS",
    "BUDGET",
    "CAPABILITY",
    "GRANT",
    "LOOP",
    "PIN",
    "PLAN",
    "PREVIEW",
    "PROFILES",
    "RISK",
    "RULE",
    "SECTIONS",
    "SURFACES",
    "TIERS",
    "TOOL",
    "TOP",
    "UNDO",
    "UNLESS",
    "WHEN",
    "Field",
]


PIN = "pin"

# Where a person can answer an approval.
SURFACES = ("terminal", "page", "slack", "http")

# What comes with Interlock, each a file in policy/profiles; `default` is the built-in policy and adds nothing.
PROFILES = ("default", "careful", "autonomous", "ci", "readonly", "serve")

TOP = (
    Field(key="version", kind="version", tighter="fixed", doc="The format of the file. Always 1.", required=True),
    Field(
        key="min_engine",
        kind="engine",
        tighter="",
        doc="The oldest version of Interlock that may use this file. Below it, only read-only calls are "
        "allowed; without it, what a key that is not known is about asks.",
    ),
    Field(key="posture", kind="posture", tighter="higher", doc="The posture in which a session starts."),
    Field(key="approval_mode", kind="mode", tighter="higher", doc="How far approvals reach."),
    Field(
        key="profile",
        kind="profile",
        tighter="",
        doc="A set of settings that comes with Interlock, applied before this file and with this file's rights: "
        "what the file itself says counts more.",
    ),
    Field(
        key=PIN,
        kind="texts",
        tighter="fixed",
        doc="Managed policy only: settings that lower sources may tighten but not loosen, such as `risk.max` or "
        "`tools.Bash`. What managed policy sets itself is pinned anyway.",
    ),
    Field(key="risk", kind="table", tighter="", doc="Ceilings by risk, and tools that nobody declared."),
    Field(key="tiers", kind="table", tighter="", doc="What is free, asked on first use, or asked each time."),
    Field(key="plan", kind="table", tighter="", doc="Holds commands to a plan. See [plan.md](plan.md)."),
    Field(key="capability", kind="table", tighter="", doc="Irreversible actions that need a grant of their own."),
    Field(
        key="obeyed",
        kind="obeyed",
        tighter="higher",
        doc="The level of files that other programs or agents obey, by pattern. See "
        "[Files that others obey](#files-that-others-obey).",
    ),
    Field(key="loop", kind="table", tighter="", doc="When a session that repeats itself is stopped."),
    Field(key="undo", kind="table", tighter="", doc="What can be taken back. See [undo.md](undo.md)."),
    Field(key="preview", kind="table", tighter="", doc="Who may start a preview, besides a person at a terminal."),
    Field(key="budget", kind="table", tighter="", doc="How much of each effect or action one session may have."),
    Field(
        key="approvals",
        kind="table",
        tighter="",
        doc="Who can answer an ask, and what a person can say in their own message.",
    ),
    Field(key="hook", kind="table", tighter="", doc="What a host is told of a decision."),
    Field(
        key="people",
        kind="named tables",
        tighter="loosens",
        doc="Who a person is: one entry per person, with the names under which they answer. Your own or the managed "
        "policy only; where managed policy names people, only those count.",
    ),
    Field(
        key="tools",
        kind="tables",
        tighter="",
        doc="One entry per tool: manifest and registry. The name may be a glob. See [Tools](#tools).",
    ),
    Field(
        key="commands",
        kind="named tables",
        tighter="loosens",
        doc="Programs that Interlock does not know, or that mean something else here: one entry per program, in "
        "the words of the built-in tables. It lifts no floor; below managed policy, only programs that are not known.",
    ),
    Field(
        key="consult",
        kind="table",
        tighter="loosens",
        doc="Off unless given: another model is asked what it thinks of a call. It can only add a note.",
    ),
    Field(
        key="judge",
        kind="table",
        tighter="loosens",
        doc="Off unless given: two models judge what is asked about, and can only tighten; see [judge.md](judge.md). "
        "Your own or the managed policy only.",
    ),
    Field(
        key="store",
        kind="table",
        tighter="loosens",
        doc="Where the team's store is; see [teams.md](teams.md). Your own or the managed policy only: a project "
        "cannot set it, not even a trusted one.",
    ),
    Field(
        key="evidence",
        kind="table",
        tighter="loosens",
        doc="Where the end of the ledger is sent, so that it outlives this disk; see [fleet.md](fleet.md). Your own or "
        "the managed policy only.",
    ),
    Field(key="rules", kind="list of tables", tighter="adds", doc="Your own rules. They ask or deny."),
    Field(key="grants", kind="list of tables", tighter="loosens", doc="What is permitted ahead of time."),
)

RISK = (
    Field(key="max", kind="risk", tighter="lower", doc="Above this, a call is denied."),
    Field(key="allow_critical", kind="boolean", tighter="false", doc='Critical needs this and `max = "critical"`.'),
    Field(key="ask_at", kind="risk", tighter="lower", doc="Irreversible and at least this: ask."),
    Field(key="unregistered", kind="verdict", tighter="higher", doc="Tools that the policy does not know."),
    Field(
        key="built_in_tools",
        kind="boolean",
        tighter="false",
        doc="`false`: a tool that only the built-in policy declares (`Bash`, `Write`, …) counts as one that the "
        "policy does not know.",
    ),
)

TIERS = (
    Field(
        key="effects",
        kind="tiers",
        tighter="raises",
        doc="The tier of an effect. `destructive` does not count for what can be had again: files that this "
        "session made, that a build makes again, or that came into a temporary folder since it began.",
    ),
    Field(
        key="marks",
        kind="tiers of marks",
        tighter="raises",
        doc="The tier of a mark, such as `install` or `privileged`. `outside` counts where something is changed.",
    ),
    Field(
        key="actions",
        kind="tiers",
        tighter="raises",
        doc="The tier of an action, by a pattern of its name such as `git:push` or `docker:*`; the longest pattern "
        "counts. It stands instead of what effects and marks say, but for what is destructive, history, outside, "
        "posts, privileged, secret or concerns a device: those are lowered by their own entry only.",
    ),
    Field(
        key="permissive",
        kind="tier 2 or 3",
        tighter="lower",
        doc="What the approval mode `permissive` lets through: `2`, what stays on this machine and can be undone; `3`, "
        "everything that is not denied.",
    ),
)

PLAN = (
    Field(
        key="enforcement",
        kind="enforcement",
        tighter="higher",
        doc="`warn` (default) lets a command that is not planned through and logs it, `strict` denies and logs it.",
    ),
    Field(
        key="dir",
        kind="text",
        tighter="first",
        doc="The run folder, where plan and log lie. Default: the project folder, from which a "
        "relative one is looked for.",
    ),
    Field(key="file", kind="name", tighter="first", doc="The plan's name. Default: `experiment_plan.yaml`."),
    Field(
        key="match",
        kind="matching",
        tighter="higher",
        doc="What must be planned: the `program` (default), the `line` (the program; of one that runs whatever it is "
        "given, such as `python`, also the planned words), the `prefix` (a planned command, and words after it), or "
        "the `exact` words.",
    ),
    Field(
        key="marker",
        kind="comment",
        tighter="fixed",
        doc="The comment with which a command asks to be taken out of the plan. Default: `# nous: ad-hoc`.",
    ),
    Field(
        key="markers_per_run",
        kind="count",
        tighter="lower",
        doc="How many commands of a run may carry the marker. Default: any number; `0`: none.",
    ),
    Field(
        key="idle",
        kind="count",
        tighter="higher",
        doc="Minutes without a call after which another session may take over the run folder, where the process of the "
        "first cannot be told. Default: 10; `0`: at once, in any case.",
    ),
    Field(
        key="require_outputs",
        kind="boolean",
        tighter="true",
        doc="Whether `interlock plan gate` waits for the outputs that the plan names. Default: `true`.",
    ),
    Field(key="programs", kind="texts", tighter="first", doc="Programs that may run besides the plan's, by name."),
    Field(
        key="digest",
        kind="text",
        tighter="pinned",
        doc="The digest of the plan. A plan with another content cannot be used. Default: any content.",
    ),
)

CAPABILITY = (
    Field(
        key="enforce",
        kind="boolean",
        tighter="true",
        doc="`true`: a gated action is denied unless a grant covers it. `interlock compensators` lists them.",
    ),
    Field(
        key="actions",
        kind="texts",
        tighter="union",
        doc="Actions that are gated as well, as globs, such as `kubectl:*`. Without `enforce`, these alone are.",
    ),
)

UNDO = (
    Field(
        key="lowers",
        kind="boolean",
        tighter="false",
        doc="A loss that a durable checkpoint holds is not asked about. The approval mode `strict` ignores it.",
    ),
    Field(key="days", kind="days", tighter="fixed", doc="For how long a checkpoint is kept. Default: 7."),
    Field(
        key="bytes",
        kind="bytes",
        tighter="fixed",
        doc="How much all checkpoints of a person may take on the disk. Default: 2147483648, which is 2 GB.",
    ),
    Field(
        key="owners",
        kind="owners",
        tighter="fixed",
        doc="Who makes good what cannot be held, by action: `interlock undo` names them. The longest pattern counts.",
    ),
)

LOOP = (
    Field(key="enforce", kind="boolean", tighter="true", doc="`false`: a repetition is only noted, not refused."),
    Field(
        key="repeat",
        kind="rounds",
        tighter="lower",
        doc="The same call, or round of up to eight calls, with the same outcome: this time it is refused.",
    ),
    Field(key="lock", kind="rounds", tighter="lower", doc="This time the session is locked. Reads never lock it."),
    Field(
        key="pace",
        kind="count",
        tighter="higher",
        doc="The same read is polling, and free, if it comes so many seconds after the last time. Default: 10.",
    ),
    Field(
        key="polls",
        kind="count",
        tighter="lower",
        doc="How often polling may bring nothing new until anything else is done. Default: 200.",
    ),
    Field(
        key="pending",
        kind="count",
        tighter="lower",
        doc="How often the same call is put to the person at the host who does not approve it; then it is denied. "
        "Retries of a call that waits elsewhere do not count.",
    ),
)

# Beside these, `[budget]` takes the name of an effect, or a glob of action names, each with a number.
BUDGET = (
    Field(key="over", kind="ask or deny", tighter="higher", doc="What follows when a budget is used up."),
    Field(
        key="NAME",
        kind="count",
        tighter="lower",
        doc="An effect (`network`) or a glob of action names (`git:push`, `mcp:mail:*`): how many such actions a "
        "session may have.",
    ),
)


# The tables of plain settings: `max` of `[risk]` is the setting `risk.max`.
PREVIEW = (
    Field(
        key="page",
        kind="boolean",
        tighter="false",
        doc="`true`: whoever may answer on the page of `interlock serve` can preview a command that waits there, where "
        "the service runs on the machine of the project. See [preview.md](preview.md).",
    ),
)

SECTIONS = {
    "risk": RISK,
    "tiers": TIERS,
    "plan": PLAN,
    "capability": CAPABILITY,
    "loop": LOOP,
    "undo": UNDO,
    "approvals": APPROVALS,
    "hook": HOOK,
    "preview": PREVIEW,
}

TOOL = (
    Field(
        key="effects",
        kind="effects",
        tighter="fixed",
        doc="What a call of the tool may do at most. An effect beyond it asks; `read` is within any other.",
    ),
    Field(key="risk", kind="risk", tighter="higher", doc="Declared risk; the reading may raise it."),
    Field(key="irreversible", kind="boolean", tighter="true", doc="What it does cannot be taken back."),
    Field(key="dryrun", kind="boolean", tighter="fixed", doc="The tool has a form that only shows what it would do."),
    Field(key="postures", kind="postures", tighter="common", doc="In which postures it may be called. Absent: in all."),
    Field(
        key="args",
        kind="roles",
        tighter="fixed",
        doc="What its arguments are, so that they are read: paths (`read`, `list`, `search`, `write`, `edit`, "
        "`move`, `delete`), "
        "addresses (`fetch`, `sends`), `sql`, `command`, `text`; and where values must come from: `recipient`, `link`, "
        '`object`, `credential`, `message`, `day`. `"message.to"` is an argument inside of an argument. See '
        "[flow.md](flow.md).",
    ),
    *ORIGINS,
    Field(
        key="tags",
        kind="tool tags",
        tighter="union",
        doc="Marks that each call of it carries, such as `external`: what it does is seen outside this machine.",
    ),
    Field(
        key="compensator",
        kind="text",
        tighter="fixed",
        doc="How a call of it is undone, in words. It is shown where a person is asked.",
    ),
    Field(
        key="confirm",
        kind="confirm",
        tighter="union",
        doc="`true`: ask a person each time. A list of marks, such as `outside` or `secret`: ask when the reading "
        "carries one of them.",
    ),
)

WHEN = (
    Field(key="tool", kind="glob", tighter="", doc="The tool's name."),
    Field(key="action", kind="glob", tighter="", doc="The action's name, such as `fs:write`."),
    Field(key="target", kind="scope", tighter="", doc="Fields of the action's target, each with a glob."),
    Field(key="effects", kind="effects", tighter="", doc="The action has one of these effects."),
    Field(key="tags", kind="tags", tighter="", doc="The action carries one of these marks."),
    Field(key="risk", kind="risk", tighter="", doc="The action's risk is at least this."),
    Field(
        key="contract",
        kind="glob",
        tighter="",
        doc="A part of the tool's contract that the call is proved to break, such as `Edit.*`.",
    ),
    Field(
        key="input",
        kind="conditions",
        tighter="",
        doc="Arguments of the call, each with a condition. See [What a rule can look at](#what-a-rule-can-look-at).",
    ),
    Field(
        key="command",
        kind="commands",
        tighter="",
        doc="The words of a command that the call runs, such as `npm publish *`, wrappers seen through.",
    ),
    Field(key="host", kind="glob", tighter="", doc="The host that sent the call."),
    Field(key="agent", kind="glob", tighter="", doc="The type or the id of a sub-agent, where the host names one."),
    Field(key="postures", kind="postures", tighter="", doc="The session is in one of these postures."),
    Field(key="place", kind="places", tighter="", doc="The action's target lies in one of these places."),
    Field(
        key="time",
        kind="window",
        tighter="",
        doc="The rule holds only in this window. Days, hours, and a zone (without one: UTC); hours may run past "
        "midnight. A window that cannot be told counts as open. Examples are checked as if it were open.",
    ),
)

# What may take an action out of a rule again.
_NO_EXCEPTION = ("risk", "contract", "time")
UNLESS = tuple(field for field in WHEN if field.key not in _NO_EXCEPTION)

RULE = (
    Field(key="id", kind="id", tighter="", doc="Names the rule in reasons and receipts.", required=True),
    Field(key="when", kind="when", tighter="", doc="What the rule looks for in an action.", required=True),
    Field(
        key="unless",
        kind="when",
        tighter="",
        doc="Takes actions out again of which all this is so: the keys of `when`, but for "
        "`risk`, `contract` and `time`.",
    ),
    Field(key="verdict", kind="ask or deny", tighter="", doc="`ask` or `deny`.", required=True),
    Field(key="reason", kind="text", tighter="", doc="Why, for the person and the agent.", required=True),
    Field(key="instead", kind="text", tighter="", doc="What the agent can do instead, in one sentence."),
    Field(
        key="matches",
        kind="examples",
        tighter="",
        doc="Calls that the rule must match: a command line, or a table with `tool` and `input`. Checked on loading.",
    ),
    Field(key="ignores", kind="examples", tighter="", doc="Calls that the rule must not match. Checked on loading."),
)

GRANT = (
    Field(key="id", kind="id", tighter="", doc="Names the grant in receipts.", required=True),
    Field(key="action", kind="glob", tighter="", doc="The actions it is for, such as `git:push`.", required=True),
    Field(
        key="scope",
        kind="scope",
        tighter="",
        doc="Fields of the target, each with a glob. All must match. What leaves "
        "this machine needs `destination`: where it may go, `*` for anywhere.",
    ),
    Field(
        key="expires", kind="moment", tighter="", doc="A date (its last second, UTC) or a date and time with offset."
    ),
    Field(
        key="uses",
        kind="uses",
        tighter="",
        doc="How many calls it covers. Counted in the ledger under the grant's id, so editing the file does not begin "
        "anew; where nothing is recorded, it covers none.",
    ),
    Field(key="why", kind="text", tighter="", doc="Why it was given."),
)
