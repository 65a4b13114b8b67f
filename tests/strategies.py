"""What the properties are tried on: calls, readings, policies, sessions, grants, JSON data, policy files.

Kept lean on purpose: small alphabets that collide often (so that rules match and grants cover)
find more than wide ones, and a hundred thousand examples stay affordable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, TypeVar

import tomli_w
from hypothesis import strategies as st

from chance import made, one_from, one_of_each, several
from interlock.approve.approval import approval_for
from interlock.approve.grant import Grant
from interlock.model.action import Action, Opaque, Reading
from interlock.model.call import Call
from interlock.model.decision import Finding
from interlock.model.effects import Effect
from interlock.model.posture import Posture
from interlock.model.session import Pending, Session
from interlock.model.steps import ACTS, EDITS, IDLES, LOOKS, RUNS, WAITS, Ran
from interlock.model.toolnames import globs_of
from interlock.model.verdict import Risk, Strength, Verdict
from interlock.policy.model import ApprovalMode, Policy, Rule, Tiers, ToolSpec, When
from interlock.value import FrozenMap, Value

__all__ = [
    "ACTIONS",
    "GLOBS",
    "TOOLS",
    "Case",
    "a_case",
    "a_case_without_an_approval",
    "a_finding",
    "an_action",
    "call_objects",
    "cases",
    "cases_without_an_approval",
    "globs",
    "json_data",
    "policy_tables",
    "policy_texts",
    "safe_json_data",
    "to_toml",
]

T = TypeVar("T")


TOOLS = ("Read", "Write", "Bash", "shell", "send_email", "mcp__mail__send", "Übel*", "WebFetch")
ACTIONS = ("fs:read", "fs:write", "git:push", "net:fetch", "tool:Übel*", "mcp:mail:send")
GLOBS = ("*", "fs:*", "git:push", "git:?ush", "mcp:mail:*", "*:*", "tool:Übel*", "fs:read")
FIELD_GLOBS = ("*", "/p/*", "/p/a/b", "main", "feature/*", "true", "m?in", "*.test", "3", "")
TAGS = ("guard", "secret", "outside", "unread", "new", "created", "external", "sends", "home", "unknown", "dryrun")
FIELDS = ("path", "real", "host", "branch", "force", "count")

TARGETS = tuple(
    FrozenMap(target)
    for target in (
        {},
        {"path": "/p/a/b"},
        {"path": "/q/x"},
        {"path": "/p/a/b", "real": "/etc/passwd"},
        {"path": "/p/*"},
        {"host": "mail.test"},
        {"branch": "main", "force": True, "destination": "git.test/a"},
        {"branch": "main", "destination": ("git.test/a", "evil.test/b")},
        {"branch": "feature/x", "force": False},
        {"branch": ("feature/x", "main")},
        {"count": 3},
    )
)


def combos(**choices: Sequence[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return made(one_of_each(**choices))


def subsets(members: Sequence[T]) -> list[tuple[T, ...]]:
    return [tuple(m for bit, m in enumerate(members) if mask >> bit & 1) for mask in range(2 ** len(members))]


def few(members: Sequence[T]) -> list[tuple[T, ...]]:
    """None of them twice, each alone, the first two, all."""
    return [(), (), *((member,) for member in members), tuple(members[:2]), tuple(members)]


SCOPES = [
    *[FrozenMap({})] * 34,  # else hardly any rule would match, and hardly any grant cover
    FrozenMap({"branch": "feature/*", "force": "false"}),
    FrozenMap({"path": "/p/*", "real": "/etc/*"}),
    *[FrozenMap({"destination": "*"})] * 20,
    *[FrozenMap({"destination": "git.test/*"})] * 6,
    *(FrozenMap({field: glob}) for field in FIELDS for glob in FIELD_GLOBS),
]

_action = one_of_each(
    name=ACTIONS,
    target=TARGETS,
    effects=[*subsets(Effect.members[:3]) * 4, *subsets(Effect.members)],
    field=["", "command", "command", "file_path"],
    tags=[*few(TAGS[1:]), *few(TAGS)],
    risk=Risk.members,
    irreversible=[False, True],
)
_opaque_parts = [
    Opaque(reason="not read", field="command", span=(0, 3)),
    Opaque(reason="odd \u2028 path", field="file_path"),
]
_reading = one_of_each(projection=["sha256:p1", "sha256:p2"], opaque=[(), (), (), *few(_opaque_parts)])
_call = one_of_each(
    tool=TOOLS,
    input=[FrozenMap({})],
    cwd=["/p", "/p/a", "/q"],
    session=["s1", "s2"],
    agent=["", "sub"],
    host=["", "claude-code", "codex"],
)
_RUNS = [
    Ran(projection=f"sha256:p{which}", outcome=outcome, manner=manner)
    for which, outcome, manner in (
        (1, "ran", ACTS),
        (2, "ran", LOOKS),
        (3, "ran", WAITS),
        (1, "failed", ACTS),
        (1, "unknown", ACTS),
        (1, "ran", LOOKS),
        (2, "ran", RUNS),
        (4, "failed", EDITS),
        (4, "ran", EDITS),
        (5, "ran", IDLES),
    )
] + [Ran(projection="sha256:p1", outcome="ran", manner=ACTS, agent="sub")]
_SPENT = [{}, {"network": 2, "git:push": 1}, {"write": 3, "fs:write": 3, "read": 1}, {"*others*": 2}]
_REFUSED = [(), (), (("git:push",),), (("fs:write path=/q/x",),), (("fs:read", "git:push force"),), (("ap_other",),)]
_session = one_of_each(
    posture=[Posture.INTERACTIVE, *Posture.members],
    spent=[FrozenMap(spent) for spent in _SPENT],
    refused=_REFUSED,
    raised=[None, None, "2026-12-01T00:00:00Z"],
    closed=[frozenset[str](), frozenset({"Mon"})],
    asked_before=[0, 0, 0, 2],
    signing=["", "", "", "medium", "strong"],
)
_history = one_of_each(times=[0, 0, 1, 2, 3, 4], without=[0, 1])

globs = st.text("ab*?[", max_size=6)

_when_it_does = one_of_each(
    tool=[*[None] * 9, "Bash", "*", "mcp__*", "Rea?"],
    action=[None, None, *GLOBS],
    target=SCOPES,
    effects=[*[()] * 6, *few(Effect.members)],
    tags=[*[()] * 6, *few(TAGS)],
)
_when_it_comes = one_of_each(
    host=[*[None] * 6, "claude-*", ""],
    agent=[*[None] * 6, "s*", ""],
    postures=[*[()] * 6, *few(Posture.members)],
    risk=[None, None, None, *Risk.members],
    place=[*[()] * 6, ("secret",), ("outside", "secret")],
    window=[*[None] * 4, "Mon", "Fri 15:00-24:00"],
)
_rule = one_of_each(id=["one", "two"], verdict=[Verdict.ASK, Verdict.ASK, Verdict.DENY])
_spec = one_of_each(
    effects=[*[Effect.members] * 30, *subsets(Effect.members)],
    risk=[Risk.LOW, Risk.LOW, *Risk.members],
    irreversible=[False, False, True],
    postures=[None, None, None, (), (Posture.INTERACTIVE,), Posture.members[1:]],
    confirm=few(["*", "secret", "outside"]),
    registered=[True, True, True, False],
)


_settings = one_of_each(
    approval_mode=ApprovalMode.members,
    risk_max=[Risk.CRITICAL, Risk.CRITICAL, Risk.HIGH, Risk.MEDIUM, Risk.LOW],
    allow_critical=[True, True, False],
    ask_at=[Risk.CRITICAL, *Risk.members],
    unregistered=Verdict.members,
    enforce=[False, False, True],
    gated=[(), (), ("net:*",), ("*",)],
    faults=[(), (), (), (), (), ("user.toml:1:1: broken",)],
    digest=["sha256:d1", "sha256:d2"],
    strength=[Strength.WEAK, Strength.WEAK, Strength.WEAK, Strength.WEAK, Strength.MEDIUM, Strength.STRONG],
    strengths=[FrozenMap(t) for t in ({}, {}, {}, {}, {"git:*": Strength.MEDIUM, "fs:?ead": Strength.STRONG})],
)
# Mostly the built-in shape, sometimes turned over, so that each table decides at times.
_tiers = one_of_each(
    effects=[FrozenMap(t) for t in ({"spawn": 2, "destructive": 3}, {}, {"write": 3, "destructive": 2})],
    marks=[
        FrozenMap(t)
        for t in (
            {"secret": 3, "outside": 3, "external": 3, "sends": 2, "unknown": 2},
            {},
            {"unread": 3, "new": 2, "outside": 2},
        )
    ],
    actions=[FrozenMap(t) for t in ({}, {"git:push": 2}, {"fs:*": 1, "*:*": 2}, {"git:?ush": 3, "*": 1})],
    at_least=[FrozenMap(t) for t in ({}, {}, {"git:*": 2}, {"fs:read": 3})],
    permissive=[2, 2, 3],
)
_session_settings = one_of_each(
    loop_enforce=[True, True, False],
    loop_repeat=[3, 3, 2, 4],
    loop_lock=[4, 4, 2, 5],
    loop_pending=[5, 1],
    budgets=[FrozenMap(b) for b in ({}, {}, {}, {"network": 2}, {"git:*": 1, "write": 3}, {"*": 4}, {"fs:*": 0})],
    budget_over=[Verdict.ASK, Verdict.DENY],
    allow_phrases=[True, True, False],
    two_for=[(), (), (), ("git:push",), ("*",)],
)
_grant = one_of_each(
    id=["g1", "g2"],
    kind=["capability", "remembered"],
    action=GLOBS,
    scope=SCOPES,
    effects=[Effect.members] * 5 + few(Effect.members),
    tags=[None, TAGS, *few(TAGS)],
    risk=[Risk.CRITICAL, *Risk.members],
    irreversible=[True, True, False],
)
_given = one_of_each(
    reach=["session", "session", "once", "repository", "everywhere"],
    strength=[Strength.WEAK, Strength.WEAK, *Strength.members],
)
_WIDE_GRANTS = [
    Grant(id=f"wide-{kind}", kind=kind, action="*", scope=FrozenMap({"destination": "*"}))
    for kind in ("capability", "remembered", "once")
]


def an_action(chance: Random) -> Action:
    return Action(**_action(chance))


def a_reading(chance: Random) -> Reading:
    return Reading(call="sha256:call", actions=several(an_action, most=3)(chance), **_reading(chance))


def a_rule(chance: Random) -> Rule:
    when = When(**_when_it_does(chance), **_when_it_comes(chance))
    return Rule(when=when, reason="because", **_rule(chance))


def a_policy(chance: Random, tool: str) -> Policy:
    """Mostly one that knows this tool, and lets more through than not, so that findings decide."""
    tools = {tool: ToolSpec(name=tool, **_spec(chance))} if chance.randrange(4) else {}
    rules = several(a_rule, most=2)(chance) if chance.randrange(2) else ()
    settings = {**_settings(chance), **_session_settings(chance)}
    globs = globs_of(tools)
    return Policy(tools=FrozenMap(tools), tool_globs=globs, tiers=Tiers(**_tiers(chance)), rules=rules, **settings)


def a_session(chance: Random) -> Session:
    history = _history(chance)
    runs = several(one_from(_RUNS), least=1, most=4)(chance) * history["times"]
    return Session(recent=runs[history["without"] :], **_session(chance))


def a_grant(chance: Random) -> Grant:
    return Grant(**_grant(chance), **_given(chance)) if chance.randrange(2) else chance.choice(_WIDE_GRANTS)


class Case(Value):
    """Everything that `decide` is given."""

    call: Call
    reading: Reading
    policy: Policy
    session: Session
    grants: tuple[Grant, ...] = ()


def a_case(chance: Random, *, once: bool = True) -> Case:
    """A whole input. With `once`, some hold an approval or an open question, of this very call or of another one."""
    call, reading = Call(**_call(chance)), a_reading(chance)
    policy = a_policy(chance, call.tool)
    given = list(several(a_grant, most=3)(chance))
    session = a_session(chance)
    bound = approval_for(call, reading, policy, closed=session.asked_before)
    if once and chance.randrange(2):
        binds = chance.choice([bound.id, bound.id, bound.replace(folder="/elsewhere").id])
        strength = chance.choice([Strength.WEAK, Strength.WEAK, *Strength.members])
        persons = chance.choice([(), ("ann",), ("ann", "ann"), ("ann", "bob")])
        approved = Grant(id="approved", kind="once", binds=binds, reach="once", strength=strength, persons=persons)
        given.insert(chance.randint(0, len(given)), approved)
    tries = chance.choice([0, 0, 1, 5, 7])
    if once and tries:
        asked = Pending(approval=bound.id, projection=reading.projection, tries=tries)
        session = session.replace(
            pending=(asked,), refused=(*session.refused, *([(bound.first,)] if tries == 7 else []))
        )
    return Case(call=call, reading=reading, policy=policy, session=session, grants=tuple(given))


def a_case_without_an_approval(chance: Random) -> Case:
    """For two policies side by side: questions and yeses bind the tool's entry, so each policy has its own."""
    return a_case(chance, once=False)


cases = made(a_case)
cases_without_an_approval = made(a_case_without_an_approval)
_finding = one_of_each(
    layer=["extra"],
    rule=["r1", "r2"],
    verdict=Verdict.members,
    text=["said"],
    lifted_by=few(["once", "capability", "remembered"]),
    locks=[False, True],
)


def a_finding(chance: Random) -> Finding:
    return Finding(**_finding(chance))


# --- JSON data -------------------------------------------------------------------------------------

TEXTS = ("", "a", "é", "e\u0301", "\U0001f600", "\ufb33", "\u20ac", "\r", "\x7f", "\x00", "\u2028", '"\\/', "__proto__")
INTEGERS = (0, 1, -1, 2**53 - 1, 2**53, 2**53 + 1, -(2**53), 10**16, 10**21, 10**400, -(2**64))
FLOATS = (
    0.0,
    -0.0,
    1e-6,
    1e-7,
    1e20,
    1e21,
    1e22,
    5e-324,
    1.7976931348623157e308,
    0.1,
    1 / 3,
    2.0**53,
    1e16,
    -1.5,
    4.35,
)
SAFE = 2**53 - 1

nasty_text = st.sampled_from(TEXTS) | st.text(max_size=6)
_keys = st.sampled_from(["$integer", "$$integer", "integer", "$", "a", "b", "\ufb33", "\U0001f600"]) | nasty_text
_floats = st.sampled_from(FLOATS) | st.floats(allow_nan=False, allow_infinity=False)
_safe_leaves = st.none() | st.booleans() | nasty_text | st.integers(-SAFE, SAFE) | _floats
_leaves = _safe_leaves | st.sampled_from(INTEGERS) | st.integers()


def _nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=3), max_leaves=6
    )


json_data = _nested(_leaves)
safe_json_data = _nested(_safe_leaves)

_paths = st.sampled_from(
    [
        "a.txt",
        "/p/.env",
        "~/x",
        "~root/x",
        "",
        "/p/../p/.claude/settings.json",
        "a\x00b",
        "/proc/self/root/x",
        "http://h.test/",
        "http://u@h.test",
        "//",
    ]
)
call_objects = st.fixed_dictionaries(
    {
        "tool": st.sampled_from(["Read", "Glob", "Write", "WebFetch", "Bash", "Task", "x"]) | st.just(" ") | _leaves,
        "input": st.dictionaries(
            st.sampled_from(["file_path", "path", "url", "command", "subagent_type"]), _paths | _leaves, max_size=3
        )
        | _leaves,
    },
    optional={
        "cwd": st.sampled_from(["/p", "p", "/\x00"]) | _leaves,
        "session": nasty_text | _leaves,
        "agent": nasty_text,
        "state": json_data,
        "other": json_data,
    },
)

# --- policy files ----------------------------------------------------------------------------------

_OUT = None  # in a table: the key is left out
_EFFECT_NAMES = [list(names) for names in subsets(Effect.names())]
_POSTURE_NAMES = [list(names) for names in subsets(Posture.names()) if names]
_SCOPE_TABLES = [*[_OUT] * 60, *(dict(scope) for scope in SCOPES if scope)]


def table(**choices: Sequence[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return combos(**choices).map(lambda picked: {key: value for key, value in picked.items() if value is not _OUT})


_risk_tables = table(
    max=[_OUT, *Risk.names()],
    allow_critical=[_OUT, False, True],
    ask_at=[_OUT, *Risk.names()],
    unregistered=[_OUT, *Verdict.names()],
)
_tool_tables = table(
    effects=_EFFECT_NAMES,
    risk=[_OUT, *Risk.names()],
    irreversible=[_OUT, False, True],
    dryrun=[_OUT, True],
    postures=[_OUT, _OUT, *_POSTURE_NAMES],
    confirm=[_OUT, False, True, ["secret"], ["outside", "secret"], ["*"]],
)
_session_tables = st.fixed_dictionaries(
    {},
    optional={
        "loop": table(
            enforce=[_OUT, False, True],
            repeat=[_OUT, 2, 3, 5],
            lock=[_OUT, 2, 4, 6],
            pending=[_OUT, 0, 1, 9],
            pace=[_OUT, 0, 60],
            polls=[_OUT, 0, 900],
        ),
        "undo": table(lowers=[_OUT, False, True], days=[_OUT, 1, 30], owners=[_OUT, {"npm:*": "ann"}]),
        "preview": table(page=[_OUT, False, True]),
        "budget": combos(network=[_OUT, 0, 2], git=[_OUT, 1, 5], over=[_OUT, "ask", "deny"]).map(
            lambda b: {{"git": "git:*"}.get(k, k): v for k, v in b.items() if v is not _OUT}
        ),
        "approvals": table(
            phrases=[_OUT, [], ["go", "on"], ["go"]],
            phrase_minutes=[_OUT, 1, 90],
            allow_phrases=[_OUT, False, True],
            elicit=[_OUT, [], ["claude-code"], ["claude-code", "mcp"]],
        ),
    },
)
_rule_tables = st.builds(
    lambda when, verdict: {"when": when, "verdict": verdict, "reason": "so"},
    table(
        action=GLOBS,
        tool=[_OUT, _OUT, "Bash", "mcp__*"],
        target=_SCOPE_TABLES,
        effects=[_OUT, *_EFFECT_NAMES[1:8]],
        risk=[_OUT, *Risk.names()],
        postures=[_OUT, _OUT, *_POSTURE_NAMES[:5]],
    ),
    st.sampled_from(["ask", "deny"]),
)
_tier_tables = table(
    effects=[_OUT, {"destructive": 1}, {"write": 3}, {"spawn": 2, "destructive": 2}],
    marks=[_OUT, {"secret": 1, "outside": 1}, {"unread": 3}, {"sends": 3, "unknown": 1}],
    actions=[_OUT, {"git:push": 1}, {"fs:*": 3, "*": 1}, {"*:*": 2}],
    permissive=[_OUT, 2, 3],
)
_grant_tables = table(action=GLOBS, scope=_SCOPE_TABLES)
_head_tables = table(
    version=[1],
    posture=[_OUT, *Posture.names()],
    approval_mode=[_OUT, *ApprovalMode.names()],
    has=subsets(["risk", "tiers", "tools", "rules", "grants"]),
)
POLICY_TOOLS = (*TOOLS[:5], "new.tool")


@st.composite
def policy_tables(draw: st.DrawFn) -> dict[str, Any]:
    """A policy file of the real schema, as tables."""
    tables = draw(_head_tables)
    has = tables.pop("has")
    if draw(st.integers(0, 3)) == 0:
        tables |= draw(_session_tables)
    if "risk" in has:
        tables["risk"] = draw(_risk_tables)
    if "tiers" in has:
        tables["tiers"] = draw(_tier_tables)
    if "tools" in has:
        tools = draw(st.lists(st.sampled_from(POLICY_TOOLS), min_size=1, max_size=2))
        tables["tools"] = {tool: draw(_tool_tables) for tool in tools}
    if "rules" in has:
        tables["rules"] = [{"id": f"r{at}", **draw(_rule_tables)} for at in range(draw(st.integers(1, 2)))]
    if "grants" in has:
        grants = [{"id": f"g{at}", **draw(_grant_tables)} for at in range(draw(st.integers(1, 2)))]
        # Whatever may leave this machine has to say where it goes.
        tables["grants"] = [{**grant, "scope": {"destination": "*", **grant.get("scope", {})}} for grant in grants]
    return tables


def to_toml(tables: Mapping[str, Any]) -> bytes:
    return tomli_w.dumps(tables).encode()


policy_texts = policy_tables().map(to_toml)
