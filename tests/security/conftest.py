from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hook_process import Machine, new_machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return new_machine(tmp_path, warm=True)


@pytest.fixture
def home_folder() -> Iterator[Path]:
    """A folder that lies in no temporary place: there, less is asked about."""
    folder = Path(tempfile.mkdtemp(prefix="interlock-security-", dir=Path.home()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
