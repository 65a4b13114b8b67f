"""Looking at few rules and grants gives what looking at all of them gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chance import EXAMPLES, FEWER, several, tried_on
from interlock.approve.approval import approval_for
from interlock.approve.glob import matches
from interlock.approve.grant import covers
from interlock.approve.held import Held, keys_of_grant, wanted_heads, wanted_keys
from interlock.approve.index import Index, mark_of, marks_in
from interlock.decide import decide
from interlock.policy.book import Book, leaves_of
from interlock.policy.model import rule_to_wire
from interlock.policy.rules import place_of_rule
from interlock.policy.wire import _rule_from_wire, compiled_lines, policy_from_lines, rule_book
from interlock.value import FrozenMap
from strategies import Case, a_case

TEXTS = st.text("ab/-.:", max_size=8)
PATTERNS = st.text("ab/-.:*?", max_size=8)


@tried_on(a_case)
def test_an_index_of_rules_and_grants_changes_no_decision(case: Case) -> None:
    plain = decide(case.call, case.reading, case.policy, case.session, case.grants)
    indexed = case.policy.replace(rules=rule_book(case.policy.rules))
    assert decide(case.call, case.reading, indexed, case.session, Held(case.grants)) == plain


@pytest.mark.slow
@tried_on(several(a_case, least=1, most=3), examples=FEWER)
def test_a_policy_read_leaf_by_leaf_decides_as_the_whole_one(found: list[Case]) -> None:
    rules = tuple(rule for case in found for rule in case.policy.rules) * 70  # beyond what fits on one leaf
    leaves = leaves_of(rules, place_of_rule, rule_to_wire)
    assert len(leaves) > 1 or not rules or len(rules) <= 70
    book = Book.unread(leaves, len(rules), place=place_of_rule, decode=_rule_from_wire)
    for case in found:
        whole = case.policy.replace(rules=rules)
        lazy = case.policy.replace(rules=book)
        expected = decide(case.call, case.reading, whole, case.session, case.grants)
        assert decide(case.call, case.reading, lazy, case.session, case.grants) == expected
    assert book == rules


@tried_on(a_case, examples=FEWER)
def test_a_compiled_policy_is_the_policy(case: Case) -> None:
    policy = case.policy.replace(notices=("told",))
    assert policy_from_lines(compiled_lines(policy)) == policy


@tried_on(a_case)
def test_the_wanted_keys_find_every_grant_that_covers(case: Case) -> None:
    approval = approval_for(case.call, case.reading, case.policy, closed=case.session.asked_before).id
    keys, heads = wanted_keys(case.reading, approval), wanted_heads(case.reading)
    for grant in case.grants:
        head, key = keys_of_grant(grant)
        if any(covers(grant, action) for action in case.reading.actions):
            assert key in keys
            assert head in heads
        if grant.kind == "once" and grant.binds == approval:
            assert key in keys


@settings(max_examples=EXAMPLES)
@given(PATTERNS, TEXTS, TEXTS)
def test_a_pattern_lies_where_every_text_that_it_matches_is_looked_for(pattern: str, text: str, other: str) -> None:
    target = FrozenMap({"branch": text, "other": other})
    index = Index()
    index.add(7, "git:push", mark_of({"branch": pattern}), "found")
    rows = index.find(("git:push",), target)
    if matches(pattern, text):
        assert rows == [(7, "found")]
        mark = "".join(mark_of({"branch": pattern}))
        assert not mark or mark in list(marks_in(target))
