"""The manifest: is the tool known, does the call stay within what was declared, may it run now?

Declared effects are an upper bound: an effect beyond them asks. `read` ranks below every other effect, so a tool that
declares any effect may also read. `confirm` asks each time, or where the reading carries one of the named marks.
"""

from __future__ import annotations

from ..approve.glob import OPEN, is_open, texts_of
from ..approve.keys import key_of_action
from ..model.action import is_plain_look
from ..model.decision import Finding
from ..model.effects import Effect, effect_names
from ..model.toolnames import tool_spec
from ..model.verdict import Verdict
from ..policy.model import ALWAYS
from ..value import TYPE_CHECKING, lazy
from ..words.said import Said, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..approve.grant import Grant
    from ..model.action import Action, Reading
    from ..model.call import Call
    from ..model.session import Session
    from ..policy.model import Policy, ToolSpec
    from ..words.acts import does
    from ..words.marks import gravity, instead_of, why_of
else:
    does = lazy(globals(), "..words.acts", "does")
    gravity = lazy(globals(), "..words.marks", "gravity")
    instead_of = lazy(globals(), "..words.marks", "instead_of")
    why_of = lazy(globals(), "..words.marks", "why_of")

__all__ = ["SAYS", "line_of", "manifest"]

SAYS = {
    "postures": Said(
        person="Use the tool {tool}: your policy allows it only in the posture {allowed}; this session is {posture}.",
        agent="The policy allows this tool only in the posture {allowed}. Do without it, or ask the person to change "
        "the posture.",
    ),
    "unregistered": Said(
        person="your policy does not declare the tool {tool}, so Interlock cannot tell all that it does",
        agent="Use a tool that the policy declares.",
    ),
    "effects": Said(
        person="the tool {tool} is declared without the effect {beyond}",
        agent="Use a tool that is declared for this.",
    ),
    "confirm": Said(
        person="your policy asks about this tool each time",
        agent="Tell the person why this call is needed.",
    ),
}

_ANY = ("once", "capability", "remembered")
_STRONG = ("once", "capability")


def manifest(
    call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]
) -> Sequence[Finding]:
    spec = tool_spec(policy, call.tool, call.named)
    found: list[Finding] = []
    if (spec is None or not spec.registered) and not reading.server:
        found.extend(_unregistered(call, reading, policy))
    if spec is None:
        return found
    if spec.postures is not None and session.posture not in spec.postures:
        allowed = " or ".join(posture.name for posture in spec.postures) or "(none)"
        said = SAYS["postures"]
        found.append(
            Finding(
                layer="manifest",
                rule="postures",
                verdict=Verdict.DENY,
                text=said.person.format(tool=_quoted(call.tool), posture=session.posture, allowed=allowed),
                instead=said.agent.format(allowed=allowed),
            )
        )
    for index, action in enumerate(reading.actions):
        found.extend(_beyond(call, spec, index, action))
        found.extend(_confirm(call, spec, index, action))
    return found


def _unregistered(call: Call, reading: Reading, policy: Policy) -> list[Finding]:
    if policy.unregistered is Verdict.ALLOW:
        return []

    what = does(reading.actions[0]) if reading.actions else f"Use the tool {_quoted(call.tool)}"
    why = SAYS["unregistered"].person.format(tool=_quoted(call.tool)) + _others_of_its_server(call.tool, policy)
    return [
        Finding(
            layer="manifest",
            rule="unregistered",
            verdict=policy.unregistered,
            text=f"{what}: {why}.",
            why=why,
            instead=SAYS["unregistered"].agent,
            actions=_in_question(reading),
            grant=key_of_action(reading.actions[0]) if reading.actions else None,
            lifted_by=_ANY if policy.unregistered is Verdict.ASK else (),
        )
    ]


def _in_question(reading: Reading) -> tuple[int, ...]:
    """The call itself, and what was read of its arguments but for plain looks, which nobody would be asked about: a yes
    to one statement that only looks is one to others.
    """
    if not reading.actions or "unknown" not in reading.actions[0].tags:
        return tuple(range(len(reading.actions)))
    return tuple([at for at, action in enumerate(reading.actions) if at == 0 or not is_plain_look(action)])


def _others_of_its_server(tool: str, policy: Policy) -> str:
    """`mcp__mail__purge`: the tools of that server which the policy has, so that a person sees its company."""
    server, mark, _ = tool.removeprefix("mcp__").partition("__")
    if not tool.startswith("mcp__") or not mark:
        return ""
    start = f"mcp__{server}__"
    others = tuple(sorted([name[len(start) :] for name in policy.tools if name.startswith(start)]))
    return f"; of the server {_quoted(server)} your policy declares {_quoted(others)}" if others else ""


def _beyond(call: Call, spec: ToolSpec, index: int, action: Action) -> list[Finding]:
    if not spec.registered:
        return []
    within = (*spec.effects, Effect.READ) if spec.effects else ()
    beyond = [effect for effect in action.effects if effect not in within]
    if not beyond:
        return []

    why = SAYS["effects"].person.format(tool=_quoted(call.tool), beyond=", ".join(effect_names(beyond)))
    return [
        Finding(
            layer="manifest",
            rule="effects",
            verdict=Verdict.ASK,
            text=f"{does(action)}: {why}.",
            instead=SAYS["effects"].agent,
            actions=(index,),
            grant=key_of_action(action),
            lifted_by=_STRONG,
            why=why,
        )
    ]


def _confirm(call: Call, spec: ToolSpec, index: int, action: Action) -> list[Finding]:
    marks = [mark for mark in spec.confirm if mark == ALWAYS or mark in action.tags]
    if not marks:
        return []

    each_time = ALWAYS in marks
    marks = sorted(marks, key=gravity)
    why = SAYS["confirm"].person
    if not each_time:
        why = "; ".join(dict.fromkeys([why_of(mark, action) for mark in marks])) + line_of(action)
    return [
        Finding(
            layer="manifest",
            rule="confirm",
            verdict=Verdict.ASK,
            text=f"{does(action)}: {why}.",
            instead=SAYS["confirm"].agent if each_time else instead_of(marks[0], action),
            actions=(index,),
            grant=key_of_action(action),
            # Each time means each time: a remembered answer does not count for it.
            lifted_by=_STRONG if not _EACH_TIME.isdisjoint(marks) else _ANY,
            why=why,
        )
    ]


_EACH_TIME = frozenset((ALWAYS, "posts", "secret"))


def line_of(action: Action) -> str:
    """What of it a person has to see: the line of a file, or what a push carries."""
    carries = [str(text) for text in texts_of(action.target.get("carries", ()))]
    if carries:
        unknown = [text[len(OPEN) + 1 :] for text in carries if is_open(text)]
        return f"; {unknown[0]}" if unknown else f"; it carries {' and '.join(carries)}"
    if "along" in action.target:
        tags = [
            quoted(str(text).partition(" ")[0].removeprefix("refs/tags/")) for text in texts_of(action.target["along"])
        ]
        return f"; {'a tag goes' if len(tags) == 1 else f'{len(tags)} tags go'} along: {', '.join(tags[:3])}"
    return f" (line {action.target['line']}: it {action.target['does']})" if "line" in action.target else ""


def _quoted(tool: object) -> str:
    return quoted(tool)
