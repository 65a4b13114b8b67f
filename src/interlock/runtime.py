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
from .session import Session
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

__all__ = ["FAIL_MODES", "Outcome", "World", "judge", "starting_posture"]

# what fails -> what a read-only call gets, what any other call gets
FAIL_MODES = {
    "input": ("deny", "deny"),  # not a call at all
    "policy": ("as decided", "deny"),  # a broken policy file
    "facts": ("ask", "ask"),  # where a path leads cannot be told
    "layer": ("ask", "ask"),  # a layer raised
    "record": ("as decided", "deny"),  # the receipt could not be written
    "deadline": ("deny", "deny"),
    "crash": ("deny", "deny"),
}


class World(Value):
    """What stays the same for all calls of one session or stream."""

    folders: Folders
    root: str
    policy: Policy
    recording: bool = False
    contracts: Catalogues | None = None  # None: no contracts are checked


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
    policy = world.policy
    facts = Facts(
        root=world.root,
        home=world.folders.home,
        own=world.folders.own,
        declared=declared_tool(policy, call.tool),
        created=session.created,
        written=session.written,
        kept=session.kept,
        commands=policy.commands,
        contracts=() if world.contracts is None else world.contracts.for_call(call),
    )
    reading = read_with_facts(call, facts)
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
