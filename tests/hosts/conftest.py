from __future__ import annotations

from pathlib import Path

import pytest

from hook_process import Machine, new_machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return new_machine(tmp_path, warm=True)
