"""Laws of what a field denotes: nothing that may be meant is lost, and what is written is read again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from interlock.approve.glob import is_open
from interlock.approve.grant import Grant, covers
from interlock.model.action import Action
from interlock.model.verdict import Verdict
from interlock.policy.model import Rule, When
from interlock.policy.rules import rule_matches, unsettled
from interlock.reading.resolve.value import (
    NOTHING,
    AllOf,
    Exactly,
    OneOf,
    Resolved,
    Unknown,
    all_of,
    both,
    either,
    may_be,
    read,
    written,
)
from interlock.value import FrozenMap

names = st.sampled_from(["main", "feature/x", "feature/y", "release/1", "HEAD"])
whys = st.sampled_from(["", "a", "HEAD is on no branch"])
values: st.SearchStrategy[Resolved] = st.one_of(
    names.map(lambda text: Exactly(text=text)),
    st.lists(names, max_size=3).map(all_of),
    st.sets(names, min_size=2, max_size=3).map(lambda texts: OneOf(texts=tuple(sorted(texts)))),
    st.builds(lambda why, beside: Unknown(why=why, beside=tuple(sorted(beside))), whys, st.sets(names, max_size=2)),
)


def rule(pattern: str) -> Rule:
    when = When(action="git:push", target=FrozenMap({"branch": pattern}))
    return Rule(id="r", when=when, verdict=Verdict.DENY, reason="Why.")


def push(value: Resolved) -> Action:
    field = written(value)
    return Action(name="git:push", target=FrozenMap({} if field is None else {"branch": field}))


@given(values)
def test_what_is_written_is_read_again(value: Resolved) -> None:
    assert read(written(value)) == value


@given(names)
def test_one_thing_is_written_as_its_plain_text(text: str) -> None:
    assert written(Exactly(text=text)) == text


@given(values, values, values)
def test_either_is_a_join(one: Resolved, other: Resolved, third: Resolved) -> None:
    assert either(one, one) == one
    assert set(may_be(either(one, other))) == {*may_be(one), *may_be(other)}
    unsorted = (AllOf, Exactly)
    if type(one) not in unsorted or type(other) not in unsorted or one == other:
        assert either(one, other) == either(other, one)
    left, right = either(either(one, other), third), either(one, either(other, third))
    assert set(may_be(left)) == set(may_be(right))
    assert (type(left) is Unknown) == (type(right) is Unknown)


@given(values, values)
def test_both_loses_nothing(one: Resolved, other: Resolved) -> None:
    assert set(may_be(both(one, other))) == {*may_be(one), *may_be(other)}
    assert both(NOTHING, one) == one == both(one, NOTHING)
    assert (type(both(one, other)) is Unknown) == (Unknown in (type(one), type(other)))


@given(values, st.sampled_from(["main", "feature/*", "*", "release/?"]))
def test_a_rule_matches_what_may_be_meant(value: Resolved, pattern: str) -> None:
    known = any(rule_matches(rule(pattern), push(Exactly(text=text)), "/") for text in may_be(value))
    assert rule_matches(rule(pattern), push(value), "/") == (known or type(value) is Unknown)
    assert (unsettled(rule(pattern), push(value), "/") is None) == (known or type(value) is not Unknown)


@given(values, st.sampled_from(["main", "feature/*", "*", "release/?"]))
def test_a_grant_covers_only_what_must_be_inside(value: Resolved, pattern: str) -> None:
    grant = Grant(id="g", kind="capability", action="git:push", scope=FrozenMap({"branch": pattern}))
    texts = may_be(value)
    inside = all(covers(grant, push(Exactly(text=text))) for text in texts)
    known = pattern == "*" or type(value) is not Unknown
    assert covers(grant, push(value)) == (inside and known and (bool(texts) or type(value) is Unknown))


@given(values, values)
def test_what_joins_is_matched_by_more_and_covered_by_less(one: Resolved, other: Resolved) -> None:
    grant = Grant(id="g", kind="capability", action="git:push", scope=FrozenMap({"branch": "feature/*"}))
    joined = either(one, other)
    if rule_matches(rule("main"), push(one), "/"):
        assert rule_matches(rule("main"), push(joined), "/")
    if covers(grant, push(joined)):
        assert all(covers(grant, push(value)) for value in (one, other) if written(value) is not None)


def test_the_marks_are_no_names() -> None:
    assert is_open("…")
    assert is_open("… why")
    assert not is_open("…main")
    assert not is_open("main")
    assert read("… why") == Unknown(why="why")
