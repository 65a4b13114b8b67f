"""The fast decider and the slow one agree, on every input that can be made up."""

from __future__ import annotations

from hypothesis import event, given

from interlock.decide import decide
from oracle import Judgement, judge_slowly
from strategies import Case, cases


@given(cases())
def test_the_slow_decider_agrees(case: Case) -> None:
    decision = decide(case.call, case.reading, case.policy, case.session, case.grants)
    event(f"verdict {decision.verdict}, {len(decision.used)} grants used")
    assert judge_slowly(case) == Judgement(
        verdict=decision.verdict.name,
        effect=None if decision.effect is None else decision.effect.name,
        effects=tuple(effect.name for effect in decision.effects),
        used=decision.used,
        approval=decision.approval,
    )
