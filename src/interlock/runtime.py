"""The one seam: load, gather, decide, record, answer. Everything with a disk or a clock meets here.

The fail-mode table says what happens when a part of that fails. `tests/faults` holds a test
for each row.
"""

from __future__ import annotations

from .action import is_read_only
from .decide import decide
from .decision import Finding
from .facts import Facts
from .policy.rules import windows_read
from .posture import Posture
from .record.receipt import receipt_body, receipt_of
from .session import Session, until
from .store.clock import closed_windows, live_grants, now
from .store.facts import read_with_facts
from .store.journal import record
from .toolnames import declared_tool
from .value import TYPE_CHECKING, Value
from .verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .action import Reading
    from .approve.grant import Grant
    from .call import Call
    from .decision import Decision
    from .policy.model import Policy
    from .store.contracts import Catalogues
    from .store.folders import Folders
    from .store.plans import PlanInForce

__all__ = ["FAIL_MODES", "PLAN_VARIABLES", "Outcome", "World", "judge", "starting_posture", "with_plan"]

# what fails -> what a read-only call gets, what any other call gets
FAIL_MODES = {
    "input": ("deny", "deny"),  # not a call at all
    "policy": ("as decided", "deny"),  # a broken policy file
    "facts": ("ask", "ask"),  # where a path leads cannot be told
    "layer": ("ask", "ask"),  # a layer raised
    "plan": (
        "deny in strict",
        "deny in strict",
    ),  # a plan, its log or its lock cannot be kept; warn: passes with a note
    "record": ("as decided", "deny"),  # the receipt could not be written
    "deadline": ("deny", "deny"),
    "crash": ("deny", "deny"),
}


# Any of these switches a plan on, or makes it stricter (plan/settings.py).
PLAN_VARIABLES = (
    "INTERLOCK_PLAN",
    "INTERLOCK_PLAN_DIR",
    "INTERLOCK_PLAN_ENFORCEMENT",
    "NOUS_ITER_DIR",
    "NOUS_PLAN_ENFORCEMENT",
)


class World(Value):
    """What stays the same for all calls of one session or stream."""

    folders: Folders
    root: str
    policy: Policy
    recording: bool = False
    contracts: Catalogues | None = None  # None: no contracts are checked
    plan: PlanInForce | None = None


class Outcome(Value):
    call: Call
    reading: Reading
    decision: Decision
    policy: Policy
    body: Mapping[str, Any]  # of the receipt
    receipt: str
    trouble: str | None = None  # why the receipt was not kept, although it should have been


def judge(call: Call, world: World, session: Session) -> Outcome:
    """One call, from facts to receipt."""
    policy, plan = world.policy, world.plan
    facts = Facts(
        root=world.root,
        home=world.folders.home,
        own=world.folders.own if plan is None else world.folders.own + plan.own,
        declared=declared_tool(policy, call.tool),
        created=session.created,
        written=session.written,
        kept=session.kept,
        commands=policy.commands,
        contracts=() if world.contracts is None else world.contracts.for_call(call),
    )
    reading = read_with_facts(call, facts)
    if plan is not None:
        reading, session = _held_against(plan, call, reading, facts, session, recording=world.recording)
    if session.recent or session.spent or session.refused or session.pending or session.raised:
        from .layers.seen import seen

        session = seen(call, reading, policy, until(session, now()))
    grants: Sequence[Grant] = session.grants
    if policy.grants:
        grants = live_grants(policy, now(), reading) + session.grants
    if policy.windows:
        read = windows_read(call, reading, policy, session.posture)
        session = session.replace(closed=closed_windows(read, now()))
    decision = decide(call, reading, policy, session, grants)
    if policy.consult is not None and facts.contracts and not reading.broken and decision.verdict is not Verdict.DENY:
        from .store.consult import doubts_of

        reading = reading.replace(doubts=doubts_of(policy.consult, call, facts.contracts))
        decision = decide(call, reading, policy, session, grants)
    body = receipt_body(call, reading, policy.digest, session, decision)
    receipt, raw = receipt_of(body)
    trouble = None
    if world.recording:
        from .errors import StoreError

        try:
            record(world.folders, receipt, raw, policy)
        except StoreError as error:
            trouble = str(error)
            if not is_read_only(reading):
                decision = _unrecorded(decision, trouble)
                # nothing was kept, so the receipt is that of the answer and not of the decision
                body = receipt_body(call, reading, policy.digest, session, decision)
                receipt, _ = receipt_of(body)
    return Outcome(
        call=call,
        reading=reading,
        decision=decision,
        policy=policy,
        body=body,
        receipt=receipt,
        trouble=trouble,
    )


def with_plan(world: World, environment: Mapping[str, str]) -> World:
    """The world with the plan that is in force in it, if the policy or the environment asks for one."""
    if world.policy.plan is None and not any(name in environment for name in PLAN_VARIABLES):
        return world
    from .store.plans import plan_in_force

    found = plan_in_force(world.policy, world.folders, world.root, environment)
    return world.replace(policy=found.policy, plan=found)


def _held_against(
    plan: PlanInForce, call: Call, reading: Reading, facts: Facts, session: Session, *, recording: bool
) -> tuple[Reading, Session]:
    """What the plan says of the call, and how the run folder stands: before the decision, which replays from it."""
    from .plan.match import line_of
    from .store.runs import enter_run, look_at_run

    planned = plan.policy.planned
    if planned is None:
        return reading, session
    line = line_of(call, facts, plan.plan, planned)
    if planned.missing:
        return reading.replace(line=line), session
    idle = plan.settings.idle
    run = (
        enter_run(plan.folder, call, line, planned, facts, idle=idle)
        if recording
        else look_at_run(plan.folder, call, idle=idle)
    )
    return reading.replace(line=line), session.replace(run=run)


def _unrecorded(decision: Decision, trouble: str) -> Decision:
    finding = Finding(
        layer="record",
        rule="unrecorded",
        verdict=Verdict.DENY,
        text=f"the decision could not be recorded: {trouble}",
        instead="Only reads pass until the record can be written again; tell the person.",
    )
    return decision.replace(verdict=Verdict.DENY, reasons=(finding, *decision.reasons), approval=None)


def starting_posture(policy: Policy, kept: Posture | None, *, attended: bool) -> Posture:
    """What a person set, else what the policy says; nobody in front of the host makes it autonomous."""
    posture = max(policy.posture if kept is None else kept, policy.posture_floor)
    return Posture.AUTONOMOUS if posture is Posture.INTERACTIVE and not attended else posture
