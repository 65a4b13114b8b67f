"""The real Gemini CLI in a home of its own, with or without the guard in front of it (`client.py` has Claude Code)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hook_process import GUARD, made
from interlock.hosts import gemini_cli
from ledger_rows import ledger_rows
from live.client import CLIENTS, Run, Terminal
from scripted_model import Model, Step, scripted_model

__all__ = ["GEMINI", "Gemini", "needs_gemini"]

GEMINI = CLIENTS / "node_modules/@google/gemini-cli/bundle/gemini.js"

needs_gemini = pytest.mark.skipif(
    not GEMINI.exists() and "CI" not in os.environ,
    reason="the pinned Gemini CLI is not here; install it with scripts/clients.sh",
)


@dataclass(frozen=True)
class Gemini:
    """
    guarded  the settings that Interlock prints are the person's settings
    guard    the guarded entry that they name
    servers  MCP servers of the person
    """

    folder: Path
    guarded: bool = True
    guard: Path = GUARD
    servers: Mapping[str, Any] | None = None

    @property
    def home(self) -> Path:
        return made(self.folder / "home")

    @property
    def project(self) -> Path:
        return made(self.folder / "project")

    @property
    def settings(self) -> Path:
        return made(self.home / ".gemini") / "settings.json"

    def rows(self, kind: str = "decision") -> list[dict[str, Any]]:
        return ledger_rows(self.home / ".local/state/interlock/ledger.db", kind)

    def verdicts(self) -> list[str]:
        return [row["body"]["receipt"]["decision"]["verdict"] for row in self.rows()]

    def prepare(self) -> None:
        settings: dict[str, Any] = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "mcpServers": dict(self.servers or {}),
        }
        if self.guarded:
            settings |= gemini_cli.settings(sys.executable, str(self.guard), ("--home", str(self.home)))
        self.settings.write_text(json.dumps(settings))

    def variables(self, model: Model) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "GOOGLE_GEMINI_BASE_URL": model.url,
            "GEMINI_API_KEY": "for-tests-on-the-loopback",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        }

    def headless(self, script: Sequence[Step], *, prompt: str = "please go on") -> Run:
        """One run of `gemini -p` that approves every call by itself."""
        self.prepare()
        with scripted_model(script) as model:
            done = subprocess.run(
                ["node", str(GEMINI), "-p", prompt, "-m", "gemini-2.5-flash", "--yolo"],
                cwd=self.project,
                env=self.variables(model),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
        return Run(done.returncode, done.stdout, done.stderr, model)

    @contextmanager
    def terminal(self, script: Sequence[Step]) -> Iterator[tuple[Terminal, Model]]:
        """A client at a terminal, ready for what is typed. It approves by itself what no hook asks about."""
        self.prepare()
        terminal = Terminal(f"interlock-gemini-{os.getpid()}")
        with scripted_model(script) as model:
            given = [f"{key}={value}" for key, value in {**self.variables(model), "TERM": "xterm-256color"}.items()]
            command = ["env", "-i", *given, "node", str(GEMINI), "-m", "gemini-2.5-flash", "--yolo"]
            try:
                terminal.run("new-session", "-d", "-x", "120", "-y", "50", "-c", str(self.project), *command)
                terminal.wait_for("Type your message", seconds=60)
                yield terminal, model
            finally:
                terminal.run("kill-server")
