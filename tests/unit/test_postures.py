"""Which moves between postures exist, and what a person is told of one that does not."""

from __future__ import annotations

import pytest

from interlock.model.errors import PostureError
from interlock.model.posture import MOVES, Posture, move

WAYS = {
    "interactive": ("interactive", "autonomous", "dry_run", "locked"),
    "autonomous": ("autonomous", "interactive", "locked"),
    "dry_run": ("dry_run", "interactive", "locked"),
    "locked": ("locked", "interactive"),
}


def test_the_moves_are_these() -> None:
    assert {str(start): tuple(map(str, ends)) for start, ends in MOVES.items()} == WAYS


@pytest.mark.parametrize("start", WAYS)
@pytest.mark.parametrize("end", Posture.names())
def test_a_posture_changes_only_as_the_table_says(start: str, end: str) -> None:
    if end in WAYS[start]:
        assert move(Posture.of(start), Posture.of(end)) is Posture.of(end)
        return
    with pytest.raises(PostureError) as refused:
        move(Posture.of(start), Posture.of(end))
    others = ", ".join([way for way in WAYS[start] if way != start])
    assert str(refused.value) == f"the posture cannot go from {start} to {end}; from {start} it can go to {others}"


def test_out_of_a_dry_run_nobody_steps_into_a_session_that_nobody_attends() -> None:
    with pytest.raises(PostureError) as refused:
        move(Posture.DRY_RUN, Posture.AUTONOMOUS)
    assert str(refused.value) == (
        "the posture cannot go from dry_run to autonomous; from dry_run it can go to interactive, locked"
    )
