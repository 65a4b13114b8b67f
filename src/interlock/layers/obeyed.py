"""Files that somebody else obeys: what is asked about, and what a person is only told of.

The reading says who obeys a file and at which level (obeyed.py, `[obeyed]` in the policy). What is denied is the
floor's. What is asked about counts as tier 2: asked on first use and remembered, free in the permissive mode. Git's own
settings count as tier 3, for they say where git pushes to.
Instructions that a call brings from the network are asked about too: nobody has seen what they say.

A remembered yes is one to the file. What the file newly makes run after a later change is judged by decide.py as if it
were typed, and a change of which nobody can tell what it makes run is asked about by itself.
"""

from __future__ import annotations

from ..approve.keys import key_of_action
from ..approve.mode import mode_in_force
from ..model.decision import Finding
from ..model.obeyed import MODS, NAMES, REASONS
from ..model.verdict import Verdict
from ..policy.model import ApprovalMode
from ..value import TYPE_CHECKING, lazy
from ..words.said import Said, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..approve.grant import Grant
    from ..model.action import Action, Newly, Reading
    from ..model.call import Call
    from ..model.session import Session
    from ..policy.model import Policy
    from ..words.acts import does
else:
    does = lazy(globals(), "..words.acts", "does")

__all__ = ["SAYS", "asked_of", "obeyed", "told_of"]

SAYS = {
    "asked": Said(
        person="{reason}",
        agent="Tell the person what you want to change in this file, and why.",
    ),
    "asked (mods)": Said(
        person="after it, Claude Code runs code that the agent writes inside the client, above every hook, this guard "
        "included",
        agent="Tell the person what the mod is for, and let them write or install it.",
    ),
    "asked (runs)": Said(
        person="after it, {runs} {is_run}",
        agent="Tell the person what you want to change in this file, and why.",
    ),
    "runs": Said(
        person="{runs}, which then {is_run}, would be asked about by itself: {why}",
        agent="Leave out what would be asked about, or tell the person why the file needs it.",
    ),
    "runs (settings)": Said(
        person="{said}, and what follows from that is not known",
        agent="Leave it out, or tell the person why the file needs it.",
    ),
    "asked (unclear)": Said(
        person="{why}; what it makes run after this change is not understood",
        agent="Tell the person what you want to change in this file, and why.",
    ),
    "asked (no reason)": Said(
        person="{who} follows what it says",
        agent="Tell the person what you want to change in this file, and why.",
    ),
}

_TIER = 2
_FEW = 3
_LEAVES = frozenset(  # what is in a file as it was, or takes it away
    ("fs:delete", "fs:chmod", "fs:chown", "fs:attributes", "fs:read", "fs:list", "fs:search")
)
_TIERS = {"git": 3, "agents' settings": 3, MODS: 3}  # by who obeys it, where it is another one


def obeyed(
    call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]
) -> Sequence[Finding]:
    found = []
    fetches = any(action.name.startswith("net:") for action in reading.actions)
    for index, action in enumerate(reading.actions):
        if "obeyed" not in action.tags:
            continue
        if NAMES["asked"] in action.tags or (fetches and NAMES["noted"] in action.tags):
            permissive = mode_in_force(policy, session) is ApprovalMode.PERMISSIVE
            tier = _TIERS.get(str(action.target.get("obeyed")), _TIER) if NAMES["asked"] in action.tags else _TIER
            free = permissive and policy.tiers.permissive >= tier
            found.append(_note(action) if free else _ask(index, action, tier))
        elif NAMES["noted"] in action.tags:
            found.append(_note(action))
    return found


def told_of(reading: Reading) -> list[str]:
    """What a person is told of a call that is allowed: the agents' instructions that it changes."""
    return [_said(action) for action in reading.actions if NAMES["noted"] in action.tags]


def _ask(index: int, action: Action, tier: int) -> Finding:
    return Finding(
        layer="obeyed",
        rule="asked",
        verdict=Verdict.ASK,
        text=_said(action),
        instead=SAYS["asked"].agent,
        actions=(index,),
        grant=key_of_action(action),
        lifted_by=("once", "capability", *(("remembered",) if tier == _TIER and _is_understood(action) else ())),
        why=_why(action),
    )


def _is_understood(action: Action) -> bool:
    """Whether a yes to it can be one to later changes: each is judged by what the file newly makes run."""
    return action.newly is not None or action.name[:3] != "fs:" or action.name in _LEAVES


def asked_of(index: int, action: Action, newly: Newly, reason: Finding) -> Finding:
    """That what the file newly makes run, or newly says, would be asked about or denied, for this reason."""
    if newly.runs:
        why = (reason.why or reason.text.rstrip(". ")).removeprefix("Interlock could not read all of it: ")
        why = SAYS["runs"].person.format(runs=quoted(newly.runs), is_run=_is_run(action), why=why)
    else:
        told = [part.reason for part in newly.opaque]
        more = f" and {len(told) - _FEW} more" if len(told) > _FEW else ""
        why = SAYS["runs (settings)"].person.format(said=", ".join(told[:_FEW]) + more)
    return Finding(
        layer="obeyed",
        rule="runs",
        verdict=Verdict.ASK,
        text=f"{does(action)}: {why}.",
        instead=SAYS["runs"].agent,
        actions=(index,),
        grant=key_of_action(action),
        lifted_by=("once",),
        why=why,
    )


def _note(action: Action) -> Finding:
    return Finding(layer="obeyed", rule="noted", verdict=Verdict.ALLOW, text=_said(action))


def _said(action: Action) -> str:
    return f"{does(action)}: {_why(action)}."


def _why(action: Action) -> str:
    why = _followed(action)
    once = NAMES["asked"] not in action.tags or action.target.get("obeyed") in _TIERS
    return why if once or _is_understood(action) else SAYS["asked (unclear)"].person.format(why=why)


def _followed(action: Action) -> str:
    who = str(action.target.get("obeyed", "other programs"))
    if who == MODS:
        return SAYS["asked (mods)"].person
    runs = tuple([newly.runs for newly in action.newly or () if newly.runs])
    if runs:
        is_run = _is_run(action) if len(runs) == 1 else _is_run(action).replace("runs", "run", 1)
        return SAYS["asked (runs)"].person.format(runs=quoted(runs), is_run=is_run)
    level = next((level for level, mark in NAMES.items() if mark in action.tags), "")
    reason = REASONS.get((who, level)) or next((why for (whose, _), why in REASONS.items() if whose == who), "")
    said = SAYS["asked" if reason else "asked (no reason)"]
    return said.person.format(who=who, reason=reason)


_WHEN = {"GitHub Actions": "on the next push, with the repository's secrets"}
_HOOKS = {"pre": "before", "post": "after"}


def _is_run(action: Action) -> str:
    """When the new commands of a file are run: `runs before each commit`."""
    who = str(action.target.get("obeyed", ""))
    name = str(action.target.get("path", "")).rpartition("/")[2]
    when, _, event = name.partition("-")
    if who == "git's hooks":
        return f"runs {_HOOKS[when]} each {event}" if when in _HOOKS and event.isalpha() else "runs as a hook of git"
    return f"runs {_WHEN.get(who, 'when the file is used')}"
