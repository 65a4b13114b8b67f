"""Laws of the decision that are not promises of their own, but that the promises rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chance import number, one_from, several, tried_on
from interlock.approve.glob import is_plain, matches
from interlock.approve.grant import covers, why_not
from interlock.approve.keys import key_of_action, refused_keys, remembered
from interlock.decide import decide
from interlock.layers import LAYERS
from interlock.model.action import Action
from interlock.model.call import Call
from interlock.model.decision import Decision, Finding
from interlock.model.effects import Effect, by_precedence, most_restrictive
from interlock.model.errors import PostureError
from interlock.model.facts import Facts
from interlock.model.posture import Posture, move
from interlock.model.session import OUTCOMES, Session, advance
from interlock.model.toolnames import declared_tool
from interlock.model.verdict import Verdict
from interlock.policy.model import Policy
from interlock.reading.read import read_call
from interlock.value import FrozenMap
from oracle import covers_slowly, like
from strategies import Case, a_case, a_finding, an_action, globs


def decided(case: Case) -> Decision:
    return decide(case.call, case.reading, case.policy, case.session, case.grants)


@tried_on(a_case, number(0, 2**16))
def test_the_order_of_layers_and_their_repetition_change_no_verdict(case: Case, seed: int) -> None:
    layers = Random(seed).sample([*LAYERS, *LAYERS[seed % 5 :]], k=2 * len(LAYERS) - seed % 5)
    shuffled = decide(case.call, case.reading, case.policy, case.session, case.grants, layers)
    expected = decided(case)
    assert (shuffled.verdict, shuffled.used, shuffled.approval) == (expected.verdict, expected.used, expected.approval)
    assert {f.rule for f in shuffled.reasons} == {f.rule for f in expected.reasons}


@tried_on(a_case, several(a_finding, least=1, most=2))
def test_one_more_finding_never_loosens(case: Case, more: list[Finding]) -> None:
    layers = (*LAYERS, lambda *_: more)
    decision = decide(case.call, case.reading, case.policy, case.session, case.grants, layers)
    assert decision.verdict >= decided(case).verdict
    if any(finding.verdict is Verdict.DENY for finding in more):
        assert decision.verdict is Verdict.DENY
    locked = any(finding.locks for finding in more)
    assert decision.posture is (Posture.LOCKED if locked else decided(case).posture)


@tried_on(a_case)
def test_no_grant_for_something_else_lowers_an_ask(case: Case) -> None:
    strangers = tuple(
        grant
        for grant in case.grants
        if grant.id != "approved" and not any(covers_slowly(grant, action) for action in case.reading.actions)
    )
    alone, with_strangers = decided(case.replace(grants=())), decided(case.replace(grants=strangers))
    assert (with_strangers.verdict, with_strangers.used) == (alone.verdict, ())


@tried_on(an_action, an_action)
def test_what_was_remembered_of_one_action_covers_only_its_like(first: Action, second: Action) -> None:
    finding = Finding(layer="l", rule="r", verdict=Verdict.ASK, text="t", actions=(0,), lifted_by=("remembered",))
    kept = remembered(finding, (first,), by="someone")
    for grant in kept:
        assert covers(grant, first)
        assert covers(grant, second) is covers_slowly(grant, second) is (why_not(grant, second) is None)
        if covers(grant, second):
            assert second.name == first.name
            assert second.risk <= first.risk
            assert set(second.effects) <= set(first.effects)
            assert set(second.tags) <= set(first.tags)
            assert first.irreversible or not second.irreversible
            if "path" in first.target:
                assert second.target.get("real") in (None, first.target.get("real"))
            elif "host" in first.target:
                assert key_of_action(second) == key_of_action(first)
            else:
                assert refused_keys(first)[0] == first.name  # a no goes by the name alone
    if not kept:
        unknown = "external" in first.tags and "destination" not in first.target  # nobody knows where it went
        assert "*" in first.name or "*" in str(first.target) or unknown


@tried_on(a_case)
def test_an_unknown_tool_is_never_allowed_unless_the_policy_says_so(case: Case) -> None:
    call = case.call.replace(tool="nobody_declared_this")
    reading = read_call(call, Facts(root="/p", home="/h", declared=declared_tool(case.policy, call.tool)))
    decision = decide(call, reading, case.policy, case.session)
    if case.policy.unregistered is Verdict.ALLOW:
        permissive = Policy(unregistered=Verdict.ALLOW)
        assert decide(call, reading, permissive, Session()).verdict is Verdict.ALLOW
    else:
        assert decision.verdict >= case.policy.unregistered


class Untouchable(Mapping[str, None]):
    """An input that no layer may look at."""

    def __getitem__(self, key: str) -> None:
        raise AssertionError("a layer looked at the input")

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("a layer looked at the input")

    def __len__(self) -> int:
        raise AssertionError("a layer looked at the input")


@tried_on(a_case)
def test_layers_never_look_at_the_input(case: Case) -> None:
    call = case.call.replace(input=Untouchable(), state=Untouchable())
    decision = decide(call, case.reading, case.policy, case.session, case.grants)
    assert decision == decided(case)
    assert "failed" not in [finding.rule for finding in (*decision.reasons, *decision.satisfied)]


@tried_on(a_case, one_from(OUTCOMES))
def test_a_session_only_counts_and_remembers_what_was_made(case: Case, outcome: str) -> None:
    decision = decided(case)
    after = advance(case.session, case.reading, decision, outcome)
    ran = (decision.verdict is not Verdict.DENY and outcome == "ran") or (
        decision.verdict is Verdict.ALLOW and outcome == "unknown"
    )
    made = {
        str(a.target["path"])
        for a in case.reading.actions
        if {"new"} <= set(a.tags) and "path" in a.target and Effect.WRITE in a.effects and Effect.READ not in a.effects
    }
    assert (after.calls, after.created) == (1, frozenset(made if ran else ()))
    assert (after.posture, after.refused, after.raised) == (decision.posture, case.session.refused, case.session.raised)


TABLE = {
    "interactive": {"interactive", "autonomous", "dry_run", "locked"},
    "autonomous": {"autonomous", "interactive", "locked"},
    "dry_run": {"dry_run", "interactive", "locked"},
    "locked": {"locked", "interactive"},
}


@pytest.mark.parametrize("current", Posture.members, ids=str)
@pytest.mark.parametrize("wanted", Posture.members, ids=str)
def test_a_posture_moves_exactly_as_the_table_says(current: Posture, wanted: Posture) -> None:
    if wanted.name in TABLE[current.name]:
        assert move(current, wanted) is wanted
    else:
        with pytest.raises(PostureError):
            move(current, wanted)


@given(st.lists(st.sampled_from(Effect.members), min_size=1))
def test_the_dominant_effect_is_the_first_by_precedence(effects: list[Effect]) -> None:
    precedence = ["destructive", "spawn", "execute", "network", "write", "read"]
    present = [name for name in precedence if name in {effect.name for effect in effects}]
    assert [effect.name for effect in by_precedence(effects)] == present
    assert most_restrictive(effects).name == present[0]


@given(globs, st.text("ab*?[", max_size=8))
def test_globs_match_as_the_slow_reading_says(pattern: str, text: str) -> None:
    assert matches(pattern, text) is like(pattern, text)
    assert not is_plain(pattern) or matches(pattern, text) is (pattern == text)


@tried_on(a_case)
def test_values_are_equal_by_content_and_hash_alike(case: Case) -> None:
    import copy
    import pickle

    again = pickle.loads(pickle.dumps(case))
    assert again == case == copy.deepcopy(case)
    assert hash(again) == hash(case) == hash(copy.deepcopy(case))
    assert type(again.policy.tools) is FrozenMap
    assert case != case.replace(call=Call(tool="other", input=FrozenMap({})))
