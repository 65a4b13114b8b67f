"""Our own command: looking is free, and nothing else is an agent's to run."""

from __future__ import annotations

from .kinds import each
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]


_CHANGE = P("interlock", action="guard:change", does="write", tags="guard")
# With an address, `--against` talks to another machine, and which one is the agent's to say.
_VERIFY = P(
    "verify",
    action="interlock:verify",
    options="--quick --json --store:text!asks --export:read --against:text!asks",
    does="read",
    flags={"asks": Adds(effects=effects("network"), tags=("sends",))},
)
_AUDIT = (_VERIFY, *each("interlock", "tail show search", "read"))

PROGRAMS = (
    P(
        "interlock",
        options="--home:text --version --help -h",
        words=2,
        subs=(
            *each("interlock", "version explain replay completion compensators eval status", "read"),
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
            P("approvals", words=2, subs=each("interlock", "list show", "read"), default=_CHANGE),
            P("approver", words=2, subs=each("interlock", "list", "read"), default=_CHANGE),
            P("audit", words=2, subs=_AUDIT, default=_CHANGE),
            P("bundle", words=2, subs=each("interlock", "verify show", "read"), default=_CHANGE),
            P("grants", words=2, subs=each("interlock", "list show check", "read"), default=_CHANGE),
            P("policy", words=2, subs=each("interlock", "check show digest", "read"), default=_CHANGE),
            P("store", words=2, subs=each("interlock", "status machines", "read"), default=_CHANGE),
            P("posture", words=2, subs=each("interlock", "show", "read"), default=_CHANGE),
        ),
        default=_CHANGE,
        example="interlock explain 'ls'",
    ),
)
