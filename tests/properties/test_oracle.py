"""The fast decider and the slow one agree, on every input that can be made up."""

from __future__ import annotations

from random import Random

from chance import tried_on
from interlock.decide import decide
from interlock.layers import LAYERS
from oracle import Judgement, judge_slowly
from strategies import Case, a_case

# Layers that look at what no made-up case has; the slow decider does not know them.
NOT_MADE_UP = {"obeyed", "watch", "flow", "plan", "judge", "conformance"}


def test_every_other_layer_finds_something_in_what_is_made_up() -> None:
    """Else the two would agree because neither was asked."""
    cases = [a_case(Random(seed)) for seed in range(300)]
    found = {
        layer.__name__
        for layer in LAYERS
        if any(layer(case.call, case.reading, case.policy, case.session, case.grants) for case in cases)
    }
    assert found == {layer.__name__ for layer in LAYERS} - NOT_MADE_UP


@tried_on(a_case)
def test_the_slow_decider_agrees(case: Case) -> None:
    agree(case)


@tried_on(a_case)
def test_the_slow_decider_agrees_on_what_holds_while_it_is_off(case: Case) -> None:
    agree(case.replace(session=case.session.replace(off=True)))


def agree(case: Case) -> None:
    decision = decide(case.call, case.reading, case.policy, case.session, case.grants)
    assert judge_slowly(case) == Judgement(
        verdict=decision.verdict.name,
        effect=None if decision.effect is None else decision.effect.name,
        effects=tuple(effect.name for effect in decision.effects),
        used=decision.used,
        approval=decision.approval,
    )
