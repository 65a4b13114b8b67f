"""Where live tests put their homes and projects."""

from __future__ import annotations

import os
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
        # An attempt may have taken rights away. A client that is ending still tidies up, so folders may go meanwhile.
        for around, folders, _ in os.walk(folder):
            for name in folders:
                path = Path(around, name)
                with suppress(FileNotFoundError):
                    if not path.is_symlink():
                        path.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
