"""The manifest: is the tool known, does the call stay within what was declared, may it run now?

Declared effects are an upper bound: an effect beyond them asks. `confirm` asks each time, or
where the reading carries one of the named marks.
"""

from __future__ import annotations

from ..action import undo_told
from ..approve.keys import key_of_action
from ..decision import Finding
from ..effects import effect_names
from ..policy.model import ALWAYS
from ..toolnames import tool_spec
from ..value import TYPE_CHECKING
from ..verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..action import Action, Reading
    from ..approve.grant import Grant
    from ..call import Call
    from ..policy.model import Policy, ToolSpec
    from ..session import Session

__all__ = ["manifest"]

_ANY = ("once", "capability", "remembered")
_STRONG = ("once", "capability")


def manifest(
    call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]
) -> Sequence[Finding]:
    spec = tool_spec(policy, call.tool, call.named)
    found: list[Finding] = []
    if spec is None or not spec.registered:
        found.extend(_unregistered(call, reading, policy))
    if spec is None:
        return found
    if spec.postures is not None and session.posture not in spec.postures:
        allowed = ", ".join(posture.name for posture in spec.postures) or "none"
        found.append(
            Finding(
                layer="manifest",
                rule="postures",
                verdict=Verdict.DENY,
                text=f"`{call.tool}` may not be called while the posture is {session.posture}; it may in: {allowed}",
                instead="Do without this tool, or ask the person to change the posture.",
            )
        )
    for index, action in enumerate(reading.actions):
        found.extend(_beyond(call, spec, index, action))
        found.extend(_confirm(call, spec, index, action))
    return found


def _unregistered(call: Call, reading: Reading, policy: Policy) -> list[Finding]:
    if policy.unregistered is Verdict.ALLOW:
        return []
    return [
        Finding(
            layer="manifest",
            rule="unregistered",
            verdict=policy.unregistered,
            text=f"the policy does not know the tool `{call.tool}`{_others_of_its_server(call.tool, policy)}",
            instead="Use a tool that the policy declares.",
            actions=tuple(range(len(reading.actions))),
            grant=key_of_action(reading.actions[0]) if reading.actions else None,
            lifted_by=_ANY if policy.unregistered is Verdict.ASK else (),
        )
    ]


_MOST_SHOWN = 8


def _others_of_its_server(tool: str, policy: Policy) -> str:
    """`mcp__mail__purge`: the tools of that server which the policy has, so that a person sees its company."""
    server, mark, _ = tool[5:].partition("__") if tool[:5] == "mcp__" else ("", "", "")
    start = f"mcp__{server}__"
    others = sorted(name[len(start) :] for name in policy.tools if mark and name.startswith(start))
    if not others:
        return ""
    more = f" and {len(others) - _MOST_SHOWN} more" if len(others) > _MOST_SHOWN else ""
    return f"; of the server `{server}` it knows {', '.join(f'`{name}`' for name in others[:_MOST_SHOWN])}{more}"


def _beyond(call: Call, spec: ToolSpec, index: int, action: Action) -> list[Finding]:
    if not spec.registered:
        return []
    beyond = [effect for effect in action.effects if effect not in spec.effects]
    if not beyond:
        return []
    return [
        Finding(
            layer="manifest",
            rule="effects",
            verdict=Verdict.ASK,
            text=f"`{call.tool}` is declared without the effect {', '.join(effect_names(beyond))}",
            instead="Use a tool that is declared for this.",
            actions=(index,),
            grant=key_of_action(action),
            lifted_by=_STRONG,
        )
    ]


def _confirm(call: Call, spec: ToolSpec, index: int, action: Action) -> list[Finding]:
    marks = [mark for mark in spec.confirm if mark == ALWAYS or mark in action.tags]
    if not marks:
        return []
    each = f"`{call.tool}` is to be confirmed each time{undo_told(action)}"
    what = each if ALWAYS in marks else _told(action, marks)
    return [
        Finding(
            layer="manifest",
            rule="confirm",
            verdict=Verdict.ASK,
            text=what,
            instead=_INSTEAD.get(marks[0], "Tell the person why this call is needed."),
            actions=(index,),
            grant=key_of_action(action),
            # Each time means each time: a remembered answer does not count for it.
            lifted_by=_STRONG if not _EACH_TIME.isdisjoint(marks) else _ANY,
        )
    ]


_EACH_TIME = frozenset((ALWAYS, "posts", "secret"))
_MARKS = {
    "outside": "outside the project",
    "secret": "in a secret place",
    "deferred": "run later",
    "earlier": "in a temporary folder, and was there before this session",
    "posts": "where a request posts a message that other people read",
}
_NO_PROJECT = "in the home folder, which is no project; only what this session made is free"
_INSTEAD = {
    "outside": "Work inside the project folder.",
    "secret": "Do without the secret; ask the person for what you need from it.",
    "earlier": "Write to a new file.",
    "posts": "Tell the person what you want to post there.",
    "deferred": "Leave out what the line does, or ask the person to run it.",
    "vendored": "Change the source that it comes from, or say why this copy must differ.",
}


def _told(action: Action, marks: list[str]) -> str:
    where = " and ".join(_MARKS.get(mark, f"marked {mark}") for mark in marks)
    if "outside" in marks and "no-project" in action.tags:
        where = where.replace(_MARKS["outside"], _NO_PROJECT)
    what = action.target.get("path") or action.target.get("host") or action.name
    line = f"; it {action.target['does']}, line {action.target['line']}" if "line" in action.target else ""
    return f"`{what}` is {where}{line}"
