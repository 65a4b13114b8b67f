"""Where live tests put their homes and projects."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

__all__ = ["place"]


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder for homes and projects that lies in no temporary place: there, nothing is asked about."""
    folder = Path(tempfile.mkdtemp(prefix="interlock-live-", dir=Path.home()))
    try:
        yield folder
    finally:
        for path in folder.rglob("*"):  # an attempt may have taken rights away
            if path.is_dir() and not path.is_symlink():
                with suppress(FileNotFoundError):  # a client that is ending still tidies up
                    path.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
