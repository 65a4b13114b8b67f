from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder for homes and projects that lies in no temporary place: there, nothing is asked about."""
    folder = Path(tempfile.mkdtemp(prefix="interlock-live-", dir=Path.home()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
