"""Tests that need a mount namespace of their own: skipped where there is none, except in CI."""

from __future__ import annotations

import os
import subprocess

import pytest

__all__ = ["needs_namespaces"]


def _can_have_a_namespace() -> bool:
    try:
        apart = ["unshare", *([] if os.getuid() == 0 else ["-r"]), "-m", "true"]
        return subprocess.run(apart, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


needs_namespaces = pytest.mark.skipif(
    not os.environ.get("CI") and not _can_have_a_namespace(), reason="needs root or user namespaces"
)
