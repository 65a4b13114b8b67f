"""The keys of `[approvals]`: who may answer, how, and for how long. See schema.py."""

from __future__ import annotations

from .field import Field

__all__ = ["APPROVALS"]

APPROVALS = (
    Field(
        key="phrases",
        kind="texts",
        tighter="common",
        doc="A person's own message that is one of these, as a whole, raises the session to `permissive`; "
        "`strict` stays.",
    ),
    Field(key="phrase_minutes", kind="minutes", tighter="lower", doc="For how long."),
    Field(key="allow_phrases", kind="boolean", tighter="false", doc="`false`: no message raises anything."),
    Field(
        key="believe_transcript",
        kind="boolean",
        tighter="false",
        doc="`true`: a phrase counts of which only the host's transcript says who typed it, as in Claude Code. Any "
        "program of yours can write there. Only your own and managed policy can set it.",
    ),
    Field(
        key="by",
        kind="approvers",
        tighter="common",
        doc="Where a person can answer when nobody sits in front of the host. None: there an ask is a deny. "
        "See [approvals.md](approvals.md).",
    ),
    Field(
        key="elicit",
        kind="texts",
        tighter="common",
        doc="MCP clients, by the name that they give, that may put a question of `interlock mcp` before their person: "
        "`claude-code`. Such a yes is weak, and counts for this session and tier 2 at most. See [mcp.md](mcp.md).",
    ),
    Field(
        key="strength",
        kind="strength",
        tighter="higher",
        doc="How strong the answer to a tier 3 action must be at least. Once a key is enrolled and counts, `medium` "
        "is the least. See [approvers.md](approvers.md).",
    ),
    Field(
        key="actions",
        kind="strengths",
        tighter="raises",
        doc='The same for actions by name, whatever their tier: `"git:push" = "strong"`.',
    ),
    Field(
        key="keys",
        kind="keys",
        tighter="fixed",
        doc="Managed policy only: the public keys of the people who may sign answers, as lines of their `.pub` files.",
    ),
    Field(
        key="two_for",
        kind="texts",
        tighter="union",
        doc="Actions, as globs such as `npm:publish` or `kubectl:*`, that need the signed yes of two different "
        "persons. It takes pinned keys of two `[people]`. See [approvals.md](approvals.md#two-persons).",
    ),
    Field(
        key="allow_off",
        kind="boolean",
        tighter="false",
        doc="`false`: nobody can switch anything off with `interlock off`. Where there is a managed policy, only that "
        "can say `true`.",
    ),
    Field(key="timeout", kind="minutes", tighter="lower", doc="For how long a question waits, and a yes counts."),
    Field(
        key="on_timeout",
        kind="on_timeout",
        tighter="higher",
        doc="What follows when nobody has answered: `deny` ends the question, `hold` keeps it, `remind` keeps it and "
        "says so again.",
    ),
    Field(
        key="headless",
        kind="headless",
        tighter="higher",
        doc="What an unattended run is told of a call that waits for an answer: `deny` with the id, or `defer`: Claude "
        "Code ends the run, and `claude -p --resume` has the call judged anew. A host that cannot defer denies.",
    ),
    Field(
        key="wait",
        kind="duration",
        tighter="lower",
        doc="For how long a call is held while its question is open elsewhere, on hosts where a time-out blocks; run "
        "`interlock install` after changing it. `0s`: it is denied at once, with the id.",
    ),
    Field(key="max_pending", kind="count", tighter="lower", doc="How many questions of one session or run may wait."),
)
