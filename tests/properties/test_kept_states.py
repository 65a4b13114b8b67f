"""A session's state, written in the fast way and taken from memory: the same as in the slow one, for any session."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chance import tried_on
from interlock.approve.grant import Grant
from interlock.bytes.canon import canonical
from interlock.bytes.strict import parse_object
from interlock.model.heard import Phrase, Question
from interlock.model.posture import Posture
from interlock.model.session import Changed, Pending, Run, Session
from interlock.model.steps import MANNERS, Ran, Repeated
from interlock.record import resume
from interlock.record.resume import as_kept, opened, resumed, state_of
from interlock.record.sessions import session_from_wire, session_to_wire
from interlock.value import FrozenMap
from strategies import Case, a_case, nasty_text

# What a reader might take for the place of the calls that happened.
_texts = nasty_text | st.sampled_from(
    [
        *('"recent":[]', "recent", '\\"recent\\":[]', '","recent":[],"', "tool:$integer"),
        *('"created":[]', '","created":[],"', '"written":[]', ",", '","', "a,"),
    ]
)
_names = st.sampled_from(["read", "tool:x", "recent", "$integer", "tool:ä", "\U0001f600", "\ufb33"]) | _texts
_counts = st.integers(0, 2**53 - 1)
_NOTHING = frozenset[str]()
_sets = st.frozensets(_texts, max_size=3)
_ran = st.builds(
    Ran,
    projection=_texts,
    outcome=_texts,
    manner=st.sampled_from(MANNERS),
    at=st.integers(0, 2**40),
    agent=_texts,
    kind=_texts,
)
_changed = st.builds(
    Changed, path=_texts, level=st.sampled_from(["asked", "denied", "mod", "switch"]), digest=_texts, text=_texts
)

sessions = st.builds(
    Session,
    id=_texts,
    posture=st.sampled_from(Posture.members),
    calls=_counts,
    created=_sets,
    written=_sets,
    kept=_sets,
    run=st.none() | st.just(Run(markers=2)),
    plan=_texts,
    recent=st.lists(_ran, max_size=4).map(tuple),
    repeated=st.none() | st.just(Repeated(times=3)),
    polls=_counts,
    spent=st.dictionaries(_names, _counts, max_size=3).map(FrozenMap),
    refused=st.lists(st.lists(_texts, max_size=2).map(tuple), max_size=2).map(tuple),
    pending=st.lists(st.builds(Pending, approval=_texts, projection=_texts, tries=_counts), max_size=2).map(tuple),
    raised=st.none() | _texts,
    closed=_sets,
    parent=_texts,
    label=_texts,
    asking=_texts,
    asked_before=_counts,
    signing=_texts,
    off=st.booleans(),
    watch=_texts,
    changed=st.lists(
        st.builds(
            Changed,
            path=_texts,
            level=st.sampled_from(["asked", "denied", "mod", "switch"]),
            digest=_texts,
            text=_texts,
        ),
        max_size=1,
    ).map(tuple),
    accepted=st.dictionaries(_names, _texts, max_size=2).map(FrozenMap),
    mods=st.dictionaries(_names, _texts, max_size=2).map(FrozenMap),
    head=_texts,
    started=_texts,
    heard=st.dictionaries(_names, _counts, max_size=2).map(FrozenMap),
    since=_texts,
    secret=st.booleans(),
    hosts=_sets,
    told=_sets,
    questions=st.lists(st.builds(Question, attempt=_texts, projection=_texts), max_size=1).map(tuple),
    phrase=st.none() | st.builds(Phrase, prompt=_texts, digest=_texts, until=_texts),
)


def slowly(session: Session, start: Posture) -> bytes:
    return canonical({"session": session_to_wire(session), "start": start.name})


def taken_apart(state: bytes) -> Session:
    wire: Any = parse_object(state)
    return session_from_wire(wire["session"])


@given(sessions, st.sampled_from(Posture.members))
def test_any_session_is_written_and_remembered_as_it_is_read(session: Session, start: Posture) -> None:
    state = state_of(session, start)
    assert state == slowly(session, start)
    assert opened(state) == (taken_apart(state), start.name)
    fresh = Session(id=session.id, posture=start, label="now")
    from_memory = resumed(state, fresh)
    resume._KNOWN.clear()
    assert from_memory == resumed(state, fresh)


@given(
    sessions,
    st.lists(st.tuples(_sets, _sets, _sets, st.integers(0, 40)), max_size=6),
    st.sampled_from(("", "grants")),
)
def test_a_session_of_many_files_is_written_as_any_other_whatever_became_of_them(
    session: Session, steps: list[tuple[frozenset[str], frozenset[str], frozenset[str], int]], more: str
) -> None:
    """What was written before is gone on with."""
    many = frozenset(f"/p/{number}" for number in range(100))
    grants = (Grant(id="g", kind="remembered", action="git:push"),) if more else ()
    session = session.replace(created=session.created | many, written=session.written | many, grants=grants)
    for written, created, gone, count in (*steps, (_NOTHING,) * 3 + (0,)):
        session = session.replace(
            created=(session.created | created) - gone,
            written=session.written | written | {f"/q/{number}" for number in range(count)},
        )
        state = state_of(session, Posture.INTERACTIVE)
        assert state == slowly(session, Posture.INTERACTIVE)
        kept = opened(state)[0]
        assert (kept.created, kept.written) == (session.created, session.written)


@given(sessions, sessions)
def test_only_the_very_state_that_was_written_is_remembered(session: Session, other: Session) -> None:
    state = state_of(session, Posture.INTERACTIVE)
    state_of(other.replace(id=session.id), Posture.LOCKED)
    fresh = Session(id=session.id)
    assert resumed(state, fresh) == taken_apart(state)


@tried_on(a_case)
def test_what_a_yes_gave_is_remembered_as_weak(case: Case) -> None:
    session = case.session.replace(grants=case.grants)
    state = state_of(session, Posture.INTERACTIVE)
    assert state == slowly(session, Posture.INTERACTIVE)
    assert as_kept(session) == taken_apart(state) == opened(state)[0]
    assert resumed(state, Session(id=session.id, posture=session.posture)).grants == taken_apart(state).grants


def test_a_session_goes_on_under_the_id_and_label_of_now() -> None:
    state = state_of(Session(id="a", label="then", calls=3), Posture.INTERACTIVE)
    now = resumed(state, Session(id="b", label="now"))
    assert (now.id, now.label, now.calls) == ("b", "now", 3)
    resume._KNOWN.clear()
    assert resumed(state, Session(id="b", label="now")) == now


def test_what_is_remembered_is_bounded() -> None:
    for number in range(3 * resume._KNOWN.names):
        state_of(Session(id=str(number), recent=(Ran(projection=str(number), outcome="ran"),)), Posture.INTERACTIVE)
    assert len(resume._KNOWN) <= resume._KNOWN.names
    long = Session(id="x" * (resume._KNOWN.size + 1))
    state_of(long, Posture.INTERACTIVE)
    assert resume._KNOWN.get(long.id) is None
