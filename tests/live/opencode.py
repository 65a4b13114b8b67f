"""The real OpenCode in a home of its own, with or without the plug-in (`client.py` has Claude Code)."""

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
from interlock.hosts import opencode, opencode_plugin
from ledger_rows import ledger_rows
from live.client import CLIENTS, Run, Terminal
from scripted_model import Model, Step, scripted_model

__all__ = ["OPENCODE", "OpenCode", "needs_opencode"]

OPENCODE = CLIENTS / "node_modules/opencode-ai/bin/opencode.exe"
_PLUGINS = {"@opencode-ai/plugin": "1.18.33"}  # it fetches this for plug-ins, unless it is there

needs_opencode = pytest.mark.skipif(
    not OPENCODE.exists() and "CI" not in os.environ,
    reason="the pinned OpenCode is not here; install it with scripts/clients.sh",
)


@dataclass(frozen=True)
class OpenCode:
    """
    guarded  our plug-in is in the person's folder
    guard    the guarded entry that it names
    python   and its interpreter
    servers  MCP servers of the person
    model    its name: the client gives some models other tools
    """

    folder: Path
    guarded: bool = True
    guard: Path = GUARD
    python: str = sys.executable
    servers: Mapping[str, Any] | None = None
    model: str = "m"

    @property
    def home(self) -> Path:
        return made(self.folder / "home")

    @property
    def project(self) -> Path:
        return made(self.folder / "project")

    @property
    def plugin(self) -> Path:
        return made(self.home / ".config/opencode/plugin") / "interlock.js"

    def rows(self, kind: str = "decision") -> list[dict[str, Any]]:
        return ledger_rows(self.home / ".local/state/interlock/ledger.db", kind)

    def decided(self) -> list[tuple[str, str]]:
        receipts = [row["body"]["receipt"] for row in self.rows()]
        return [(receipt["call"]["tool"], receipt["decision"]["verdict"]) for receipt in receipts]

    def policy(self, text: str) -> None:
        (made(self.home / ".config/interlock") / "policy.toml").write_text(text)

    def _prepare(self, model: Model) -> None:
        """The person's settings: a model on the loopback, and every permission."""
        folder = self.plugin.parent.parent
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "scripted",
            "options": {"baseURL": f"{model.url}/v1", "apiKey": "for-tests-on-the-loopback"},
            "models": {
                self.model: {"name": self.model, "tool_call": True, "limit": {"context": 100000, "output": 4000}}
            },
        }
        settings = {
            "model": f"scripted/{self.model}",
            "small_model": f"scripted/{self.model}",
            "autoupdate": False,
            "share": "disabled",
            "snapshot": False,
            "permission": {"bash": "allow", "edit": "allow", "external_directory": "allow"},
            "provider": {"scripted": provider},
            "mcp": dict(self.servers or {}),
        }
        (folder / "opencode.json").write_text(json.dumps(settings))
        (folder / "package.json").write_text(json.dumps({"dependencies": _PLUGINS}))
        lock = {
            "name": "opencode",
            "lockfileVersion": 3,
            "requires": True,
            "packages": {"": {"dependencies": _PLUGINS}},
        }
        (folder / "package-lock.json").write_text(json.dumps(lock))
        modules = made(folder / "node_modules") / "@opencode-ai"
        if not modules.is_symlink():
            modules.symlink_to(CLIENTS / "node_modules/@opencode-ai")
        if self.guarded and not self.plugin.exists():
            entries = opencode.settings(self.python, str(self.guard), ("--home", str(self.home)))
            self.plugin.write_text(opencode_plugin.text_of(entries))

    def _variables(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "SHELL": "/bin/sh",
            "INTERLOCK_RUN": "nightly",  # each run is a session of its own
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        }

    def headless(self, script: Sequence[Step], *, agents: Mapping[str, Sequence[Step]] | None = None) -> Run:
        """One run of `opencode run`."""
        with scripted_model(script, agents) as model:
            self._prepare(model)
            done = subprocess.run(
                [str(OPENCODE), "run", "please go on"],
                cwd=self.project,
                env=self._variables(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=180,
                check=False,
            )
        return Run(done.returncode, done.stdout, done.stderr, model)

    @contextmanager
    def terminal(self, script: Sequence[Step]) -> Iterator[tuple[Terminal, Model]]:
        """A client at a terminal, ready for what is typed."""
        terminal = Terminal(f"interlock-opencode-{os.getpid()}")
        with scripted_model(script) as model:
            self._prepare(model)
            given = [f"{key}={value}" for key, value in {**self._variables(), "TERM": "xterm-256color"}.items()]
            try:
                command = ["env", "-i", *given, str(OPENCODE)]
                terminal.run("new-session", "-d", "-x", "120", "-y", "50", "-c", str(self.project), *command)
                terminal.wait_for("Ask anything", seconds=90)
                yield terminal, model
            finally:
                terminal.run("kill-server")
