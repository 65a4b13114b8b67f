"""Somebody who installs Interlock from the wheel, in a fresh home, without network.

What that needs lies in a folder that `scripts/wheels.sh` fills.
"""

from __future__ import annotations

import hashlib
import json
import os
import pwd
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from person import TERMINAL, Answer
from transcripts import Claude

__all__ = ["ROOT", "Newcomer", "a_newcomer"]

ROOT = Path(__file__).parent.parent


def _cache() -> Path | None:
    """Where scripts/wheels.sh puts things for this pyproject.toml."""
    made_of = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + (ROOT / "scripts/wheels.sh").read_bytes())
    folder = os.environ.get("INTERLOCK_DEV_CACHE") or os.path.expanduser("~/.cache/interlock-dev")
    found = Path(folder, f"wheels-{made_of.hexdigest()[:16]}")
    return found if (found / ".ready").exists() else None


class Newcomer:
    """Somebody with a fresh home folder, an agent host that they worked with, and the wheel."""

    def __init__(self, place: Path, cache: Path) -> None:
        self.home, self.project = place / "home", place / "project"
        Claude().bash("npm test").write(self.home / ".claude/projects/-home-ada-app/c1.jsonl")
        (self.project / ".git").mkdir(parents=True)
        (self.project / "dist").mkdir()
        me = pwd.getpwuid(os.getuid())
        self.passwd = place / "passwd"
        self.passwd.write_text(f"{me.pw_name}:x:{me.pw_uid}:{me.pw_gid}::{self.home}:/bin/bash\n")
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{self.home}/.local/bin:{cache}/tools/bin:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(cache / "packages"),
            "UV_OFFLINE": "1",
            "UV_FIND_LINKS": str(cache / "packages"),
            "UV_PYTHON": sys.executable,
            "PIPX_DEFAULT_PYTHON": sys.executable,
        }
        done = subprocess.run(
            [cache / "tools/bin/python", "-m", "hatchling", "build", "-t", "wheel", "-d", self.project / "dist"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def has(self, program: str, file: Path) -> None:
        """A program that they have installed."""
        (self.home / ".local/bin").mkdir(parents=True, exist_ok=True)
        (self.home / ".local/bin" / program).symlink_to(file)

    def apart(self, *words: str | Path) -> list[str]:
        """In a mount namespace of its own, in which the user table names this home."""
        swap = f'mount --bind {shlex.quote(str(self.passwd))} /etc/passwd && exec "$@"'
        return ["unshare", *([] if os.getuid() == 0 else ["-r"]), "-m", "sh", "-c", swap, "sh", *map(str, words)]

    def type(self, command: str, keys: str = "") -> Answer:
        """At a terminal of their own."""
        words = self.apart(sys.executable, TERMINAL, keys, "bash", "-c", command)
        done = subprocess.run(
            words, cwd=self.project, env=self.environment, stdout=subprocess.PIPE, check=False, timeout=90
        )
        return Answer(done)

    def hook(self, tool: str, **given: Any) -> dict[str, Any]:
        """What the agent host does, with the entry in its settings."""
        settings = json.loads((self.home / ".claude/settings.json").read_text())
        handler = settings["hooks"]["PreToolUse"][0]["hooks"][0]
        event = {
            "session_id": "s",
            "cwd": str(self.project),
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": given,
            "tool_use_id": f"toolu_{tool}",
        }
        done = subprocess.run(
            self.apart(handler["command"], *handler["args"]),
            input=json.dumps(event).encode(),
            cwd=self.project,
            env={**self.environment, "CLAUDE_PROJECT_DIR": str(self.project)},
            stdout=subprocess.PIPE,
            check=False,
        )
        told: dict[str, Any] = json.loads(done.stdout)["hookSpecificOutput"]
        return told


def a_newcomer(place: Path) -> Newcomer:
    found = _cache()
    if found is None and os.environ.get("CI"):
        pytest.fail("scripts/wheels.sh was not run")
    if found is None:
        pytest.skip("scripts/wheels.sh was not run")
    return Newcomer(place, found)
