"""pending → halfway | approved | denied | expired | closed; halfway → approved | denied | expired | closed; approved →
redeemed | closed; no other edge, whatever is tried. Where two persons are needed, no person is two.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.approve.lifecycle import (
    APPROVED,
    EDGES,
    HALFWAY,
    PENDING,
    REDEEMED,
    Pair,
    Question,
    answer,
    apply,
    close,
    expire,
    redeem,
)
from interlock.model.errors import ApprovalError
from interlock.policy.model import Policy
from interlock.policy.people import Person, person_from
from interlock.value import FrozenMap

ALLOWED = {
    ("pending", "halfway"),
    ("pending", "approved"),
    ("pending", "denied"),
    ("pending", "expired"),
    ("pending", "closed"),
    ("pending", "applied"),
    ("applied", "closed"),
    ("halfway", "approved"),
    ("halfway", "denied"),
    ("halfway", "expired"),
    ("halfway", "closed"),
    ("approved", "closed"),
    ("approved", "redeemed"),
}
moments = st.integers(0, 50)
proofs = st.sampled_from([None, "hmac-sha256:1", "hmac-sha256:2"])
steps = st.one_of(
    st.tuples(st.just("approve"), moments),
    st.tuples(st.just("deny"), moments),
    st.tuples(st.just("expire"), moments),
    st.tuples(st.just("close"), moments),
    st.tuples(st.just("apply"), moments),
    st.tuples(st.just("redeem"), moments, proofs),
)


def step(question: Question, what: tuple[object, ...]) -> Question:
    name, at = what[0], int(str(what[1]))
    if name == "expire":
        return expire(question, at)
    if name == "close":
        return close(question)
    if name == "apply":
        return apply(question, at)
    if name == "redeem":
        proof = what[2]
        return redeem(question, proof=None if proof is None else str(proof), at=at)
    return answer(question, yes=name == "approve", at=at, counts_for=10)


@given(proofs, moments, st.lists(steps, max_size=12))
def test_no_other_edge_is_reachable(proof: str | None, expires: int, tried: list[tuple[object, ...]]) -> None:
    question = Question(id="ap_1", seq=1, holder="s", status=PENDING, proof=proof, asked=0, expires=expires)
    redeemed = 0
    for what in tried:
        before = question
        try:
            question = step(question, what)
        except ApprovalError:
            assert question is before
            continue
        assert before.status == question.status or (before.status, question.status) in ALLOWED
        if question.status == REDEEMED and before.status != REDEEMED:
            redeemed += 1
            assert what[2] == proof
            assert int(str(what[1])) < before.expires
    assert redeemed <= 1


PEOPLE = Policy(
    people=FrozenMap(
        {
            "ann": Person(name="ann", logins=("ann", "root"), signers=("ann@laptop", "ann@desk"), slack=("U1",)),
            "bob": Person(name="bob", logins=("bob",), signers=("bob@laptop",), oidc=("bob@acme.example",)),
            "eve": Person(name="eve", logins=("eve",), signers=("eve@laptop",)),
        }
    )
)
IDENTITIES = {
    "ann": ["login:ann", "login:root", "signer:ann@laptop", "signer:ann@desk", "slack:U1"],
    "bob": ["login:bob", "signer:bob@laptop", "oidc:bob@acme.example"],
    "eve": ["login:eve", "signer:eve@laptop"],
}


def answered(starter: str, told: list[tuple[str, bool, int]]) -> tuple[Question, set[str]]:
    """The question after these answers, and who said yes to it. As the store does it: whoever moved it is the first."""
    question = Question(id="ap_1", seq=1, holder="s", status=PENDING, proof=None, asked=0, expires=60)
    first = ""
    yeses: set[str] = set()
    for identity, yes, at in told:
        pair = Pair(person=person_from(PEOPLE, identity), first=first, starter=person_from(PEOPLE, starter))
        try:
            after = answer(question, yes=yes, at=at, counts_for=30, pair=pair)
        except ApprovalError:
            continue
        if yes:
            first, yeses = first or pair.person, yeses | {pair.person}
        question = after
    return question, yeses


@given(st.data(), st.sampled_from(sorted(IDENTITIES)), st.sampled_from(sorted(IDENTITIES)))
def test_one_person_and_whoever_started_the_run_never_get_it_approved(
    data: st.DataObject, person: str, starter: str
) -> None:
    names = st.sampled_from([*IDENTITIES[person], *IDENTITIES[starter]])
    told = data.draw(st.lists(st.tuples(names, st.sampled_from([True, True, True, False]), moments), max_size=8))
    started = data.draw(st.sampled_from(IDENTITIES[starter]))
    assert answered(started, told)[0].status != APPROVED


@given(st.data(), st.sampled_from([name for names in IDENTITIES.values() for name in names]))
def test_what_two_persons_approve_was_approved_by_two_who_did_not_start_it(data: st.DataObject, starter: str) -> None:
    names = st.sampled_from([name for names in IDENTITIES.values() for name in names])
    told = data.draw(st.lists(st.tuples(names, st.booleans(), moments), max_size=8))
    question, yeses = answered(starter, told)
    if question.status == APPROVED:
        assert len(yeses) == 2
        assert person_from(PEOPLE, starter) not in yeses


def test_two_persons_do_get_it_approved_and_the_first_yes_ends_first() -> None:
    question, yeses = answered("login:eve", [("signer:ann@laptop", True, 10), ("signer:bob@laptop", True, 20)])
    assert (question.status, question.expires, yeses) == (APPROVED, 40, {"ann", "bob"})
    late = [("signer:ann@laptop", True, 10), ("signer:bob@laptop", True, 40)]
    assert answered("login:eve", late)[0].status == HALFWAY


def test_a_yes_of_nobody_in_particular_moves_nothing_where_two_are_needed() -> None:
    halfway = answered("login:eve", [("signer:ann@laptop", True, 10)])[0]
    assert halfway.status == HALFWAY
    for pair in (None, Pair(person=""), Pair(person="bob"), Pair(person="ann", first="ann")):
        with pytest.raises(ApprovalError, match="needs the yes of two persons"):
            answer(halfway, yes=True, at=11, counts_for=30, pair=pair)


def test_the_table_is_these_edges() -> None:
    assert {(start, end) for start, ends in EDGES.items() for end in ends} == ALLOWED
