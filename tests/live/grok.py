"""The real Grok in a home of its own, with the settings of other hosts there (`client.py` has Claude Code).

Interlock has no file for Grok. It is here because it calls hooks that it finds in other hosts' settings.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hook_process import made
from ledger_rows import ledger_rows
from live.client import CLIENTS, Run
from scripted_model import Step, scripted_model

__all__ = ["GROK", "Grok", "needs_grok"]

GROK = CLIENTS / "grok"

needs_grok = pytest.mark.skipif(
    not GROK.exists() and "CI" not in os.environ,
    reason="the pinned Grok is not here; install it with scripts/clients.sh",
)

_SETTINGS = """
[models]
default = "local"

[model.local]
model = "m"
base_url = "{url}/v1"
api_key = "for-tests-on-the-loopback"
name = "scripted"
context_window = 200000

[features]
telemetry = false
"""


@dataclass(frozen=True)
class Grok:
    folder: Path

    @property
    def home(self) -> Path:
        return made(self.folder / "home")

    @property
    def project(self) -> Path:
        return made(self.folder / "project")

    def rows(self, kind: str = "watch") -> list[dict[str, Any]]:
        return ledger_rows(self.home / ".local/state/interlock/ledger.db", kind)

    def headless(self, script: Sequence[Step]) -> Run:
        with scripted_model(script) as model:
            (made(self.home / ".grok") / "config.toml").write_text(_SETTINGS.format(url=model.url))
            done = subprocess.run(
                [GROK, "-p", "please go on", "-m", "local", "--always-approve", "--output-format", "plain"],
                cwd=self.project,
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": str(self.home),
                    "LANG": "C.UTF-8",
                    "GROK_DISABLE_AUTOUPDATER": "1",
                },
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        return Run(done.returncode, done.stdout, done.stderr, model)
