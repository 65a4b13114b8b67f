from __future__ import annotations

from pathlib import Path

import pytest

from machine import Machine


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.delenv("INTERLOCK_HOME", raising=False)
    return Machine(tmp_path)
