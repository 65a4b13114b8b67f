"""The real Codex CLI in a home of its own, with or without the guard in front of it (`client.py` has Claude Code).

A person's trust in the hooks stands in its config.toml, as the client itself writes it: no run bypasses that.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hook_process import GUARD, made
from interlock.hosts import codex
from interlock.hosts.codex_settings import hash_of
from ledger_rows import ledger_rows
from live.client import CLIENTS, Run, Terminal
from scripted_model import Model, Step, scripted_model

__all__ = ["CODEX", "COMPOSES", "PLAIN", "Codex", "needs_codex", "trusted"]

_TARGET = {"x86_64": ("x64", "x86_64"), "aarch64": ("arm64", "aarch64")}.get(platform.machine(), ("", ""))
CODEX = CLIENTS / f"node_modules/@openai/codex-linux-{_TARGET[0]}/vendor/{_TARGET[1]}-unknown-linux-musl/bin/codex"
# Models: one that calls tools, one that writes programs that call them, one that the client knows nothing of.
CALLS, COMPOSES, PLAIN = "gpt-5.5", "gpt-6.1-sol", "gpt-5.2"

_FREELY = ("--dangerously-bypass-approvals-and-sandbox",)

needs_codex = pytest.mark.skipif(
    not CODEX.exists() and "CI" not in os.environ,
    reason="the pinned Codex CLI is not here; install it with scripts/clients.sh",
)


def trusted(hooks: Path) -> str:
    """What the client adds to config.toml once a person has trusted the hooks of this file."""
    lines = []
    for event, (group,) in json.loads(hooks.read_text())["hooks"].items():
        label = "".join([f"_{letter.lower()}" if letter.isupper() else letter for letter in event])[1:]
        lines += [f'[hooks.state."{hooks}:{label}:0:0"]', f'trusted_hash = "{hash_of(label, None, group["hooks"][0])}"']
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Codex:
    """
    guarded  the hooks that Interlock prints are the person's, who has trusted them
    guard    the guarded entry that they name
    config   more of the person's config.toml
    """

    folder: Path
    guarded: bool = True
    guard: Path = GUARD
    config: str = ""
    python: str = sys.executable

    @property
    def home(self) -> Path:
        return made(self.folder / "home")

    @property
    def project(self) -> Path:
        return made(self.folder / "project")

    @property
    def hooks(self) -> Path:
        return made(self.home / ".codex") / "hooks.json"

    def policy(self, text: str) -> None:
        (made(self.home / ".config/interlock") / "policy.toml").write_text(text)

    def rows(self, kind: str = "decision") -> list[dict[str, Any]]:
        return ledger_rows(self.home / ".local/state/interlock/ledger.db", kind)

    def verdicts(self) -> list[str]:
        return [row["body"]["receipt"]["decision"]["verdict"] for row in self.rows()]

    def _prepare(self, model: Model) -> None:
        if self.guarded:
            arguments = ("--home", str(self.home))
            self.hooks.write_text(json.dumps(codex.settings(self.python, str(self.guard), arguments)))
        trust = trusted(self.hooks) if self.guarded else ""
        self.configure(model, trust)

    def configure(self, model: Model, more: str = "", *, model_name: str = CALLS) -> None:
        text = (
            f'model = "{model_name}"\nmodel_provider = "script"\ncheck_for_update_on_startup = false\n'
            f'[model_providers.script]\nname = "script"\nbase_url = "{model.url}/v1"\nwire_api = "responses"\n'
            f'env_key = "SCRIPT_KEY"\n[projects."{self.project}"]\ntrust_level = "trusted"\n{self.config}\n{more}'
        )
        (made(self.home / ".codex") / "config.toml").write_text(text)

    def variables(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "SCRIPT_KEY": "for-tests-on-the-loopback",
            "INTERLOCK_RUN": "nightly",
        }

    def headless(
        self,
        script: Sequence[Step],
        *,
        model_name: str = CALLS,
        agents: Mapping[str, Sequence[Step]] | None = None,
        prompt: str = "please go on",
    ) -> Run:
        """One run of `codex exec` that asks nobody and has no sandbox."""
        with scripted_model(script, agents) as model:
            self._prepare(model)
            done = subprocess.run(
                [
                    *(str(CODEX), "exec", "--skip-git-repo-check", *_FREELY, "-m", model_name, prompt),
                ],
                cwd=self.project,
                env=self.variables(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
        return Run(done.returncode, done.stdout, done.stderr, model)

    @contextmanager
    def terminal(
        self, script: Sequence[Step], *, trusts: bool = False, asks: bool = False, model_name: str = PLAIN
    ) -> Iterator[tuple[Terminal, Model]]:
        """A client at a terminal, with the hooks that are there, and nobody's trust in them yet. `asks`: it may put
        questions before its person; otherwise it is told to ask nobody.
        """
        terminal = Terminal(f"interlock-codex-{os.getpid()}")
        with scripted_model(script) as model:
            self.configure(model, trusted(self.hooks) if trusts else "")
            given = [f"{key}={value}" for key, value in {**self.variables(), "TERM": "xterm-256color"}.items()]
            flags = ("-a", "on-request", "-s", "danger-full-access") if asks else _FREELY
            command = ["env", "-i", *given, str(CODEX), "--no-daemon", *flags, "-m", model_name]
            try:
                terminal.run("new-session", "-d", "-x", "120", "-y", "50", "-c", str(self.project), *command)
                yield terminal, model
            finally:
                terminal.run("kill-server")
