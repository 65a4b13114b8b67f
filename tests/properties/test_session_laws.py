"""Laws of sessions: what they add only tightens, what is kept of them is enough, and they survive being kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chance import one_from, several, tried_on
from interlock.approve.answers import settled
from interlock.bytes.canon import canonical
from interlock.bytes.strict import parse_object
from interlock.decide import decide
from interlock.layers.seen import seen
from interlock.model.call import kept_session
from interlock.model.decision import Decision
from interlock.model.posture import Posture
from interlock.model.session import OUTCOMES, Session, advance
from interlock.model.verdict import Verdict
from interlock.record.receipt import receipt_body
from interlock.record.replay import differences, rederive
from interlock.record.sessions import session_from_wire, session_to_wire
from oracle_tiers import passes
from strategies import Case, a_case


def decided(case: Case, session: Session) -> Decision:
    return decide(case.call, case.reading, case.policy, session, case.grants)


@tried_on(a_case)
def test_what_a_session_remembers_only_tightens(case: Case) -> None:
    """All but the phrase, which a person said."""
    case = case.replace(session=case.session.replace(raised=None))
    # Closed windows, earlier questions and keys that count are facts of the moment, not memories.
    now = case.session
    blank = Session(posture=now.posture, closed=now.closed, asked_before=now.asked_before, signing=now.signing)
    fresh, later = decided(case, blank), decided(case, case.session)
    assert later.verdict >= fresh.verdict
    assert later.posture >= fresh.posture
    for part in ("recent", "spent", "refused", "pending"):
        without = case.session.replace(**{part: getattr(blank, part)})
        assert decided(case, without).verdict <= later.verdict, part


@tried_on(a_case)
def test_a_phrase_lifts_no_deny_and_no_ask_of_another_layer(case: Case) -> None:
    lowered = decided(case, case.session.replace(raised=None))
    raised = decided(case, case.session.replace(raised="2026-12-01T00:00:00Z"))
    assert raised.verdict <= lowered.verdict
    other = [f for f in lowered.reasons if f.layer not in ("tiers", "posture", "answers")]
    assert [f for f in raised.reasons if f.layer not in ("tiers", "posture", "answers")] == other
    if case.policy.allow_phrases and case.policy.approval_mode.name != "strict":
        left = [case.reading.actions[at] for f in raised.reasons if f.rule == "tier-2" for at in f.actions]
        assert not any(passes(action, case.policy.tiers) for action in left)


@tried_on(a_case)
def test_the_slice_is_enough_to_decide_and_to_replay(case: Case) -> None:
    part = seen(case.call, case.reading, case.policy, case.session)
    decision = decided(case, part)
    assert decision == decided(case, case.session)
    assert seen(case.call, case.reading, case.policy, part) == part
    body = receipt_body(case.call, case.reading, case.policy.digest, part, decision)
    kept = parse_object(canonical(body))
    assert differences(kept, rederive(kept, case.policy)) == []
    assert case.session.raised is None or case.session.raised.encode() not in canonical(body)


@tried_on(a_case, one_from(OUTCOMES), one_from([None, "sha256:r"]))
def test_a_session_survives_being_kept(case: Case, outcome: str, result: str | None) -> None:
    session = advance(case.session, case.reading, decided(case, case.session), outcome, result)
    raw = canonical(session_to_wire(session))
    # Facts of the moment are looked up for each call and never kept: closed windows, earlier questions, keys.
    kept = session.replace(closed=frozenset(), asked_before=0, signing="")
    assert session_from_wire(parse_object(raw)) == kept
    assert len(raw) < 50_000


@tried_on(several(a_case, least=1, most=6), one_from([None, "approve", "refuse"]))
def test_a_lock_stays_until_a_person_unlocks(steps: list[Case], answer: str | None) -> None:
    session = steps[0].session
    locked = False
    for case in steps:
        decision = decided(case, session.replace(grants=()))
        session = settled(session, case.reading, decision, answer=answer)
        locked = locked or any(finding.locks for finding in decision.reasons)
        if locked:
            assert session.posture is Posture.LOCKED
            assert decision.verdict is Verdict.DENY or {effect.name for effect in decision.effects} <= {"read"}


@given(
    st.lists(
        st.tuples(st.text("ab:%A3", max_size=6), st.text("ab:%A3", min_size=1, max_size=6)),
        min_size=2,
        max_size=2,
        unique=True,
    )
)
def test_sessions_of_two_hosts_are_never_kept_under_one_name(owners: list[tuple[str, str]]) -> None:
    """The host that writes no name is the one whose ids stand alone."""
    one, two = [kept_session(session, host) for host, session in owners]
    assert one != two
