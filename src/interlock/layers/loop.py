"""The loop guard and the budgets: a session that repeats itself is stopped, one that does too much is asked about.

The same call, or the same round of up to eight calls, with the same outcomes: the third time is refused with advice,
the fourth locks the session. A read that brings nothing new is refused and never locks; one that comes after some time
is polling, and free within a budget. `model/steps.py` says what comes round. Calls that only look alike are worth a
note. Budgets count actions, not calls, so that a line with three pushes counts three.
"""

from __future__ import annotations

from ..approve.glob import matches
from ..model.decision import Finding
from ..model.effects import Effect
from ..model.session import OTHERS, repeated, spends
from ..model.verdict import Verdict
from ..value import TYPE_CHECKING
from ..words.said import Said

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..approve.grant import Grant
    from ..model.action import Reading
    from ..model.call import Call
    from ..model.session import Session
    from ..model.steps import Repeated
    from ..policy.model import Policy

__all__ = ["SAYS", "counts_for", "locked_by", "loop", "unlocking"]

SAYS = {
    "repeat": Said(
        person="The agent is repeating {what} the same result {times} times in a row.",
        agent="You are repeating {what} the same result {times} times in a row; once more locks the session. Do "
        "something different with the result, or ask the person. To wait for something, put a `sleep` into the command "
        "that checks for it.",
    ),
    "pointless": Said(
        person="The agent is repeating {what} the same result {times} times in a row, and has changed nothing since.",
        agent="You have this result already: nothing was changed since it came. Go on with what it says. To wait for "
        "something, come back after {pace} seconds or more, or put a `sleep` into the command.",
    ),
    "polls": Said(
        person="The agent has looked {polls} times whether something has changed, and nothing has.",
        agent="You have looked {polls} times, and nothing has changed. Do other work, or tell the person what you wait "
        "for. A `sleep` in the command waits without being counted.",
    ),
    "alike": Said(person="The last {alike} calls of this kind gave the same result."),
    "lock": Said(
        person="The agent is repeating {what} the same result {times} times in a row. The session is now locked: only "
        "read-only calls are allowed.",
        agent="The session is locked, because you repeat the same calls. Stop here, and tell the person what you tried "
        "and what came back. Only they can unlock the session.",
    ),
    "denied": Said(
        person="The agent is repeating a call that was refused {times} times. The session is now locked: only "
        "read-only calls are allowed.",
        agent="The session is locked, because you repeat the same calls. Stop here, and tell the person what you tried "
        "and what came back. Only they can unlock the session.",
    ),
    "budget": Said(
        person="The session's budget for {budget} is {limit}: {used} used, and this call needs {wanted} more.",
        agent="The session's budget for this is used up. Go on with work that does not need it, and tell the person "
        "what is left to do.",
    ),
}

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:")


def loop(call: Call, reading: Reading, policy: Policy, session: Session, grants: Sequence[Grant]) -> Sequence[Finding]:
    found: list[Finding] = []
    again = repeated(session, reading, call.agent)
    if again is not None:
        found.extend(_repeated(call, again, policy))
        if again.alike:
            found.append(_note("alike", alike=again.alike))
    if policy.budgets:
        found.extend(_budgets(reading, policy, session))
    return found


def _repeated(call: Call, again: Repeated, policy: Policy) -> list[Finding]:
    if again.times < min(policy.loop_repeat, policy.loop_lock):
        return []
    rule, times = "repeat", again.times - 1
    if again.reads:
        if again.paced and again.polls < policy.loop_polls:
            return []
        rule = "polls" if again.paced else "pointless"
    what = "a call that has given" if again.calls == 1 else f"{again.calls} calls that have given"
    facts = {"what": what, "times": times, "pace": policy.loop_pace, "polls": again.polls}
    if not policy.loop_enforce:
        return [_note(rule, **facts)]
    if again.times >= policy.loop_lock and not again.reads:
        return [locked_by("lock", call, what=what, times=times)]
    text, instead = SAYS[rule].person.format(**facts), SAYS[rule].agent.format(**facts)
    return [Finding(layer="loop", rule=rule, verdict=Verdict.DENY, text=text, instead=instead)]


def _note(rule: str, **facts: object) -> Finding:
    return Finding(layer="loop", rule=rule, verdict=Verdict.ALLOW, text=SAYS[rule].person.format(**facts))


def locked_by(rule: str, call: Call, *, times: int, what: str = "") -> Finding:
    """The session goes no further by itself."""
    return Finding(
        layer="loop",
        rule=rule,
        verdict=Verdict.DENY,
        text=SAYS[rule].person.format(what=what, times=times),
        instead=SAYS[rule].agent,
        remedy=unlocking(call),
        locks=True,
    )


def unlocking(call: Call) -> str:
    """What a person types. Only a name that no shell takes for anything else is put into it."""
    name = call.kept_session
    return f"interlock posture unlock {name}" if _PLAIN.issuperset(name) and name else "interlock posture unlock"


def _budgets(reading: Reading, policy: Policy, session: Session) -> list[Finding]:
    wants = spends(reading)
    found = []
    for budget, limit in policy.budgets.items():
        wanted = counts_for(budget, wants)
        if not wanted:
            continue
        used = counts_for(budget, session.spent)
        if used + wanted <= limit:
            continue
        found.append(
            Finding(
                layer="loop",
                rule=f"budget {budget}",
                verdict=policy.budget_over,
                text=SAYS["budget"].person.format(limit=limit, budget=f"`{budget}`", used=used, wanted=wanted),
                instead=SAYS["budget"].agent,
                # Only for this one call: a permission given ahead knows nothing of how often.
                lifted_by=("once",) if policy.budget_over is Verdict.ASK else (),
            )
        )
    return found


def counts_for(budget: str, counts: Mapping[str, int]) -> int:
    """How much of these counts falls under a budget: an effect by its name, actions by a glob."""
    if budget in Effect.names():
        return counts.get(budget, 0)
    named = [count for name, count in counts.items() if name not in Effect.names() and matches(budget, name)]
    return sum(named) + (0 if matches(budget, OTHERS) else counts.get(OTHERS, 0))
