"""Every live test starts a client, so all are slow but the smoke tests, one or two for each client.

Of the cases of one test every third is tried. `INTERLOCK_LIVE=claude-code` tries all cases of that client,
`INTERLOCK_LIVE=all` those of every client.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from live.place import place

__all__ = ["place", "pytest_collection_modifyitems"]

HERE = Path(__file__).parent
OTHERS = ("test_codex", "test_copilot", "test_first_deny", "test_gemini", "test_opencode", "test_qwen")
WANTED = os.environ.get("INTERLOCK_LIVE", "")


def step_of(path: Path) -> int:
    is_wanted = WANTED == "all" or (WANTED == "claude-code" and not path.stem.startswith(OTHERS))
    return 1 if is_wanted else 3


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seen: Counter[str] = Counter()
    left_out = []
    for item in items:
        if str(item.path).startswith(f"{HERE}/"):
            item.add_marker(pytest.mark.slow)
            name = item.nodeid.partition("[")[0]
            if seen[name] % step_of(item.path):
                left_out.append(item)
            seen[name] += 1
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]
