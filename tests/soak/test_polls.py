"""A call that waits for a person is tried again and again, as each front tells its caller. Then the answer counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from sizes import how_many
from soak.fronts import FRONTS, Answer, Front, Hooked, opened
from soak.weather import built

POLLS = how_many("INTERLOCK_POLLS", 200, quick=40)
WHY = "not on a Friday"
FIVE: dict[str, type[Front]] = {"hook": Hooked, **{name: FRONTS[name] for name in ("Gate", "serve", "relay", "proxy")}}


@pytest.mark.slow
@pytest.mark.parametrize("name", FIVE)
def test_two_hundred_polls_then_a_yes_then_a_no(name: str, tmp_path: Path) -> None:
    with opened(FIVE[name], tmp_path, built(tmp_path)) as front:
        first = polled(front, POLLS)
        front.answer(first, yes=True)
        assert call(front).verdict == "allow"
        second = polled(front, 3)  # it has fired once
        assert second != first
        front.answer(second, yes=False, why=WHY)
        refused = call(front)
        assert refused.verdict == "deny"
        assert WHY in refused.text
        path = {front.path: str(front.project / "after.py"), "content": "x = 1\n"}
        assert front.call(front.named["write"], path).verdict == "allow"  # the session goes on


def call(front: Front) -> Answer:
    return front.call(front.named["pay"], {"amount": 5000})


def polled(front: Front, times: int) -> str:
    """The one question that all of them name."""
    found = [call(front) for _ in range(times)]
    assert {answer.verdict for answer in found} == {"ask"}, found[-1]
    (approval,) = {answer.approval for answer in found}
    return approval
