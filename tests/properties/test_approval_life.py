"""pending → approved | denied | expired | closed; approved → redeemed | closed; no other edge, whatever is tried."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from interlock.approve.lifecycle import EDGES, PENDING, REDEEMED, Question, answer, close, expire, redeem
from interlock.errors import ApprovalError

ALLOWED = {
    ("pending", "approved"),
    ("pending", "denied"),
    ("pending", "expired"),
    ("pending", "closed"),
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
    st.tuples(st.just("redeem"), moments, proofs),
)


def step(question: Question, what: tuple[object, ...]) -> Question:
    name, at = what[0], int(str(what[1]))
    if name == "expire":
        return expire(question, at)
    if name == "close":
        return close(question)
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


def test_the_table_is_these_edges() -> None:
    assert {(start, end) for start, ends in EDGES.items() for end in ends} == ALLOWED
