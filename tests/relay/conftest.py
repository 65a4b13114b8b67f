from __future__ import annotations

from pathlib import Path

import pytest

from .wire import Home

collect_ignore_glob = ["cases/*"]  # they run in the environment of the `mcp` package


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "server.log"
