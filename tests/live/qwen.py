"""The real Qwen Code in a home of its own, with or without the guard in front of it (`client.py` has Claude Code).

It talks to the model as Claude Code does: of the wires that it knows, the scripted model speaks that one already.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hook_process import GUARD, made
from interlock.hosts import qwen_code
from ledger_rows import ledger_rows
from live.client import CLIENTS, Run, Terminal
from scripted_model import Model, Step, scripted_model

__all__ = ["QWEN", "Qwen", "needs_qwen"]

QWEN = CLIENTS / "node_modules/@qwen-code/qwen-code/cli.js"
NODE = CLIENTS / "node_modules/.bin/node"  # it needs a newer one than other clients
_ASKS_THE_MODEL = ["--auth-type", "anthropic", "--yolo"]

needs_qwen = pytest.mark.skipif(
    not QWEN.exists() and "CI" not in os.environ,
    reason="the pinned Qwen Code is not here; install it with scripts/clients.sh",
)


@dataclass(frozen=True)
class Qwen:
    """
    guarded  the settings that Interlock prints are the person's settings
    guard    the guarded entry that they name
    more     other settings of the person
    """

    folder: Path
    guarded: bool = True
    guard: Path = GUARD
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return made(self.folder / "home")

    @property
    def project(self) -> Path:
        return made(self.folder / "project")

    @property
    def settings(self) -> Path:
        return made(self.home / ".qwen") / "settings.json"

    def rows(self, kind: str = "decision") -> list[dict[str, Any]]:
        return ledger_rows(self.home / ".local/state/interlock/ledger.db", kind)

    def verdicts(self) -> list[str]:
        return [row["body"]["receipt"]["decision"]["verdict"] for row in self.rows()]

    def settle(self) -> None:
        """The person's settings, unless they are there already."""
        if self.settings.exists():
            return
        settings: dict[str, Any] = {"privacy": {"usageStatisticsEnabled": False}, **self.more}
        if self.guarded:
            settings |= qwen_code.settings(sys.executable, str(self.guard), ("--home", str(self.home)))
        self.settings.write_text(json.dumps(settings))

    def _variables(self, model: Model) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "for-tests-on-the-loopback",
            "ANTHROPIC_MODEL": "m",
            "INTERLOCK_RUN": "live",  # a yes is for the next run too, which is a session of its own
            "QWEN_CODE_LEGACY_MCP_BLOCKING": "1",  # tool servers are there before the first call
        }

    def headless(self, script: Sequence[Step], *, agents: Mapping[str, Sequence[Step]] | None = None) -> Run:
        """One run of `qwen -p` that approves every call by itself. `agents`: as for `Live.headless`."""
        self.settle()
        with scripted_model(script, agents or {}) as model:
            done = subprocess.run(
                [str(NODE), str(QWEN), "-p", "please go on", *_ASKS_THE_MODEL],
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
        self.settle()
        terminal = Terminal(f"interlock-qwen-{os.getpid()}")
        with scripted_model(script) as model:
            given = [f"{key}={value}" for key, value in {**self._variables(model), "TERM": "xterm-256color"}.items()]
            command = ["env", "-i", *given, str(NODE), str(QWEN), *_ASKS_THE_MODEL]
            try:
                terminal.run("new-session", "-d", "-x", "120", "-y", "50", "-c", str(self.project), *command)
                terminal.wait_for("Type your message", seconds=60)
                yield terminal, model
            finally:
                terminal.run("kill-server")
