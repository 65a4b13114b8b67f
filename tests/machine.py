"""The real command in a process of its own (warm.py), with its own home and project."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import warm
from ledger_rows import ledger_rows

__all__ = ["Machine", "Run"]

LOOSENING = {
    *(("grant",), ("trust",), ("store", "grant"), ("posture", "set"), ("plan", "release")),
    *(("audit", "prune"), ("audit", "restart"), ("install",), ("uninstall",)),
}


class Run:
    """What came back."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.code = done.returncode
        self.out = done.stdout.decode()
        self.err = done.stderr.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


class Machine:
    """A home folder, a project, and the `interlock` command."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        (self.project / ".git").mkdir(parents=True)
        self.home.mkdir()

    def repository(self, address: str = "https://git.example/team/app.git") -> None:
        """The project as git has it, with one remote."""
        for name, text in (
            ("HEAD", "ref: refs/heads/feature/x\n"),
            ("config", f'[remote "origin"]\n\turl = {address}\n'),
        ):
            (self.project / ".git" / name).write_text(text)
        (self.project / ".git/objects").mkdir(exist_ok=True)
        (self.project / ".git/refs").mkdir(exist_ok=True)

    @property
    def ledger(self) -> Path:
        return self.home / ".local/state/interlock/ledger.db"

    def rows(self, kind: str = "decision") -> list[dict[str, Any]]:
        return ledger_rows(self.ledger, kind)

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "interlock.cli", "--home", str(self.home), *arguments]

    def run(self, *arguments: str, stdin: bytes | str | dict[str, Any] = b"") -> Run:
        if isinstance(stdin, dict):
            stdin = json.dumps(stdin)
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        # What loosens takes a person's terminal.
        alone = "--yes" in arguments or arguments[:2] in (("store", "grant"), ("posture", "set"), ("plan", "release"))
        apart = alone and bool({arguments[:1], arguments[:2]} & LOOSENING)
        done = warm.command(("--home", str(self.home), *arguments), cwd=self.project, stdin=raw, apart=apart)
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        return Run(done)

    def decide(self, tool: str, /, *arguments: str, **fields: str) -> Run:
        return self.run("decide", *arguments, stdin={"tool": tool, "input": fields, "cwd": str(self.project)})

    def user_policy(self, text: str) -> Path:
        return self._write(self.home / ".config/interlock/policy.toml", text)

    def project_policy(self, text: str) -> Path:
        return self._write(self.project / ".interlock/policy.toml", text)

    @staticmethod
    def _write(path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path
