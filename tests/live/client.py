"""The real Claude Code in a home of its own, with or without the guard in front of it.

The client is the pinned one that `scripts/clients.sh` installs; the model is a script that is played on the loopback
(`scripted_model.py`). Headless runs go through `-p`; runs at a terminal through tmux, with typed keys and a screen that
can be looked at. What happened is read off the disk, off the ledger and off what the client told the model.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hook_process import Machine, made, new_machine
from interlock.hosts import claude_events
from scripted_model import Model, Step, scripted_model

__all__ = ["CLIENT", "CLIENTS", "Live", "Run", "Terminal", "needs_client"]

KEY = "sk-ant-for-tests-on-the-loopback"
_LOCK = Path(__file__).parent / "clients/package-lock.json"
_CACHE = Path(os.environ.get("INTERLOCK_DEV_CACHE") or Path.home() / ".cache/interlock-dev")
CLIENTS = _CACHE / f"clients-{hashlib.sha256(_LOCK.read_bytes()).hexdigest()[:16]}"
CLIENT = CLIENTS / "node_modules/@anthropic-ai/claude-code/bin/claude.exe"

needs_client = pytest.mark.skipif(
    not CLIENT.exists() and "CI" not in os.environ,
    reason="the pinned Claude Code is not here; install it with scripts/clients.sh",
)


@dataclass(frozen=True)
class Run:
    """One headless run."""

    code: int
    out: str
    err: str
    model: Model

    @property
    def result(self) -> dict[str, Any]:
        """What `--output-format json` printed."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    def told(self, step: int) -> str:
        """What the model was told of the call in this step."""
        return self.model.results.get(f"toolu_step_{step}", "")


class Terminal:
    """A client in a tmux of its own."""

    def __init__(self, socket: str) -> None:
        self._tmux = ["tmux", "-L", socket, "-f", "/dev/null"]

    def run(self, *arguments: str) -> str:
        done = subprocess.run([*self._tmux, *arguments], capture_output=True, text=True, check=False)
        return done.stdout

    def screen(self, *, history: bool = False) -> str:
        return self.run("capture-pane", "-p", *(("-S", "-2000") if history else ())).rstrip()

    def press(self, *keys: str) -> None:
        self.run("send-keys", *keys)

    def type(self, text: str) -> None:
        """Types a line and sends it."""
        end = time.monotonic() + 30
        while text[:40] not in self.screen():  # keys that come before the client listens are lost
            assert time.monotonic() < end, f"the client does not listen; the screen shows:\n{self.screen()}"
            self.run("send-keys", "-l", text)
            shown = time.monotonic() + 3
            while text[:40] not in self.screen() and time.monotonic() < shown:
                time.sleep(0.1)
        self.press("Enter")

    def wait_for(self, text: str, seconds: float = 30) -> str:
        self.until(lambda: text in self.screen(), repr(text), seconds)
        return self.screen()

    def answer(self, question: str, *keys: str) -> None:
        """Waits for a dialog and presses the keys until it is gone: a dialog that has just come up takes none. The next
        one may ask the same, so a dialog is known by the lines above its question as well.
        """
        self.wait_for(question)
        end = time.monotonic() + 30
        shown = self._dialog(question)
        while shown != (again := self._dialog(question, after=0.2)):  # the client may still be drawing it
            shown = again
        while shown and self._dialog(question) == shown:
            assert time.monotonic() < end, f"the dialog stays; the screen shows:\n{self.screen()}"
            self.press(*keys)
            time.sleep(0.5)

    def _dialog(self, question: str, after: float = 0) -> list[str]:
        """The question with the lines above it; none where it is not on the screen."""
        time.sleep(after)
        lines = self.screen().splitlines()
        asked = [at for at, line in enumerate(lines) if question in line]
        return lines[max(0, asked[-1] - 4) : asked[-1] + 1] if asked else []

    def until(self, holds: Any, what: str, seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(f"waited {seconds} s for {what}; the screen shows:\n{self.screen()}")
            time.sleep(0.1)


@dataclass
class Live:
    """A machine on which the client is used. `guarded`: its settings are those that `interlock hook` prints."""

    machine: Machine
    guarded: bool = True
    environment: dict[str, str] = field(default_factory=dict)

    @classmethod
    def at(cls, folder: Path, *, guarded: bool = True, **changes: Any) -> Live:
        live = cls(machine=new_machine(made(folder), **changes), guarded=guarded)
        live.settle()
        return live

    @property
    def home(self) -> Path:
        return self.machine.home

    @property
    def project(self) -> Path:
        return self.machine.project

    @property
    def settings(self) -> Path:
        return self.home / ".claude/settings.json"

    def settle(self) -> None:
        """What a person has done once: the first-run questions, the trust dialog, the settings; a repository."""
        made(self.home / ".claude")
        answered = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(self.project): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
        }
        (self.home / ".claude.json").write_text(json.dumps(answered))
        settings = {}
        if self.guarded:
            arguments = ("--home", str(self.home))
            settings = claude_events.settings(self.machine.python, str(self.machine.guard), arguments)
        self.settings.write_text(json.dumps(settings))
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *who, *arguments], cwd=cwd or self.project, env=env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def write(self, path: str, text: str) -> Path:
        """A file of the project, or of anywhere by its full path."""
        file = self.project / path
        made(file.parent)
        file.write_text(text)
        return file

    def rows(self, kind: str = "decision") -> list[dict[str, Any]]:
        return self.machine.rows(kind)

    def verdicts(self) -> list[str]:
        return [row["body"]["receipt"]["decision"]["verdict"] for row in self.rows()]

    def variables(self, model: Model, more: Mapping[str, str] | None = None) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": KEY,
            "IS_SANDBOX": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **self.environment,
            **(more or {}),
        }

    def headless(
        self,
        script: Sequence[Step],
        *,
        prompt: str = "please go on",
        mode: str = "bypassPermissions",
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        agents: Mapping[str, Sequence[Step]] | None = None,
        cwd: Path | None = None,
    ) -> Run:
        """One run of `claude -p`. `agents`: a script for each sub-agent, by a word in its prompt."""
        with scripted_model(script, agents or {}) as model:
            done = subprocess.run(
                [str(CLIENT), "-p", prompt, "--output-format", "json", "--permission-mode", mode, *arguments],
                cwd=cwd or self.project,
                env=self.variables(model, environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
        return Run(done.returncode, done.stdout, done.stderr, model)

    @contextmanager
    def terminal(
        self,
        script: Sequence[Step],
        *,
        mode: str = "bypassPermissions",
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        agents: Mapping[str, Sequence[Step]] | None = None,
        size: tuple[int, int] = (120, 50),
    ) -> Iterator[tuple[Terminal, Model]]:
        """A client at a terminal, ready for what is typed."""
        name = f"interlock-live-{os.getpid()}-{hashlib.sha256(str(self.home).encode()).hexdigest()[:8]}"
        assert shutil.which("tmux"), "tmux is needed; scripts/clients.sh installs it"
        terminal = Terminal(name)
        with scripted_model(script, agents or {}) as model:
            variables = {**self.variables(model, environment), "TERM": "xterm-256color"}
            given = [f"{key}={value}" for key, value in variables.items()]
            command = ["env", "-i", *given, str(CLIENT), "--permission-mode", mode, *arguments]
            columns, lines = map(str, size)
            try:
                terminal.run("new-session", "-d", "-x", columns, "-y", lines, "-c", str(self.project), *command)
                terminal.wait_for("❯")
                yield terminal, model
            finally:
                terminal.run("kill-server")
