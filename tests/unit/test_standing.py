"""What is weighed, as values: what is not told of a call or of a question counts as nothing. And the mode in force."""

from __future__ import annotations

import pytest

from interlock.approve.grant import Grant
from interlock.approve.mode import mode_in_force
from interlock.approve.standing import NOTHING, Asked, Case, Snapshot, Standing, Ticket
from interlock.model.action import Reading
from interlock.model.call import Call
from interlock.model.session import Session
from interlock.model.verdict import Strength
from interlock.policy.model import ApprovalMode, Policy
from interlock.value import FrozenMap


def test_what_is_not_told_counts_as_nothing() -> None:
    case = Case(
        call=Call(tool="t", input=FrozenMap({})),
        reading=Reading(call="c", projection="p"),
        policy=Policy(),
        session=Session(),
    )
    assert (case.grants, case.closed, case.moment, case.proof, case.elsewhere) == ((), frozenset(), "", None, False)
    assert Ticket(grant=Grant(id="g", kind="capability"), name="g").uses is None
    assert Snapshot() == Snapshot(off=0, standing=NOTHING)
    assert Standing(tickets=(), signing="", asked=None) == NOTHING
    assert Asked() == Asked(
        live=None,
        over=None,
        last=None,
        last_of="",
        closed=0,
        shown=None,
        waiting=0,
        void="",
        by="",
        strength=Strength.WEAK,
        why="",
        persons=(),
        reminded=0,
        applied="",
        no="",
    )


DEFAULT, PERMISSIVE, STRICT = ApprovalMode.DEFAULT, ApprovalMode.PERMISSIVE, ApprovalMode.STRICT


@pytest.mark.parametrize(
    ("mode", "raised", "phrases", "in_force"),
    [
        (DEFAULT, None, True, DEFAULT),
        (DEFAULT, "in force", True, PERMISSIVE),
        (DEFAULT, "in force", False, DEFAULT),
        (STRICT, "in force", True, STRICT),
        (STRICT, None, True, STRICT),
        (PERMISSIVE, "in force", True, PERMISSIVE),
        (PERMISSIVE, None, False, PERMISSIVE),
    ],
)
def test_a_phrase_raises_the_default_mode_and_no_other(
    mode: ApprovalMode, raised: str | None, *, phrases: bool, in_force: ApprovalMode
) -> None:
    policy = Policy(approval_mode=mode, allow_phrases=phrases)
    assert mode_in_force(policy, Session(raised=raised)) is in_force
