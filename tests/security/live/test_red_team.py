"""A red team against the guard itself, with the real client in bypass mode: nothing but Interlock stands in the way.

Each attempt is tried without the guard first, where it must succeed. `INTERLOCK_ATTEMPTS=5` tries every fifth of
them, a different fifth in each group, and `INTERLOCK_ATTEMPTS=1` all.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from live.attempt import Attempt, tried
from live.client import needs_client
from security.live import attempts_inside, attempts_unhook

pytestmark = needs_client

GROUPS = [attempts_unhook.ATTEMPTS, attempts_inside.ATTEMPTS]
ALL = [attempt for group in GROUPS for attempt in group]
STEP = int(os.environ.get("INTERLOCK_ATTEMPTS", "10"))
SAMPLE = [attempt for start, group in enumerate(GROUPS) for attempt in group[start % STEP :: STEP]]


@pytest.mark.sampled(99)
@pytest.mark.parametrize("attempt", SAMPLE, ids=str)
def test_nobody_switches_it_off(attempt: Attempt, place: Path) -> None:
    tried(attempt, place)


def test_no_attempt_is_listed_twice() -> None:
    names = [attempt.name for attempt in ALL]
    assert len(set(names)) == len(names) >= 60
