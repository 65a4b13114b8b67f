"""The store's tests run on every engine, unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines import ENGINES, Engine


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    return Engine(request.param, tmp_path / "home")
