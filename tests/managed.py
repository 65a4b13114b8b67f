"""A machine with a managed policy: a Python whose processes see another `/etc`, in a mount namespace of their own.

The policy lies where it really lies, `/etc/interlock/policy.toml`, and the hook and the commands find it there by
themselves. Nothing of the system is changed. Skipped where the system lets this user make no namespace.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

__all__ = ["python_with_managed"]


def python_with_managed(place: Path, policy: str) -> str:
    """The path of a program that stands in for Python. What the policy says can be changed through its file."""
    etc = place / "etc"
    subprocess.run(["cp", "-a", "/etc", str(etc)], check=True)
    (etc / "interlock").mkdir(mode=0o755, exist_ok=True)
    (etc / "interlock/policy.toml").write_text(policy)
    program = place / "python"
    inside = f'mount --bind {shlex.quote(str(etc))} /etc && exec {shlex.quote(sys.executable)} "$@"'
    program.write_text(f'#!/bin/sh\nexec unshare --mount sh -c {shlex.quote(inside)} sh "$@"\n')
    program.chmod(0o755)
    done = subprocess.run([str(program), "-c", "pass"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(done.stderr)
    return str(program)
