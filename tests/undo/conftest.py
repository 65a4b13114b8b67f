from __future__ import annotations

from pathlib import Path

import pytest

from hook_process import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project):
        folder.mkdir()
    (project / ".interlock").mkdir()
    return Machine(home.resolve(), project.resolve(), warm=True)
