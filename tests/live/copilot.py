"""The real GitHub Copilot CLI in a home of its own, with or without the guard (`client.py` has Claude Code)."""

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
from interlock.hosts import copilot_cli
from ledger_rows import ledger_rows
from live.client import CLIENTS, Run, Terminal
from scripted_model import Model, Step, scripted_model

__all__ = ["COPILOT", "Copilot", "needs_copilot"]

COPILOT = CLIENTS / "node_modules/@github/copilot-linux-x64/copilot"

needs_copilot = pytest.mark.skipif(
    not COPILOT.exists() and "CI" not in os.environ,
    reason="the pinned GitHub Copilot CLI is not here; install it with scripts/clients.sh",
)


@dataclass(frozen=True)
class Copilot:
    """
    guarded  the file of hooks that Interlock prints is in the person's folder
    guard    the guarded entry that it names
    python   and its interpreter
    servers  MCP servers of the person
    """

    folder: Path
    guarded: bool = True
    guard: Path = GUARD
    python: str = sys.executable
    servers: Mapping[str, Any] | None = None

    @property
    def home(self) -> Path:
        return made(self.folder / "home")

    @property
    def project(self) -> Path:
        return made(self.folder / "project")

    @property
    def hooks(self) -> Path:
        return made(self.home / ".copilot/hooks") / "interlock.json"

    def rows(self, kind: str = "decision") -> list[dict[str, Any]]:
        return ledger_rows(self.home / ".local/state/interlock/ledger.db", kind)

    def verdicts(self) -> list[str]:
        return [row["body"]["receipt"]["decision"]["verdict"] for row in self.rows()]

    def policy(self, text: str) -> None:
        (made(self.home / ".config/interlock") / "policy.toml").write_text(text)

    def _prepare(self) -> None:
        """What a person has done once: they trust the folder. The hooks stay as they are, if they are there."""
        folder = made(self.home / ".copilot")
        (folder / "config.json").write_text(json.dumps({"trustedFolders": [str(self.project)]}))
        if self.servers:
            (folder / "mcp-config.json").write_text(json.dumps({"mcpServers": dict(self.servers)}))
        if self.guarded and not self.hooks.exists():
            settings = copilot_cli.settings(self.python, str(self.guard), ("--home", str(self.home)))
            self.hooks.write_text(json.dumps(settings))

    def _variables(self, model: Model) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "for-tests-on-the-loopback",
            "COPILOT_MODEL": "scripted",
            "INTERLOCK_RUN": "nightly",  # each run is a session of its own
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_CACHE_HOME": str(made(CLIENTS / "copilot-cache")),  # it unpacks itself there once
        }

    def headless(
        self, script: Sequence[Step], *, agents: Mapping[str, Sequence[Step]] | None = None, approves: bool = True
    ) -> Run:
        """One run of `copilot -p`. `approves`: it approves every call by itself."""
        self._prepare()
        with scripted_model(script, agents) as model:
            done = subprocess.run(
                [str(COPILOT), "-p", "please go on", *(("--yolo",) if approves else ())],
                cwd=self.project,
                env=self._variables(model),
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
        self._prepare()
        terminal = Terminal(f"interlock-copilot-{os.getpid()}")
        with scripted_model(script) as model:
            given = [f"{key}={value}" for key, value in {**self._variables(model), "TERM": "xterm-256color"}.items()]
            command = ["env", "-i", *given, str(COPILOT), "--yolo"]
            try:
                terminal.run("new-session", "-d", "-x", "120", "-y", "50", "-c", str(self.project), *command)
                terminal.wait_for("/ commands", seconds=60)
                yield terminal, model
            finally:
                terminal.run("kill-server")
