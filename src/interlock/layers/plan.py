"""The plan: what a run set out to do. Strict denies what is not planned, warn lets it through and says so.

Whether a command is planned was found out when it was read, and how the run folder stands is in the session;
here the two are weighed. Calls that run no command pass, unless another session is at work in the same run
folder. The marker lifts this layer and no other.
"""

from __future__ import annotations

from ..action import is_read_only
from ..decision import Finding
from ..value import TYPE_CHECKING
from ..verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..action import Line, Reading
    from ..approve.grant import Grant
    from ..call import Call
    from ..policy.model import Policy
    from ..policy.plan import Planned
    from ..session import Run, Session

__all__ = ["plan"]

_SHOWN = 5  # names of programs in one reason


def plan(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    planned, run = policy.planned, session.run
    if planned is None:
        return ()
    found = []
    if run is not None and run.other and not is_read_only(reading):
        found.append(
            _finding(
                "second-session",
                Verdict.DENY,
                f"another session is at work in the run folder of {planned.file}",
                "Stop here and tell the person: two sessions must not work on one run.",
            )
        )
    if reading.line is not None:
        found.extend(_on_line(reading.line, planned, run))
    return found


def _on_line(line: Line, planned: Planned, run: Run | None) -> list[Finding]:
    held = Verdict.DENY if planned.enforcement.name == "strict" else Verdict.ALLOW
    mend = "Tell the person; in strict no command runs until this is mended."
    if planned.missing and run is not None and run.gone:
        text = f"the plan {run.gone} that this session was held to is gone: {planned.missing}"
        return [_finding("gone", held, text, "Tell the person; in strict no command runs until the plan is back.")]
    if planned.missing:
        return [_finding("no-plan", Verdict.ALLOW, f"no command is held against a plan: {planned.missing}")]
    found = []
    if planned.fault:
        found.append(_finding("broken", held, f"the plan cannot be used: {planned.fault}", mend))
    if run is not None and run.trouble:
        found.append(_finding("unlogged", held, f"the run folder cannot be kept: {run.trouble}", mend))
    if planned.fault:
        return found
    used = 0 if run is None else run.markers
    spent = planned.limit is not None and used >= planned.limit
    if line.marker and not spent:
        text = f"the plan does not hold this command, because it is marked `{planned.marker}`; that was logged"
        return [*found, _finding("ad-hoc", Verdict.ALLOW, text)]
    if not line.unplanned:
        return found
    text = f"{_named(line.unplanned)} not planned in {planned.file}"
    instead = "Do what the plan says"
    if line.marker:
        text += f", and all {planned.limit} commands that a run may mark `{planned.marker}` are used up"
        instead += ", or ask the person to change it."
    elif spent:
        instead += ", or ask the person to change it."
    else:
        instead += f", or add the comment `{planned.marker}` if this one command is needed beside it."
    return [*found, _finding("unplanned", held, text, instead)]


def _named(unplanned: tuple[str, ...]) -> str:
    names = [f"`{name}`" if name else "a program whose name is not known" for name in unplanned[:_SHOWN]]
    more = len(unplanned) - len(names)
    if more:
        names.append(f"{more} more")
    return f"{', '.join(names)} {'is' if len(unplanned) == 1 else 'are'}"


def _finding(rule: str, verdict: Verdict, text: str, instead: str = "") -> Finding:
    return Finding(layer="plan", rule=rule, verdict=verdict, text=text, instead=instead)
