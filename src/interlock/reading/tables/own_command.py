"""Our own command: looking is free, and nothing else is an agent's to run."""

from __future__ import annotations

from .kinds import each
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]


_CHANGE = P("interlock", action="guard:change", does="write", tags="guard")
# With an address they talk to another machine, and which one is the agent's to say.
_ELSEWHERE = {"asks": Adds(effects=effects("network"), tags=("sends",))}
_VERIFY = P(
    "verify",
    action="interlock:verify",
    options="--quick --json --store:text!asks --export:read --against:text!asks",
    does="read",
    flags=_ELSEWHERE,
)
_STORE = each("interlock", "status machines", "read", options="--to:text!asks --json -h --help", flags=_ELSEWHERE)
_UNDER = " --policy:read --mode:text --posture:text --profile:text --answer:text --json --quiet -h --help"
_EVAL = tuple([
    P(name, "read*", action="interlock:eval", does="read", words=2, options=options + _UNDER)
    for name, options in {
        "run": "--pack:text --failures:text --by:text --baseline:read --gate:text --trend:write --note:text "
        "--results:write",
        "packs": "",
        "trend": "--html:write --last:text",
        "scoreboard": "--undo --redteam:read --repositories:read --failures:write --results:write",
        "diff": "--most:text",
    }.items()
])  # fmt: skip
_SHOW = P("show", "read text", action="interlock:eval", does="read", words=2, options=_UNDER)
_TELEMETRY = each("interlock", "status", "read", options="--json --config:read -h --help")
# An agent may take back the last change of its own session where nothing has moved; the command looks at who asks.
_UNDO = P(
    "undo",
    "text*",
    action="interlock:undo",
    options="--last --dry-run --yes --json -h --help --session:text!person --force!person --skip!person "
    "--beside!person",
    does="write",
    flags={"person": Adds(effects=effects("write"), tags=("guard",))},
)
_AUDIT = (_VERIFY, *each("interlock", "tail show search", "read"))
# `run` starts whatever stands behind it, past the agent's own tools: that is for clients to do.
_MCP = (P("pins", words=2, subs=each("interlock", "list show", "read"), default=_CHANGE),)

PROGRAMS = (
    P(
        "interlock",
        options="--home:text --version --help -h",
        words=2,
        subs=(
            *each("interlock", "version explain replay completion compensators status", "read"),
            P("eval", words=2, subs=(*_EVAL, _SHOW), default=_CHANGE),
            P(
                "decide",
                options="--jsonl --json --record!record --root:list --policy:read --posture:text --mode:text "
                "--answer:text",
                does="read",
                flags={"record": Adds(effects=effects("write"), tags=("guard",))},
            ),
            P(
                "doctor",
                options="--json --fix!fix",
                does="read",
                flags={"fix": Adds(effects=effects("write"), tags=("guard",))},
            ),
            P("launch", special="launched_host", action="agent:run", does="execute network"),
            P("checkpoints", words=2, subs=each("interlock", "list show", "read"), default=_CHANGE),
            _UNDO,
            P("approvals", words=2, subs=each("interlock", "list show", "read"), default=_CHANGE),
            P("approver", words=2, subs=each("interlock", "list", "read"), default=_CHANGE),
            P("audit", words=2, subs=_AUDIT, default=_CHANGE),
            P("bundle", words=2, subs=each("interlock", "verify show", "read"), default=_CHANGE),
            P("foreign", words=2, subs=each("interlock", "list", "read"), default=_CHANGE),
            P("grants", words=2, subs=each("interlock", "list show check", "read"), default=_CHANGE),
            P("mcp", words=2, subs=_MCP, default=_CHANGE),
            P("policy", words=2, subs=each("interlock", "check show digest", "read"), default=_CHANGE),
            P("store", words=2, subs=_STORE, default=_CHANGE),
            P("resident", words=2, subs=each("interlock", "status", "read"), default=_CHANGE),
            P("posture", words=2, subs=each("interlock", "show", "read"), default=_CHANGE),
            P("telemetry", words=2, subs=_TELEMETRY, default=_CHANGE),
            P("token", words=2, subs=each("interlock", "list", "read"), default=_CHANGE),
        ),
        default=_CHANGE,
        example="interlock explain 'ls'",
    ),
)
