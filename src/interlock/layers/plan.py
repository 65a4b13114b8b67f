"""The plan: what a run set out to do. Strict denies what is not planned, warn lets it through and says so.

Whether a command is planned was found out when it was read, and how the run folder stands is in the session;
here the two are weighed. Calls that run no command pass, unless another session is at work in the same run
folder. The marker lifts this layer and no other.
"""

from __future__ import annotations

from ..model.action import is_read_only
from ..model.decision import Finding
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING, lazy
from ..words.said import Said

if TYPE_CHECKING:
    from collections.abc import Sequence
    from shlex import quote

    from ..approve.grant import Grant
    from ..model.action import Line, Reading
    from ..model.call import Call
    from ..model.session import Run, Session
    from ..policy.model import Policy
    from ..policy.plan import Planned
else:
    quote = lazy(globals(), "shlex", "quote")

__all__ = ["SAYS", "plan"]

_CHANGE = "{programs} not in the plan {file}. Do what the plan says, or ask the person to change it."
SAYS = {
    "second-session": Said(
        person="Another session is working in the run folder of {file}, and two must not work on one run.",
        agent="Another session is working in the run folder of this plan. Stop here, and tell the person.",
    ),
    "gone": Said(
        person="The plan {gone} that this session follows is gone: {missing}. With a strict plan, no command runs "
        "until it is back.",
        agent="The plan {gone} is gone: {missing}. Tell the person. With a strict plan, no command runs until it is "
        "back.",
    ),
    "no-plan": Said(person="There is no plan to hold commands against: {missing}."),
    "broken": Said(
        person="The plan cannot be used: {fault}. With a strict plan, no command runs until you fix it.",
        agent="The plan cannot be used: {fault}. Tell the person. With a strict plan, no command runs until it is "
        "fixed.",
    ),
    "unlogged": Said(
        person="The run folder cannot be written: {trouble}. With a strict plan, no command runs until you fix it.",
        agent="The run folder cannot be written: {trouble}. Tell the person. With a strict plan, no command runs until "
        "then.",
    ),
    "ad-hoc": Said(
        person="This command is marked `{marker}`, so it runs although it is not in the plan. That was logged."
    ),
    "unplanned": Said(
        person="{programs} not in the plan {file}.",
        agent="{programs} not in the plan {file}. Do what the plan says. If this one command is needed besides, add "
        "the comment `{marker}` to it.",
    ),
    "unplanned (no marker)": Said(person="{programs} not in the plan {file}.", agent=_CHANGE),
    "unplanned (markers used up)": Said(
        person="{programs} not in the plan {file}, and all {limit} commands that may be marked `{marker}` are used up.",
        agent="{programs} not in the plan {file}, and all {limit} commands that may be marked `{marker}` are used up. "
        "Do what the plan says, or ask the person to change it.",
    ),
}

_SHOWN = 5  # names of programs in one reason


def plan(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    planned, run = policy.planned, session.run
    if planned is None:
        return ()
    found = []
    if run is not None and run.other and not is_read_only(reading):
        second = _finding("second-session", Verdict.DENY, file=planned.file)
        found.append(second.replace(remedy=_releasing(run.folder)))
    if reading.line is not None:
        found.extend(_on_line(reading.line, planned, run))
    return found


def _releasing(folder: str) -> str:
    """What a person types to let this session in; empty where an older version has not kept the folder."""
    if not folder or not folder.isprintable():
        return ""

    return f"interlock plan release {quote(folder)}"


def _on_line(line: Line, planned: Planned, run: Run | None) -> list[Finding]:
    held = Verdict.DENY if planned.enforcement.name == "strict" else Verdict.ALLOW
    if planned.missing and run is not None and run.gone:
        return [_finding("gone", held, gone=run.gone, missing=planned.missing)]
    if planned.missing:
        return [_finding("no-plan", Verdict.ALLOW, missing=planned.missing)]
    found = []
    if planned.fault:
        found.append(_finding("broken", held, fault=planned.fault))
    if run is not None and run.trouble:
        found.append(_finding("unlogged", held, trouble=run.trouble))
    if planned.fault:
        return found
    used = 0 if run is None else run.markers
    spent = planned.limit is not None and used >= planned.limit
    if line.marker and not spent:
        return [*found, _finding("ad-hoc", Verdict.ALLOW, marker=planned.marker)]
    if not line.unplanned:
        return found
    message = "unplanned (markers used up)" if line.marker else "unplanned (no marker)" if spent else "unplanned"
    facts = {"programs": _named(line.unplanned), "file": planned.file, "limit": planned.limit, "marker": planned.marker}
    return [*found, _finding("unplanned", held, message, **facts)]


def _named(unplanned: tuple[str, ...]) -> str:
    names = [f"`{name}`" if name else "a program whose name is unknown" for name in unplanned[:_SHOWN]]
    more = len(unplanned) - len(names)
    if more:
        names.append(f"{more} more")
    if len(names) > 1:
        names[-2:] = [f"{names[-2]} and {names[-1]}"]
    named = f"{', '.join(names)} {'is' if len(unplanned) == 1 else 'are'}"
    return named[:1].upper() + named[1:]


def _finding(rule: str, verdict: Verdict, message: str = "", **facts: object) -> Finding:
    said = SAYS[message or rule]
    text, instead = said.person.format(**facts), said.agent.format(**facts)
    return Finding(layer="plan", rule=rule, verdict=verdict, text=text, instead=instead)
