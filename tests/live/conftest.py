"""Of the cases of one live test every third is tried: each starts a client. `INTERLOCK_LIVE=all` tries all of them."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from live.place import place

__all__ = ["place", "pytest_collection_modifyitems"]

HERE = Path(__file__).parent
STEP = 1 if os.environ.get("INTERLOCK_LIVE") == "all" else 3


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seen: Counter[str] = Counter()
    left_out = []
    for item in items:
        if HERE in item.path.parents:
            name = item.nodeid.partition("[")[0]
            if seen[name] % STEP:
                left_out.append(item)
            seen[name] += 1
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]
