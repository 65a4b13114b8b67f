"""The life of a question, step by step: what each step makes of it in each state, and why nothing happens elsewhere."""

from __future__ import annotations

import pytest

from interlock.approve.lifecycle import (
    APPLIED,
    APPROVED,
    CLOSED,
    DENIED,
    EXPIRED,
    HALFWAY,
    PENDING,
    REDEEMED,
    Pair,
    Question,
    answer,
    apply,
    asked_at,
    close,
    expire,
    is_live,
    is_open,
    redeem,
    reminders,
    why_dead,
)
from interlock.model.errors import ApprovalError

ASKED, ENDS, LONG = 1_000, 5_000, 60_000
EVERY = (PENDING, HALFWAY, APPROVED, DENIED, EXPIRED, REDEEMED, CLOSED, APPLIED)


def question(status: str = PENDING, *, expires: int = ENDS, proof: str | None = None) -> Question:
    return Question(id="ap_1", seq=7, holder="h:s", status=status, proof=proof, asked=ASKED, expires=expires)


def test_the_states_are_told_by_these_words() -> None:
    """They are in every ledger that was ever written."""
    assert EVERY == ("pending", "halfway", "approved", "denied", "expired", "redeemed", "closed", "applied")


# state -> can be answered, can be answered or redeemed
ALIVE = {PENDING: (True, True), HALFWAY: (True, True), APPROVED: (False, True)}


@pytest.mark.parametrize("status", EVERY)
def test_a_question_counts_until_the_moment_at_which_it_ends(status: str) -> None:
    asked, alive = question(status), ALIVE.get(status, (False, False))
    assert (is_open(asked, ENDS - 1), is_live(asked, ENDS - 1)) == alive
    assert (is_open(asked, ENDS), is_live(asked, ENDS)) == (False, False)
    endless = question(status, expires=0)
    assert (is_open(endless, ENDS), is_live(endless, ENDS)) == alive


@pytest.mark.parametrize("status", EVERY)
def test_only_what_nobody_has_answered_runs_out(status: str) -> None:
    asked = question(status)
    assert expire(asked, ENDS - 1) == asked
    assert expire(asked, ENDS) == (question(EXPIRED) if status in (PENDING, HALFWAY) else asked)
    assert expire(question(status, expires=0), ENDS) == question(status, expires=0)


def test_a_question_that_is_asked_later_waits_as_long_and_one_without_end_waits_on() -> None:
    assert asked_at(question(), 3_000) == question().replace(asked=3_000, expires=7_000)
    assert asked_at(question(expires=0), 3_000) == question(expires=0).replace(asked=3_000)


# --- answers ------------------------------------------------------------------------------------------------------

ANN, BOB = Pair(person="ann"), Pair(person="bob", first="ann", starter="eve")

ANSWERED: list[tuple[str, bool, Pair | None, Question]] = [
    (PENDING, False, None, question(DENIED)),
    (PENDING, False, ANN, question(DENIED)),
    (HALFWAY, False, None, question(DENIED)),
    (HALFWAY, False, BOB, question(DENIED)),
    (PENDING, True, None, question(APPROVED, expires=62_000)),
    (PENDING, True, ANN, question(HALFWAY, expires=62_000)),
    (PENDING, True, BOB, question(HALFWAY, expires=62_000)),
    (PENDING, True, Pair(person="ann", first="ann"), question(HALFWAY, expires=62_000)),
    (HALFWAY, True, BOB, question(APPROVED, expires=ENDS)),
]


@pytest.mark.parametrize(("status", "yes", "pair", "after"), ANSWERED)
def test_an_answer_moves_the_question(status: str, *, yes: bool, pair: Pair | None, after: Question) -> None:
    assert answer(question(status), yes=yes, at=2_000, counts_for=LONG, pair=pair) == after


def test_what_two_have_said_yes_to_ends_with_whichever_yes_ends_first() -> None:
    halfway = question(HALFWAY, expires=90_000)
    assert answer(halfway, yes=True, at=2_000, counts_for=LONG, pair=BOB) == question(APPROVED, expires=62_000)


NO_SECOND: list[tuple[str, Pair | None, str]] = [
    (HALFWAY, None, "and nobody knows whose this one is"),
    (PENDING, Pair(person=""), "and nobody knows whose this one is"),
    (HALFWAY, Pair(person="", first="ann"), "and nobody knows whose this one is"),
    (PENDING, Pair(person="ann", starter="ann"), "and ann started the run"),
    (HALFWAY, Pair(person="bob", first="ann", starter="bob"), "and bob started the run"),
    (HALFWAY, Pair(person="bob"), "and whose the first one was is not known"),
    (HALFWAY, Pair(person="ann", first="ann"), "and ann has said yes already"),
]


@pytest.mark.parametrize(("status", "pair", "why"), NO_SECOND)
def test_where_two_are_needed_a_yes_that_is_no_second_opinion_says_why(
    status: str, pair: Pair | None, why: str
) -> None:
    with pytest.raises(ApprovalError) as raised:
        answer(question(status), yes=True, at=2_000, counts_for=LONG, pair=pair)
    assert str(raised.value) == f"ap_1 needs the yes of two persons, {why}; this answer changes nothing"


@pytest.mark.parametrize("yes", [True, False])
@pytest.mark.parametrize("status", EVERY)
def test_an_answer_that_comes_too_late_says_so(status: str, *, yes: bool) -> None:
    by_then = EXPIRED if status in (PENDING, HALFWAY) else status
    with pytest.raises(ApprovalError) as raised:
        answer(question(status), yes=yes, at=ENDS, counts_for=LONG, pair=BOB)
    assert str(raised.value) == f"ap_1 is {by_then} already; this answer came too late and changes nothing"


# --- the other steps ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", EVERY)
def test_what_was_settled_elsewhere_is_closed_unless_it_is_over(status: str) -> None:
    if status in (PENDING, HALFWAY, APPROVED, APPLIED):
        assert close(question(status)) == question(CLOSED)
        return
    with pytest.raises(ApprovalError) as raised:
        close(question(status))
    assert str(raised.value) == f"ap_1 is {status}, and cannot become closed"


@pytest.mark.parametrize("status", EVERY)
def test_a_preview_is_applied_only_while_nobody_has_answered(status: str) -> None:
    if status == PENDING:
        assert apply(question(status), ENDS - 1) == question(APPLIED)
    else:
        with pytest.raises(ApprovalError) as raised:
            apply(question(status, expires=0), ENDS)
        assert str(raised.value) == f"ap_1 is {status} already; a preview of it is not applied"


def test_a_preview_of_a_question_that_ran_out_is_not_applied() -> None:
    with pytest.raises(ApprovalError) as raised:
        apply(question(), ENDS)
    assert str(raised.value) == "ap_1 is expired already; a preview of it is not applied"


@pytest.mark.parametrize("status", EVERY)
def test_only_what_was_approved_is_redeemed(status: str) -> None:
    if status == APPROVED:
        assert redeem(question(status, proof="x"), proof="x", at=ENDS - 1) == question(REDEEMED, proof="x")
        return
    with pytest.raises(ApprovalError) as raised:
        redeem(question(status), proof=None, at=ASKED)
    assert str(raised.value) == f"ap_1 is {status}, not approved"


def test_a_yes_is_not_redeemed_once_its_time_is_over() -> None:
    with pytest.raises(ApprovalError) as raised:
        redeem(question(APPROVED), proof=None, at=ENDS)
    assert str(raised.value) == "ap_1 was approved, and its time is over"


@pytest.mark.parametrize(("proof", "given"), [("x", "y"), ("x", None), (None, "y")])
def test_a_yes_to_one_secret_is_none_to_another(proof: str | None, given: str | None) -> None:
    with pytest.raises(ApprovalError) as raised:
        redeem(question(APPROVED, proof=proof), proof=given, at=ASKED)
    assert str(raised.value) == "ap_1 was approved for a call with another secret in it"


@pytest.mark.parametrize(
    ("status", "at", "count"),
    [
        (PENDING, ASKED, 0),
        (PENDING, ASKED + 99, 0),
        (PENDING, ASKED + 100, 1),
        (HALFWAY, ASKED + 250, 2),
        (PENDING, ASKED - 500, 0),  # asked by a process whose clock was ahead
        (APPROVED, ASKED + 250, 0),
        (DENIED, ASKED + 250, 0),
    ],
)
def test_a_person_is_reminded_as_long_as_somebody_can_answer(status: str, at: int, count: int) -> None:
    assert reminders(question(status), at, 100) == count


def test_nobody_is_reminded_of_what_was_asked_just_now() -> None:
    assert reminders(question(), ASKED, 1) == 0


def test_who_is_not_named_is_nobody() -> None:
    assert Pair(person="ann") == Pair(person="ann", first="", starter="")


# --- why an open question is dead ---------------------------------------------------------------------------------

SAME = ("1.0", "1.0")
DEAD: list[tuple[str, int, tuple[str, str], str | None]] = [
    (PENDING, ENDS, SAME, "nobody answered in time"),
    (HALFWAY, ENDS, SAME, "no second person answered in time"),
    (APPROVED, ENDS, SAME, "the yes was not used in time"),
    (PENDING, ENDS - 1, ("1.0", "1.1"), "it was asked by Interlock 1.0, and this is 1.1"),
    (PENDING, ENDS - 1, SAME, None),
    (APPROVED, ENDS - 1, SAME, None),
    (DENIED, ENDS, ("1.0", "1.1"), None),
    (REDEEMED, ENDS, ("1.0", "1.1"), None),
]


@pytest.mark.parametrize(("status", "at", "engine", "why"), DEAD)
def test_a_question_that_can_no_longer_fire_says_why(
    status: str, at: int, engine: tuple[str, str], why: str | None
) -> None:
    assert why_dead(question(status), at, engine=engine) == why
